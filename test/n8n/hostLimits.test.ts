/*
 * What n8n forbids or lacks, and what the package does because of it. A test that fails here says
 * that n8n has lifted a limit: reconsider what its name says. test/e2e/hostLimits.test.ts checks
 * n8n's server in the same way.
 */
import { inspect } from 'node:util';

import { HookContext, PollContext, WebhookContext } from 'n8n-core';
import type { IWebhookData } from 'n8n-workflow';

import {
	additionalData,
	engineNode,
	engineWorkflow,
	nodeTypeOf,
	NodeTypes,
	runInEngine,
} from '../../n8nHost/engine';
import { SavedCredentials } from '../support/actionHost';
import { useEchoService } from '../support/echoService';
import { withAccessToken } from '../support/operationForms';

const NODE = engineNode({ name: 'Limit', type: 'limit' });
const service = useEchoService();

describe('n8n’s store of processed keys', () => {
	const data = additionalData(new SavedCredentials({}), 'limits');
	const types = new NodeTypes({ limit: nodeTypeOf('limit', async () => [[]]) });
	const workflow = engineWorkflow([NODE], types, { active: true });
	const webhookData: IWebhookData = {
		httpMethod: 'POST',
		node: NODE.name,
		path: 'webhook',
		webhookDescription: { httpMethod: 'POST', name: 'default', path: 'webhook' },
		workflowId: 'workflow',
		workflowExecuteAdditionalData: data,
	};
	const of = [workflow, NODE, data] as const;

	it.each([
		[
			'webhook(): the trigger claims events in memory there, and records them in execute()',
			new WebhookContext(...of, 'webhook', webhookData, [], null),
		],
		[
			'a webhook that is set up, so the same goes there',
			new HookContext(...of, 'webhook', 'activate', webhookData),
		],
		[
			'poll(): the polling trigger remembers in static data',
			new PollContext(...of, 'trigger', 'activate'),
		],
	])('isn’t offered to %s', (_where, { helpers }) => {
		const names = Object.keys(helpers);
		expect(names.filter((name) => /processed|deduplicat|dataTable/i.test(name))).toEqual([]);
	});
});

it('an error of requestWithAuthentication() carries the token unseen to the next node: docs/credentials.md says who can read it', async () => {
	let received: unknown;
	const types = new NodeTypes({
		fails: nodeTypeOf(
			'fails',
			async function () {
				const sent = this.helpers.requestWithAuthentication.call(this, 'payrollPaymentsApi', {
					uri: service.url,
				});
				return [[{ json: { error: await sent.catch((error: unknown) => error) } }]];
			},
			{ credentials: [{ name: 'payrollPaymentsApi' }] },
		),
		limit: nodeTypeOf('limit', async function () {
			[received] = this.getInputData();
			return [[]];
		}),
	});
	const credentials = { payrollPaymentsApi: { id: '1', name: 'saved' } };
	await runInEngine(
		{
			nodes: [engineNode({ name: 'Fails', type: 'fails', credentials }), NODE],
			connections: { Fails: { main: [[{ node: 'Limit', type: 'main', index: 0 }]] } },
		},
		types,
		withAccessToken(service.url),
		{ executionId: 'limits' },
	);
	expect(JSON.stringify(received)).not.toContain('the.access.token');
	expect(inspect(received, { depth: null })).toContain("authorization: 'Bearer the.access.token'");
});

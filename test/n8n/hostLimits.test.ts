/*
 * What n8n forbids or lacks, and what the package does because of it. A test that fails here says
 * that n8n has lifted a limit: reconsider what its name says. test/e2e/hostLimits.test.ts checks
 * n8n's server in the same way.
 */
import { inspect } from 'node:util';

import { HookContext, PollContext, WebhookContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject, ICredentialType, IWebhookData } from 'n8n-workflow';

import {
	additionalData,
	EngineCredentials,
	engineNode,
	engineWorkflow,
	nodeTypeOf,
	NodeTypes,
	runInEngine,
} from '../../n8nHost/engine';
import { useEchoService } from '../support/echoService';

const CREDENTIAL: ICredentialType = {
	name: 'limitApi',
	displayName: 'Limit API',
	properties: [
		{
			displayName: 'Session Token',
			name: 'sessionToken',
			type: 'hidden',
			typeOptions: { expirable: true },
			default: '',
		},
	],
	preAuthentication: async () => ({ sessionToken: 'renewed' }),
	authenticate: async (credentials: ICredentialDataDecryptedObject, options) => ({
		...options,
		headers: { authorization: String(credentials.sessionToken) },
	}),
};

const NODE = engineNode({ name: 'Limit', type: 'limit' });
const credentials = new EngineCredentials(CREDENTIAL, { sessionToken: 'expired' });
const service = useEchoService();

describe('n8n’s store of processed keys', () => {
	const data = additionalData(credentials, 'limits');
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
				const request = { uri: service.url };
				const sent = this.helpers.requestWithAuthentication.call(this, 'limitApi', request);
				return [[{ json: { error: await sent.catch((error: unknown) => error) } }]];
			},
			{ credentials: [{ name: 'limitApi' }] },
		),
		limit: nodeTypeOf('limit', async function () {
			[received] = this.getInputData();
			return [[]];
		}),
	});
	const saved = { limitApi: { id: '1', name: 'saved' } };
	await runInEngine(
		{
			nodes: [engineNode({ name: 'Fails', type: 'fails', credentials: saved }), NODE],
			connections: { Fails: { main: [[{ node: 'Limit', type: 'main', index: 0 }]] } },
		},
		types,
		credentials,
		{ executionId: 'limits' },
	);
	expect(JSON.stringify(received)).not.toContain('renewed');
	expect(inspect(received, { depth: null })).toContain("authorization: 'renewed'");
});

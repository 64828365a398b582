/*
 * What n8n forbids or lacks, and what the package does because of it. A test that fails here says
 * that n8n has lifted a limit: reconsider what its name says. test/e2e/hostLimits.test.ts checks
 * n8n's server in the same way.
 */
import { inspect } from 'node:util';

import { engineNode, nodeTypeOf, NodeTypes, runInEngine } from '../../n8nHost/engine';
import { useEchoService } from '../support/echoService';
import { withAccessToken } from '../support/operationForms';

const NODE = engineNode({ name: 'Limit', type: 'limit' });
const service = useEchoService();

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

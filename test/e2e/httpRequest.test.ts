import { outputOf } from '../../n8nHost/executions';
import { administrator, walletCredentials } from '../../n8nHost/sandboxCredentials';
import { startHttpServer, type HttpServer, type ReceivedRequest } from '../support/httpServer';
import { shareTestEnvironment } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { chain, node, START } from '../../n8nHost/workflows';

const environment = useEnvironment(shareTestEnvironment);
let otherServer: HttpServer;
const received: ReceivedRequest[] = [];

beforeAll(async () => {
	otherServer = await startHttpServer((request) => received.push(request));
});

function request(name: string, url: string, method = 'GET') {
	const type = 'payrollPaymentsApi';
	const signedIn = { authentication: 'predefinedCredentialType', nodeCredentialType: type };
	const parameters = { method, url, ...signedIn, options: {} };
	const credentials = { [type]: { id: null, name: '' } };
	return node(name, 'n8n-nodes-base.httpRequest', parameters, { typeVersion: 4.5, credentials });
}

it('signs in for n8n’s HTTP Request node, and again after the tokens have expired', async () => {
	const { n8n, sandbox, api, teamId } = environment;
	const balance = request('Balance', `${sandbox.url}/v2/balance?nanoid=${teamId}`);
	const { id } = await n8n.saveWorkflow(chain('HTTP Request', [START, balance]), [api]);
	for (let time = 0; time < 2; time++) {
		const execution = await n8n.runWorkflow(id);
		expect(execution.error).toBeUndefined();
		const answer = { success: true, data: expect.anything() };
		expect(outputOf(execution, 'Balance')).toEqual([expect.objectContaining(answer)]);
		await sandbox.control('POST', 'tokens/expire');
	}
});

it('doesn’t send the token along a redirect', async () => {
	const { n8n, sandbox, api, teamId } = environment;
	const location = `${otherServer.url}/v2/balance`;
	const always = { times: 'always', match: { path: '^/v2/balance$' } };
	await sandbox.control('POST', 'faults', { kind: 'redirect', location, ...always });
	const balance = request('Redirected', `${sandbox.url}/v2/balance?nanoid=${teamId}`);
	const { id } = await n8n.saveWorkflow(chain('Redirected', [START, balance]), [api]);
	const { error } = await n8n.runWorkflow(id);
	await sandbox.control('DELETE', 'faults');
	expect(error).toBeDefined();
	expect(received).toEqual([]);
});

it('lets n8n’s HTTP Request node send what the credentials list, and nothing else', async () => {
	const { n8n, sandbox } = environment;
	const limited = await n8n.saveCredentials('payrollPaymentsApi', 'One request', {
		...walletCredentials(sandbox.url, await administrator(sandbox.url)),
		access: 'readOnly',
		otherRequests: 'POST /v2/reports',
	});
	const errorOf = async (method: string) => {
		const sending = request('Send', `${sandbox.url}/v2/reports`, method);
		const { id } = await n8n.saveWorkflow(chain(`A ${method}`, [START, sending]), [limited]);
		return JSON.stringify((await n8n.runWorkflow(id)).error);
	};
	/* The service answers: the sandbox has no such path. */
	expect(await errorOf('POST')).toContain('could not be found');
	expect(await errorOf('DELETE')).toContain('Other nodes may only read');
});

import { createServer, type IncomingHttpHeaders } from 'node:http';

import { N8n } from '../support/n8n.mjs';
import { freePort } from '../support/ports.mjs';
import { chain, node, raiseStage, START, type Stage } from '../support/testEnvironment';

jest.setTimeout(300_000);

/** A server that should not be asked anything: it keeps what arrives. */
async function openStranger() {
	const arrived: { url?: string; headers: IncomingHttpHeaders }[] = [];
	const server = createServer(({ url, headers }, response) => {
		arrived.push({ url, headers });
		response.end('{}');
	});
	const port = await freePort();
	await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
	return { url: `http://127.0.0.1:${port}`, arrived, close: () => server.close() };
}

let stage: Stage;
let stranger: Awaited<ReturnType<typeof openStranger>>;

beforeAll(async () => {
	stage = await raiseStage();
	stranger = await openStranger();
});

afterAll(async () => {
	stranger.close();
	await stage.strike();
});

/** n8n's own HTTP Request node, with the credentials of this package. */
function request(name: string, url: string) {
	return node(
		name,
		'n8n-nodes-base.httpRequest',
		{
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'payrollPaymentsApi',
			options: {},
		},
		{ typeVersion: 4.5, credentials: { payrollPaymentsApi: { id: null, name: '' } } },
	);
}

it('signs in for n8n’s HTTP Request node, and again when the tokens have died', async () => {
	const { n8n, sandbox, api, teamId } = stage;
	const balance = request('Balance', `${sandbox.url}/v2/balance?nanoid=${teamId}`);
	const { id } = await n8n.saveWorkflow(chain('HTTP Request', [START, balance]), [api]);
	for (let time = 0; time < 2; time++) {
		const execution = await n8n.runWorkflow(id);
		expect(execution.error).toBeUndefined();
		expect(N8n.output(execution, 'Balance')).toEqual([
			expect.objectContaining({ success: true, data: expect.anything() }),
		]);
		await sandbox.control('POST', 'tokens/expire');
	}
});

it('keeps the token from any other address', async () => {
	const { n8n, api } = stage;
	const elsewhere = request('Elsewhere', `${stranger.url}/v2/balance`);
	const { id } = await n8n.saveWorkflow(chain('Elsewhere', [START, elsewhere]), [api]);
	const { error } = await n8n.runWorkflow(id);
	expect(error?.message).toContain(`only, not to ${stranger.url}`);
	expect(stranger.arrived).toEqual([]);
});

it('follows no redirect with the token', async () => {
	const { n8n, sandbox, api, teamId } = stage;
	await sandbox.control('POST', 'faults', {
		kind: 'redirect',
		location: `${stranger.url}/v2/balance`,
		times: 'always',
		match: { path: '^/v2/balance$' },
	});
	const balance = request('Redirected', `${sandbox.url}/v2/balance?nanoid=${teamId}`);
	const { id } = await n8n.saveWorkflow(chain('Redirected', [START, balance]), [api]);
	const { error } = await n8n.runWorkflow(id);
	await sandbox.control('DELETE', 'faults');
	expect(error).toBeDefined();
	expect(stranger.arrived).toEqual([]);
});

import { N8n } from '../../scripts/n8n.mjs';
import { chain, node, raiseStage, START, type Stage } from './stage';

jest.setTimeout(300_000);

let stage: Stage;

beforeAll(async () => {
	stage = await raiseStage();
});

afterAll(async () => {
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
		{ typeVersion: 4.2, credentials: { payrollPaymentsApi: { id: null, name: '' } } },
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
	const elsewhere = request('Elsewhere', 'http://127.0.0.1:9/v2/balance');
	const { id } = await n8n.saveWorkflow(chain('Elsewhere', [START, elsewhere]), [api]);
	const { error } = await n8n.runWorkflow(id);
	expect(error?.message).toMatch(/goes to \S+ only, not to http:\/\/127\.0\.0\.1:9/);
});

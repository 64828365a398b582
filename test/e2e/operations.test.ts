import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { ActionSandbox } from '../support/actionSandbox';
import { outputOf } from '../../n8nHost/executions';
import type { Credentials } from '../../n8nHost/n8nRest';
import { validateActionOutput } from '../support/outputSchemas';
import { formFor } from '../support/sandboxForms';
import { shareN8n } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { action, chain, START } from '../../n8nHost/workflows';

const environment = useEnvironment(shareN8n);
const sandbox = new ActionSandbox();
let api: Credentials;

beforeAll(async () => {
	await sandbox.start();
	const { data } = sandbox.credentials();
	api = await environment.n8n.saveCredentials('payrollPaymentsApi', 'Wallet', { ...data });
});

async function run(name: string, parameters: Record<string, unknown>, credentials = api) {
	const workflow = chain(name, [START, action(name, parameters)]);
	const { id } = await environment.n8n.saveWorkflow(workflow, [credentials]);
	return await environment.n8n.runWorkflow(id);
}

/* First, since the output of Authentication: Verify is a token. */
it('n8n stores no secret, neither of a sign-in nor of one that fails', async () => {
	const { n8n, database } = environment;
	const balance = { resource: 'balance', operation: 'get', entityId: sandbox.team };
	expect((await run('Signed in', balance)).status).toBe('success');
	const { data } = sandbox.credentials({}, 'stranger');
	const stranger = await n8n.saveCredentials('payrollPaymentsApi', 'Stranger', { ...data });
	expect((await run('Stranger', balance, stranger)).status).toBe('error');

	expect(await database.placesOf(sandbox.team)).toContain('execution_data.data');
	const accounts = [sandbox.account(), sandbox.account('stranger')];
	const keys = accounts.map(({ privateKey }) => privateKey.slice(2));
	/* Every token starts with this; anything shorter could occur in encrypted data by chance. */
	for (const secret of [...keys, 'eyJhbGciOi']) {
		expect(await database.placesOf(secret)).toEqual([]);
	}
});

it.each(CATALOGUE.map(({ resource, operation }) => `${resource}.${operation}`))(
	'%s puts out what its schema says, after requests that the service describes',
	async (name) => {
		const form = await formFor(sandbox, name);
		await sandbox.control('DELETE', 'log');
		const execution = await run(name, form);
		expect(execution.error).toBeUndefined();
		const output = outputOf(execution, name).map((json) => ({ json: Object(json) }));
		expect(output).not.toEqual([]);
		validateActionOutput(form, output);
		expect(sandbox.wire()).not.toEqual([]);
		expect(sandbox.wire().filter(({ valid }) => !valid)).toEqual([]);
	},
);

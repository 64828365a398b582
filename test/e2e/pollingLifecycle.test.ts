import { N8N_VERSIONS } from '../../scripts/lib/n8nVersions.mjs';
import { outputOf } from '../support/executions';
import { POLLING_TRIGGER, PollingWorkflow } from '../support/pollingWorkflow';
import { shareTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { waitUntil } from '../support/waiting';
import { chain, node } from '../support/workflows';

jest.setTimeout(900_000);

let environment: TestEnvironment;

beforeAll(async () => {
	environment = await shareTestEnvironment();
});

afterAll(async () => {
	await environment.stop();
});

beforeEach(async () => {
	await environment.sandbox.control('POST', 'reset');
});

const control = async <Answer>(route: string, body: object): Promise<Answer> =>
	await environment.sandbox.control<Answer>('POST', route, body);

it('goes on after a published edit, and begins again when it is switched off and on', async () => {
	const { n8n, teamId } = environment;
	const setBalance = async (cents: string) =>
		await control('balances', { nanoid: teamId, currency: 'USD', balance_cents: cents });
	await setBalance('1000');
	const workflow = await PollingWorkflow.start(environment, 'balance', 'getBalance', {
		event: 'balanceChanged',
		entityId: teamId,
		currencies: ['USD'],
		minimumChangeCents: 0,
	});
	await workflow.polledAfter(async () => await setBalance('1500'));
	await workflow.publishEdit();
	await workflow.polledAfter(async () => await setBalance('1750'));
	await workflow.reaches(2);
	await workflow.stop();
	await setBalance('99');
	await workflow.polledAfter(async () => await n8n.activate(workflow.id));
	await workflow.polledAfter(async () => await setBalance('100'));
	await workflow.reaches(3);
	expect(await workflow.items()).toMatchObject([
		{ previous_balance_cents: '1000', balance_cents: '1500', change: '5.00' },
		{ previous_balance_cents: '1500', balance_cents: '1750', change: '2.50' },
		{ previous_balance_cents: '99', balance_cents: '100', change: '0.01' },
	]);
	await workflow.stop();
});

it('fetches a test event in the editor, and remembers nothing', async () => {
	const { n8n, api, teamId, database } = environment;
	const trigger = node(
		'Poll',
		POLLING_TRIGGER,
		{ event: 'inviteAdded', entityId: teamId },
		{ credentials: { payrollPaymentsApi: { id: null, name: '' } } },
	);
	const { id } = await n8n.saveWorkflow(chain('test event', [trigger]), [api]);
	const execution = await n8n.runWorkflow(id);
	expect(execution.error).toBeUndefined();
	expect(outputOf(execution, 'Poll')).toEqual([
		expect.objectContaining({ event: 'inviteAdded', nanoid: expect.stringMatching(/^in-/) }),
	]);
	expect(
		await database.query(`select "staticData" from workflow_entity where id = '${id}'`),
	).toEqual([{ staticData: null }]);
});

it('can’t be published while the service refuses, and says why', async () => {
	const { n8n, n8nProcess, api, database } = environment;
	const trigger = node(
		'Poll',
		POLLING_TRIGGER,
		{ event: 'teamUserAdded', teamId: 'te-000000000000' },
		{ credentials: { payrollPaymentsApi: { id: null, name: '' } } },
	);
	const { id } = await n8n.saveWorkflow(chain('unknown team', [trigger]), [api]);
	const reason = 'The service refused: te-000000000000 does not exist';
	if (!N8N_VERSIONS[n8nProcess.installation.version].activatesInBackground) {
		await expect(n8n.activate(id)).rejects.toThrow(reason);
		return;
	}
	/* It activates a moment later, and shows the error of each trigger in the editor. */
	await n8n.activate(id);
	const said = async () =>
		await database.query(
			`select status, "errorMessage" from workflow_publication_trigger_status where "workflowId" = '${id}'`,
		);
	await waitUntil(async () => (await said()).length > 0, {
		milliseconds: 180_000,
		interval: 250,
		failure: () => 'n8n has not reported an error after three minutes.',
	});
	expect(await said()).toEqual([
		{ status: 'failed', errorMessage: expect.stringContaining(reason) },
	]);
});

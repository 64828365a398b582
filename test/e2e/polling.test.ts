import { PollingWorkflow } from '../support/pollingWorkflow';
import { startTestEnvironment } from '../../n8nHost/testEnvironment';
import { useEnvironment } from '../support/useEnvironment';
import { waitUntil } from '../../n8nHost/waiting';

const environment = useEnvironment(startTestEnvironment);

beforeEach(async () => {
	await environment.sandbox.control('POST', 'reset');
});

const control = async <Answer>(route: string, body: object): Promise<Answer> =>
	await environment.sandbox.control<Answer>('POST', route, body);

const nanoidOf = ({ nanoid }: Record<string, unknown>) => String(nanoid);

it('puts out each of 50 changes once in 5 polls, with a kill -9 and a failing service', async () => {
	const { teamId } = environment;
	const added: string[] = [];
	const addTen = async () => {
		for (let count = 0; count < 10; count++) {
			added.push(nanoidOf(await control('users', { nanoid: teamId })));
		}
	};
	const workflow = await PollingWorkflow.start(environment, 'added users', 'listTeamUsers', {
		event: 'teamUserAdded',
		teamId,
	});
	expect(await workflow.executions()).toEqual([]);
	for (let round = 1; round <= 5; round++) {
		/* Three polls fail while people join. */
		if (round === 2) await control('faults', { kind: 'status', status: 500, times: 3 });
		if (round === 4) await environment.n8nProcess.kill();
		await addTen();
		if (round === 4) await environment.n8nProcess.start();
		await workflow.reaches(added.length);
	}
	await workflow.polledAfter(async () => undefined);
	expect((await workflow.items()).map(nanoidOf)).toEqual(added);
	expect(new Set(added).size).toBe(50);
	expect((await workflow.failures()).map(({ error }) => error?.message)).toEqual(
		Array(3).fill('The service refused: The sandbox was told to fail'),
	);
	await workflow.stop();
});

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
	/* n8n switches the trigger off and on. It would leave it off if that failed. */
	await control('faults', { kind: 'status', status: 500, times: 'always' });
	await workflow.publishEdit({ minimumChangeCents: 1 });
	await setBalance('2000');
	await waitUntil('five polls have failed', async () => (await workflow.failures()).length >= 5);
	await environment.sandbox.control('DELETE', 'faults');
	await workflow.reaches(3);
	await workflow.stop();
	await setBalance('99');
	await workflow.polledAfter(async () => await n8n.activate(workflow.id));
	await workflow.polledAfter(async () => await setBalance('100'));
	await workflow.reaches(4);
	expect(await workflow.items()).toMatchObject([
		{ previous_balance_cents: '1000', balance_cents: '1500', change: '5.00' },
		{ previous_balance_cents: '1500', balance_cents: '1750', change: '2.50' },
		{ previous_balance_cents: '1750', balance_cents: '2000', change: '2.50' },
		{ previous_balance_cents: '99', balance_cents: '100', change: '0.01' },
	]);
	await workflow.stop();
});

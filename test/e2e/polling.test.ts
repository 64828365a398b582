import { outputOf } from '../support/executions';
import { PollingWorkflow } from '../support/pollingWorkflow';
import { startTestEnvironment, type TestEnvironment } from '../support/testEnvironment';

jest.setTimeout(900_000);

let environment: TestEnvironment;

beforeAll(async () => {
	environment = await startTestEnvironment();
});

afterAll(async () => {
	await environment.stop();
});

beforeEach(async () => {
	await environment.sandbox.control('POST', 'reset');
});

const control = async <Answer>(route: string, body: object): Promise<Answer> =>
	await environment.sandbox.control<Answer>('POST', route, body);

const nanoidOf = ({ nanoid }: Record<string, unknown>) => String(nanoid);

/** n8n is killed, and starts again with the same data. */
async function killed(meanwhile: () => Promise<unknown>): Promise<void> {
	const { n8nProcess } = environment;
	await n8nProcess.kill();
	await meanwhile();
	await n8nProcess.start();
}

it('puts out each of 500 changes once in 50 polls, with a kill -9 and a failing service', async () => {
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
	for (let round = 1; round <= 50; round++) {
		if (round === 10 || round === 30) {
			/* Three polls fail while people join. */
			await control('faults', { kind: 'status', status: 500, times: 3 });
		}
		if (round === 20 || round === 40) await killed(addTen);
		else await addTen();
		await workflow.reaches(added.length);
	}
	await workflow.polledAfter(async () => undefined);
	const executions = await workflow.executions();
	const items = executions.flatMap((execution) => outputOf(execution, 'After'));
	expect(items.map(nanoidOf)).toEqual(added);
	expect(new Set(added).size).toBe(500);
	const failed = executions.filter(({ status }) => status === 'error');
	expect(failed.map(({ error }) => error?.message)).toEqual(
		Array(6).fill('The service refused: The sandbox was told to fail'),
	);
	await workflow.stop();
});

it('notices a user who was removed and comes back, with a kill -9 in between', async () => {
	const { teamId } = environment;
	const { nanoid } = await control<{ nanoid: string }>('users', { nanoid: teamId });
	const workflow = await PollingWorkflow.start(environment, 'same user', 'listTeamUsers', {
		event: 'teamUserAdded',
		teamId,
	});
	await workflow.polledAfter(async () => await control('users/remove', { nanoid }));
	await killed(async () => await control('users/restore', { nanoid }));
	await workflow.reaches(1);
	await workflow.polledAfter(async () => undefined);
	expect((await workflow.items()).map(nanoidOf)).toEqual([nanoid]);
	/* One execution without items saved that the user had left. */
	expect(await workflow.executions()).toHaveLength(2);
	await workflow.stop();
});

import { z } from 'zod';

import { N8N_VERSIONS } from '../../scripts/lib/n8nVersions.mjs';
import { outputOf, type Execution } from '../support/executions';
import { startTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { waitUntil } from '../support/waiting';
import { chain, node } from '../support/workflows';

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

/** n8n refuses an interval below a minute, but takes one time of each minute for every second. */
const EVERY_SECOND = Array.from({ length: 60 }, (_, second) => ({
	mode: 'custom',
	cronExpression: `${second} * * * * *`,
}));

const TYPE = 'n8n-nodes-payroll-payments.payrollPaymentsPollingTrigger';

const log = z.object({ counts: z.record(z.number()) });

/** An active workflow of the polling trigger and one node after it. */
class PollingWorkflow {
	private readonly ended = new Map<string, Execution>();

	private constructor(
		readonly id: string,
		/** The operation that each poll begins with. */
		private readonly operation: string,
		private readonly nodes: ReturnType<typeof PollingWorkflow.nodes>,
		private readonly name: string,
	) {}

	private static nodes(parameters: Record<string, unknown>) {
		const trigger = node(
			'Poll',
			TYPE,
			{ pollTimes: { item: EVERY_SECOND }, ...parameters },
			{ id: 'poll', credentials: { payrollPaymentsApi: { id: null, name: '' } } },
		);
		return [trigger, node('After', 'n8n-nodes-base.noOp', {}, { id: 'after' })];
	}

	static async start(
		name: string,
		operation: string,
		parameters: Record<string, unknown>,
	): Promise<PollingWorkflow> {
		const { n8n, api } = environment;
		const nodes = PollingWorkflow.nodes(parameters);
		const { id } = await n8n.saveWorkflow(chain(name, nodes), [api]);
		const workflow = new PollingWorkflow(id, operation, nodes, name);
		await workflow.polledAfter(async () => await n8n.activate(id));
		return workflow;
	}

	/** Publishes the workflow again, with its last node moved. */
	async publishEdit(): Promise<void> {
		const { n8n, api } = environment;
		const [trigger, after] = this.nodes;
		if (trigger === undefined || after === undefined) throw new Error('The workflow has no nodes');
		const edited = chain(this.name, [trigger, { ...after, position: [300, 0] }]);
		await n8n.saveWorkflow(edited, [api]);
		await n8n.activate(this.id);
	}

	/** Resolves when a poll has begun and ended after the changes. */
	async polledAfter(change: () => Promise<unknown>): Promise<void> {
		await change();
		const begun = await this.polls();
		/* The first of them may have begun before the changes; the second begins when it has ended. */
		await waitUntil(async () => (await this.polls()) >= begun + 3, {
			milliseconds: 120_000,
			interval: 200,
			failure: () => `${this.name} doesn’t poll.`,
		});
	}

	/** The items of every execution so far, in order. */
	async items(): Promise<Record<string, unknown>[]> {
		return (await this.executions()).flatMap((execution) => outputOf(execution, 'After'));
	}

	/** Waits until so many items have been put out. */
	async reaches(count: number): Promise<void> {
		let items: unknown[] = [];
		await waitUntil(
			async () => {
				items = await this.items();
				return items.length >= count;
			},
			{
				milliseconds: 120_000,
				interval: 300,
				failure: () => `${this.name} put out ${items.length} of ${count} items.`,
			},
		);
	}

	async executions(): Promise<Execution[]> {
		const { database, n8n } = environment;
		for (const { id } of await database.executions(this.id)) {
			if (!this.ended.has(id)) this.ended.set(id, await n8n.waitForExecution(id));
		}
		return [...this.ended.values()];
	}

	async stop(): Promise<void> {
		await environment.n8n.deactivate(this.id);
	}

	private async polls(): Promise<number> {
		const { counts } = log.parse(await environment.sandbox.control('GET', 'log?limit=1'));
		return counts[this.operation] ?? 0;
	}
}

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
	const workflow = await PollingWorkflow.start('added users', 'listTeamUsers', {
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
	const workflow = await PollingWorkflow.start('same user', 'listTeamUsers', {
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

it('goes on after a published edit, and begins again when it is switched off and on', async () => {
	const { n8n, teamId } = environment;
	const setBalance = async (cents: string) =>
		await control('balances', { nanoid: teamId, currency: 'USD', balance_cents: cents });
	await setBalance('1000');
	const workflow = await PollingWorkflow.start('balance', 'getBalance', {
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
		TYPE,
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
		TYPE,
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

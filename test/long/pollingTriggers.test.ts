import { outputOf } from '../../n8nHost/executions';
import { EVERY_SECOND, pollingTrigger } from '../support/pollingWorkflow';
import { startTestEnvironment, type TestEnvironment } from '../../n8nHost/testEnvironment';
import { waitUntil } from '../../n8nHost/waiting';
import { node } from '../../n8nHost/workflows';

jest.setTimeout(900_000);

const ROUNDS = 20;

/** Each poll gets a new context, and the workflow's static data from the database. */
const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
};

class ThreeTriggers {
	private readonly told = new Map<string, string[]>();
	private id = '';
	/** How many poll times a trigger has fewer than at first. */
	private readonly fewer = [0, 0, 0];

	constructor(private readonly environment: TestEnvironment) {}

	private triggers() {
		const { teamId } = this.environment;
		const currency = (currencies: string[]) => ({
			event: 'balanceChanged',
			entityId: { __rl: true, mode: 'id', value: teamId },
			currencies,
			minimumChangeCents: 0,
		});
		const users = { event: 'teamUserAdded', teamId: { __rl: true, mode: 'id', value: teamId } };
		return [currency(['USD']), users, currency(['EUR'])].map((parameters, index) => {
			const item = EVERY_SECOND.slice(0, 60 - (this.fewer[index] ?? 0));
			const named = { id: `poll-${index}`, name: `Poll ${index}` };
			return pollingTrigger({ pollTimes: { item }, ...parameters }, named);
		});
	}

	/** Saves and publishes it: n8n publishes only the triggers that were edited. */
	async publish(): Promise<void> {
		const { n8n, api } = this.environment;
		const triggers = this.triggers();
		const after = { main: [[{ node: 'After', type: 'main', index: 0 }]] };
		const workflow = {
			name: 'three triggers',
			nodes: [...triggers, node('After', 'n8n-nodes-base.noOp', {}, { id: 'after' })],
			connections: Object.fromEntries(triggers.map(({ name }) => [name, after])),
		};
		({ id: this.id } = await n8n.saveWorkflow(workflow, [api]));
		await n8n.activate(this.id);
	}

	async edit(index: number): Promise<void> {
		this.fewer[index] = (this.fewer[index] ?? 0) + 1;
		await this.publish();
	}

	/** What was told so far, one word for each item. */
	async words(): Promise<string[]> {
		const { database, n8n } = this.environment;
		for (const { id } of await database.executions(this.id)) {
			if (this.told.has(id)) continue;
			const execution = await n8n.waitForExecution(id);
			if (execution.error !== undefined) throw new Error(execution.error.message);
			const items = outputOf(execution, 'After');
			const words = items.map(({ nanoid, currency, balance_cents: cents }) =>
				nanoid === undefined ? `${String(currency)} ${String(cents)}` : String(nanoid),
			);
			this.told.set(id, words);
		}
		return [...this.told.values()].flat();
	}
}

it.each([
	['n8n', {}],
	['n8n’s poll scheduler', SCHEDULER],
])('%s: tell each of 200 changes once, with edits of each and restarts', async (_who, env) => {
	const environment = await startTestEnvironment(env);
	const { sandbox, n8nProcess, teamId } = environment;
	const polled = async (times: number) => {
		const reads = ['getBalance', 'listTeamUsers'];
		await Promise.all(reads.map(async (read) => await sandbox.asked(read, times)));
	};
	const made: string[] = [];
	const change = async (round: number) => {
		for (const currency of ['USD', 'EUR']) {
			const balance_cents = String(1_000 + round);
			await sandbox.control('POST', 'balances', { nanoid: teamId, currency, balance_cents });
			made.push(`${currency} ${balance_cents}`);
		}
		for (let count = 0; count < 8; count++) {
			const user = await sandbox.control<{ nanoid: string }>('POST', 'users', { nanoid: teamId });
			made.push(user.nanoid);
		}
	};
	try {
		const workflow = new ThreeTriggers(environment);
		await workflow.publish();
		await polled(6);
		for (let round = 1; round <= ROUNDS; round++) {
			if (round % 5 === 0) {
				await n8nProcess.kill();
				await change(round);
				await n8nProcess.start();
			} else if (round % 2 === 0) {
				const changing = change(round);
				await workflow.edit((round / 2) % 3);
				await changing;
			} else {
				await change(round);
			}
			const isTold = async () => (await workflow.words()).length >= made.length;
			await waitUntil(`round ${round} is told`, isTold);
		}
		await polled(4);
		expect((await workflow.words()).sort()).toEqual(made.sort());
		expect(made).toHaveLength(200);
	} finally {
		await environment.stop();
	}
});

import { setTimeout as pause } from 'node:timers/promises';

import { parse } from 'flatted';
import { z } from 'zod';

import { say } from '../../../tooling/progress.mjs';
import { EventSink } from '../../support/eventSink';
import type { N8nQueue } from '../../../n8nHost/n8nQueue';
import { pollingTrigger } from '../../support/pollingWorkflow';
import { writeSection } from '../reliabilityReport';
import { firstTeam, saveSandboxCredentials } from '../../../n8nHost/sandboxCredentials';
import { waitFor } from '../../../n8nHost/waiting';
import { chain, wait } from '../../../n8nHost/workflows';
import { pick, retryMissing } from './load';

const REPEATS = 2;
const PEOPLE = 5;

/** How long the service holds a poll while the main process is killed, in milliseconds. */
const HELD = 3_000;

const user = z.object({ nanoid: z.string() });

/** What an execution begins with. */
const stack = z.array(
	z.object({ data: z.object({ main: z.array(z.array(z.object({ json: user }))) }) }),
);
const beginning = z.object({ executionData: z.object({ nodeExecutionStack: stack }) });

/**
 * Has the database write down what executions begin with when they are created, since a worker that is
 * killed makes n8n overwrite it.
 *
 * @returns lists the users that a workflow emitted, in their order, each with its execution
 */
async function watchEmitted({ postgres }: N8nQueue, workflowId: string) {
	await postgres.query(`
		create table if not exists emitted ("executionId" integer, data text);
		create or replace function copy_emitted() returns trigger as $$ begin
			insert into emitted values (new."executionId", new.data);
			return new;
		end $$ language plpgsql;
		create or replace trigger copy_emitted after insert on execution_data
			for each row execute function copy_emitted();`);
	return async () => {
		const rows = await postgres.query(
			`select c."executionId", c.data from emitted c join execution_entity e on e.id = c."executionId"
			where e."workflowId" = '${workflowId}' and e.mode = 'trigger' order by 1`,
		);
		return [...rows.matchAll(/^(\d+)\|(.*)$/gm)].flatMap(([, executionId = '', data = '']) => {
			/* A poll that failed begins with an error instead. */
			const [first] = beginning.safeParse(parse(data)).data?.executionData.nodeExecutionStack ?? [];
			return (first?.data.main.flat() ?? []).map(({ json }) => ({ ...json, executionId }));
		});
	};
}

export function describePolling(queueOf: () => N8nQueue): void {
	it('emits each change once while the main process and workers are killed', async () => {
		const queue = queueOf();
		const sink = await EventSink.start();
		const sandbox = await queue.sandbox('polling');
		const { api } = await saveSandboxCredentials(queue.n8n, sandbox);
		const teamId = await firstTeam(sandbox.url);
		const trigger = pollingTrigger({ event: 'teamUserAdded', teamId });
		/* Longer than an instant, so that the worker is halfway when it is killed. */
		const after = [wait('Wait', 2, 'seconds'), sink.nodeFor('nanoid')];
		const workflow = chain('polling', [trigger, ...after]);
		const { id } = await queue.n8n.saveWorkflow(workflow, [api]);

		const polled = async (times: number) => await sandbox.asked('listTeamUsers', times);
		const emitted = await watchEmitted(queue, id);
		const added: string[] = [];
		const addPeople = async () => {
			const nanoids: string[] = [];
			for (let count = 0; count < PEOPLE; count++) {
				nanoids.push(user.parse(await sandbox.control('POST', 'users', { nanoid: teamId })).nanoid);
			}
			added.push(...nanoids);
			return nanoids;
		};
		const executionWith = async (nanoids: readonly string[]) => {
			const probe = async () =>
				(await emitted()).find(({ nanoid }) => nanoids.includes(nanoid))?.executionId;
			return await waitFor('the changes are emitted', probe, { interval: 20 });
		};
		const killMain = async () => {
			await queue.main.kill();
			say('the main process is killed');
		};

		const inWindow: string[] = [];
		/** Which process is killed, and when. */
		const rounds = Object.entries({
			'the main process while a poll waits for the service': async () => {
				const fault = { match: { path: 'users' }, kind: 'latency', delay: HELD };
				await addPeople();
				await sandbox.control('POST', 'faults', fault);
				await polled(1);
				await killMain();
			},
			'the main process when the changes have an execution': async () => {
				await executionWith(await addPeople());
				await killMain();
			},
			'the main process at a random moment': async () => {
				const nanoids = await addPeople();
				await pause(Math.random() * 2_000);
				await killMain();
				inWindow.push(...nanoids);
			},
			'a worker that runs the changes': async () => {
				const worker = await queue.workerOf(await executionWith(await addPeople()));
				await worker.kill();
			},
		});

		await queue.n8n.activate(id);
		await polled(2);
		for (let count = 0; count < REPEATS * rounds.length; count++) {
			const [round, kill] = pick(rounds, count);
			await kill();
			/* The first may have begun before the kill; the third begins when the second has ended. */
			await polled(3);
			say(`${count + 1}: ${round}; ${(await emitted()).length} of ${added.length} emitted`);
		}
		await queue.ready();
		await queue.settled();
		const executions = await queue.idle(id);
		const all = (await emitted()).map(({ nanoid }) => nanoid);
		const twice = [...new Set(all.filter((nanoid, index) => all.indexOf(nanoid) !== index))];
		const missing = added.filter((nanoid) => !all.includes(nanoid));
		const remembered = await queue.postgres.query(
			`select "staticData" from workflow_entity where id = '${id}'`,
		);
		/* n8n's own limit: the state is saved, and the execution isn't created any more. */
		const explained = missing.filter(
			(nanoid) => inWindow.includes(nanoid) && remembered.includes(nanoid.slice(3)),
		);

		const { retried, lost, overwritten } = await retryMissing(queue, sink, id, all);
		await queue.n8n.deactivate(id);

		writeSection('queuePolling', {
			versions: queue.versions,
			result: `${new Set(all).size} of ${added.length} changes emitted over kills, ${twice.length} twice, ${explained.length} dropped by n8n between its two saves`,
			figures: [
				`A workflow polls every second for new team users; ${added.length} come, ${PEOPLE} at a time. A process is killed with kill -9 and started again, each ${REPEATS} times: ${rounds.map(([round]) => round).join(', ')}.`,
				`${explained.length} changes are remembered but not emitted, as n8n was killed in between; ${missing.length - explained.length} are neither.`,
				`Of the emitted changes, ${retried}. Executions before the retries: ${JSON.stringify(executions)}.`,
			],
		});
		expect(twice).toEqual([]);
		expect(missing).toEqual(explained);
		expect(lost.length).toBeLessThanOrEqual(overwritten);
	});
}

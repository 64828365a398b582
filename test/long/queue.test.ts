import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { say } from '../../tooling/progress.mjs';
import { EventSink } from '../support/eventSink';
import { markdownTable } from '../../tooling/markdown';
import { N8nQueue } from '../../n8nHost/n8nQueue';
import { GrowingSection, writeSection } from './reliabilityReport';
import type { SupervisedProcess } from '../../n8nHost/supervisedProcess';
import { keysOf } from '../../n8nHost/sampleEvents';
import { SECRET, type TriggerSetup } from '../support/triggerWorkflow';
import { waitUntil } from '../../n8nHost/waiting';
import { wait } from '../../n8nHost/workflows';
import { inviteDespiteKills } from './killedInvites';
import { deliver, endWorkersDuring, listenWith, paced, pick, RATE } from './queue/load';
import { describePayments } from './queue/payments';
import { describePolling } from './queue/polling';
import { describeRedisStops } from './queue/redisStops';

jest.setTimeout(900_000);

/** Number of events in the main scenario; the others send a share of it. */
const EVENTS = Number(process.env.LONG_EVENTS ?? 300);
const SHARE = 0.25;
const INVITE_KILLS = Number(process.env.LONG_INVITE_KILLS ?? 4);

const section = new GrowingSection(
	'queue',
	[`${RATE} events a second`],
	[
		'One main process, two `n8n webhook`, two `n8n worker`, each started again when it ends. ' +
			'LONG_EVENTS and LONG_RATE set the number of events (300) and how many come a second (3).',
	],
);

let queue: N8nQueue;
let sink: EventSink;

beforeAll(async () => {
	queue = await N8nQueue.start();
	say('The queue is up.');
});

afterAll(async () => {
	await queue.stop();
});

beforeEach(async () => {
	sink = await EventSink.start();
});

afterEach(async () => {
	await sink.stop();
});

const figure = (result: string, ...texts: string[]) => {
	section.add(queue.versions, result, ...texts);
};

const lostOf = (keys: readonly string[]) => keys.filter((key) => sink.count(key) === 0);

/** An active workflow with the trigger, reachable through both webhook processes. */
async function listen(setup: TriggerSetup = { after: sink.node }) {
	return await listenWith(queue, setup);
}

/**
 * Retries the failed executions of events that didn't run downstream, as a person would from n8n's
 * list of executions.
 *
 * @returns a sentence with the figures
 */
async function retryMissing(workflowId: string, keys: readonly string[]): Promise<string> {
	await queue.ready();
	const missing = lostOf(keys);
	const doubled = keys.filter((key) => sink.count(key) > 1).length;
	const failed = new Map<string, string[]>();
	for (const key of missing) failed.set(key, await queue.failedWith(workflowId, key));
	const hidden = missing.filter((key) => failed.get(key)?.length === 0);
	for (const [id] of failed.values()) if (id !== undefined) await queue.n8n.retry(id);
	/* n8n answers a retry before its execution is in the list. */
	for (let second = 0; second < 60 && lostOf(keys).length > hidden.length; second++)
		await pause(1_000);
	const lost = lostOf(keys);
	if (lost.length > 0)
		say(`Lost: ${lost.join(', ')}; not in any failed execution: ${hidden.join(', ')}`);
	for (const key of lost) for (const line of queue.logged(key)) say(line);
	return (
		`${missing.length} did not run downstream, ${missing.length - hidden.length} of them were retried ` +
		`from a failed or crashed execution in n8n’s list; ${lost.length} were lost after that; ` +
		`${doubled} ran twice`
	);
}

describe('queue mode', () => {
	it('processes events once that come again a second later or at the same instant', async () => {
		const { workflowId, urls } = await listen();
		const keys = keysOf('event', EVENTS);
		const isRepeated = (index: number) => index % 10 < 3;
		const isSimultaneous = (index: number) => index % 20 === 19;
		let attempts = 0;
		await paced(keys, async (key) => {
			const index = keys.indexOf(key);
			const [here, there] = [pick(urls, index), pick(urls, index + 1)];
			const deliveries = [deliver(here, key)];
			if (isSimultaneous(index)) deliveries.push(deliver(there, key));
			if (isRepeated(index)) {
				deliveries.push(
					pause(1_000).then(async () => await deliver(index % 2 === 0 ? here : there, key)),
				);
			}
			for (const count of await Promise.all(deliveries)) attempts += count;
		});
		const executions = await queue.idle(workflowId);
		const retried = await retryMissing(workflowId, keys);
		const lost = lostOf(keys);
		const late = keys.filter((key, index) => isRepeated(index) && sink.count(key) > 1);
		const slipped = keys.filter((key, index) => isSimultaneous(index) && sink.count(key) > 1);
		const simultaneous = keys.filter((_, index) => isSimultaneous(index)).length;
		figure(
			`of ${EVENTS}, ${lost.length} lost and ${late.length + slipped.length} run twice`,
			`${EVENTS} events at ${RATE} a second, ${keys.filter((_, index) => isRepeated(index)).length} ` +
				`of them repeated after a second and ${simultaneous} at the same instant to the other ` +
				`webhook process (${attempts} deliveries, executions ${JSON.stringify(executions)}; ${retried}):`,
			markdownTable(
				['', 'events'],
				[
					['lost', lost.length],
					['repeated after a second and run twice', late.length],
					[
						'delivered twice at the same instant and run twice',
						`${slipped.length} of ${simultaneous}`,
					],
				],
			),
		);
		expect(lost).toEqual([]);
		expect(late).toEqual([]);
	});

	/** Delivers while workers end in turn, each as soon as it is ready; returns the figures. */
	const whileWorkersEnd = async (
		keys: readonly string[],
		end: (worker: SupervisedProcess) => Promise<void>,
	) => {
		const { workflowId, urls } = await listen();
		const times = await endWorkersDuring(queue, end, async () => {
			await paced(keys, async (key) => {
				await deliver(pick(urls, keys.indexOf(key)), key);
			});
		});
		const executions = await queue.idle(workflowId);
		const retried = await retryMissing(workflowId, keys);
		const emptied = await queue.failedWithoutEvent(workflowId);
		const outcome =
			`${times} times in turn, and started again: ${retried}. Executions before the retries: ` +
			`${JSON.stringify(executions)}; n8n stored ${emptied} of the failed ones without their ` +
			'event.';
		return { outcome, emptied };
	};

	it('loses no stored event when workers are killed under load', async () => {
		const keys = keysOf('killed', Math.ceil(EVENTS * 0.5));
		const { outcome, emptied } = await whileWorkersEnd(keys, async (worker) => await worker.kill());
		figure(
			`of ${keys.length} while workers are killed, ${lostOf(keys).length} lost by n8n`,
			`${keys.length} events at ${RATE} a second while workers are killed with kill -9, ${outcome} ` +
				'(n8n was told to look for abandoned executions every minute, by ' +
				'N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL; its default is 180.)',
		);
		/* n8n 2.41.3 never runs a stalled job again, and overwrites its event. */
		expect(lostOf(keys).length).toBeLessThanOrEqual(emptied);
	});

	it('loses nothing when workers are shut down gracefully under load', async () => {
		const keys = keysOf('ended', Math.ceil(EVENTS * SHARE));
		const { outcome } = await whileWorkersEnd(keys, async (worker) => await worker.restart());
		figure(
			`of ${keys.length} while workers are shut down, ${lostOf(keys).length} lost`,
			`${keys.length} events at ${RATE} a second while workers are shut down with SIGTERM, as in an ` +
				`update, ${outcome}`,
		);
		expect(lostOf(keys)).toEqual([]);
	});

	it('loses no stored event when Redis stops for ten seconds', async () => {
		const { workflowId, urls } = await listen();
		const keys = keysOf('redis', Math.ceil(EVENTS * SHARE));
		const processes = [...queue.workers, ...queue.webhooks].map((each) => each.process);
		const before = processes.map(({ restarts }) => restarts);
		let attempts = 0;
		let outage: Promise<void> | undefined;
		await paced(keys, async (key) => {
			const index = keys.indexOf(key);
			if (index === Math.floor(keys.length / 3)) {
				outage = queue.redis
					.pause()
					.then(async () => await pause(10_000))
					.then(async () => await queue.redis.resume());
			}
			const taken = await deliver(pick(urls, index), key);
			attempts += taken;
		});
		await outage;
		const executions = await queue.idle(workflowId);
		const retried = await retryMissing(workflowId, keys);
		const emptied = await queue.failedWithoutEvent(workflowId);
		const ended = processes.filter(({ restarts }, index) => restarts > (before[index] ?? 0));
		figure(
			`of ${keys.length} while Redis stops, ${lostOf(keys).length} lost`,
			`${keys.length} events at ${RATE} a second while Redis (with its append-only file) is ` +
				`stopped for ten seconds: ${attempts} attempts of delivery; ${retried}. Executions before the ` +
				`retries: ${JSON.stringify(executions)}; n8n stored ${emptied} of the failed ones without ` +
				`their event. Of the two workers and two webhook processes, ${ended.length} ended on their own and were started again.`,
		);
		expect(lostOf(keys).length).toBeLessThanOrEqual(emptied);
	});
});

describe('queue mode, acknowledged when finished', () => {
	/** Milliseconds before the sandbox delivers again; the service waits longer. */
	const RETRY_DELAYS = [5_000, 10_000, 20_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000];

	const attempt = z.object({
		idempotency_key: z.string(),
		outcome: z.enum(['sending', 'accepted', 'refused', 'no answer']),
		status: z.number().optional(),
	});
	const attemptsShape = z.object({ deliveries: z.array(attempt) });

	it('loses no event when workers are killed under load', async () => {
		const begun = await EventSink.start();
		const sandbox = await queue.sandbox('deliveries');
		/* Longer than an instant, so that many are halfway when their worker is killed. */
		const { workflowId, urls } = await listen({
			parameters: { options: { acknowledge: 'finished' } },
			between: [{ ...begun.node, name: 'Before' }, wait('Wait', 1, 'seconds')],
			after: sink.node,
		});
		await sandbox.control('POST', 'settings', { retryDelays: RETRY_DELAYS });
		const endpoints = await Promise.all(
			urls.map(async (url) =>
				z
					.object({ nanoid: z.string() })
					.parse(await sandbox.control('POST', 'endpoints', { url, secret: SECRET })),
			),
		);
		const keys = keysOf('finished', Math.ceil(EVENTS * 0.5));
		const attempts = async () =>
			attemptsShape.parse(await sandbox.control('GET', 'deliveries?limit=20000')).deliveries;
		const acknowledged = async () =>
			new Set(
				(await attempts())
					.filter(({ outcome }) => outcome === 'accepted')
					.map(({ idempotency_key: key }) => key),
			);

		const kills = await endWorkersDuring(
			queue,
			async (worker) => await worker.kill(),
			async () => {
				await paced(keys, async (key) => {
					const { nanoid: endpoint } = pick(endpoints, keys.indexOf(key));
					await sandbox.control('POST', 'events', {
						event_type: 'team.member_added',
						envelope: { idempotency_key: key },
						delivery: { endpoint },
						wait: false,
					});
				});
			},
		);
		await waitUntil(
			'every event is acknowledged',
			async () => (await acknowledged()).size === keys.length,
			{ milliseconds: 600_000, interval: 2_000 },
		).catch((error: unknown) => say(String(error)));

		const all = await attempts();
		const done = await acknowledged();
		const executions = await queue.idle(workflowId);
		const lost = keys.filter((key) => !done.has(key));
		const unfinished = [...done].filter((key) => sink.count(key) === 0);
		const halfway = keys.filter((key) => begun.count(key) > sink.count(key));
		const answers: Record<string, number> = {};
		for (const { outcome, status } of all) {
			const answer = status === undefined ? outcome : String(status);
			answers[answer] = (answers[answer] ?? 0) + 1;
		}
		writeSection('queueFinished', {
			versions: queue.versions,
			result: `${done.size} of ${keys.length} events acknowledged over ${kills} kills, ${unfinished.length} of them without having run to the end`,
			figures: [
				`${keys.length} events at ${RATE} a second, delivered by the sandbox (2xx within ten seconds, ` +
					`retries after ${RETRY_DELAYS.map((delay) => delay / 1_000).join(', ')} seconds), while ` +
					`workers are killed with kill -9, ${kills} times in turn, and started again. Each ` +
					`workflow calls a server, waits a second and calls another one:`,
				markdownTable(
					['', 'events'],
					[
						['acknowledged', done.size],
						['acknowledged without having run to the end', unfinished.length],
						['never acknowledged', lost.length],
						['left halfway at least once, and run again', halfway.length],
						['run to the end more than once', keys.filter((key) => sink.count(key) > 1).length],
					],
				),
				`${all.length} deliveries, by their answers: ${JSON.stringify(answers)}. Executions: ` +
					`${JSON.stringify(executions)}.`,
			],
		});
		expect(unfinished).toEqual([]);
		expect(lost).toEqual([]);
		expect(halfway).not.toEqual([]);
	});
});

/* What recordOnce.ts relies on; test/e2e/hostLimits.test.ts sees the one entry of regular mode. */
it('queue mode runs an execution in another process than the one that received its event, so each record has a mark', async () => {
	const { workflowId, urls } = await listen({});
	const keys = keysOf('record', 4);
	for (const [index, key] of keys.entries()) await deliver(pick(urls, index), key);
	expect(await queue.idle(workflowId)).toEqual({ success: keys.length });
	const entries = await queue.postgres.query(
		`select json_array_length(value::json -> 'data') from processed_data where "workflowId" = '${workflowId}'`,
	);
	expect(Number(entries)).toBe(2 * keys.length);
});

describe('queue mode, lost answers of Redis', () => {
	describeRedisStops(() => queue);
});

describe('queue mode, instant payments', () => {
	describePayments(() => queue);
});

describe('queue mode, polling', () => {
	describePolling(() => queue);
});

it('queue mode invites everybody once, skipping existing people, when a worker is killed', async () => {
	const { n8n, webhooks, versions } = queue;
	const killable = {
		n8n,
		versions,
		processes: webhooks.map(({ url }) => url),
		executionAfter: queue.executionAfter.bind(queue),
		kill: async (execution: string) => await (await queue.workerOf(execution)).kill(),
		ready: async () => await queue.ready(),
	};
	await inviteDespiteKills(killable, await queue.sandbox('invites'), INVITE_KILLS, 'queueInvites');
});

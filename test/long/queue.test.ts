import { setTimeout as pause } from 'node:timers/promises';

import { say } from '../../tooling/progress.mjs';
import { EventSink } from '../support/eventSink';
import { markdownTable } from '../../tooling/markdown';
import { N8nQueue } from '../../n8nHost/n8nQueue';
import { growingSection, writeSection } from './reliabilityReport';
import type { SupervisedProcess } from '../../n8nHost/supervisedProcess';
import { keysOf } from '../../n8nHost/sampleEvents';
import { SECRET } from '../support/triggerWorkflow';
import { waitUntil } from '../../n8nHost/waiting';
import { wait } from '../../n8nHost/workflows';
import { inviteDespiteKills } from './killedInvites';
import {
	deliver,
	endWorkersDuring,
	listenWith,
	paced,
	pick,
	RATE,
	retryMissing,
} from './queue/load';
import { describePayments } from './queue/payments';
import { describePolling } from './queue/polling';
import { describeRedisStops } from './queue/redisStops';

jest.setTimeout(900_000);

/** Number of events in the main scenario; the others send a share of it. */
const EVENTS = Number(process.env.LONG_EVENTS ?? 300);
const SHARE = 0.25;

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

const figure = growingSection(
	'queue',
	() => queue.versions,
	[`${RATE} events a second`],
	[
		'One main process, two `n8n webhook`, two `n8n worker`, each started again when it ends. LONG_EVENTS and LONG_RATE set the number of events (300) and how many come a second (3). n8n was told to look for abandoned executions every minute, by N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL; its default is 180.',
	],
);

describe('queue mode', () => {
	it('processes events once that come again a second later or at the same instant', async () => {
		const { workflowId, urls } = await listenWith(queue, { after: sink.node });
		const keys = keysOf('event', EVENTS);
		const repeated = keys.filter((_, index) => index % 10 < 3);
		const simultaneous = keys.filter((_, index) => index % 20 === 19);
		await paced(keys, async (key, index) => {
			const [here, there] = [pick(urls, index), pick(urls, index + 1)];
			const deliveries = [deliver(here, key)];
			if (simultaneous.includes(key)) deliveries.push(deliver(there, key));
			if (repeated.includes(key)) {
				const again = async () => await deliver(index % 2 === 0 ? here : there, key);
				deliveries.push(pause(1_000).then(again));
			}
			await Promise.all(deliveries);
		});
		const executions = await queue.idle(workflowId);
		const { retried, lost } = await retryMissing(queue, sink, workflowId, keys);
		const late = repeated.filter((key) => sink.count(key) > 1);
		const slipped = simultaneous.filter((key) => sink.count(key) > 1);
		figure(
			`of ${EVENTS}, ${lost.length} lost and ${late.length + slipped.length} run twice`,
			`${EVENTS} events at ${RATE} a second, ${repeated.length} of them repeated after a second (${late.length} of these ran twice) and ${simultaneous.length} at the same instant to the other webhook process (${slipped.length} ran twice): ${retried}. Executions before the retries: ${JSON.stringify(executions)}.`,
		);
		expect(lost).toEqual([]);
		expect(late).toEqual([]);
	});

	const stopRedis = async (task: () => Promise<void>) => {
		const processes = [...queue.workers, ...queue.webhooks].map((each) => each.process);
		const before = processes.map(({ restarts }) => restarts);
		const outage = async () => {
			await pause((EVENTS * SHARE * 1_000) / RATE / 3);
			await queue.redis.pause();
			await pause(10_000);
			await queue.redis.resume();
		};
		await Promise.all([task(), outage()]);
		const ended = processes.filter(({ restarts }, index) => restarts > (before[index] ?? 0));
		return `${ended.length} of the two workers and two webhook processes ended on their own`;
	};

	const endWorkers =
		(end: (worker: SupervisedProcess) => Promise<void>) => async (task: () => Promise<void>) =>
			`${await endWorkersDuring(queue, end, task)} times in turn, and started again`;

	it.each([
		{
			what: 'workers are killed with kill -9',
			share: 0.5,
			happening: endWorkers(async (worker) => await worker.kill()),
			/* n8n 2.41.3 never runs a stalled job again, and overwrites its event. */
			mayLose: true,
		},
		{
			what: 'workers are shut down with SIGTERM, as in an update',
			share: SHARE,
			happening: endWorkers(async (worker) => await worker.restart()),
			mayLose: false,
		},
		{
			what: 'Redis (with its append-only file) stops for ten seconds',
			share: SHARE,
			happening: stopRedis,
			mayLose: true,
		},
	])('loses no stored event when $what', async ({ what, share, happening, mayLose }) => {
		const { workflowId, urls } = await listenWith(queue, { after: sink.node });
		const keys = keysOf(what.replace(/\W+/g, '-'), Math.ceil(EVENTS * share));
		let attempts = 0;
		const happened = await happening(async () => {
			await paced(keys, async (key, index) => {
				const taken = await deliver(pick(urls, index), key);
				attempts += taken;
			});
		});
		const executions = await queue.idle(workflowId);
		const { retried, lost } = await retryMissing(queue, sink, workflowId, keys);
		const emptied = await queue.failedWithoutEvent(workflowId);
		figure(
			`of ${keys.length} while ${what}, ${lost.length} lost`,
			`${keys.length} events at ${RATE} a second while ${what} (${happened}): ${attempts} attempts of delivery; ${retried}. Executions before the retries: ${JSON.stringify(executions)}; n8n stored ${emptied} of the failed ones without their event.`,
		);
		expect(lost.length).toBeLessThanOrEqual(mayLose ? emptied : 0);
	});
});

describe('queue mode, acknowledged when finished', () => {
	/** Milliseconds before the sandbox delivers again; the service waits longer. */
	const RETRY_DELAYS = [5_000, 10_000, 20_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000];

	interface Attempts {
		readonly deliveries: ReadonlyArray<{ idempotency_key: string; outcome: string }>;
	}

	it('loses no event when workers are killed under load', async () => {
		const begun = await EventSink.start();
		const sandbox = await queue.sandbox('deliveries');
		/* Longer than an instant, so that many are halfway when their worker is killed. */
		const { workflowId, urls } = await listenWith(queue, {
			parameters: { options: { acknowledge: 'finished' } },
			between: [{ ...begun.node, name: 'Before' }, wait('Wait', 1, 'seconds')],
			after: sink.node,
		});
		await sandbox.control('POST', 'settings', { retryDelays: RETRY_DELAYS });
		const endpoints = await Promise.all(
			urls.map(async (url) => {
				return await sandbox.control<{ nanoid: string }>('POST', 'endpoints', {
					url,
					secret: SECRET,
				});
			}),
		);
		const keys = keysOf('finished', Math.ceil(EVENTS * 0.5));
		const attempts = async () =>
			(await sandbox.control<Attempts>('GET', 'deliveries?limit=20000')).deliveries;
		const acknowledged = async () => {
			const accepted = (await attempts()).filter(({ outcome }) => outcome === 'accepted');
			return new Set(accepted.map(({ idempotency_key: key }) => key));
		};

		const kill = async (worker: SupervisedProcess) => await worker.kill();
		const kills = await endWorkersDuring(queue, kill, async () => {
			await paced(keys, async (key, index) => {
				await sandbox.control('POST', 'events', {
					event_type: 'team.member_added',
					envelope: { idempotency_key: key },
					delivery: { endpoint: pick(endpoints, index).nanoid },
					wait: false,
				});
			});
		});
		await waitUntil(
			'every event is acknowledged',
			async () => (await acknowledged()).size === keys.length,
			{ milliseconds: 600_000, interval: 2_000 },
		).catch((error: unknown) => say(String(error)));

		const done = await acknowledged();
		const executions = await queue.idle(workflowId);
		const lost = keys.filter((key) => !done.has(key));
		const unfinished = [...done].filter((key) => sink.count(key) === 0);
		const halfway = keys.filter((key) => begun.count(key) > sink.count(key));
		writeSection('queueFinished', {
			versions: queue.versions,
			result: `${done.size} of ${keys.length} events acknowledged over ${kills} kills, ${unfinished.length} of them without having run to the end`,
			figures: [
				`${keys.length} events at ${RATE} a second, delivered by the sandbox (2xx within ten seconds, retries after ${RETRY_DELAYS.map((delay) => delay / 1_000).join(', ')} seconds), while workers are killed with kill -9, ${kills} times in turn, and started again. Each workflow calls a server, waits a second and calls another one:`,
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
				`${(await attempts()).length} deliveries. Executions: ${JSON.stringify(executions)}.`,
			],
		});
		expect(unfinished).toEqual([]);
		expect(lost).toEqual([]);
		expect(halfway).not.toEqual([]);
	});
});

/* What recordOnce.ts relies on; test/e2e/hostLimits.test.ts sees the one entry of regular mode. */
it('queue mode runs an execution in another process than the one that received its event, so each record has a mark', async () => {
	const { workflowId, urls } = await listenWith(queue, {});
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
	await inviteDespiteKills(killable, await queue.sandbox('invites'), 4, 'queueInvites');
});

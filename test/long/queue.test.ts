import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { say } from '../../scripts/lib/progress.mjs';
import { runConcurrently } from '../support/concurrency';
import { EventSink } from '../support/eventSink';
import { markdownTable } from '../support/markdown';
import { N8nQueue } from '../support/n8nQueue';
import { writeSection } from '../support/reliabilityReport';
import { saveSandboxCredentials } from '../support/sandboxCredentials';
import { SandboxProcess } from '../support/sandboxProcess';
import type { SupervisedProcess } from '../support/supervisedProcess';
import {
	saveTriggerWorkflow,
	SECRET,
	signatureHeaders,
	type TriggerSetup,
} from '../support/triggerWorkflow';
import { waitUntil } from '../support/waiting';
import { action, chain, node } from '../support/workflows';
import { otherEvent } from '../support/sampleEvents';

jest.setTimeout(900_000);

/** Number of events in the main scenario; the others send a share of it. */
const EVENTS = Number(process.env.LONG_EVENTS ?? 1_000);
/** Events a second, well below what two workers can handle. */
const RATE = Number(process.env.LONG_RATE ?? 3);
const PAYMENTS = Number(process.env.LONG_PAYMENTS ?? 40);

/** Payments that are sent again with an attempt code. */
const CODED_PAYMENTS = 5;
/** Share of the events in the other scenarios. */
const SHARE = 0.25;
const FEWEST_ENDS = 4;

const figures: string[] = [];

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

/** Who guarantees what, as far as the figures above it show. */
const GUARANTEES = markdownTable(
	['', 'the node', 'n8n', 'nobody'],
	[
		[
			'An event that was answered with 2xx',
			'answers 2xx only with an execution',
			'keeps the execution in PostgreSQL',
			'that it finishes if a worker is killed: n8n 2.41.3 keeps only the error of a stalled job, without the event (the figure above counts it as lost). With Acknowledge set to When Finished, the service delivers it again (next section). Otherwise shut workers down with SIGTERM, and retry the failed and crashed executions that still have their event. Sometimes n8n’s recovery lists an execution as crashed that is just being queued; it still has its event',
		],
		[
			'A repeat to the same webhook process',
			'starts nothing, even at the same instant: the process remembers the event',
			'',
			'',
		],
		[
			'A repeat to another process, after the first has run',
			'ends its execution in the trigger: the store knows the event',
			'keeps the store in PostgreSQL',
			'',
		],
		[
			'The same event to two webhook processes at the same instant',
			'marks its record and checks the mark again a moment later: an execution whose mark was overwritten ends',
			'offers a store without a lock',
			'that exactly one continues, if a process writes too long after it has read; the figure above counts such cases',
		],
		[
			'The same payment in two workers at the same instant',
			'records the payment before it is sent, and checks a mark in the same way',
			'offers a store without a lock',
			'that exactly one is sent, in the same case: send payments from one workflow, one at a time',
		],
		[
			'Redis stopped for ten seconds',
			'forgets a delivery without a 2xx and accepts it again',
			'reconnects; ends a process that misses Redis for longer than QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD (10 seconds), so each needs a supervisor; keeps queued jobs if Redis has a file on disk',
			'queued jobs, if Redis has no file on disk (not tried)',
		],
	],
);

/** Adds figures and writes all of them, since a later scenario may never end. */
function figure(...texts: string[]): void {
	figures.push(...texts);
	const { main, redis, postgres } = queue;
	writeSection(
		'queue',
		'Queue mode',
		`n8n ${main.installation.version}, ${redis.version}, ${postgres.version}`,
		[
			'One main process, two `n8n webhook`, two `n8n worker`, each started again when it ends. ' +
				'LONG_EVENTS and LONG_RATE set the number of events (1,000) and how many come a second (3).',
			...figures,
			GUARANTEES,
		].join('\n\n'),
	);
}

const keysOf = (name: string, count: number) =>
	Array.from({ length: count }, (_, index) => `${name}-${index}`);

const runsOf = (key: string) => sink.keys.filter((each) => each === key).length;

const lostOf = (keys: readonly string[]) => keys.filter((key) => runsOf(key) === 0);

/** An active workflow with the trigger, reachable through both webhook processes. */
async function listen(
	setup: TriggerSetup = { after: sink.node },
): Promise<{ workflowId: string; urls: readonly string[] }> {
	const { n8n, webhooks } = queue;
	const { workflowId, url } = await saveTriggerWorkflow(n8n, setup);
	await n8n.activate(workflowId);
	const urls = webhooks.map((process) => url.replace(n8n.url, process.url));
	for (const each of urls) await n8n.waitForWebhook(each, 180_000);
	return { workflowId, urls };
}

async function post(url: string, key: string): Promise<Response> {
	const body = JSON.stringify(otherEvent({ idempotency_key: key }));
	const response = await fetch(url, {
		method: 'POST',
		body,
		headers: signatureHeaders(body),
		signal: AbortSignal.timeout(10_000),
	});
	await response.text();
	return response;
}

/**
 * Delivers like the service: without a 2xx within ten seconds, it retries. It waits less than the
 * service, but long enough for processes that are behind to catch up.
 */
async function deliver(url: string, key: string): Promise<number> {
	const failures: string[] = [];
	for (let attempt = 1; attempt <= 10; attempt++) {
		const { status, ok } = await post(url, key).catch((error: unknown) => ({
			status: String(error),
			ok: false,
		}));
		if (ok) return attempt;
		failures.push(String(status));
		await pause(Math.min(attempt * 5, 30) * 1_000);
	}
	throw new Error(`No 2xx for ${key} from ${url}, but ${failures.join(', ')}`);
}

/** Starts a task for every key at a steady rate, and waits for all of them. */
async function paced(keys: readonly string[], task: (key: string) => Promise<void>): Promise<void> {
	const begun = Date.now();
	await Promise.all(
		keys.map(async (key, index) => {
			await pause(begun + (index * 1_000) / RATE - Date.now());
			await task(key);
		}),
	);
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
	const doubled = keys.filter((key) => runsOf(key) > 1).length;
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

const pick = <Entry>(list: readonly Entry[], index: number): Entry => {
	const entry = list[index % list.length];
	if (entry === undefined) throw new Error('an empty list');
	return entry;
};

/** Ends workers in turn while a task runs, each as soon as it is ready; returns how many times. */
async function endWorkersDuring(
	end: (worker: SupervisedProcess) => Promise<void>,
	task: () => Promise<void>,
): Promise<number> {
	let isRunning = true;
	let times = 0;
	const ending = (async () => {
		while (isRunning || times < FEWEST_ENDS) {
			const { process: worker } = pick(queue.workers, times);
			await worker.ready();
			await pause(2_000);
			await end(worker);
			times += 1;
		}
	})();
	try {
		await task();
	} finally {
		isRunning = false;
		await ending;
	}
	return times;
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
		const late = keys.filter((key, index) => isRepeated(index) && runsOf(key) > 1);
		const slipped = keys.filter((key, index) => isSimultaneous(index) && runsOf(key) > 1);
		const simultaneous = keys.filter((_, index) => isSimultaneous(index)).length;
		figure(
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

	it('runs an event once that reaches the same webhook process twice at the same instant', async () => {
		const { workflowId, urls } = await listen();
		const keys = keysOf('together', Math.ceil(EVENTS * 0.05));
		await paced(keys, async (key) => {
			const url = pick(urls, keys.indexOf(key));
			await Promise.all([deliver(url, key), deliver(url, key)]);
		});
		await queue.idle(workflowId);
		const slipped = keys.filter((key) => runsOf(key) > 1);
		figure(
			`A way to avoid it: always send the same event to the same webhook process, with only one such ` +
				`process or a proxy that hashes a constant part of the delivery. Of ${keys.length} events ` +
				`delivered twice at the same instant in this way, ${slipped.length} ran twice.`,
		);
		expect(lostOf(keys)).toEqual([]);
		expect(slipped).toEqual([]);
	});

	/** The code that the latest failed payment shows. */
	const lastAttemptCode = async (workflowId: string): Promise<string> => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId, status: ['error'] }));
		const { results } = await queue.n8n.request<{ results: Array<{ id: string }> }>(
			'GET',
			`/rest/executions?filter=${filter}&limit=1`,
		);
		const { runs } = await queue.n8n.execution(results[0]?.id ?? '');
		const hint = runs.Pay?.at(-1)?.error?.description ?? '';
		const [code] = /[0-9A-F]{4}-[0-9A-F]{4}-1/.exec(hint) ?? [];
		if (code === undefined) throw new Error(`no attempt code in “${hint}”`);
		return code;
	};

	it('sends a payment once that two workers start at the same instant', async () => {
		const { n8n, main, webhooks } = queue;
		const sandbox = await SandboxProcess.start({
			logFile: path.join(main.dataFolder, 'sandbox.log'),
		});
		try {
			const { account, api } = await saveSandboxCredentials(n8n, sandbox);
			const { teams } = z
				.object({ teams: z.array(z.object({ nanoid: z.string() })) })
				.parse(await sandbox.control('GET', 'organisation'));
			const name = randomUUID();
			const recipientEmail = 'supplier@example.com';
			const hook = node(
				'Hook',
				'n8n-nodes-base.webhook',
				{ path: name, httpMethod: 'POST', responseMode: 'onReceived', options: {} },
				{ typeVersion: 2, webhookId: name },
			);
			const json = (field: string) => `={{ JSON.stringify($json.body.${field}) }}`;
			const parameters = {
				resource: 'payment',
				operation: 'createInstant',
				teamId: teams[0]?.nanoid,
				amountCents: 12_500,
				recipientEmail,
				currency: 'USD',
				network: 'arbitrum',
				typedData: json('typed_data'),
				signatureSource: 'wallet',
				domain: json('domain'),
				types: json('types'),
				primaryType: '={{ $json.body.primary_type }}',
			};
			const urls = webhooks.map(({ url }) => `${url}/webhook/${name}`);
			/* The record belongs to the node, so it keeps its ID. */
			const payId = randomUUID();
			const publish = async (options = {}): Promise<string> => {
				const pay = action('Pay', { ...parameters, options }, { id: payId });
				const { id } = await n8n.saveWorkflow(chain(name, [hook, pay]), [api]);
				await n8n.activate(id);
				for (const url of urls) await n8n.waitForWebhook(url, 180_000);
				return id;
			};
			const id = await publish();

			const query = new URLSearchParams({
				from: teams[0]?.nanoid ?? '',
				amount_cents: '12500',
				email: recipientEmail,
				signer: account.address,
			});
			const send = async (url: string, body: string) => {
				const headers = { 'content-type': 'application/json' };
				/* While a new version is being published, n8n answers 404 and starts nothing. */
				await waitUntil(
					async () => {
						const { status } = await fetch(url, { method: 'POST', body, headers });
						if (status !== 404) expect(status).toBe(200);
						return status === 200;
					},
					{ milliseconds: 30_000, failure: () => `n8n doesn't take the payment at ${url}.` },
				);
			};
			const typedData = async () =>
				JSON.stringify(await sandbox.control('GET', `payment-typed-data?${query}`));
			const askThreeTimes = async (body: string, payment: number) => {
				await Promise.all(urls.map(async (url) => await send(url, body)));
				await pause(1_000);
				await send(pick(urls, payment), body);
			};
			for (let payment = 0; payment < PAYMENTS; payment++) {
				await askThreeTimes(await typedData(), payment);
			}
			await queue.idle(id);
			for (let payment = 0; payment < CODED_PAYMENTS; payment++) {
				const fault = { match: { path: 'instant' }, kind: 'cutBefore', times: 1 };
				await sandbox.control('POST', 'faults', fault);
				const body = await typedData();
				await send(pick(urls, payment), body);
				await queue.idle(id);
				const confirmedNotPaid = await lastAttemptCode(id);
				await publish({ confirmedNotPaid });
				await askThreeTimes(body, payment);
				await queue.idle(id);
				await publish();
			}
			const executions = await queue.idle(id);
			const { entries } = z
				.object({
					entries: z.array(
						z.object({
							operation: z.string(),
							body: z
								.object({ typed_data: z.object({ salt: z.string() }) })
								.optional()
								.catch(undefined),
						}),
					),
				})
				.parse(await sandbox.control('GET', 'log?limit=20000'));
			const salts = entries
				.filter(({ operation }) => operation === 'createInstantPayment')
				.map(({ body }) => body?.typed_data.salt);
			const times = (salt: string | undefined) => salts.filter((each) => each === salt).length;
			const distinct = [...new Set(salts)];
			const twice = distinct.filter((salt) => times(salt) === 2).length;
			const thrice = distinct.filter((salt) => times(salt) > 2).length;
			figure(
				`${PAYMENTS} payments, each asked for by two executions at the same instant through both ` +
					`webhook processes and by a third a second later (executions ` +
					`${JSON.stringify(executions)}): ${distinct.length - CODED_PAYMENTS} reached the service, ` +
					`${twice - CODED_PAYMENTS} of them twice, ${thrice} more often. ${CODED_PAYMENTS} more, whose ` +
					`first attempt was cut, were asked for three times with the attempt code: each went ` +
					`out once more.`,
			);
			expect(distinct).toHaveLength(PAYMENTS + CODED_PAYMENTS);
			/* With a code: the attempt that was cut, and one more. */
			expect(twice).toBe(CODED_PAYMENTS);
			expect(thrice).toBe(0);
		} finally {
			await sandbox.stop();
		}
	});

	/** Delivers while workers end in turn, each as soon as it is ready; returns the figures. */
	const whileWorkersEnd = async (
		keys: readonly string[],
		end: (worker: SupervisedProcess) => Promise<void>,
	) => {
		const { workflowId, urls } = await listen();
		const times = await endWorkersDuring(end, async () => {
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
			`${keys.length} events at ${RATE} a second while workers are shut down with SIGTERM, as in an ` +
				`update, ${outcome}`,
		);
		expect(lostOf(keys)).toEqual([]);
	});

	it('loses no stored event when Redis stops for ten seconds', async () => {
		const { workflowId, urls } = await listen();
		const keys = keysOf('redis', Math.ceil(EVENTS * SHARE));
		const before = [...queue.workers, ...queue.webhooks].map(({ process: each }) => each.restarts);
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
		const restarts = [...queue.workers, ...queue.webhooks].map(
			({ process: each }, index) => each.restarts - (before[index] ?? 0),
		);
		figure(
			`${keys.length} events at ${RATE} a second while Redis (with its append-only file) is ` +
				`stopped for ten seconds: ${attempts} attempts of delivery; ${retried}. Executions before the ` +
				`retries: ${JSON.stringify(executions)}; n8n stored ${emptied} of the failed ones without ` +
				`their event. Of the two workers and two webhook processes, ${restarts.filter((count) => count > 0).length} ended on their own and were started again.`,
		);
		expect(lostOf(keys).length).toBeLessThanOrEqual(emptied);
	});

	const throughput = async (workers: number) => {
		const { workflowId, urls } = await listen();
		const keys = keysOf(`throughput-${workers}`, Math.ceil(EVENTS * SHARE));
		await runConcurrently(5, keysOf('warm', 20), async (key) => {
			await deliver(pick(urls, 0), key);
		});
		await queue.idle(workflowId);
		const begun = Date.now();
		await runConcurrently(20, keys, async (key) => {
			await deliver(pick(urls, keys.indexOf(key)), key);
		});
		const acknowledged = (Date.now() - begun) / 1000;
		await queue.idle(workflowId);
		const ran = (Date.now() - begun) / 1000;
		const rate = (seconds: number) => (keys.length / seconds).toFixed(1);
		say(`Throughput: ${await retryMissing(workflowId, keys)}`);
		expect(new Set(sink.keys).size).toBe(keys.length + 20);
		return [workers, keys.length, rate(acknowledged), rate(ran)];
	};

	it('measures the throughput with two workers and with one', async () => {
		const two = await throughput(2);
		await sink.stop();
		sink = await EventSink.start();
		await pick(queue.workers, 1).process.stop();
		const one = await throughput(1);
		const heading = ['workers', 'events', 'acknowledged a second', 'run to the end a second'];
		figure('Throughput, 20 connections:', markdownTable(heading, [one, two]));
	});
});

describe('queue mode, acknowledged when finished', () => {
	/** Milliseconds before the sandbox delivers again; the service waits longer. */
	const RETRY_DELAYS = [5_000, 10_000, 20_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000];

	const attemptsShape = z.object({
		deliveries: z.array(
			z.object({
				idempotency_key: z.string(),
				outcome: z.enum(['sending', 'accepted', 'refused', 'no answer']),
				status: z.number().optional(),
			}),
		),
	});

	it('loses no event when workers are killed under load', async () => {
		const begun = await EventSink.start();
		const sandbox = await SandboxProcess.start({
			logFile: path.join(queue.main.dataFolder, 'sandbox-deliveries.log'),
		});
		try {
			/* Longer than an instant, so that many are halfway when their worker is killed. */
			const wait = node(
				'Wait',
				'n8n-nodes-base.wait',
				{ amount: 1, unit: 'seconds' },
				{ typeVersion: 1.1, webhookId: randomUUID() },
			);
			const { workflowId, urls } = await listen({
				parameters: { options: { acknowledge: 'finished' } },
				between: [{ ...begun.node, name: 'Before' }, wait],
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
			await waitUntil(async () => (await acknowledged()).size === keys.length, {
				milliseconds: 600_000,
				interval: 2_000,
				failure: () => 'Not every event was acknowledged within ten minutes.',
			}).catch((error: unknown) => say(String(error)));

			const all = await attempts();
			const done = await acknowledged();
			const executions = await queue.idle(workflowId);
			const lost = keys.filter((key) => !done.has(key));
			const unfinished = [...done].filter((key) => runsOf(key) === 0);
			const halfway = keys.filter(
				(key) => begun.keys.filter((each) => each === key).length > runsOf(key),
			);
			const answers: Record<string, number> = {};
			for (const { outcome, status } of all) {
				const answer = status === undefined ? outcome : String(status);
				answers[answer] = (answers[answer] ?? 0) + 1;
			}
			const { main, redis, postgres } = queue;
			writeSection(
				'queueFinished',
				'Queue mode, acknowledged when finished',
				`n8n ${main.installation.version}, ${redis.version}, ${postgres.version}`,
				[
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
							['run to the end more than once', keys.filter((key) => runsOf(key) > 1).length],
						],
					),
					`${all.length} deliveries, by their answers: ${JSON.stringify(answers)}. Executions: ` +
						`${JSON.stringify(executions)}.`,
				].join('\n\n'),
				'queue -t "acknowledged when finished"',
			);
			expect(unfinished).toEqual([]);
			expect(lost).toEqual([]);
			expect(halfway).not.toEqual([]);
		} finally {
			await begun.stop();
			await sandbox.stop();
		}
	});
});

import { createHash, createHmac, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { TestEnvironment } from '../test/support/testEnvironment';
import { chain, node, type WorkflowNode } from '../test/support/workflows';
import { depositEvent } from '../test/support/sampleEvents';
import { interleaved, median, mustBeSame, type Comparison, type Part } from './comparison';
import { BARE_TRIGGER, packedBare } from './bare/pack';
import { probe, Runner, startBenchmarkEnvironment } from './host';

const CONNECTIONS = 10;
const SECRET = 'benchmark of deliveries';

interface Answer {
	readonly status: number;
	readonly text?: string;
	/** Whether each delivery starts a run. */
	readonly runs: boolean;
}

const STARTED: Answer = { status: 200, runs: true };

/** Deliveries that our trigger treats alike. */
interface Kind {
	readonly name: string;
	readonly make: (count: number) => Delivery[];
	readonly answer: Answer;
	/** Against n8n's Webhook node, which always starts a run. */
	readonly limit: number;
}

interface Delivery {
	readonly body: string;
	readonly headers: Record<string, string>;
}

/** Signed deposits, each with a different key. */
function deposits(
	count: number,
	secret: string,
	changes: Record<string, unknown> = {},
): Delivery[] {
	return Array.from({ length: count }, () => {
		const body = JSON.stringify(depositEvent({ idempotency_key: randomUUID(), ...changes }));
		const time = Math.floor(Date.now() / 1000);
		const mac = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
		return {
			body,
			headers: { 'content-type': 'application/json', 'x-signature': `t=${time},v1=${mac}` },
		};
	});
}

async function post(agent: Agent, url: string, { body, headers }: Delivery) {
	return await new Promise<{ status?: number; text: string }>((resolve, reject) => {
		const sent = request(url, { method: 'POST', agent, headers }, (response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.on('end', () =>
				resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }),
			);
		});
		sent.on('error', reject);
		sent.end(body);
	});
}

/** A workflow that starts with a webhook, and the file to which each run adds a line. */
class Receiver {
	private constructor(
		private readonly url: string,
		private readonly file: string,
		/** How many executions n8n has saved of it. */
		readonly executions: () => Promise<number>,
	) {}

	static async start(
		{ n8n, api, database }: TestEnvironment,
		name: string,
		options: { folder: string; trigger: WorkflowNode; url: string; path: string },
	): Promise<Receiver> {
		const file = path.join(options.folder, name);
		const credentials = await n8n.saveCredentials('payrollPaymentsWebhookApi', 'Deliveries', {
			method: 'hmacSignature',
			format: 'timestamped',
			header: 'X-Signature',
			secret: SECRET,
			toleranceSeconds: 3600,
		});
		const { id } = await n8n.saveWorkflow(
			chain(name, [
				options.trigger,
				probe('Arrived', { task: 'arrived', file, path: options.path }),
			]),
			[api, credentials],
		);
		await n8n.activate(id);
		await n8n.waitForWebhook(options.url);
		return new Receiver(options.url, file, async () => (await database.executions(id)).length);
	}

	/** Milliseconds until every delivery was answered and every run that it started has run. */
	async take(all: readonly Delivery[], expected: Answer): Promise<number> {
		const before = this.arrivals().length;
		const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
		const queue = [...all];
		const begun = performance.now();
		const connection = async () => {
			for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
				const { status, text } = await post(agent, this.url, next);
				if (status !== expected.status || (expected.text !== undefined && text !== expected.text)) {
					throw new Error(`n8n answered ${status}: ${text}`);
				}
			}
		};
		await Promise.all(Array.from({ length: CONNECTIONS }, connection));
		const wanted = before + (expected.runs ? all.length : 0);
		while (this.arrivals().length < wanted) await pause(5);
		const milliseconds = performance.now() - begun;
		agent.destroy();
		const events = all.map(({ body }) => createHash('sha256').update(body).digest('hex'));
		const seen = this.arrivals().slice(before);
		mustBeSame('Events that ran', seen.sort(), expected.runs ? events.sort() : []);
		return milliseconds;
	}

	private arrivals(): string[] {
		if (!existsSync(this.file)) return [];
		return readFileSync(this.file, 'utf8').split('\n').slice(0, -1);
	}
}

/** One of n8n's expression engines, and the limits to reach with it. */
interface Engine {
	readonly name: string;
	readonly env: Record<string, string>;
	readonly count: number;
	/** So many that what a delivery waits to be recorded hardly counts. */
	readonly many: number;
	/** The limit for deliveries that start nothing, while the peer's always start a run. */
	readonly limitOfIgnored: number;
	/** Why the genuine ones can't keep up with n8n's own Webhook node. */
	readonly reason?: string;
}

const ENGINES: readonly Engine[] = [
	{
		name: 'default expression engine',
		env: {},
		count: 100,
		many: 400,
		limitOfIgnored: 1,
		reason:
			'n8n 2.41.3 creates a new isolated engine for every execution, and for every webhook call except those ' +
			'of its own Webhook node (webhookPhaseNeedsIsolate in its live-webhooks.js): any other trigger ' +
			'pays for two engines, that node for one.',
	},
	{
		name: 'legacy expression engine',
		env: { N8N_EXPRESSION_ENGINE: 'legacy' },
		count: 400,
		many: 1_000,
		limitOfIgnored: 3,
		reason:
			'each event is recorded in n8n’s database before its workflow runs, in batches that leave other ' +
			'processes 200 ms to write; the wait for the last batch counts in full.',
	},
];

const CONDITIONS = `${CONNECTIONS} connections, until the last started run has run.`;

const BARE = 'a community trigger that checks nothing, in the same n8n';

/** What forged deliveries may have made n8n load of our package. */
const REFUSING_CODE = { receive: true, diagnose: false };

interface Sides {
	readonly trigger: Receiver;
	readonly bare: Receiver;
	/** What n8n's process has used and loaded. */
	readonly state: Runner;
	readonly engine: string;
}

/** Our trigger's deliveries against genuine ones to the bare trigger: time, and CPU time of n8n. */
async function againstBare(
	{ trigger, bare, state, engine }: Sides,
	{ name, make, answer }: Kind,
	{ count, runs, limit }: { count: number; runs: number; limit: number },
): Promise<Comparison[]> {
	const sample = async (receiver: Receiver, all: readonly Delivery[], expected: Answer) => {
		const before = (await state.run({})).cpuMilliseconds;
		const milliseconds = await receiver.take(all, expected);
		return { milliseconds, cpu: (await state.run({})).cpuMilliseconds - before };
	};
	const executions = await trigger.executions();
	const { ours, peers } = await interleaved(
		runs,
		async () => await sample(trigger, make(count), answer),
		async () => await sample(bare, deposits(count, SECRET), STARTED),
	);
	const started = (await trigger.executions()) - executions;
	mustBeSame('Executions', started, answer.runs ? runs * count : 0);
	const shared = {
		peer: name === 'genuine' ? BARE : `as many genuine ones to ${BARE}`,
		unit: 'ms',
		isPaired: true,
		reading: 'times better',
		limit,
	} as const;
	const perSecond = ours.map(({ milliseconds }) => (1_000 * count) / milliseconds);
	return [
		{
			...shared,
			what: `${count} ${name} deliveries, against the host’s limit, ${engine}`,
			ours: ours.map(({ milliseconds }) => milliseconds),
			peers: peers.map(({ milliseconds }) => milliseconds),
			notes: [CONDITIONS, `Ours are ${median(perSecond).toFixed(0)} a second (median).`],
		},
		{
			...shared,
			what: `CPU time of n8n for ${count} ${name} deliveries, ${engine}`,
			ours: ours.map(({ cpu }) => cpu),
			peers: peers.map(({ cpu }) => cpu),
		},
	];
}

async function measureEngine(
	{ name, env, limitOfIgnored, reason }: Engine,
	{ count, many, forged, runs }: Record<'count' | 'many' | 'forged' | 'runs', number>,
): Promise<Comparison[]> {
	const environment = await startBenchmarkEnvironment(env);
	const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-benchmark-'));
	try {
		await environment.n8nProcess.installPackage(await packedBare());
		await environment.n8nProcess.stop();
		await environment.n8nProcess.start();
		const { url } = environment.n8n;
		const id = randomUUID();
		const trigger = await Receiver.start(environment, 'Ours', {
			folder,
			trigger: node(
				'Trigger',
				'n8n-nodes-payroll-payments.payrollPaymentsTrigger',
				{ events: ['deposit.received'] },
				{ webhookId: id, credentials: { payrollPaymentsWebhookApi: { id: null, name: '' } } },
			),
			url: `${url}/webhook/${id}/webhook`,
			path: '',
		});
		const peerId = randomUUID();
		const peer = await Receiver.start(environment, 'Webhook', {
			folder,
			trigger: node(
				'Webhook',
				'n8n-nodes-base.webhook',
				{ httpMethod: 'POST', path: peerId, options: {} },
				{ typeVersion: 2.1, webhookId: peerId },
			),
			url: `${url}/webhook/${peerId}`,
			path: 'body',
		});
		const bareId = randomUUID();
		const bare = await Receiver.start(environment, 'Bare', {
			folder,
			trigger: node('Bare', BARE_TRIGGER, {}, { webhookId: bareId }),
			url: `${url}/webhook/${bareId}/webhook`,
			path: '',
		});
		const state = await Runner.start(environment, 'State', [probe('State', { task: 'state' })]);
		const genuine: Kind = {
			name: 'genuine',
			make: (size) => deposits(size, SECRET),
			answer: { status: 200, text: '{"received":true}', runs: true },
			limit: 0.95,
		};
		const filtered: Kind = {
			name: 'filtered',
			make: (size) => deposits(size, SECRET, { event_type: 'invite.accepted' }),
			answer: { status: 200, text: '{"received":true,"ignored":"filter"}', runs: false },
			limit: limitOfIgnored,
		};
		const forgery: Kind = {
			name: 'forged',
			make: (size) => deposits(size, 'a guess'),
			answer: { status: 401, runs: false },
			limit: limitOfIgnored,
		};
		for (const each of [trigger, bare, peer]) await each.take(deposits(20, SECRET), STARTED);
		const sides = { trigger, bare, state, engine: name };
		const comparisons = [
			...(await againstBare(sides, genuine, { count: many, runs, limit: genuine.limit })),
			...(await againstBare(sides, forgery, {
				count: forged,
				runs: Math.min(runs, 3),
				limit: limitOfIgnored,
			})),
		];
		const { loaded } = await state.run({});
		const has = (file: string) => loaded.some((each) => each.endsWith(`/${file}.js`));
		const code = { receive: has('receive'), diagnose: has('diagnose') };
		mustBeSame('Loaded code', code, REFUSING_CODE);
		for (const { name: kind, make, answer, limit } of [genuine, filtered, forgery]) {
			const { ours, peers } = await interleaved(
				runs,
				async () => await trigger.take(make(count), answer),
				async () => await peer.take(make(count), STARTED),
			);
			comparisons.push({
				what: `${count} ${kind} deliveries, ${name}`,
				peer: 'the same to n8n’s Webhook node, which checks nothing',
				unit: 'ms',
				ours,
				peers,
				reading: 'times better',
				limit,
				notes: [CONDITIONS],
				...(kind === genuine.name && { reason }),
			});
		}
		return comparisons;
	} finally {
		rmSync(folder, { recursive: true, force: true });
		await environment.stop();
	}
}

export const deliveries: Part = {
	name: 'deliveries',
	title: 'Deliveries to the trigger',
	async measure({ small, runs }): Promise<Comparison[]> {
		const comparisons: Comparison[] = [];
		for (const engine of ENGINES) {
			const count = small ? 20 : engine.count;
			const [many, forged] = small ? [100, 100] : [engine.many, 1_000];
			comparisons.push(...(await measureEngine(engine, { count, many, forged, runs })));
		}
		return comparisons;
	},
};

import { createHash, createHmac, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { TestEnvironment } from '../test/support/testEnvironment';
import { chain, node, type WorkflowNode } from '../test/support/workflows';
import { depositEvent } from '../test/support/sampleEvents';
import { interleaved, mustBeSame, type Comparison, type Part } from './comparison';
import { probe, startBenchmarkEnvironment } from './host';

const CONNECTIONS = 10;
const SECRET = 'benchmark of deliveries';

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
	) {}

	static async start(
		{ n8n, api }: TestEnvironment,
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
		return new Receiver(options.url, file);
	}

	/** Milliseconds until every delivery was answered and every run that it started has run. */
	async take(
		all: readonly Delivery[],
		expected: { status: number; text?: string; runs: boolean },
	): Promise<number> {
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
	/** The limit for deliveries that start nothing, while the peer's always start a run. */
	readonly limitOfIgnored: number;
	readonly notes: readonly string[];
}

const ENGINES: readonly Engine[] = [
	{
		name: 'default expression engine',
		env: {},
		count: 100,
		limitOfIgnored: 1,
		notes: [
			'n8n 2.41.3 creates a new isolated engine for every execution, and for every webhook call except ' +
				'those of its own Webhook node (`webhookPhaseNeedsIsolate` in its live-webhooks.js): any ' +
				'other trigger pays for two engines, that node for one.',
		],
	},
	{
		name: 'legacy expression engine',
		env: { N8N_EXPRESSION_ENGINE: 'legacy' },
		count: 400,
		limitOfIgnored: 3,
		notes: [],
	},
];

async function measureEngine(
	{ name, env, limitOfIgnored, notes }: Engine,
	{ count, runs }: { count: number; runs: number },
): Promise<Comparison[]> {
	const environment = await startBenchmarkEnvironment(env);
	const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-benchmark-'));
	try {
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
		const kinds = {
			genuine: {
				make: (size: number) => deposits(size, SECRET),
				answer: { status: 200, text: '{"received":true}', runs: true },
				limit: 0.95,
			},
			filtered: {
				make: (size: number) => deposits(size, SECRET, { event_type: 'invite.accepted' }),
				answer: { status: 200, text: '{"received":true,"ignored":"filter"}', runs: false },
				limit: limitOfIgnored,
			},
			forged: {
				make: (size: number) => deposits(size, 'a guess'),
				answer: { status: 401, runs: false },
				limit: limitOfIgnored,
			},
		};
		const started = { status: 200, runs: true };
		await trigger.take(deposits(20, SECRET), started);
		await peer.take(deposits(20, SECRET), started);
		const comparisons: Comparison[] = [];
		for (const [kind, { make, answer, limit }] of Object.entries(kinds)) {
			const { ours, peers } = await interleaved(
				runs,
				async () => await trigger.take(make(count), answer),
				async () => await peer.take(make(count), started),
			);
			comparisons.push({
				what: `${count} ${kind} deliveries, ${name}`,
				peer: 'the same to n8n’s Webhook node, which checks nothing',
				unit: 'ms',
				ours,
				peers,
				reading: 'times better',
				limit,
				notes: [
					`${CONNECTIONS} connections, until the last started run has run.`,
					...(kind === 'genuine' ? notes : []),
				],
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
			comparisons.push(...(await measureEngine(engine, { count, runs })));
		}
		return comparisons;
	},
};

import { createHash, createHmac, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { N8nRest } from '../n8nHost/n8nRest';
import { depositEvent } from '../n8nHost/sampleEvents';
import { chain, node, type WorkflowNode } from '../n8nHost/workflows';
import { BARE_TRIGGER } from './bare/pack';
import { mustBeSame } from './comparison';
import { probe } from './host';

export const CONNECTIONS = 10;
const SECRET = 'benchmark of deliveries';

export interface Answer {
	readonly status: number;
	readonly text?: string;
	/** Whether each delivery starts a run. */
	readonly runs: boolean;
}

export const STARTED: Answer = { status: 200, runs: true };

export interface Delivery {
	readonly body: string;
	readonly headers: Record<string, string>;
}

/** Events of deposits, each with a different key. */
export function deposits(count: number, changes: Record<string, unknown> = {}): string[] {
	return Array.from({ length: count }, () =>
		JSON.stringify(depositEvent({ idempotency_key: randomUUID(), ...changes })),
	);
}

export function signed(bodies: readonly string[], secret = SECRET): Delivery[] {
	return bodies.map((body) => {
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

/** Our trigger and its peers. Only n8n's own node is spared an expression engine for each delivery. */
export const PEERS = {
	bare: 'a community trigger that checks nothing',
	webhook: 'n8n’s Webhook node, which checks nothing',
} as const;

/** An n8n that deliveries are sent to. */
export interface Host {
	readonly n8n: N8nRest;
	/** Where it receives them. */
	readonly url: string;
	/** How many executions n8n has saved of a workflow. */
	executions(workflowId: string): Promise<number>;
}

/** A workflow that starts with a webhook, and the file to which each run adds a line. */
export class Receiver {
	private constructor(
		private readonly url: string,
		private readonly file: string,
		/** How many executions n8n has saved of it. */
		readonly executions: () => Promise<number>,
	) {}

	/**
	 * @param folder for what the runs write
	 * @param path of the delivery's body in the trigger's output
	 */
	static async start(
		host: Host,
		folder: string,
		{ trigger, route, path: body = '' }: { trigger: WorkflowNode; route: string; path?: string },
	): Promise<Receiver> {
		const { n8n } = host;
		const { name } = trigger;
		const file = path.join(folder, name);
		const url = `${host.url}/webhook/${route}`;
		const credentials = await n8n.saveCredentials('payrollPaymentsWebhookApi', 'Deliveries', {
			method: 'hmacSignature',
			format: 'timestamped',
			header: 'X-Signature',
			secret: SECRET,
			toleranceSeconds: 3600,
		});
		const { id } = await n8n.saveWorkflow(
			chain(name, [trigger, probe('Arrived', { task: 'arrived', file, path: body })]),
			[credentials],
		);
		await n8n.activate(id);
		await n8n.waitForWebhook(url);
		return new Receiver(url, file, async () => await host.executions(id));
	}

	/** Our trigger. */
	static async ours(host: Host, folder: string): Promise<Receiver> {
		const webhookId = randomUUID();
		const trigger = node(
			'Ours',
			'n8n-nodes-payroll-payments.payrollPaymentsTrigger',
			{ events: ['deposit.received'] },
			{ webhookId, credentials: { payrollPaymentsWebhookApi: { id: null, name: '' } } },
		);
		return await Receiver.start(host, folder, { trigger, route: `${webhookId}/webhook` });
	}

	/** A community trigger that checks nothing. */
	static async bare(host: Host, folder: string): Promise<Receiver> {
		const webhookId = randomUUID();
		const trigger = node('Bare', BARE_TRIGGER, {}, { webhookId });
		return await Receiver.start(host, folder, { trigger, route: `${webhookId}/webhook` });
	}

	async listening({ n8n }: Pick<Host, 'n8n'>): Promise<void> {
		await n8n.waitForWebhook(this.url);
	}

	/** Milliseconds until every delivery was answered and every run that it started has run. */
	async take(
		all: readonly Delivery[],
		expected: Answer,
		connections = CONNECTIONS,
	): Promise<number> {
		const before = this.arrivals().length;
		const agent = new Agent({ keepAlive: true, maxSockets: connections });
		const queue = [...all];
		const begun = performance.now();
		const connection = async () => {
			for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
				const { status, text } = await post(agent, this.url, next);
				/* n8n's database is behind; the service would deliver again. */
				if (status === 503) {
					queue.push(next);
					await pause(100);
					continue;
				}
				if (status !== expected.status || (expected.text !== undefined && text !== expected.text)) {
					throw new Error(`n8n answered ${status}: ${text}`);
				}
			}
		};
		await Promise.all(Array.from({ length: connections }, connection));
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

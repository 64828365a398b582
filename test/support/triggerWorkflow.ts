import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { installN8n, n8nToTest } from '../../scripts/lib/installations.mjs';
import { N8n, type Execution } from './n8n.mjs';
import { pause } from '../../scripts/lib/processes.mjs';
import { timestamped } from '../unit/delivery/samples';
import { chain, node } from './testEnvironment';

export const SECRET = 'whsec_end to end';

/** A real n8n with the packed package, one proxy in front, and no sandbox: the tests deliver. */
export async function raiseN8n(env: Record<string, string> = {}) {
	const tarball = process.env.PAYROLL_PAYMENTS_TARBALL;
	if (tarball === undefined) throw new Error('test/support/globalSetup.mjs has not packed the package.');
	const dataFolder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-trigger-'));
	const n8n = await N8n.prepare(await installN8n(n8nToTest()), {
		dataFolder,
		env: { N8N_METRICS: 'true', N8N_PROXY_HOPS: '1', ...env },
	});
	await n8n.installPackage(tarball);
	await n8n.start();
	await n8n.signIn();
	return {
		n8n,
		async strike() {
			await n8n.stop();
			rmSync(dataFolder, { recursive: true, force: true });
		},
	};
}

export interface Answer {
	readonly status: number;
	readonly body: unknown;
}

interface ListenerSetup {
	/** Of the trigger; any event is asked for unless they say otherwise. */
	readonly parameters?: Record<string, unknown>;
	/** Changes to credentials for timestamped signatures. */
	readonly credentials?: Record<string, unknown>;
	readonly after?: ReturnType<typeof node>;
}

/** A workflow: the trigger, and one node after it, named After. */
export class Listener {
	private constructor(
		private readonly n8n: N8n,
		readonly workflowId: string,
		readonly url: string,
	) {}

	/** Saves and activates it, and waits until n8n takes deliveries for it. */
	static async start(n8n: N8n, setup?: ListenerSetup): Promise<Listener> {
		const listener = await Listener.save(n8n, setup);
		await n8n.activate(listener.workflowId);
		await listener.ready();
		return listener;
	}

	static async save(
		n8n: N8n,
		{
			parameters = {},
			credentials = {},
			after = node('After', 'n8n-nodes-base.noOp'),
		}: ListenerSetup = {},
	): Promise<Listener> {
		const name = randomUUID();
		const saved = await n8n.saveCredentials('payrollPaymentsWebhookApi', name, {
			method: 'hmacSignature',
			secret: SECRET,
			header: 'X-Signature',
			format: 'timestamped',
			previousSecret: '',
			toleranceSeconds: 600,
			...credentials,
		});
		const trigger = node(
			'Trigger',
			'n8n-nodes-payroll-payments.payrollPaymentsTrigger',
			{ events: ['*'], ...parameters },
			{
				webhookId: name,
				credentials: { payrollPaymentsWebhookApi: { id: null, name: '' } },
			},
		);
		const { id } = await n8n.saveWorkflow(chain(name, [trigger, after]), [saved]);
		return new Listener(n8n, id, `${n8n.url}/webhook/${name}/webhook`);
	}

	/** Waits until n8n knows the webhook, which it registers after activation and after a start. */
	async ready(): Promise<void> {
		const isKnown = async () => (await fetch(this.url, { method: 'POST' })).status !== 404;
		await until(async () => await isKnown().catch(() => false));
	}

	async deliver(body: string, headers: Record<string, string>): Promise<Answer> {
		const response = await fetch(this.url, { method: 'POST', body, headers });
		const text = await response.text();
		return { status: response.status, body: JSON.parse(text) };
	}

	/** Sends an event with a timestamped signature, as the service would. */
	async send(
		event: Record<string, unknown> | string,
		{ secret = SECRET, headers = {} }: { secret?: string; headers?: Record<string, string> } = {},
	): Promise<Answer> {
		const body = typeof event === 'string' ? event : JSON.stringify(event);
		return await this.deliver(body, {
			'content-type': 'application/json',
			'x-signature': timestamped(secret, Math.floor(Date.now() / 1000), Buffer.from(body)),
			...headers,
		});
	}

	/** Every execution so far, each ended, with its data. */
	async executions(): Promise<Execution[]> {
		const listed = await this.n8n.executions(this.workflowId);
		return await Promise.all(listed.map(({ id }) => this.n8n.finished(id)));
	}

	/** How many executions there are of each status. */
	async counts(): Promise<Record<string, number>> {
		const counts: Record<string, number> = {};
		for (const { status } of await this.n8n.executions(this.workflowId)) {
			counts[status] = (counts[status] ?? 0) + 1;
		}
		return counts;
	}

	/** Waits until no execution is under way. */
	async idle(): Promise<void> {
		let counts: Record<string, number> = {};
		const isIdle = async () => {
			counts = await this.counts();
			return (counts.running ?? 0) + (counts.new ?? 0) === 0;
		};
		await until(isIdle).catch(() => {
			throw new Error(`Executions still under way after three minutes: ${JSON.stringify(counts)}`);
		});
	}

	/** What came out after the trigger, execution by execution. */
	async outputs(): Promise<Record<string, unknown>[][]> {
		return (await this.executions()).map((execution) => N8n.output(execution, 'After'));
	}
}

/** A place outside n8n where each run of a workflow leaves its event's key. */
export class Sink {
	readonly keys: string[] = [];

	private constructor(
		readonly url: string,
		readonly stop: () => Promise<void>,
	) {}

	static async start(): Promise<Sink> {
		const server = createServer((request, response) => {
			sink.keys.push(decodeURIComponent(request.url?.slice(1) ?? ''));
			response.end('{}');
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		const port = typeof address === 'object' ? address?.port : undefined;
		const sink = new Sink(`http://127.0.0.1:${port}`, async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		});
		return sink;
	}

	/** The node that calls it. */
	get node() {
		return node(
			'After',
			'n8n-nodes-base.httpRequest',
			{ method: 'POST', url: `=${this.url}/{{ $json.idempotency_key }}`, options: {} },
			{ typeVersion: 4.2 },
		);
	}

	/** Keys that arrived more than once. */
	get doubled(): string[] {
		return this.keys.filter((key, index) => this.keys.indexOf(key) !== index);
	}
}

/** Does a task for every entry, so many at a time, in an order without a pattern. */
export async function atOnce<Entry>(
	connections: number,
	entries: readonly Entry[],
	task: (entry: Entry) => Promise<void>,
): Promise<void> {
	const queue = entries
		.map((entry) => ({ entry, at: Math.random() }))
		.sort((a, b) => a.at - b.at)
		.map(({ entry }) => entry);
	const connection = async () => {
		for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) await task(entry);
	};
	await Promise.all(Array.from({ length: connections }, connection));
}

/** Waits until something is so, and fails after three minutes. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
	const deadline = Date.now() + 180_000;
	while (!(await isSo())) {
		if (Date.now() > deadline) throw new Error(`Still not so after three minutes: ${isSo}`);
		await pause(250);
	}
}

/** Prints a figure of a test, so that it can be read from the command that ran it. */
export function report(text: string): void {
	process.stdout.write(`  ${text}\n`);
}

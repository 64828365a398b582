import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { installN8n } from '../tooling/installations.mjs';
import { installPackage, N8nProcess } from './n8nProcess';
import { N8nRest } from './n8nRest';
import { packageUnderTest } from './n8nUnderTest';
import { freePort } from './ports';
import { PostgreSql, postgresSettings } from './postgreSql';
import { Redis } from './redis';
import { SandboxProcess } from './sandboxProcess';
import { SupervisedProcess } from './supervisedProcess';
import { isUp, waitFor, waitUntil } from './waiting';

const ENCRYPTION_KEY = 'one key for all processes of the queue';

/** A webhook process or a worker. */
interface QueueProcess {
	readonly url: string;
	readonly process: SupervisedProcess;
}

const settings = (redis: Redis, postgres: PostgreSql): Record<string, string> => ({
	EXECUTIONS_MODE: 'queue',
	QUEUE_BULL_REDIS_HOST: '127.0.0.1',
	QUEUE_BULL_REDIS_PORT: String(redis.port),
	...postgresSettings(postgres.port, 'n8n'),
	N8N_ENCRYPTION_KEY: ENCRYPTION_KEY,
	QUEUE_HEALTH_CHECK_ACTIVE: 'true',
	N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
	/* Minutes between n8n's searches for executions that nobody works on any more. */
	N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
});

async function launch(
	main: N8nProcess,
	command: 'webhook' | 'worker',
	name: string,
): Promise<QueueProcess> {
	const port = String(await freePort());
	const brokerPort = String(await freePort());
	const spawn = () =>
		main.spawn(name, command, {
			N8N_PORT: port,
			QUEUE_HEALTH_CHECK_PORT: port,
			N8N_RUNNERS_BROKER_PORT: brokerPort,
			/* A worker that starts marks what its log has as running as crashed, also what another runs. */
			N8N_EVENTBUS_LOGWRITER_LOGFULLPATH: path.join(main.dataFolder, `${name}-events.log`),
		});
	const url = `http://127.0.0.1:${port}`;
	const isReady = async () => await isUp(`${url}/healthz/readiness`);
	return { url, process: await SupervisedProcess.start(spawn, isReady) };
}

/** n8n in queue mode: Redis, PostgreSQL, a main process, two for webhooks and two workers. */
export class N8nQueue {
	private isStopped = false;

	private constructor(
		readonly n8n: N8nRest,
		readonly main: N8nProcess,
		readonly webhooks: readonly QueueProcess[],
		readonly workers: readonly QueueProcess[],
		readonly redis: Redis,
		readonly postgres: PostgreSql,
	) {}

	/**
	 * @param env more of n8n's settings
	 * @param beside other packages to install
	 */
	static async start(
		env: Record<string, string> = {},
		beside: readonly string[] = [],
	): Promise<N8nQueue> {
		const installation = await installN8n();
		const [redis, postgres] = await Promise.all([Redis.start(), PostgreSql.start()]);
		const dataFolder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-queue-'));
		const main = await N8nProcess.prepare(installation, {
			dataFolder,
			env: { ...settings(redis, postgres), ...env },
		});
		for (const tarball of [packageUnderTest(), ...beside]) {
			await installPackage(main.dataFolder, tarball);
		}
		/* On a busy machine the first start, with all its migrations, may take over two minutes. */
		await main.start().catch(async () => {
			await main.stop();
			await main.start();
		});
		const n8n = new N8nRest(main.url);
		await n8n.signIn();
		const [first, second, ...workers] = await Promise.all([
			launch(main, 'webhook', 'webhook-1'),
			launch(main, 'webhook', 'webhook-2'),
			launch(main, 'worker', 'worker-1'),
			launch(main, 'worker', 'worker-2'),
		]);
		const queue = new N8nQueue(n8n, main, [first, second], workers, redis, postgres);
		void queue.superviseMain();
		return queue;
	}

	/** Restarts the main process whenever it ends, as {@link SupervisedProcess} does the others. */
	private async superviseMain(): Promise<void> {
		for (;;) {
			await this.main.ended;
			if (this.isStopped) return;
			await this.main.start().catch(() => undefined);
		}
	}

	/** A sandbox beside the queue. */
	async sandbox(name: string): Promise<SandboxProcess> {
		await this.ready();
		const logFile = path.join(this.main.dataFolder, `sandbox-${name}.log`);
		return await SandboxProcess.start({ logFile });
	}

	/** The software, as reports name it. */
	get versions(): string {
		const { main, redis, postgres } = this;
		return `n8n ${main.installation.version}, ${redis.version}, ${postgres.version}`;
	}

	/** How many executions of a workflow there are of each status. */
	async counts(workflowId: string): Promise<Record<string, number>> {
		const rows = await this.postgres.rows(
			`select status, count(*) from execution_entity where "workflowId" = '${workflowId}' group by 1`,
		);
		return Object.fromEntries(rows.map(([status = '', count]) => [status, Number(count)]));
	}

	/**
	 * Waits until nothing is queued or running, for some minutes at most.
	 *
	 * @returns the counts at the end
	 */
	async idle(workflowId: string, minutes = 5): Promise<Record<string, number>> {
		const deadline = Date.now() + minutes * 60_000;
		for (;;) {
			const counts = await this.counts(workflowId);
			const { new: queued = 0, running = 0 } = counts;
			if (queued + running === 0 || Date.now() > deadline) return counts;
			await pause(500);
		}
	}

	/**
	 * Waits until Redis counts no job as running. The job of a killed worker counts until it stalls;
	 * only then n8n stores its error.
	 */
	async settled(): Promise<void> {
		await waitUntil(
			'Redis counts no job as running',
			async () => (await this.redis.ask('llen', 'bull:jobs:active'))[0] === '0',
			{ milliseconds: 240_000, interval: 1_000 },
		);
		await pause(2_000);
	}

	/** The failed and crashed executions of a workflow whose data contains a text. */
	async failedWith(workflowId: string, text: string): Promise<string[]> {
		const rows = await this.postgres.rows(
			`select e.id from execution_entity e join execution_data d on d."executionId" = e.id
			where e."workflowId" = '${workflowId}' and e.status in ('error', 'crashed')
			and position('${JSON.stringify(text)}' in d.data) > 0`,
		);
		return rows.flat();
	}

	/** How many failed and crashed executions of a workflow no longer have their event. */
	async failedWithoutEvent(workflowId: string): Promise<number> {
		const rows = await this.postgres.query(
			`select count(*) from execution_entity e join execution_data d on d."executionId" = e.id
			where e."workflowId" = '${workflowId}' and e.status in ('error', 'crashed')
			and position('"idempotency_key"' in d.data) = 0`,
		);
		return Number(rows);
	}

	/** The newest execution of a workflow, if it has any. */
	private async latestExecution(workflowId: string): Promise<string | undefined> {
		const id = await this.postgres.query(
			`select max(id) from execution_entity where "workflowId" = '${workflowId}'`,
		);
		return id === '' ? undefined : id;
	}

	/** Starts a workflow, and returns the execution that comes of it. */
	async executionAfter(workflowId: string, start: () => Promise<void>): Promise<string> {
		const earlier = await this.latestExecution(workflowId);
		await start();
		return await waitFor('the workflow has an execution', async () => {
			const latest = await this.latestExecution(workflowId);
			return latest === earlier ? undefined : latest;
		});
	}

	/** Waits until a worker runs an execution, and returns that worker. */
	async workerOf(executionId: string): Promise<SupervisedProcess> {
		const start = `Worker started execution ${executionId} (`;
		return await waitFor(
			start,
			async () => this.workers.find(({ process: { log } }) => log.includes(start))?.process,
			{ interval: 50 },
		);
	}

	/** What the workers have logged about an event. */
	logged(key: string): string[] {
		return this.workers.flatMap(({ process: worker }) =>
			worker.log.split('\n').filter((line) => line.includes(JSON.stringify(key))),
		);
	}

	/** Waits until all processes are ready, e.g. after restarts. */
	async ready(): Promise<void> {
		for (const { process: each } of [...this.workers, ...this.webhooks]) await each.ready();
		await waitUntil(
			'the main process is ready',
			async () => await isUp(`${this.main.url}/healthz/readiness`),
			{ milliseconds: 300_000, interval: 200 },
		);
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		const processes = [...this.workers, ...this.webhooks].map(({ process: each }) => each);
		await Promise.all(processes.map(async (each) => await each.stop()));
		await this.main.stop();
		await this.redis.stop();
		await this.postgres.stop();
		rmSync(this.main.dataFolder, { recursive: true, force: true });
	}
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { installN8n } from '../../scripts/lib/installations.mjs';
import { N8n } from './n8n.mjs';
import { freePort } from './ports.mjs';
import { pause, Service } from '../../scripts/lib/processes.mjs';

import { PostgreSql, Redis } from './databaseServers';
import { Supervised } from './supervisedProcess';

const ENCRYPTION_KEY = 'one key for all processes of the queue';

/** An n8n process beside the main one. */
export interface QueueProcess {
	readonly url: string;
	readonly process: Supervised;
}

/** n8n in queue mode: Redis, PostgreSQL, a main process, two for webhooks and two workers. */
export class QueueStage {
	private isStruck = false;
	/** How often the main process ended without having been told to. */
	mainRestarts = 0;

	private constructor(
		readonly main: N8n,
		readonly webhooks: readonly QueueProcess[],
		readonly workers: readonly QueueProcess[],
		readonly redis: Redis,
		readonly postgres: PostgreSql,
	) {}

	static async raise(): Promise<QueueStage> {
		const tarball = process.env.PAYROLL_PAYMENTS_TARBALL;
		if (tarball === undefined) throw new Error('test/support/globalSetup.mjs has not packed the package.');
		const installation = await installN8n('2.41.1');
		const [redis, postgres] = await Promise.all([Redis.start(), PostgreSql.start()]);
		const dataFolder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-queue-'));
		const main = await N8n.prepare(installation, {
			dataFolder,
			env: {
				EXECUTIONS_MODE: 'queue',
				QUEUE_BULL_REDIS_HOST: '127.0.0.1',
				QUEUE_BULL_REDIS_PORT: String(redis.port),
				DB_TYPE: 'postgresdb',
				DB_POSTGRESDB_HOST: '127.0.0.1',
				DB_POSTGRESDB_PORT: String(postgres.port),
				DB_POSTGRESDB_DATABASE: 'n8n',
				DB_POSTGRESDB_USER: 'n8n',
				DB_POSTGRESDB_PASSWORD: 'trusted',
				N8N_ENCRYPTION_KEY: ENCRYPTION_KEY,
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
				/* Minutes after which n8n notices that nobody works on an execution any more. */
				N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
			},
		});
		await main.installPackage(tarball);
		/* On a busy machine the first start, with all its migrations, may take more than two minutes. */
		await main.start().catch(async () => {
			await main.stop();
			await main.start();
		});
		await main.signIn();

		const launch = async (command: 'webhook' | 'worker', name: string): Promise<QueueProcess> => {
			const port = String(await freePort());
			const url = `http://127.0.0.1:${port}`;
			const env = {
				...main.env,
				N8N_PORT: port,
				QUEUE_HEALTH_CHECK_PORT: port,
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			};
			const logFile = path.join(dataFolder, `${name}.log`);
			const spawn = () =>
				new Service(name, installation.node, [installation.cli, command], {
					cwd: dataFolder,
					env,
					logFile,
				});
			const isReady = async () => (await fetch(`${url}/healthz/readiness`)).ok;
			return { url, process: await Supervised.start(spawn, isReady) };
		};
		const [first, second, ...workers] = await Promise.all([
			launch('webhook', 'webhook-1'),
			launch('webhook', 'webhook-2'),
			launch('worker', 'worker-1'),
			launch('worker', 'worker-2'),
		]);
		const stage = new QueueStage(main, [first, second], workers, redis, postgres);
		void stage.keepMain();
		return stage;
	}

	/** Starts the main process again whenever it ends, as {@link Supervised} does for the others. */
	private async keepMain(): Promise<void> {
		for (;;) {
			await this.main.ended;
			if (this.isStruck) return;
			this.mainRestarts += 1;
			await this.main.start().catch(() => undefined);
		}
	}

	/** How many executions of a workflow there are of each status. */
	async counts(workflowId: string): Promise<Record<string, number>> {
		const rows = await this.postgres.query(
			`select status, count(*) from execution_entity where "workflowId" = '${workflowId}' group by 1`,
		);
		return Object.fromEntries(
			rows
				.split('\n')
				.filter(Boolean)
				.map((row) => row.split('|'))
				.map(([status = '', count]) => [status, Number(count)]),
		);
	}

	/** Waits until nothing is queued or running, so many minutes at most; says what is left. */
	async idle(workflowId: string, minutes = 5): Promise<Record<string, number>> {
		const deadline = Date.now() + minutes * 60_000;
		for (;;) {
			const counts = await this.counts(workflowId);
			const { new: queued = 0, running = 0 } = counts;
			if (queued + running === 0 || Date.now() > deadline) return counts;
			await pause(500);
		}
	}

	/** The executions of a workflow that ended badly and whose data hold a text. */
	async failed(workflowId: string, text: string): Promise<string[]> {
		const rows = await this.postgres.query(
			`select e.id from execution_entity e join execution_data d on d."executionId" = e.id
			where e."workflowId" = '${workflowId}' and e.status in ('error', 'crashed')
			and position('${JSON.stringify(text)}' in d.data) > 0`,
		);
		return rows.split('\n').filter(Boolean);
	}

	/** How many executions of a workflow ended badly and no longer hold the event they began with. */
	async emptied(workflowId: string): Promise<number> {
		const rows = await this.postgres.query(
			`select count(*) from execution_entity e join execution_data d on d."executionId" = e.id
			where e."workflowId" = '${workflowId}' and e.status in ('error', 'crashed')
			and position('"idempotency_key"' in d.data) = 0`,
		);
		return Number(rows);
	}

	/** What the workers have logged about an event. */
	logged(key: string): string[] {
		return this.workers.flatMap(({ process: worker }) =>
			worker.log.split('\n').filter((line) => line.includes(JSON.stringify(key))),
		);
	}

	/** Retries an execution, as a person does in the list of executions. */
	async retry(executionId: string): Promise<void> {
		await this.main.request('POST', `/rest/executions/${executionId}/retry`, {
			loadWorkflow: false,
		});
	}

	/** Waits until all processes serve, also after they were started again. */
	async ready(): Promise<void> {
		for (const { process: each } of [...this.workers, ...this.webhooks]) await each.ready();
		const deadline = Date.now() + 300_000;
		const isReady = async () => (await fetch(`${this.main.url}/healthz/readiness`)).ok;
		while (!(await isReady().catch(() => false))) {
			if (Date.now() > deadline) throw new Error('The main process is not ready.');
			await pause(200);
		}
	}

	async strike(): Promise<void> {
		this.isStruck = true;
		await Promise.all(
			[...this.workers, ...this.webhooks].map(async ({ process: each }) => {
				await each.stop();
			}),
		);
		await this.main.stop();
		await this.redis.stop();
		await this.postgres.stop();
		rmSync(this.main.dataFolder, { recursive: true, force: true });
	}
}

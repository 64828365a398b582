import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';

import type { N8nInstallation } from '../../../scripts/lib/installations.mjs';
import type { Redis } from '../../support/redis';
import { pick } from './load';

/** The parts of Bull and ioredis that are needed. */
interface Job {
	readonly id: string | number;
	readonly data: { readonly executionId: number };
}
interface Queue {
	add(name: string, data: Job['data'], options: Record<string, unknown>): Promise<Job>;
	process(name: string, concurrency: number, run: (job: Job) => Promise<void>): Promise<void>;
	on(event: 'error', listener: () => void): void;
	close(): Promise<void>;
}
interface Client {
	on(event: 'error', listener: () => void): void;
	disconnect(): void;
}
interface Libraries {
	readonly Bull: new (name: string, options: Record<string, unknown>) => Queue;
	readonly Client: new (options: Record<string, unknown>) => Client;
}

/** Milliseconds between two tries to connect; n8n's is 1,000. */
const RECONNECT = 100;

/** n8n's libraries for its queue, from the n8n that is installed. */
function librariesOf({ cli }: N8nInstallation): Libraries {
	const load = createRequire(realpathSync(cli));
	return { Bull: load('bull'), Client: load('ioredis') };
}

/** A queue with n8n's settings (scaling.service.js, redis-client.service.js). */
function openQueue({ Bull, Client }: Libraries, { port }: Redis, clients: Client[]): Queue {
	const queue = new Bull('jobs', {
		prefix: 'bull',
		settings: {
			lockDuration: 60_000,
			lockRenewTime: 10_000,
			stalledInterval: 30_000,
			maxStalledCount: 0,
		},
		createClient: () => {
			const client = new Client({
				host: '127.0.0.1',
				port,
				enableReadyCheck: false,
				maxRetriesPerRequest: null,
				retryStrategy: () => RECONNECT,
			});
			client.on('error', () => {});
			clients.push(client);
			return client;
		},
	});
	queue.on('error', () => {});
	return queue;
}

/** What became of jobs while Redis was stopped again and again. */
export interface JobsAfterStops {
	/** Jobs whose addition Redis confirmed: n8n answers such deliveries with 200. */
	readonly confirmed: number;
	/** Those of them that no worker has run. */
	readonly notRun: readonly number[];
	/** Those that Redis gave to a worker and whose end it doesn't know. */
	readonly active: readonly number[];
	/** Executions that ran more than once, with the jobs that ran them. */
	readonly repeated: ReadonlyMap<number, readonly string[]>;
}

/** Adds jobs from two processes' worth of queues and runs them on two, while Redis is stopped. */
export async function jobsWhileRedisStops(
	installation: N8nInstallation,
	redis: Redis,
	{ stops, rate }: { stops: number; rate: number },
): Promise<JobsAfterStops> {
	const libraries = librariesOf(installation);
	const clients: Client[] = [];
	const open = () => openQueue(libraries, redis, clients);
	const adders = [open(), open()];
	const workers = [open(), open()];
	const ran = new Map<number, string[]>();
	for (const worker of workers) {
		void worker.process('job', 10, async ({ id, data: { executionId } }) => {
			ran.set(executionId, [...(ran.get(executionId) ?? []), String(id)]);
			await pause(20);
		});
	}
	const confirmed = new Set<number>();
	const additions: Promise<void>[] = [];
	let isOver = false;
	const adding = (async () => {
		const options = { priority: 100, removeOnComplete: 10, removeOnFail: 10 };
		for (let executionId = 1; !isOver; executionId++) {
			const addition = pick(adders, executionId).add('job', { executionId }, options);
			additions.push(
				addition.then(
					() => {
						confirmed.add(executionId);
					},
					/* While Redis loads its file it refuses commands, and n8n answers such a delivery 500. */
					() => undefined,
				),
			);
			await pause(1_000 / rate);
		}
	})();
	for (let stop = 0; stop < stops; stop++) {
		await pause(300 + Math.random() * 600);
		await redis.pause();
		await pause(300);
		await redis.resume();
	}
	await pause(1_000);
	isOver = true;
	await adding;
	await Promise.all(additions);
	for (let second = 0; second < 60; second++) {
		if ((await redis.ask('llen', 'bull:jobs:wait'))[0] === '0') break;
		await pause(1_000);
	}
	await pause(2_000);
	const active: number[] = [];
	for (const id of await redis.ask('lrange', 'bull:jobs:active', '0', '-1')) {
		const [data = '{}'] = await redis.ask('hget', `bull:jobs:${id}`, 'data');
		active.push(Number(/"executionId":(\d+)/.exec(data)?.[1]));
	}
	await Promise.all([...adders, ...workers].map(async (queue) => await queue.close()));
	for (const client of clients) client.disconnect();
	return {
		confirmed: confirmed.size,
		notRun: [...confirmed].filter((executionId) => !ran.has(executionId)),
		active,
		repeated: new Map([...ran].filter(([, jobs]) => jobs.length > 1)),
	};
}

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { run } from '../tooling/processes.mjs';
import { BackgroundProcess } from './backgroundProcess';
import { findOrInstall } from './debianCommand';
import { freePort } from './ports';

function findRedis(): string | undefined {
	return ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
		.map((folder) => path.join(folder, 'redis-server'))
		.find((file) => existsSync(file));
}

/** A Redis that keeps its data in a file, on the loopback address. */
export class Redis {
	private process: BackgroundProcess | undefined;

	private constructor(
		readonly port: number,
		readonly version: string,
		private readonly command: string,
		private readonly folder: string,
	) {}

	static async start(): Promise<Redis> {
		const command = await findOrInstall(findRedis, 'redis-server');
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-redis-'));
		const [, version = '?'] = /v=(\S+)/.exec(await run(command, ['--version'])) ?? [];
		const redis = new Redis(await freePort(), `Redis ${version}`, command, folder);
		await redis.resume();
		return redis;
	}

	/** The answer to a command, one line for each of its values. */
	async ask(...command: string[]): Promise<string[]> {
		const client = path.join(path.dirname(this.command), 'redis-cli');
		const answer = await run(client, ['-p', String(this.port), ...command]);
		return answer.split('\n').filter(Boolean);
	}

	/** Ends it, and keeps its data. */
	async pause(): Promise<void> {
		await this.process?.stop();
	}

	async resume(): Promise<void> {
		const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder];
		const args = [...options, '--appendonly', 'yes'];
		const logFile = path.join(this.folder, 'server.log');
		const server = new BackgroundProcess('Redis', this.command, args, { logFile });
		this.process = server;
		await server.ready(async () => (await this.ask('ping'))[0] === 'PONG', 30_000);
	}

	async stop(): Promise<void> {
		await this.pause();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

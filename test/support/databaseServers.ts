import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePort } from './ports.mjs';
import { run, Service } from '../../scripts/lib/processes.mjs';
import { during } from '../../scripts/lib/progress.mjs';

const isRoot = process.getuid?.() === 0;

/** The command's path, installed from Debian's package where that is missing. */
async function binary(find: () => string | undefined, debianPackage: string): Promise<string> {
	const present = find();
	if (present !== undefined) return present;
	if (!isRoot || !existsSync('/usr/bin/apt-get')) {
		throw new Error(`Install it first: sudo apt-get install ${debianPackage}`);
	}
	await during(`Installing ${debianPackage}`, async () => {
		await run('apt-get', ['update', '-q']);
		await run('apt-get', ['install', '-qy', '--no-install-recommends', debianPackage]);
	});
	const installed = find();
	if (installed === undefined) throw new Error(`${debianPackage} brought no such command.`);
	return installed;
}

function postgresFolder(): string | undefined {
	const root = '/usr/lib/postgresql';
	const versions = existsSync(root) ? readdirSync(root) : [];
	return versions
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => path.join(root, version, 'bin'))
		.find((folder) => existsSync(path.join(folder, 'initdb')));
}

function redisServer(): string | undefined {
	return ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
		.map((folder) => path.join(folder, 'redis-server'))
		.find((file) => existsSync(file));
}

async function listens(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = createConnection(port, '127.0.0.1');
		socket.once('connect', () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => {
			resolve(false);
		});
	});
}

/** A PostgreSQL of its own, with an empty database `n8n`, on the loopback address. */
export class PostgreSql {
	private constructor(
		readonly port: number,
		readonly version: string,
		private readonly binaries: string,
		private readonly folder: string,
		private readonly service: Service,
	) {}

	static async start(): Promise<PostgreSql> {
		const binaries = await binary(postgresFolder, 'postgresql');
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-postgres-'));
		/* PostgreSQL refuses to run as root; Debian's package brings a user for it. */
		const asItsUser = isRoot
			? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
			: ['env'];
		if (isRoot) await run('chown', ['postgres', folder]);
		const command = (name: string, args: string[]): [string, string[]] => [
			asItsUser[0] ?? '',
			[...asItsUser.slice(1), path.join(binaries, name), ...args],
		];
		const data = path.join(folder, 'data');
		await run(...command('initdb', ['-D', data, '-U', 'n8n', '-A', 'trust', '-E', 'UTF8']), {
			cwd: folder,
		});
		const port = await freePort();
		/* Processes are killed here, but no power is cut: what is written need not reach the disk. */
		const settings = ['-h', '127.0.0.1', '-p', String(port), '-k', folder, '-c', 'fsync=off'];
		const service = new Service('PostgreSQL', ...command('postgres', ['-D', data, ...settings]), {
			cwd: folder,
			logFile: `${folder}.log`,
		});
		const version = (await run(path.join(binaries, 'postgres'), ['--version'])).trim();
		const postgres = new PostgreSql(port, version, binaries, folder, service);
		await service.ready(
			async () => (await postgres.query('create database n8n', 'postgres')) !== '',
			60_000,
		);
		return postgres;
	}

	/** The rows that a query gives, as lines of values with | between them. */
	async query(sql: string, database = 'n8n'): Promise<string> {
		const where = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'n8n', '-d', database];
		return (await run(path.join(this.binaries, 'psql'), [...where, '-At', '-c', sql])).trim();
	}

	async stop(): Promise<void> {
		await this.service.stop();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

/** A Redis of its own that keeps its data in a file, on the loopback address. */
export class Redis {
	private service: Service | undefined;

	private constructor(
		readonly port: number,
		readonly version: string,
		private readonly command: string,
		private readonly folder: string,
	) {}

	static async start(): Promise<Redis> {
		const command = await binary(redisServer, 'redis-server');
		const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-redis-'));
		mkdirSync(folder, { recursive: true });
		const [, version = '?'] = /v=(\S+)/.exec(await run(command, ['--version'])) ?? [];
		const redis = new Redis(await freePort(), `Redis ${version}`, command, folder);
		await redis.resume();
		return redis;
	}

	/** Ends it; what it held is in its file. */
	async halt(): Promise<void> {
		await this.service?.stop();
	}

	async resume(): Promise<void> {
		const where = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder];
		const service = new Service('Redis', this.command, [...where, '--appendonly', 'yes'], {
			logFile: `${this.folder}.log`,
		});
		this.service = service;
		await service.ready(async () => await listens(this.port), 30_000);
	}

	async stop(): Promise<void> {
		await this.halt();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

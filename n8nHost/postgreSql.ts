import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { run } from '../tooling/processes.mjs';
import { BackgroundProcess } from './backgroundProcess';
import { findOrInstall, isRoot } from './debianCommand';
import { freePort } from './ports';

/** The newest installed version's folder of commands. */
function findPostgres(): string | undefined {
	const root = '/usr/lib/postgresql';
	const versions = existsSync(root) ? readdirSync(root) : [];
	return versions
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => path.join(root, version, 'bin'))
		.find((folder) => existsSync(path.join(folder, 'initdb')));
}

/**
 * The rows that a query gives on this machine's server, as lines of values with | between them.
 *
 * @throws what psql says of a mistake
 */
export async function psql(port: number, sql: string, database: string): Promise<string> {
	const binaries = await findOrInstall(findPostgres, 'postgresql');
	const where = ['-h', '127.0.0.1', '-p', String(port), '-U', 'n8n', '-d', database];
	return (await run(path.join(binaries, 'psql'), [...where, '-At', '-c', sql])).trim();
}

/** n8n's settings for a database on this machine's server. */
export function postgresSettings(port: number, database: string): Record<string, string> {
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(port),
		DB_POSTGRESDB_DATABASE: database,
		DB_POSTGRESDB_USER: 'n8n',
		DB_POSTGRESDB_PASSWORD: 'n8n',
	};
}

/** A PostgreSQL with its own data folder and an empty database `n8n`, on the loopback address. */
export class PostgreSql {
	private constructor(
		readonly port: number,
		readonly version: string,
		private readonly binaries: string,
		private readonly folder: string,
		private readonly process: BackgroundProcess,
	) {}

	static async start(): Promise<PostgreSql> {
		const binaries = await findOrInstall(findPostgres, 'postgresql');
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
		/* The tests kill processes but don't cut the power, so nothing has to reach the disk. */
		const settings = ['-h', '127.0.0.1', '-p', String(port), '-k', folder, '-c', 'fsync=off'];
		const server = new BackgroundProcess(
			'PostgreSQL',
			...command('postgres', ['-D', data, ...settings]),
			{ cwd: folder, logFile: path.join(folder, 'server.log') },
		);
		const version = (await run(path.join(binaries, 'postgres'), ['--version'])).trim();
		const postgres = new PostgreSql(port, version, binaries, folder, server);
		await server.ready(
			async () => (await postgres.query('create database n8n', 'postgres')) !== '',
			60_000,
		);
		return postgres;
	}

	/** The values of each row that a query gives. */
	async rows(sql: string): Promise<string[][]> {
		const lines = (await this.query(sql)).split('\n').filter(Boolean);
		return lines.map((line) => line.split('|'));
	}

	/** The rows that a query gives, as lines of values with | between them. */
	async query(sql: string, database = 'n8n'): Promise<string> {
		return await psql(this.port, sql, database);
	}

	async stop(): Promise<void> {
		await this.process.stop();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

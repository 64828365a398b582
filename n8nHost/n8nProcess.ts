import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { N8nInstallation } from '../tooling/installations.mjs';
import { npm } from '../tooling/processes.mjs';
import { BackgroundProcess } from './backgroundProcess';
import { freePort } from './ports';
import { isUp, OWN_CONNECTION } from './waiting';

/** No telemetry, no prompts, reachable from this machine only. */
const SETTINGS = {
	NODE_ENV: 'production',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_SECURE_COOKIE: 'false',
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
	GENERIC_TIMEZONE: 'Etc/UTC',
};

/** The package under test. */
export const PACKAGE_NAME = 'n8n-nodes-payroll-payments';

const nodesFolder = (dataFolder: string) => path.join(dataFolder, '.n8n', 'nodes');

/** Installs a packed community package into an n8n's data folder, as n8n itself does. */
export async function installPackage(dataFolder: string, tarball: string): Promise<void> {
	const folder = nodesFolder(dataFolder);
	mkdirSync(folder, { recursive: true });
	const manifest = path.join(folder, 'package.json');
	if (!existsSync(manifest)) {
		writeFileSync(manifest, '{ "name": "installed-nodes", "private": true }');
	}
	// n8n provides n8n-workflow itself, so the peer dependency is not fetched.
	const options = ['--offline', '--ignore-scripts', '--legacy-peer-deps', '--package-lock=false'];
	await npm(['install', ...options, '--no-audit', '--no-fund', tarball], { cwd: folder });
}

interface Options {
	/** The folder that holds n8n's `.n8n`. */
	readonly dataFolder: string;
	/** Used if it is free. */
	readonly port?: number;
	/** More of n8n's settings. */
	readonly env?: Record<string, string>;
}

/** A real n8n with its own data folder, on free ports of this machine. */
export class N8nProcess {
	readonly url: string;
	/** The SQLite file, unless `env` names another database. */
	readonly databaseFile: string;
	private process: BackgroundProcess | undefined;

	private constructor(
		readonly installation: N8nInstallation,
		readonly dataFolder: string,
		readonly port: number,
		readonly env: Record<string, string>,
	) {
		this.url = `http://127.0.0.1:${port}`;
		this.databaseFile = path.join(dataFolder, '.n8n', 'database.sqlite');
	}

	/** Chooses the ports, and starts nothing yet. */
	static async prepare(
		installation: N8nInstallation,
		{ dataFolder, port: preferred, env }: Options,
	): Promise<N8nProcess> {
		const port = await freePort(preferred);
		return new N8nProcess(installation, dataFolder, port, {
			...installation.env,
			...SETTINGS,
			N8N_USER_FOLDER: dataFolder,
			N8N_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			...env,
		});
	}

	/** An n8n that another process started; it can be used but not started or stopped. */
	static running(installation: N8nInstallation, dataFolder: string, port: number): N8nProcess {
		return new N8nProcess(installation, dataFolder, port, {});
	}

	/** Where n8n has the package under test. */
	get installedPackage(): string {
		return path.join(nodesFolder(this.dataFolder), 'node_modules', PACKAGE_NAME);
	}

	/** Starts n8n, and resolves when its editor and webhooks are ready. */
	async start(): Promise<void> {
		mkdirSync(this.dataFolder, { recursive: true });
		this.process = this.spawn('n8n', 'start');
		await this.process.ready(
			async () => (await isUp(`${this.url}/healthz/readiness`)) && (await this.asksToSignIn()),
			120_000,
		);
	}

	/** Whether n8n answers a request that needs a sign-in. An n8n without its editor does so, too. */
	private async asksToSignIn(): Promise<boolean> {
		return await fetch(`${this.url}/rest/login`, { headers: OWN_CONNECTION }).then(
			({ status }) => status === 401,
			() => false,
		);
	}

	/**
	 * Runs one of n8n's long-running commands on the same data folder.
	 *
	 * @param name of its log file, and in error messages
	 */
	spawn(
		name: string,
		command: 'start' | 'webhook' | 'worker',
		env: Record<string, string> = {},
	): BackgroundProcess {
		return new BackgroundProcess(name, this.installation.node, [this.installation.cli, command], {
			cwd: this.dataFolder,
			env: { ...this.env, ...env },
			logFile: path.join(this.dataFolder, `${name}.log`),
		});
	}

	/** Resolves when n8n has ended, for whatever reason. */
	get ended(): Promise<number> {
		return this.started().ended;
	}

	/** Lets this process end while n8n runs. */
	detach(): void {
		this.started().detach();
	}

	/** The ID of the process group, which n8n's own processes belong to. */
	get group(): number {
		return this.started().group;
	}

	get log(): string {
		return this.process?.log ?? readFileSync(path.join(this.dataFolder, 'n8n.log'), 'utf8');
	}

	/** Also removes the editor's files, which n8n writes at each start. */
	async stop(): Promise<void> {
		await this.process?.stop();
		rmSync(path.join(this.dataFolder, '.cache'), { recursive: true, force: true });
	}

	/** Ends n8n as suddenly as a power cut; `start` brings it back with the same data. */
	async kill(): Promise<void> {
		await this.process?.kill();
	}

	private started(): BackgroundProcess {
		if (this.process === undefined) throw new Error('This n8n has not been started.');
		return this.process;
	}
}

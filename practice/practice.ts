// Keeps n8n and the practice service in step while `npm start` runs.
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import type { N8nProcess } from '../n8nHost/n8nProcess';
import type { N8nRest } from '../n8nHost/n8nRest';
import type { SandboxProcess } from '../n8nHost/sandboxProcess';
import type { ResetState } from '../sandbox/resets';
import { run } from '../tooling/processes.mjs';
import { withProgress } from '../tooling/progress.mjs';

const INTERVAL_MILLISECONDS = 1_500;

/**
 * Removes what n8n remembers of events, payments and balances. The practice service forgets them when it
 * starts; n8n would still call a payment paid, or an event a duplicate.
 */
const FORGET = `
	const { DatabaseSync } = require('node:sqlite');
	const database = new DatabaseSync(process.argv[1], { timeout: 10_000 });
	const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
	for (const { name } of tables) {
		if (/^(processed_data|data_table_user_.*)$/.test(name)) database.exec('delete from "' + name + '"');
		if (name === 'workflow_entity') database.exec('update workflow_entity set "staticData" = null');
	}
	database.close();`;

/** While n8n is down, clears its records of what was practiced. */
export async function forgetPractice({ installation, databaseFile }: N8nProcess): Promise<void> {
	if (!existsSync(databaseFile)) return;
	const args = ['--no-warnings', '--eval', FORGET, databaseFile];
	await run(installation.node, args, { env: installation.env });
}

/** How often the practice service started over. */
export async function readResets(sandbox: SandboxProcess): Promise<ResetState> {
	return await sandbox.control('GET', 'reset');
}

/** A workflow that starts with an event. */
export interface Receiver {
	readonly id: string;
	/** The production URL of its trigger. */
	readonly url: string;
	/** Shows its executions; `{at}` is where the time of a delivery goes. */
	readonly link: string;
	/** The webhook that its own test events go to, if it sends some. */
	readonly webhook?: string;
}

interface Options {
	readonly n8n: N8nRest;
	readonly n8nProcess: N8nProcess;
	readonly sandbox: SandboxProcess;
	readonly receivers: readonly Receiver[];
}

/** Sends events to the examples that are published, and starts over on both sides. */
export class Practice {
	private resets = 0;
	private isStopped = false;
	private restart: Promise<void> | undefined;

	private constructor(private readonly options: Options) {}

	static async start(options: Options): Promise<Practice> {
		const practice = new Practice(options);
		practice.resets = (await readResets(options.sandbox)).resets;
		await practice.registerPublished();
		void practice.keepInStep();
		return practice;
	}

	/** Resolves when n8n has ended, except to start over. */
	async n8nEnded(): Promise<void> {
		do {
			await this.restart;
			await this.options.n8nProcess.ended;
		} while (this.restart !== undefined);
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		if (this.restart === undefined) return;
		await this.restart.catch(() => undefined);
		await this.options.n8nProcess.stop();
	}

	private async keepInStep(): Promise<void> {
		while (!this.isStopped) {
			// Either side may be busy or gone; `npm start` itself watches whether they have ended.
			await this.step().catch(() => undefined);
			await pause(INTERVAL_MILLISECONDS);
		}
	}

	private async step(): Promise<void> {
		const { resets } = await this.reportResets();
		if (resets !== this.resets) {
			this.restart = this.forget();
			await this.restart;
			this.restart = undefined;
			this.resets = resets;
			await this.reportResets();
		}
		await this.registerPublished();
	}

	/** Tells the practice desk how far n8n has followed. */
	private async reportResets(): Promise<ResetState> {
		const followed = { resets: this.resets };
		return await this.options.sandbox.control('POST', 'reset/followed', followed);
	}

	/** Its process remembers payments and events, too, so n8n has to start again. */
	private async forget(): Promise<void> {
		const { n8nProcess } = this.options;
		await withProgress('Starting over: n8n forgets and starts again', async () => {
			await n8nProcess.stop();
			await forgetPractice(n8nProcess);
			await n8nProcess.start();
		});
	}

	/** Tells the practice service which workflows receive events now, under their present names. */
	private async registerPublished(): Promise<void> {
		const { n8n, sandbox, receivers } = this.options;
		const published = new Map(
			(await n8n.workflows()).filter(({ active }) => active).map(({ id, name }) => [id, name]),
		);
		const { endpoints } = await sandbox.control<{
			endpoints: { nanoid: string; url?: string; name?: string }[];
		}>('GET', 'endpoints');
		for (const { id, url, link, webhook } of receivers) {
			const present = endpoints.find((each) => each.url === url);
			const name = published.get(id);
			if (name === undefined && present !== undefined) {
				await sandbox.control('POST', 'endpoints', { nanoid: present.nanoid });
			}
			if (name === undefined || name === present?.name) continue;
			const nanoid = present?.nanoid ?? webhook;
			await sandbox.control('POST', 'endpoints', { ...present, url, name, link, nanoid });
		}
	}
}

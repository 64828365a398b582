import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { cleanEnvironment, signalGroup, spawnGroup } from '../tooling/processes.mjs';
import { stopAfterFile } from './cleanups';
import { waitUntil } from './waiting';

interface Options {
	readonly cwd?: string;
	readonly env?: Record<string, string>;
	/** Takes the output of the process, after what is already in it. */
	readonly logFile: string;
}

/** A server in a separate process, with its output in a log file. */
export class BackgroundProcess {
	/** Resolves with the exit code when the process has ended, for whatever reason. */
	readonly ended: Promise<number>;
	private readonly logFile: string;
	private readonly child: ReturnType<typeof spawnGroup>['child'];
	private readonly dropCleanup: () => void;
	private isRunning = true;

	/** @param name what to call it in error messages */
	constructor(
		private readonly name: string,
		command: string,
		args: readonly string[],
		{ cwd, env = cleanEnvironment(), logFile }: Options,
	) {
		this.logFile = logFile;
		mkdirSync(path.dirname(logFile), { recursive: true });
		const log = openSync(logFile, 'a');
		const { child, ended } = spawnGroup(command, [...args], {
			cwd,
			env,
			stdio: ['ignore', log, log],
		});
		closeSync(log);
		this.child = child;
		this.ended = ended
			.catch(() => 1)
			.then((code) => {
				this.isRunning = false;
				this.dropCleanup();
				return code;
			});
		this.dropCleanup = stopAfterFile(async () => await this.stop());
	}

	/** The ID of its process group. */
	get group(): number {
		if (this.child.pid === undefined) throw new Error(`${this.name} did not start.`);
		return this.child.pid;
	}

	/** Lets this process end while it runs; what ends it then is up to the caller. */
	detach(): void {
		this.dropCleanup();
		this.child.unref();
	}

	get log(): string {
		return readFileSync(this.logFile, 'utf8');
	}

	/** Waits until `isReady` is true; fails when time runs out or the process ends. */
	async ready(isReady: () => Promise<boolean>, milliseconds: number): Promise<void> {
		await waitUntil(
			() => `${this.name} was not ready after ${milliseconds / 1000} seconds:\n${this.lastLines()}`,
			async () => {
				if (await isReady().catch(() => false)) return true;
				if (!this.isRunning) throw new Error(`${this.name} did not start:\n${this.lastLines()}`);
				return false;
			},
			{ milliseconds },
		);
	}

	/** Sends SIGTERM, and SIGKILL ten seconds later. */
	async stop(): Promise<void> {
		signalGroup(this.child, 'SIGTERM');
		const timer = setTimeout(() => {
			signalGroup(this.child, 'SIGKILL');
		}, 10_000);
		await this.ended;
		clearTimeout(timer);
		// Ends child processes that are still running.
		signalGroup(this.child, 'SIGKILL');
	}

	/** Sends SIGKILL, as sudden as a power cut. */
	async kill(): Promise<void> {
		signalGroup(this.child, 'SIGKILL');
		await this.ended;
	}

	private lastLines(): string {
		return this.log.trimEnd().split('\n').slice(-30).join('\n');
	}
}

import { setTimeout as pause } from 'node:timers/promises';

import type { BackgroundProcess } from './backgroundProcess';
import { waitUntil } from './waiting';

/** A process that is restarted whenever it ends, as systemd or a container host does. */
export class SupervisedProcess {
	private process: BackgroundProcess | undefined;
	private isStopped = false;
	/** How often it has ended without `stop`. */
	restarts = 0;

	private constructor(
		private readonly spawn: () => BackgroundProcess,
		private readonly isReady: () => Promise<boolean>,
	) {}

	static async start(
		spawn: () => BackgroundProcess,
		isReady: () => Promise<boolean>,
	): Promise<SupervisedProcess> {
		const supervised = new SupervisedProcess(spawn, isReady);
		supervised.launch();
		await supervised.ready();
		return supervised;
	}

	/** Its output since the first start. */
	get log(): string {
		return this.process?.log ?? '';
	}

	/** Waits until it is ready, for five minutes at most; doesn't wait once it was stopped. */
	async ready(): Promise<void> {
		await waitUntil(
			() => `Not ready after five minutes:\n${this.log.slice(-4_000)}`,
			async () => this.isStopped || (await this.isReady()),
			{ milliseconds: 300_000, interval: 200 },
		);
	}

	/** Ends it as suddenly as a power cut; it is restarted. */
	async kill(): Promise<void> {
		await this.process?.kill();
	}

	/** Shuts it down gracefully, as an update does; it is restarted. */
	async restart(): Promise<void> {
		await this.process?.stop();
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		await this.process?.stop();
	}

	private launch(): void {
		const process = this.spawn();
		this.process = process;
		void process.ended.then(async () => {
			if (this.isStopped) return;
			this.restarts += 1;
			await pause(1_000);
			if (!this.isStopped) this.launch();
		});
	}
}

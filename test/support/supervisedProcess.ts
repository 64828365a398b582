import { pause, Service } from '../../scripts/lib/processes.mjs';

/** A process that is started again whenever it ends, as systemd or a container host would. */
export class Supervised {
	private service: Service | undefined;
	private isWanted = true;
	/** How often it ended without having been told to. */
	restarts = 0;

	private constructor(
		private readonly spawn: () => Service,
		private readonly isReady: () => Promise<boolean>,
	) {}

	static async start(spawn: () => Service, isReady: () => Promise<boolean>): Promise<Supervised> {
		const supervised = new Supervised(spawn, isReady);
		supervised.launch();
		await supervised.ready();
		return supervised;
	}

	/** What it has written since its first start. */
	get log(): string {
		return this.service?.log ?? '';
	}

	/** Waits until it serves, also after a restart; five minutes at most. Once told to stop it is not waited for. */
	async ready(): Promise<void> {
		const deadline = Date.now() + 300_000;
		while (this.isWanted && !(await this.isReady().catch(() => false))) {
			if (Date.now() > deadline) throw new Error(`Never ready:\n${this.log.slice(-4_000)}`);
			await pause(200);
		}
	}

	/** Ends it as a power cut would; it is started again. */
	async kill(): Promise<void> {
		await this.service?.kill();
	}

	/** Asks it to end, as an update does; it is started again. */
	async restart(): Promise<void> {
		await this.service?.stop();
	}

	async stop(): Promise<void> {
		this.isWanted = false;
		await this.service?.stop();
	}

	private launch(): void {
		const service = this.spawn();
		this.service = service;
		void service.ended.then(async () => {
			if (!this.isWanted) return;
			this.restarts += 1;
			await pause(1_000);
			if (this.isWanted) this.launch();
		});
	}
}

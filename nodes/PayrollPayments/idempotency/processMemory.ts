/** How many keys are remembered beyond those in flight: about 10,000 payments. */
const MAX_KEYS = 50_000;

export interface MemoryClaim {
	/** Removes exactly what the claim has recorded. */
	release(): void;
	/** Ends the claim. Its keys stay recorded until enough others were recorded after them. */
	keep(): void;
}

/**
 * The records of what any node of this n8n process has sent since it started. A copied node, a chat or
 * another workflow finds here what n8n's store keeps only for the node that sent it.
 */
export class ProcessMemory {
	/** Oldest first. */
	private readonly keys = new Set<string>();
	private readonly inFlight = new Set<string>();

	constructor(private readonly most = MAX_KEYS) {}

	has(key: string): boolean {
		return this.keys.has(key);
	}

	/** Whether a claim of it has not ended: what becomes of it will be known soon. */
	isInFlight(key: string): boolean {
		return this.inFlight.has(key);
	}

	/** Records keys that are in flight: until the claim ends, they are not forgotten. */
	claim(keys: readonly string[]): MemoryClaim {
		const added = keys.filter((key) => !this.keys.has(key));
		for (const key of added) this.inFlight.add(key);
		this.record(added);
		const endFlight = () => {
			for (const key of added) this.inFlight.delete(key);
		};
		const release = () => {
			endFlight();
			for (const key of added) this.keys.delete(key);
		};
		return { keep: endFlight, release };
	}

	record(keys: readonly string[]): void {
		for (const key of keys) this.keys.add(key);
		for (const key of this.keys) {
			if (this.keys.size - this.inFlight.size <= this.most) break;
			if (!this.inFlight.has(key)) this.keys.delete(key);
		}
	}
}

/** What this process has sent. */
export const sentByProcess = new ProcessMemory();

import { createHash } from 'node:crypto';

/** The right to start the one execution of an event; every claim must be settled. */
export interface Claim {
	/** `acknowledged`: whether a 2xx has left. Otherwise the next delivery may claim the event. */
	settle(acknowledged: boolean): void;
}

/**
 * The key under which an event is remembered: of one length, however long the service's own is,
 * and different for any two texts, ill-formed Unicode included.
 */
export function keyOf(idempotencyKey: string): string {
	return createHash('sha256').update(JSON.stringify(idempotencyKey)).digest('base64');
}

/**
 * What one n8n process knows about the events of one trigger: those acknowledged, bounded by the
 * caller's history, and those whose delivery is under way, bounded by the open connections.
 */
export class Claims {
	/** In the order in which they were acknowledged. */
	private readonly acknowledged = new Set<string>();
	private readonly underWay = new Map<string, Promise<void>>();
	/** Deliveries that hold a claim or wait for one. */
	private deliveries = 0;

	/**
	 * Claims an event. A delivery of the same event that is under way is waited for: its outcome
	 * says whether this one is a duplicate.
	 *
	 * @returns undefined where the event was acknowledged before.
	 */
	async claim(key: string, history: number): Promise<Claim | undefined> {
		this.deliveries += 1;
		let other: Promise<void> | undefined;
		while ((other = this.underWay.get(key)) !== undefined) await other;
		if (this.acknowledged.has(key)) {
			this.deliveries -= 1;
			return undefined;
		}

		let wakeWaiting = () => {};
		this.underWay.set(key, new Promise((resolve) => (wakeWaiting = resolve)));
		let isSettled = false;
		return {
			settle: (acknowledged) => {
				if (isSettled) return;
				isSettled = true;
				this.deliveries -= 1;
				this.underWay.delete(key);
				if (acknowledged) this.remember(key, history);
				wakeWaiting();
			},
		};
	}

	/** Whether a delivery holds a claim or waits for one. */
	get isInUse(): boolean {
		return this.deliveries > 0;
	}

	/** How many events are held in memory. */
	get size(): number {
		return this.acknowledged.size + this.underWay.size;
	}

	private remember(key: string, history: number): void {
		this.acknowledged.add(key);
		for (const oldest of this.acknowledged) {
			if (this.acknowledged.size <= history) return;
			this.acknowledged.delete(oldest);
		}
	}
}

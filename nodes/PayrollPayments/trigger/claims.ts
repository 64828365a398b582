import { createHash } from 'node:crypto';

import { LruCache } from '../shared/lruCache';

/** The exclusive right to start the execution of an event. Every claim must be settled. */
interface Claim {
	/** @param acknowledged whether a 2xx was sent. If not, the next delivery may claim the event. */
	settle(acknowledged: boolean): void;
}

export interface OutgoingResponse {
	readonly statusCode: number;
	readonly closed: boolean;
	status(code: number): OutgoingResponse;
	json(body: object): unknown;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/**
 * The key under which an event is remembered. It is a hash, so its length is fixed. JSON escapes
 * lone surrogates, which UTF-8 would turn into the same character.
 */
export function eventKey(idempotencyKey: string): string {
	return createHash('sha256').update(JSON.stringify(idempotencyKey)).digest('base64');
}

/**
 * What one n8n process knows about the events of one trigger: the acknowledged ones, limited by the
 * history, and the ones in flight, limited by the open connections.
 */
export class Claims {
	/** Oldest first. */
	private acknowledged = new Set<string>();
	/** How many events have left {@link acknowledged} since it was made. */
	private forgotten = 0;
	private readonly inFlight = new Map<string, Promise<void>>();
	/** How many deliveries hold a claim or wait for one. */
	private deliveries = 0;

	/**
	 * Claims an event. If another delivery of it is in flight, waits for that one's outcome first.
	 * @returns undefined if the event was acknowledged before
	 */
	async claim(key: string, history: number): Promise<Claim | undefined> {
		this.deliveries += 1;
		let other: Promise<void> | undefined;
		while ((other = this.inFlight.get(key)) !== undefined) await other;
		if (this.acknowledged.has(key)) {
			this.deliveries -= 1;
			return undefined;
		}

		let wakeWaiting = () => {};
		this.inFlight.set(key, new Promise((resolve) => (wakeWaiting = resolve)));
		let isSettled = false;
		return {
			settle: (acknowledged) => {
				if (isSettled) return;
				isSettled = true;
				this.deliveries -= 1;
				this.inFlight.delete(key);
				if (acknowledged) this.remember(key, history);
				wakeWaiting();
			},
		};
	}

	/** Whether this process has received the event and still knows of it. */
	has(key: string): boolean {
		return this.inFlight.has(key) || this.acknowledged.has(key);
	}

	/** Whether a delivery holds a claim or waits for one. */
	get isInUse(): boolean {
		return this.deliveries > 0;
	}

	get size(): number {
		return this.acknowledged.size + this.inFlight.size;
	}

	private remember(key: string, history: number): void {
		this.acknowledged.add(key);
		for (const oldest of this.acknowledged) {
			if (this.acknowledged.size <= history) break;
			this.acknowledged.delete(oldest);
			this.forgotten += 1;
		}
		/* A set keeps the room of what it forgot, and grows to twice its size rather than reuse it. */
		if (this.forgotten <= history / 4) return;
		this.acknowledged = new Set([...this.acknowledged]);
		this.forgotten = 0;
	}
}

/** How many triggers this process remembers; one with deliveries in flight is never dropped. */
const MAX_TRIGGERS = 500;

/** By workflow and node. They outlive saving and activating. */
const claimsByNode = new LruCache<Claims>(MAX_TRIGGERS, ({ isInUse }) => isInUse);

/** The claims of one trigger. If they are dropped here, n8n's store still has its events. */
export function claimsOf(nodeKey: string): Claims {
	return claimsByNode.getOrCreate(nodeKey, () => new Claims());
}

/**
 * Settles a claim once the response has ended: acknowledged if a 2xx was sent, and released if
 * n8n answered with another status or the sender hung up first.
 * @returns false if the sender has already hung up; the claim is then released
 */
export function settleWhenAnswered(claim: Claim, response: OutgoingResponse): boolean {
	if (response.closed) {
		claim.settle(false);
		return false;
	}
	response.once('finish', () => {
		claim.settle(response.statusCode >= 200 && response.statusCode < 300);
	});
	response.once('close', () => {
		claim.settle(false);
	});
	return true;
}

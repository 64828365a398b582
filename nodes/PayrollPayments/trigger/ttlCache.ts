/** Entries kept at once; beyond that, the oldest is dropped. */
const MAX_ENTRIES = 1_000;

/**
 * Keeps values that are expensive to read for a short time, so that a burst reads each one once.
 * Concurrent callers share one read. A failed read isn't kept.
 */
export class TtlCache<Value> {
	private readonly entries = new Map<
		string,
		{ readonly readAt: number; readonly value: Promise<Value> }
	>();

	constructor(
		private readonly ttlMs: number,
		private readonly now: () => number = Date.now,
	) {}

	/** The cached value of a key, or else what `read` gives. */
	async get(key: string, read: () => Promise<Value>): Promise<Value> {
		const now = this.now();
		for (const [each, { readAt }] of this.entries) {
			/* A clock that was set back must not keep an entry alive. */
			if (now - readAt >= this.ttlMs || readAt > now) this.entries.delete(each);
		}
		const cached = this.entries.get(key);
		if (cached !== undefined) return await cached.value;
		const value = read();
		this.entries.set(key, { readAt: now, value });
		const oldest = this.entries.keys().next();
		if (this.entries.size > MAX_ENTRIES && !oldest.done) this.entries.delete(oldest.value);
		value.catch(() => this.entries.delete(key));
		return await value;
	}
}

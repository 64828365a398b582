/** A cache that drops the least recently used entries above its limit. */
export class LruCache<Value> {
	private readonly entries = new Map<string, Value>();

	/** @param isInUse entries for which it returns true are kept, even above the limit */
	constructor(
		private readonly limit: number,
		private readonly isInUse: (value: Value) => boolean = () => false,
	) {}

	/** The value, without marking it as used. */
	peek(key: string): Value | undefined {
		return this.entries.get(key);
	}

	/** The value, created if it isn't there. Nothing is kept if `create` throws. */
	getOrCreate(key: string, create: () => Value): Value {
		const value = this.entries.get(key) ?? create();
		this.entries.delete(key);
		this.entries.set(key, value);
		for (const [oldest, each] of this.entries) {
			if (this.entries.size <= this.limit) break;
			if (oldest !== key && !this.isInUse(each)) this.entries.delete(oldest);
		}
		return value;
	}
}

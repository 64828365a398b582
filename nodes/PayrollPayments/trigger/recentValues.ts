/** Values kept at once; of more, the oldest are read again when they are asked for. */
const MOST_VALUES = 1_000;

/**
 * Values that are costly to read, each kept for a moment so that a burst reads it once. What could
 * not be read is not kept, and nothing stays beyond its time once another is read.
 */
export class RecentValues<Value> {
	private readonly values = new Map<
		string,
		{ readonly at: number; readonly value: Promise<Value> }
	>();

	/** @param age milliseconds for which a value serves */
	constructor(
		private readonly age: number,
		private readonly now: () => number = Date.now,
	) {}

	/** The value of that name, read now unless it was read just before. */
	async get(name: string, read: () => Promise<Value>): Promise<Value> {
		const now = this.now();
		for (const [each, { at }] of this.values) {
			if (now - at >= this.age || at > now) this.values.delete(each);
		}
		const recent = this.values.get(name);
		if (recent !== undefined) return await recent.value;
		const value = read();
		this.values.set(name, { at: now, value });
		const oldest = this.values.keys().next();
		if (this.values.size > MOST_VALUES && !oldest.done) this.values.delete(oldest.value);
		value.catch(() => this.values.delete(name));
		return await value;
	}
}

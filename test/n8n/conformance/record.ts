/** One test, and what it tried. */
export interface Tried {
	/** What the test is about, e.g. an operation, and its name. */
	readonly area: string;
	readonly what: string;
	/** Cases that the document allows, and that went through. */
	readonly accepted: number;
	/** Cases that it rules out, and that were refused. */
	readonly refused: number;
}

/** What the tests tried. A test that runs more than once adds up. */
export class ConformanceRecord {
	private readonly byName = new Map<string, Tried>();

	add(area: string, what: string, accepted: number, refused = 0): void {
		const name = `${area}: ${what}`;
		const before = this.byName.get(name) ?? { accepted: 0, refused: 0 };
		const sums = { accepted: before.accepted + accepted, refused: before.refused + refused };
		this.byName.set(name, { area, what, ...sums });
	}

	get tests(): readonly Tried[] {
		return [...this.byName.values()];
	}
}

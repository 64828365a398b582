/** A trick to play on the next answers, and how often. */
export class Tampering<Trick extends string> {
	private current?: { trick: Trick; times: number };

	/** Plays the trick on the next `times` answers. */
	plan(trick: Trick, times: number): void {
		this.current = { trick, times };
	}

	clear(): void {
		this.current = undefined;
	}

	/** The trick to play on this answer, if any. */
	take(): Trick | undefined {
		if (!this.current || this.current.times <= 0) return undefined;
		this.current.times--;
		return this.current.trick;
	}
}

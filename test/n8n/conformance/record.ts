/** One test, what it tried, and the statements of docs/api.md that it guards. */
export interface Guard {
	/** What the test is about, e.g. an operation, and its name. */
	readonly area: string;
	readonly what: string;
	/** Cases that the document allows, and that went through. */
	readonly accepted: number;
	/** Cases that it rules out, and that were refused. */
	readonly refused: number;
	/** Statements, or patterns with `*` at their end. */
	readonly guards: readonly string[];
}

/** What the tests tried. A test that runs more than once adds up. */
export class ConformanceRecord {
	private readonly byName = new Map<string, Guard>();

	add(guard: Guard): void {
		const name = `${guard.area}: ${guard.what}`;
		const before = this.byName.get(name);
		this.byName.set(name, {
			...guard,
			accepted: (before?.accepted ?? 0) + guard.accepted,
			refused: (before?.refused ?? 0) + guard.refused,
			guards: [...new Set([...(before?.guards ?? []), ...guard.guards])],
		});
	}

	get tests(): readonly Guard[] {
		return [...this.byName.values()];
	}
}

/** Whether a statement is the one named, or one of those that a pattern names. */
export function fits(pattern: string, statement: string): boolean {
	return pattern.endsWith('*') ? statement.startsWith(pattern.slice(0, -1)) : statement === pattern;
}

/** Decides whether untrusted input was dealt with rightly, by rules of its own. */
export interface Judge {
	/** Words that random inputs wouldn't hold. */
	readonly dictionary: readonly string[];
	/** Runs the code under test; throws if its behavior is wrong. */
	check(input: Buffer): void;
}

/** Words of a dictionary without white space in them. */
export const words = (text: string): string[] => text.split(' ');

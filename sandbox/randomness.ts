/** A random number generator whose seed decides every value. */
export class Randomness {
	private state: number;
	private lastNumber = 57_000;

	constructor(seed: string) {
		// FNV-1a hashes the seed to 32 bits.
		this.state = 0x811c9dc5;
		for (const character of seed) {
			this.state = Math.imul(this.state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
		}
	}

	/** An integer from 0 to below the limit (mulberry32). */
	below(limit: number): number {
		this.state = (this.state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
	}

	/** One of the values. */
	pick<Values extends readonly [unknown, ...unknown[]]>(values: Values): Values[number] {
		return values[this.below(values.length)] ?? values[0];
	}

	/** An identifier (docs/api.md, Identifiers): the prefix and 12 characters. */
	identifier(prefix: string): string {
		return `${prefix}-${this.text(12, IDENTIFIER_ALPHABET)}`;
	}

	/** An identifier of a kind that isn't documented, which services write longer. */
	longIdentifier(prefix: string): string {
		return `${prefix}-${this.text(21, IDENTIFIER_ALPHABET)}`;
	}

	/** An EVM address in lower case; nobody holds its key. */
	address(): string {
		return `0x${this.text(40, HEX_ALPHABET)}`;
	}

	/** A small number in digits, such as 57824, that wasn't given before. */
	smallNumber(): string {
		this.lastNumber += 1 + this.below(97);
		return String(this.lastNumber);
	}

	/** 32 bytes as hex, with 0x. */
	bytes32(): string {
		return `0x${this.text(64, HEX_ALPHABET)}`;
	}

	private text(length: number, alphabet: string): string {
		let text = '';
		for (let at = 0; at < length; at++) text += alphabet.charAt(this.below(alphabet.length));
		return text;
	}
}

const IDENTIFIER_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';
const HEX_ALPHABET = '0123456789abcdef';

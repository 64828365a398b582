export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
	readonly [name: string]: JsonValue;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON with sorted members, so that the order in which they were written makes no difference.
 * @param spell gives texts that mean the same one spelling
 */
export function canonicalJson(value: unknown, spell = (text: string): string => text): string {
	if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each, spell)).join(',')}]`;
	if (!isRecord(value)) {
		return JSON.stringify(typeof value === 'string' ? spell(value) : value) ?? 'null';
	}
	const members = Object.keys(value)
		.sort()
		.filter((name) => value[name] !== undefined)
		.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name], spell)}`);
	return `{${members.join(',')}}`;
}

/** The value of a JSON text, or undefined if the text isn't JSON. */
export function parseJson(text: string): JsonValue | undefined {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A number in a JSON text that JSON.parse may round: it has 16 digits or more, or an exponent. */
const LONG_NUMBER_INSIDE = /[:,[]\s*-?(?:[\d.]{16}|[\d.]+e)/i;

/** Such a number by itself. */
const LONG_NUMBER = /^-?(?:[\d.]{16}|[\d.]+e)/i;

/** What `parseExactly` stops at: an escape, a quote (with the colon, if it ends a name), a number. */
const TOKEN = /\\.|"(?:\s*:)?|-?\d[\d.e+-]*/gi;

/**
 * The value of a JSON text, or undefined if the text isn't JSON. A number that JSON.parse would round
 * becomes text, digit for digit; `outOfRange` names the members whose number JSON.parse reads as infinite,
 * or as 0 although it isn't.
 */
export function parseExactly(text: string): {
	readonly value: JsonValue | undefined;
	readonly outOfRange: readonly string[];
} {
	const value = parseJson(text);
	if (value === undefined || !LONG_NUMBER_INSIDE.test(text)) return { value, outOfRange: [] };
	const outOfRange: string[] = [];
	let hasRounded = false;
	let lastName = '';
	/* Where the text that we are in began; undefined outside of texts. */
	let textStart: number | undefined;
	const exact = text.replace(TOKEN, (token, index: number) => {
		if (token.startsWith('"')) {
			if (textStart !== undefined && token !== '"') lastName = text.slice(textStart + 1, index);
			textStart = textStart === undefined ? index : undefined;
		} else if (textStart === undefined && LONG_NUMBER.test(token) && isRounded(token)) {
			hasRounded = true;
			if ([0, Infinity].includes(Math.abs(Number(token)))) outOfRange.push(lastName);
			return JSON.stringify(token);
		}
		return token;
	});
	return { value: hasRounded ? parseJson(exact) : value, outOfRange };
}

/** Whether JSON.parse makes another number of this one. Some libraries print all 17 digits. */
function isRounded(literal: string): boolean {
	const number = Number(literal);
	const spellings = [String(number), number.toPrecision(17)];
	return !spellings.map(decimalOf).includes(decimalOf(literal));
}

const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** The digits of a number without zeros around them, and the power of ten: 1.50 is 15e-1. */
function decimalOf(literal: string): string {
	const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(literal) ?? [];
	const written = whole + fraction;
	/* The lookbehind keeps a long row of zeros from being tried at each of them. */
	const digits = written.replace(/(?<!0)0+$/, '');
	const power = Number(exponent) - fraction.length + written.length - digits.length;
	const significant = digits.replace(/^0+/, '');
	return significant === '' ? '0' : `${significant}e${power}`;
}

/** Levels of nesting that data from outside may have: n8n copies and saves it recursively. */
export const DEEPEST = 100;

/** Whether there is a value inside more than `levels` lists and objects. */
export function isDeeperThan(value: unknown, levels: number): boolean {
	if (levels < 0) return true;
	if (typeof value !== 'object' || value === null) return false;
	for (const member of Array.isArray(value) ? value : Object.values(value)) {
		if (isDeeperThan(member, levels - 1)) return true;
	}
	return false;
}

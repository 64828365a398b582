import fc from 'fast-check';

import { anyCharacter } from './unicodeCharacters';

/** Encodings of a text in headers, URLs, JSON and dumps. */
export const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
	plain: (text) => text,
	'upper case': (text) => text.toUpperCase(),
	'lower case': (text) => text.toLowerCase(),
	'without 0x': (text) => text.replace(/^0x/, ''),
	'as JSON': (text) => JSON.stringify(text),
	'percent-encoded': encodeURIComponent,
	'percent-encoded as in RFC 3986': (text) =>
		encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`),
	'as a form': (text) => new URLSearchParams({ text }).toString(),
	hex: (text) => Buffer.from(text).toString('hex'),
	base64: (text) => Buffer.from(text).toString('base64'),
	base64url: (text) => Buffer.from(text).toString('base64url'),
};

/** All strings in a JSON document, including property names. */
export function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [String(value)];
	return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

/** The parts of a text of one length, one for each step; a text that repeats itself has few. */
function piecesOf(text: string, length: number, step: number): string[] {
	const pieces = new Set([text.slice(0, length)]);
	for (let start = step; start + length <= text.length; start += step) {
		pieces.add(text.slice(start, start + length));
	}
	return [...pieces];
}

/** 12 characters of the secret, in any encoding, that one of the texts contains. */
export function leakIn(texts: readonly string[], secret: string): string | undefined {
	const all = texts.join('\n').toLowerCase();
	const isThere = (piece: string) => all.includes(piece);
	const spelled = Object.values(SPELLINGS).map((spell) => spell(secret).toLowerCase());
	/* Any 12 characters have one of these 6 within them: a long text is searched less often. */
	const near = spelled.filter((each) => piecesOf(each, 6, 7).some(isThere));
	const pieces = near.flatMap((each) => piecesOf(each, 12, 1));
	return pieces.find((piece) => piece.length >= 8 && isThere(piece));
}

/** One line of printable characters such as a token, including shapes of JWTs and words. */
export const token = fc
	.oneof(
		fc.stringMatching(/^[\x21-\x7e]{14,60}$/),
		fc.stringMatching(/^[A-Za-z0-9_-]{14,60}$/),
		fc.stringMatching(/^eyJ[A-Za-z0-9_-]{8,20}\.[A-Za-z0-9_-]{8,40}\.[!-~]{8,20}$/),
		fc.stringMatching(/^sk_(live|test)_[A-Za-z0-9]{24}$/),
		fc.stringMatching(/^[A-Za-z0-9_-]{14,60}[.,;:!?]$/),
	)
	/* Distinctive enough that a match can only be a leak. */
	.filter((text) => new Set(text).size > 8 && !/^[\d.:/]*$/.test(text));

export const privateKey = fc
	.stringMatching(/^[1-9a-f][0-9a-f]{63}$/)
	.filter((hex) => new Set(hex).size > 8)
	.map((hex) => `0x${hex}`);

export const spelling = fc.constantFrom(...Object.keys(SPELLINGS));
const around = fc.string({ unit: anyCharacter, maxLength: 30 });

/** Untrusted text that contains a secret in some encoding, before the point where it is cut. */
export const echo = fc
	.record({ spelling, before: fc.oneof(around, fc.nat(600)), after: around })
	.map(({ spelling: name, before, after }) => (secret: string) => {
		const start = typeof before === 'number' ? '- '.repeat(before / 2) : `${before} `;
		return `${start}${SPELLINGS[name]?.(secret)} ${after}`;
	});

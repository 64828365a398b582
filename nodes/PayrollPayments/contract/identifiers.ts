import { oneOf } from '../shared/lists';
import { anyText, asTyped, refuseFault } from '../shared/text';

/** The kinds of identifiers, by prefix (docs/api.md, Identifiers). */
const IDENTIFIER_KINDS = {
	te: 'a team',
	co: 'a company',
	us: 'a user',
	in: 'an invite',
	tx: 'a transaction',
	wh: 'a webhook endpoint',
} as const;

export type IdentifierPrefix = keyof typeof IDENTIFIER_KINDS;

/** Of an identifier with its prefix. */
export const IDENTIFIER_LENGTH = 15;

export function hasPrefix(id: string, ...prefixes: readonly IdentifierPrefix[]): boolean {
	return prefixes.some((prefix) => id.startsWith(`${prefix}-`));
}

/** The prefixes as a person reads them: "te-, co- or us-". */
export function startsOf(prefixes: readonly IdentifierPrefix[]): string {
	return oneOf(prefixes.map((prefix) => `${prefix}-`));
}

function faultInIdentifier(
	value: string,
	prefixes: readonly IdentifierPrefix[],
): string | undefined {
	const expected = startsOf(prefixes);
	const length = `${IDENTIFIER_LENGTH} characters`;
	if (value === '') return `is missing; it starts with ${expected} and has ${length}`;
	if (!hasPrefix(value, ...prefixes)) {
		const kind = new Map(Object.entries(IDENTIFIER_KINDS)).get(value.split('-', 1).join());
		return `must start with ${expected}${kind === undefined ? '' : `; this is the ID of ${kind}`}`;
	}
	if (value.length !== IDENTIFIER_LENGTH) return `must have ${length}, but has ${value.length}`;
	if (/^[a-z]{2}-[A-Za-z0-9_-]{12}$/.test(value)) return undefined;
	return 'may contain only letters, digits, - and _ after its prefix';
}

/** A 15-character nanoid with one of the given prefixes, as people type or paste it. */
export function identifier(...prefixes: IdentifierPrefix[]) {
	return anyText
		.transform(asTyped)
		.superRefine(refuseFault((value) => faultInIdentifier(value, prefixes)));
}

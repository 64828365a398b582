import { z } from 'zod';

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

/** The prefixes as a person reads them: "te-, co- or us-". */
export function startsOf(prefixes: readonly IdentifierPrefix[]): string {
	const starts = prefixes.map((prefix) => `${prefix}-`).join(', ');
	return starts.replace(/, ([^,]*)$/, ' or $1');
}

function faultIn(value: string, prefixes: readonly IdentifierPrefix[]): string | undefined {
	const expected = startsOf(prefixes);
	if (value === '') return `is missing; it starts with ${expected} and has 15 characters`;
	if (!prefixes.some((prefix) => value.startsWith(`${prefix}-`))) {
		const kind = new Map(Object.entries(IDENTIFIER_KINDS)).get(value.split('-', 1).join());
		return `must start with ${expected}${kind === undefined ? '' : `; this is the ID of ${kind}`}`;
	}
	if (value.length !== 15) return `must have 15 characters, but has ${value.length}`;
	if (/^[A-Za-z0-9_-]{12}$/.test(value.slice(3))) return undefined;
	return 'may contain only letters, digits, - and _ after its prefix';
}

/**
 * A 15-character nanoid with one of the given prefixes (docs/api.md, Identifiers).
 * Surrounding white space, as in a copied cell, is removed.
 */
export function identifier(...prefixes: IdentifierPrefix[]) {
	return z
		.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
		.transform((value) => value.trim())
		.superRefine((value, context) => {
			const fault = faultIn(value, prefixes);
			if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
		});
}

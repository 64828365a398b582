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

/** Characters in every identifier: the prefix, the hyphen and 12 more. */
const IDENTIFIER_LENGTH = 15;

const AFTER_PREFIX = /^[A-Za-z0-9_-]{12}$/;

/** The prefixes as a person reads them: "te-, co- or us-". */
export function startsOf(prefixes: readonly IdentifierPrefix[]): string {
	const starts = prefixes.map((prefix) => `${prefix}-`).join(', ');
	return starts.replace(/, ([^,]*)$/, ' or $1');
}

function faultIn(value: string, prefixes: readonly IdentifierPrefix[]): string | undefined {
	const expected = startsOf(prefixes);
	if (value === '') return `is missing; it starts with ${expected} and has 15 characters`;
	if (!prefixes.some((prefix) => value.startsWith(`${prefix}-`))) {
		const given = Object.entries(IDENTIFIER_KINDS).find(([prefix]) =>
			value.startsWith(`${prefix}-`),
		);
		const reading = given === undefined ? '' : `; this is the ID of ${given[1]}`;
		return `must start with ${expected}${reading}`;
	}
	if (value.length !== IDENTIFIER_LENGTH) {
		return `must have ${IDENTIFIER_LENGTH} characters, but has ${value.length}`;
	}
	if (!AFTER_PREFIX.test(value.slice(3))) {
		return 'may contain only letters, digits, - and _ after its prefix';
	}
	return undefined;
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

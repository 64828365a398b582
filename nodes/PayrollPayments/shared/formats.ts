import { z } from 'zod';

// The common formats of docs/api.md. Surrounding white space, as in a copied cell, is removed.

export const anyText = z.string({
	invalid_type_error: 'must be text',
	required_error: 'is missing',
});
export const trimmed = anyText.trim();
export const filledLine = trimmed.min(1, 'is missing');

/**
 * What a spreadsheet shows in place of a value, alone or inside a text that was put together; in other
 * languages than English alone, e.g. #BEZUG!, #NV and #N/B.
 */
const FORMULA_ERROR =
	/#(?:N\/A|NAME\?|GETTING_DATA|#{3,}|(?:REF|VALUE|DIV\/0|NUM|NULL|ERROR|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|BUSY|EXTERNAL)!)|^(?:Loading\.\.\.|Err:\d{3}|#\S{1,20}[!?]|#NV|#YOK|#\p{L}\/\p{L})$/u;

/** Refuses the error of a formula, which would be taken for a name or a reference. */
export function refuseFormulaError(value: string, context: z.RefinementCtx): void {
	const [error] = FORMULA_ERROR.exec(value) ?? [];
	if (error === undefined) return;
	context.addIssue({ code: 'custom', message: `has ${error}, the error of a formula in a sheet` });
}

const ADDRESS = [/^0x[0-9a-fA-F]{40}$/, 'must be 0x followed by 40 hex characters'] as const;

/** An EVM address, not trimmed or changed, because it is signed as given. */
export const exactAddress = anyText.min(1, 'is missing').regex(...ADDRESS);

/** An EVM address in a form. */
export const evmAddress = filledLine.regex(...ADDRESS);

/** A signature that isn't the invalid one of zeros. */
const signature = (pattern: RegExp, message: string) =>
	filledLine
		.regex(pattern, message)
		.refine((value) => !/^(?:0x)?0+$/.test(value), 'must not be all zeros');

/** A signature of any scheme, in hex. A contract wallet's has no fixed length (EIP-1271). */
export const hexSignature = signature(
	/^(?:0x)?(?:[0-9a-fA-F]{2})+$/,
	'must be whole bytes in hex, e.g. 0x4f1c',
);

/** Hardware wallets may write the last byte as 0 or 1, which contracts refuse. */
export const ecdsaSignature = signature(
	/^0x[0-9a-fA-F]{130}$/,
	'must be 0x followed by 130 hex characters',
).transform((value) => value.replace(/00$/, '1b').replace(/01$/, '1c'));

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';

/**
 * The HTML standard's pattern (https://html.spec.whatwg.org/#valid-e-mail-address), but with at least
 * one dot in the domain. It can't backtrack over more than a label.
 */
const EMAIL = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})+$`);

export function isEmail(text: string): boolean {
	return EMAIL.test(text);
}

/**
 * How addresses and their parts are compared: the service doesn't document whether it heeds their
 * case. Lower case for A to Z only: other letters, which may fold to one of these, stay as they are.
 */
export function emailKey(text: string): string {
	return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export const email = filledLine.refine(isEmail, 'must be a valid email address');

/** The kinds of identifiers, by prefix. */
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

function faultInIdentifier(
	value: string,
	prefixes: readonly IdentifierPrefix[],
): string | undefined {
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

/** A 15-character nanoid with one of the given prefixes. */
export function identifier(...prefixes: IdentifierPrefix[]) {
	return trimmed.superRefine((value, context) => {
		const message = faultInIdentifier(value, prefixes);
		if (message !== undefined) context.addIssue({ code: 'custom', message });
	});
}

/** A Unix time above this is in milliseconds: in seconds, it would be after the year 5138. */
export const MAX_UNIX_SECONDS = 1e11;

/** A Unix time in seconds or milliseconds, in milliseconds. */
export function toMilliseconds(unixTime: number): number {
	return unixTime > MAX_UNIX_SECONDS ? unixTime : unixTime * 1000;
}

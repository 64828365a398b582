import { z } from 'zod';

import { quoted } from '../shared/redaction';
import { anyText, filledTrimmed, notText } from '../shared/text';

// docs/api.md, Common formats.

const ADDRESS = [/^0x[0-9a-fA-F]{40}$/, 'must be 0x followed by 40 hex characters'] as const;

/** An EVM address, not trimmed or changed, because it is signed as given. */
export const exactAddress = anyText.min(1, 'is missing').regex(...ADDRESS);

/** An EVM address in a form. */
export const evmAddress = filledTrimmed.regex(...ADDRESS);

/** A signature that isn't the invalid one of zeros. */
const signature = (pattern: RegExp, message: string) =>
	filledTrimmed
		.regex(pattern, message)
		.refine((value) => !/^(?:0x)?0+$/.test(value), 'must not be all zeros');

/** Of 65 bytes. Hardware wallets may write the last one as 0 or 1, which contracts refuse. */
const withRecoveryByte = (value: string) =>
	value
		.replace(/^((?:0x)?[0-9a-fA-F]{128})00$/, '$11b')
		.replace(/^((?:0x)?[0-9a-fA-F]{128})01$/, '$11c');

/** A signature of any scheme, in hex. A contract wallet's has no fixed length (EIP-1271). */
export const hexSignature = signature(
	/^(?:0x)?(?:[0-9a-fA-F]{2})+$/,
	'must be whole bytes in hex, e.g. 0x4f1c',
).transform(withRecoveryByte);

export const ecdsaSignature = signature(
	/^0x[0-9a-fA-F]{130}$/,
	'must be 0x followed by 130 hex characters',
).transform(withRecoveryByte);

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';

/**
 * The HTML standard's pattern (https://html.spec.whatwg.org/#valid-e-mail-address), but with at least
 * one dot in the domain, and no apostrophe in front, which marks text in a sheet. It can't backtrack over
 * more than a label.
 */
const EMAIL = new RegExp(`^(?!')[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})+$`);

export function isEmail(text: string): boolean {
	return EMAIL.test(text);
}

/**
 * How addresses and their parts are compared: the service doesn't document whether it ignores their
 * case. Lower case for A to Z only: other letters, which may fold to one of these, stay as they are.
 */
export function emailKey(text: string): string {
	return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export const email = filledTrimmed.refine(isEmail, (value) => ({
	message: `must be a valid email address, not ${quoted(value)}`,
}));

/**
 * An ISO 8601 UTC date-time ending in Z; seconds optional, fractions allowed, valid on the calendar
 * (docs/api.md, Common formats). Kept byte for byte: the service may compare it as text.
 */
export const utcTimestamp = z
	.string({ errorMap: notText })
	.datetime('must be a date and time in ISO 8601 that ends in Z, e.g. 2026-03-31T09:30:00Z');

import { z } from 'zod';

/** A local part of 64 characters, @, and a domain of 255 (RFC 5321, section 4.5.3.1). */
const LONGEST = 320;

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';

/**
 * The HTML standard's pattern (https://html.spec.whatwg.org/#valid-e-mail-address), but with at least
 * one dot in the domain. It can't backtrack over more than a label.
 */
const EMAIL = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})+$`);

export function isEmail(text: string): boolean {
	return text.length <= LONGEST && EMAIL.test(text);
}

/**
 * How addresses and their parts are compared: the service doesn't document whether it heeds their
 * case. Lower case for A to Z only: other letters, which may fold to one of these, stay as they are.
 */
export function emailKey(text: string): string {
	return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** An email address (docs/api.md, Common formats). Surrounding white space is removed. */
export const email = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.transform((value) => value.trim())
	.pipe(z.string().min(1, 'is missing').refine(isEmail, 'must be a valid email address'));

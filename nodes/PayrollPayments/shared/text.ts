import { z } from 'zod';

// Text as a form gives it. Surrounding white space, as in a copied cell, is removed.

/** Dates that n8n hands over as objects, by the method that makes them text. */
const DATES = { toISO: '$now.toISO()', toISOString: 'new Date().toISOString()' };

/** Of a list, such as Airtable's lookups and linked records. */
const LIST_NOT_TEXT = 'must be text, not a list';

/** What is wrong with a value that isn't text, and what to write instead if it's a date or a list. */
export function faultOfOther(value: unknown): string {
	if (Array.isArray(value)) return LIST_NOT_TEXT;
	const [method, example] = Object.entries(DATES).find(([each]) => each in Object(value)) ?? [];
	if (method === undefined) return 'must be text';
	return `is a date, not text. In a sheet, format its column as text; in an expression, add .${method}(), e.g. {{ ${example} }}`;
}

export const notText: z.ZodErrorMap = (_issue, { data }) => ({
	message: data === undefined ? 'is missing' : faultOfOther(data),
});

export const anyText = z.string({ errorMap: notText });
export const trimmed = anyText.trim();
export const filledTrimmed = trimmed.min(1, 'is missing');

/** A refinement that refuses a text for the fault that a function finds in it. */
export function refuseFault(faultIn: (text: string) => string | undefined) {
	return (text: string, context: z.RefinementCtx): void => {
		const message = faultIn(text);
		if (message !== undefined) context.addIssue({ code: 'custom', message });
	};
}

/** A text as a regular expression that matches just it. */
export function escapeRegExp(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const QUOTES = '"\'`“”„‘’‚«»‹›';

/* The lookbehind keeps a long row of these characters from being tried at each of them. */
const AROUND = new RegExp(`^[\\s${QUOTES}]+|(?<![\\s.,;${QUOTES}])[\\s.,;${QUOTES}]+$`, 'g');

/**
 * An identifier or a code without what chats, documents and sheets make of it: other dashes, invisible
 * characters, quotes around it, a full stop behind it.
 */
export function asTyped(code: string): string {
	return code
		.replace(/\p{Cf}/gu, '')
		.replace(/[\p{Pd}\u2212]/gu, '-')
		.replace(AROUND, '');
}

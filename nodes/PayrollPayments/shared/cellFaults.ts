// What sheets and programs make of values, and how it is told from what people wrote.

import { INVISIBLE } from './redaction';

/**
 * What a spreadsheet shows in place of a value, alone or inside a text that was put together; in other
 * languages than English alone, e.g. #BEZUG!, #NV and #N/B.
 */
const FORMULA_ERROR =
	/#(?:N\/A|NAME\?|GETTING_DATA|#{3,}|(?:REF|VALUE|DIV\/0|NUM|NULL|ERROR|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|BUSY|EXTERNAL)!)|^(?:Loading\.\.\.|Err:\d{3}|#\S{1,20}[!?]|#NV|#YOK|#NENÍ_K_DISPOZICI|#HIÁNYZIK|#NEDOSTUPN[ÝÉ]|#\p{L}\/\p{L})$/u;

/** A long number as sheets (4.47911E+11), Python (4.47911e+11) and Java (4.47911E11) write it. */
const SHORTENED =
	/(?<![\p{L}\p{N}.,])[+-]?\d{1,3}(?:[.,]\d{1,20}(?:e[+-]?|\s?e\s?[+-]\s?)\d{1,3}|\s?e\s?\+\s?\d{2,3})(?![\p{L}\p{N}])/iu;

/** Digits of which a program made a decimal number. */
const MADE_DECIMAL = /^(?!\d{1,3},000$)[+-]?\d+[.,]0+$/;

/** What programs write where there is no value. */
const NOTHING = /^(?:<na>|n\/a|n\.a\.|nan|nat|nil|none|null|undefined)$/i;

/** First names that programs write in another way for nothing: nan, NaT and nil. */
const FIRST_NAME = /^(?:Nan|Nat|NAT|Nil|NIL)$/;

/**
 * What people and programs write where there is no reference yet, without its punctuation, which everyone
 * writes in another way: n/a, N / A., [none]. And what sheets write for an empty box or date.
 */
const NO_REFERENCE =
	/^(?:na|nan|nat|nil|none|null|undefined|tba|tbc|tbd|unknown|true|false|18991230.*)$/i;

/** Zeros, also as an amount, a share or a time of day: $0.00, 0%, 0:00:00. */
const ZEROS = /^(?:[^\p{L}\p{N}]|0)+$/u;

/** What a program writes for a missing value inside a text: "INV-undefined". */
const NOTHING_INSIDE =
	/(?<![\p{L}\p{N}])(?:undefined|null|NULL|nan|NaN|NaT|None|<NA>|Infinity|Invalid Date(?:Time)?|\[object \w+\])(?![\p{L}\p{N}])/u;

/** Digits in groups, as English, Indian, Swiss, French and German programs write them. */
const GROUPED =
	/^\d{1,3}(?:(?:[,'’\u00a0\u2007\u2009\u202f]\d{2,3})*[,'’\u00a0\u2007\u2009\u202f]\d{3}(?:[.,]\d{1,2})?|(?:\.\d{3})+,\d{1,2})$/;

/** What Windows letters become that are read as UTF-8 or as Latin 1. */
const LOST_LETTER = /[\ufffd\x80-\x9f]/;

/** What letters become whose UTF-8 is read as a Windows file: ü is Ã¼. */
const READ_AS_WINDOWS = /[ÃÂ][¡-¿„œŸ]/;

const APOSTROPHE = 'begins with an apostrophe, which marks text in a sheet; remove it';

/** What is wrong with any cell or reference. */
function faultInAny(text: string): string | undefined {
	const [found = LOST_LETTER.test(text) ? '�' : undefined] = READ_AS_WINDOWS.exec(text) ?? [];
	if (found !== undefined) {
		return `has ${found}, a letter that was lost when the file was read; save the file as UTF-8`;
	}
	const [error] = FORMULA_ERROR.exec(text) ?? [];
	if (error !== undefined) return `has ${error}, the error of a formula in a sheet`;
	const [shortened] = SHORTENED.exec(text) ?? [];
	if (shortened !== undefined) {
		return `has ${shortened.trim()}, a number that has lost some of its digits; enter all of them as text`;
	}
	if (!MADE_DECIMAL.test(text)) return undefined;
	return `is ${text}, digits that a program made a decimal number; enter them as text, without .0`;
}

/** Why the text of a cell can't be what a person wrote; undefined if it can. */
export function faultInCell(cell: string): string | undefined {
	const text = cell.trim();
	if (NOTHING.test(text) && !FIRST_NAME.test(text)) {
		return `is ${text}, which stands for no value; leave it empty`;
	}
	/* A city may be called 's-Hertogenbosch. */
	if (/^'[\d+=-]/.test(text)) return APOSTROPHE;
	/* People write thousands so: a company of 10.000. */
	return /^\d{1,3}\.000$/.test(text) ? undefined : faultInAny(text);
}

/** Whether a text is a zero, in any spelling, or has no letter or digit at all. */
export function isZero(text: string): boolean {
	return ZEROS.test(text);
}

/**
 * Why a text can't be the reference of one payment; undefined if it can. One that stands for nothing
 * would count as one invoice month after month, and one in two spellings as two invoices.
 */
export function faultInReference(reference: string): string | undefined {
	const seen = reference.replace(INVISIBLE, '').trim();
	const text = seen.normalize('NFKC').trim();
	const next = 'enter an invoice or payout number';
	if (!/[\p{L}\p{N}]/u.test(text)) return `has no letter or digit; ${next}`;
	if (NO_REFERENCE.test(text.replace(/[^\p{L}\p{N}#]/gu, '')) || ZEROS.test(text)) {
		return `is ${text}, which stands for no reference; ${next}`;
	}
	if (/^['‘’]/.test(text)) return APOSTROPHE;
	if (GROUPED.test(seen) || GROUPED.test(text)) {
		return `is ${text}, digits that a program put into groups; enter them as text, without separators`;
	}
	if (text.includes('{{')) return 'contains {{, so its expression wasn’t evaluated';
	const [missing] = NOTHING_INSIDE.exec(text) ?? [];
	if (missing !== undefined) return `contains ${missing}; check its expression`;
	return faultInAny(text);
}

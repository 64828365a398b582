import { z } from 'zod';

import { PAYMENT_CENTS } from '../../contract/limits';
import { centsAsDollars, dollarsAsCents } from '../../shared/money';
import { quoted } from '../../shared/redaction';

function paymentAmount(centsIn: (value: unknown) => number | undefined, form: string) {
	return z.unknown().transform((value, context): number => {
		const cents = centsIn(value) ?? NaN;
		const { least, most } = PAYMENT_CENTS;
		if (cents >= least && cents <= most) return cents;
		const range = `must be from ${centsAsDollars(least)} to ${centsAsDollars(most)}`;
		const isMissing = value === undefined || value === null || value === '';
		const kind = Array.isArray(value) ? 'a list' : 'an object';
		const given = `, not ${typeof value === 'object' ? kind : quoted(value)}`;
		const isLong = typeof value === 'number' && /\.\d{3}/.test(String(value));
		const next = isLong ? '; round it where you calculate it' : '';
		const fault = isMissing ? `is missing; enter ${form}` : `must be ${form}${given}${next}`;
		const message = Number.isNaN(cents) ? fault : `${range}, not ${centsAsDollars(cents)}`;
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	});
}

/** Whole cents as a number or as a string of digits (docs/api.md, Endpoint 10). */
export const paymentCents = paymentAmount((value) => {
	const isText = typeof value === 'string' && /^\d{1,15}$/.test(value.trim());
	const cents = isText ? Number(value) : value;
	return Number.isSafeInteger(cents) ? Number(cents) : undefined;
}, 'a whole number of cents, e.g. 12500 for $125.00');

/**
 * Dollars as text, or as a number as spreadsheets return it. JavaScript writes 125.1 as "125.1"; a result
 * that isn't whole cents, such as 0.1 + 0.2, has more digits and is refused.
 */
export const paymentDollars = paymentAmount(
	(value) =>
		typeof value === 'string' || typeof value === 'number'
			? dollarsAsCents(String(value).trim())
			: undefined,
	'dollars in plain digits with at most two decimals, e.g. 125.00',
);

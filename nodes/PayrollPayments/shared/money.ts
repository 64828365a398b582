import { z } from 'zod';

/** Limits of an instant payment, in cents (docs/api.md, Limits). */
const PAYMENT_CENTS = { least: 100, most: 10_000_000_000 } as const;

/** Currencies that a balance may be asked for (docs/api.md, Endpoint 3). */
export const REQUESTED_CURRENCIES = 'BTC CAD EUR GBP USD USDC USDT'.split(' ');

/** Currencies that a balance lists (docs/api.md, Balance entry), or may be asked for. */
// prettier-ignore
export const BALANCE_CURRENCIES = [
	'AED', 'AUD', 'BTC', 'CAD', 'CHF', 'COP', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD', 'JPY', 'MXN', 'NOK',
	'NZD', 'PHP', 'PLN', 'RON', 'SEK', 'SGD', 'USD', 'USDC', 'USDT', 'ZAR',
] as const;

/** Whole cents as a decimal amount: 123456 is "1234.56". Nothing is rounded. */
export function centsAsDecimal(cents: number | bigint): string {
	const text = BigInt(cents).toString();
	const sign = text.startsWith('-') ? '-' : '';
	const padded = text.replace('-', '').padStart(3, '0');
	return `${sign}${padded.slice(0, -2)}.${padded.slice(-2)}`;
}

/** Cents as text; undefined if they aren't whole. */
export function wholeCents(text: string): bigint | undefined {
	return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** {@link centsAsDecimal} for cents as text; null if they aren't whole. */
export function centsTextAsDecimal(text: string): string | null {
	const cents = wholeCents(text);
	return cents === undefined ? null : centsAsDecimal(cents);
}

/** Whole cents as dollars for people: 123456 is "$1,234.56". */
export function centsAsDollars(cents: number | bigint): string {
	return `$${centsAsDecimal(cents).replace(/\B(?=(\d{3})+\.)/g, ',')}`;
}

const DOLLARS = /^(0|[1-9]\d{0,11})(\.\d{1,2})?$/;

/** Dollars in digits, such as "125", "125.5" or "125.50", as whole cents; else undefined. */
export function dollarsAsCents(text: string): number | undefined {
	const [whole, fraction = ''] = text.split('.');
	return DOLLARS.test(text) ? Number(`${whole}${fraction.padEnd(2, '0')}`) : undefined;
}

/** Units that data.amount of a payment's typed data may be in; the service doesn't document it. */
export const TYPED_AMOUNT_UNITS = {
	cents: { label: 'Cents', unitsPerCent: 1n },
	notChecked: { label: 'Not Checked', unitsPerCent: undefined },
	tokenSixDecimals: { label: 'Token Units (Six Decimals)', unitsPerCent: 10_000n },
} as const;

export type TypedAmountUnit = keyof typeof TYPED_AMOUNT_UNITS;

/** An amount in whole units, as typed data has it; undefined for any other text. */
export function typedAmount(text: string): bigint | undefined {
	return /^(?:0|[1-9]\d{0,77})$/.test(text) ? BigInt(text) : undefined;
}

/**
 * The amount that a payment's typed data signs, in whole cents, rounded up so that it can be compared
 * with a limit. Undefined where it can't be compared.
 */
export function signedAmountCents(amount: string, unit: TypedAmountUnit): bigint | undefined {
	const { unitsPerCent } = TYPED_AMOUNT_UNITS[unit];
	const units = typedAmount(amount);
	if (units === undefined || unitsPerCent === undefined) return undefined;
	return (units + unitsPerCent - 1n) / unitsPerCent;
}

/** The same amount for people: "$125.00", "$0.0125". Undefined where its unit isn't known. */
export function signedAmountInDollars(amount: string, unit: TypedAmountUnit): string | undefined {
	const { unitsPerCent } = TYPED_AMOUNT_UNITS[unit];
	const units = typedAmount(amount);
	if (units === undefined || unitsPerCent === undefined) return undefined;
	const fraction = String(unitsPerCent + (units % unitsPerCent)).slice(1);
	return `${centsAsDollars(units / unitsPerCent)}${fraction.replace(/0+$/, '')}`;
}

function paymentAmount(centsIn: (value: unknown) => number | undefined, form: string) {
	return z.unknown().transform((value, context): number => {
		const cents = centsIn(value) ?? NaN;
		const { least, most } = PAYMENT_CENTS;
		if (cents >= least && cents <= most) return cents;
		const range = `must be from ${centsAsDollars(least)} to ${centsAsDollars(most)}`;
		const isMissing = value === undefined || value === null || value === '';
		const fault = isMissing ? `is missing; enter ${form}` : `must be ${form}`;
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

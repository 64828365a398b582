import { z } from 'zod';

/** Limits of an instant payment, in cents (docs/api.md, Limits). */
const PAYMENT_CENTS = { least: 100, most: 10_000_000_000 } as const;

/** Currencies that a balance may be asked for (docs/api.md, Endpoint 3). */
export const BALANCE_CURRENCIES = ['BTC', 'CAD', 'EUR', 'GBP', 'USD', 'USDC', 'USDT'] as const;

/**
 * Whole cents as a decimal amount with two places: 123456 is "1234.56".
 * Works on the digits, so that no amount is ever rounded.
 */
export function centsAsDecimal(cents: number | bigint): string {
	const digits = BigInt(cents);
	const sign = digits < 0n ? '-' : '';
	const padded = (digits < 0n ? -digits : digits).toString().padStart(3, '0');
	return `${sign}${padded.slice(0, -2)}.${padded.slice(-2)}`;
}

/** {@link centsAsDecimal} for cents as text; null if they aren't whole. */
export function centsTextAsDecimal(cents: string): string | null {
	return /^-?\d+$/.test(cents) ? centsAsDecimal(BigInt(cents)) : null;
}

/** Whole cents as dollars for people: 123456 is "$1,234.56". */
export function centsAsDollars(cents: number | bigint): string {
	const [whole = '0', fraction = '00'] = centsAsDecimal(cents).split('.');
	return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`;
}

const wholeCents = z.union([
	z.number(),
	z
		.string()
		.trim()
		.regex(/^\d{1,15}$/)
		.transform(Number),
]);

/**
 * The amount of an instant payment: whole cents from 100 to 10,000,000,000, as a number or as a
 * string of digits (docs/api.md, Endpoint 10).
 */
export const paymentCents = z.unknown().transform((value, context): number => {
	const cents = wholeCents.safeParse(value);
	const refuse = (message: string) => {
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	};
	if (value === undefined || value === '' || value === null) {
		return refuse('is missing; enter the amount in cents, e.g. 12500 for $125.00');
	}
	if (!cents.success || !Number.isSafeInteger(cents.data)) {
		return refuse('must be a whole number of cents, e.g. 12500 for $125.00');
	}
	if (cents.data < PAYMENT_CENTS.least || cents.data > PAYMENT_CENTS.most) {
		const [least, most] = [PAYMENT_CENTS.least, PAYMENT_CENTS.most].map(centsAsDollars);
		return refuse(
			`must be from ${PAYMENT_CENTS.least} to ${PAYMENT_CENTS.most} cents (${least} to ${most}); ` +
				`${cents.data} cents are ${centsAsDollars(cents.data)}`,
		);
	}
	return cents.data;
});

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

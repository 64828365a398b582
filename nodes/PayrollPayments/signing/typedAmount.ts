import { centsAsDollars } from '../shared/money';

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

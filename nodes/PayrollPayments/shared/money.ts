/** Whole cents as a decimal amount: 123456 is "1234.56". Nothing is rounded. */
export function centsAsDecimal(cents: number | bigint): string {
	const text = BigInt(cents).toString();
	const sign = text.startsWith('-') ? '-' : '';
	const padded = text.replace('-', '').padStart(3, '0');
	return `${sign}${padded.slice(0, -2)}.${padded.slice(-2)}`;
}

/** Cents as text; undefined if they aren't whole. */
export function wholeCents(text: string): bigint | undefined {
	return /^-?\d{1,30}$/.test(text) ? BigInt(text) : undefined;
}

/** {@link centsAsDecimal} for cents as text; null if they aren't whole. */
export function centsTextAsDecimal(text: string): string | null {
	const cents = wholeCents(text);
	return cents === undefined ? null : centsAsDecimal(cents);
}

/** Whole cents as dollars for people: 123456 is "$1,234.56". */
export function centsAsDollars(cents: number | bigint): string {
	return centsAsDecimal(cents)
		.replace(/\B(?=(\d{3})+\.)/g, ',')
		.replace(/^-?/, '$&$$');
}

const DOLLARS = /^(0|[1-9]\d{0,11})(\.\d{1,2})?$/;

/** Dollars in digits, such as "125", "125.5" or "125.50", as whole cents; else undefined. */
export function dollarsAsCents(text: string): number | undefined {
	const [whole, fraction = ''] = text.split('.');
	return DOLLARS.test(text) ? Number(`${whole}${fraction.padEnd(2, '0')}`) : undefined;
}

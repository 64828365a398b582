const DOLLARS = /^(0|[1-9]\d{0,11})(\.\d{1,2})?$/;

/** Dollars in digits, such as 125.5 or 125.50, as cents; undefined for what Endpoint 10 doesn't pay. */
export function centsOf(dollars: string): number | undefined {
	if (!DOLLARS.test(dollars)) return undefined;
	const [whole = '', fraction = ''] = dollars.split('.');
	const cents = Number(whole + fraction.padEnd(2, '0'));
	return cents < 100 || cents > 10_000_000_000 ? undefined : cents;
}

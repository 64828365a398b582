/** Whole cents of an amount like `1,250.00`; undefined if it isn't one. Never rounds. */
export function toCents(amount: string): string | undefined {
	const [, whole = '', fraction = ''] =
		/^(-?\d+|-?\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/.exec(amount.trim()) ?? [];
	if (whole === '') return undefined;
	return String(BigInt(whole.replaceAll(',', '') + fraction.padEnd(2, '0')));
}

/** Whether an amount is written as n8n’s field *Amount (Dollars)* takes it: digits, at most two decimals. */
export const isDollars = (amount: string): boolean =>
	/^(0|[1-9]\d{0,11})(\.\d{1,2})?$/.test(amount);

/** Cents as an amount, e.g. `1,250.00`. */
export function fromCents(cents: string): string {
	const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(cents) ?? [];
	const padded = digits.padStart(3, '0');
	const whole = padded.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, ',');
	return `${sign}${whole}.${padded.slice(-2)}`;
}

/** Whole cents of an amount like `1,250.00`; undefined if it isn't one. Never rounds. */
export function toCents(amount: string): string | undefined {
	const [, whole = '', fraction = ''] =
		/^(-?\d+|-?\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/.exec(amount.trim()) ?? [];
	if (whole === '') return undefined;
	return String(BigInt(whole.replaceAll(',', '') + fraction.padEnd(2, '0')));
}

/** Cents as an amount, e.g. `1,250.00`. */
export function fromCents(cents: string): string {
	const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(cents) ?? [];
	const padded = digits.padStart(3, '0');
	const whole = padded.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, ',');
	return `${sign}${whole}.${padded.slice(-2)}`;
}

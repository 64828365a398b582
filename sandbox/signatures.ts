/** Whether a signature ends in 1b or 1c, as this service wants it; some wallets end it in 00 or 01. */
export function isCanonical(signature: string): boolean {
	return /1[bc]$/i.test(signature);
}

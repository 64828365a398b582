/**
 * The currencies of balances: `listed` in the answer, `requested` taken by the filter (docs/api.md,
 * Balance entry and Endpoint 3).
 */
const CURRENCIES = {
	AED: 'listed',
	AUD: 'listed',
	BTC: 'requested',
	CAD: 'both',
	CHF: 'listed',
	COP: 'listed',
	CZK: 'listed',
	DKK: 'listed',
	EUR: 'both',
	GBP: 'both',
	HKD: 'listed',
	JPY: 'listed',
	MXN: 'listed',
	NOK: 'listed',
	NZD: 'listed',
	PHP: 'listed',
	PLN: 'listed',
	RON: 'listed',
	SEK: 'listed',
	SGD: 'listed',
	USD: 'both',
	USDC: 'requested',
	USDT: 'requested',
	ZAR: 'listed',
} as const;

export type Currency = keyof typeof CURRENCIES;

export const BALANCE_CURRENCIES = Object.keys(CURRENCIES).filter(
	(code): code is Currency => code in CURRENCIES,
);

/** Whether a code that the service sends is this currency, in whatever case it writes it. */
export function isCurrency(code: string, currency: string): boolean {
	return code.trim().toUpperCase() === currency;
}

/** Whether the filter of a balance takes the currency. */
export function isRequestable(currency: Currency): boolean {
	return CURRENCIES[currency] !== 'listed';
}

/** Whether the answer lists the currency, if its balance isn't filtered out. */
export function isListed(currency: Currency): boolean {
	return CURRENCIES[currency] !== 'requested';
}

/** Currencies of payments (docs/api.md, Endpoint 10). */
export const PAYMENT_CURRENCIES = ['USD'] as const;

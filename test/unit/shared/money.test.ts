import {
	centsAsDecimal,
	centsAsDollars,
	centsTextAsDecimal,
	signedAmountCents,
	signedAmountInDollars,
	type TypedAmountUnit,
} from '../../../nodes/PayrollPayments/shared/money';
import {
	paymentCents,
	paymentDollars,
} from '../../../nodes/PayrollPayments/operations/payment/amounts';

it.each([
	[0, '0.00', '$0.00'],
	[9, '0.09', '$0.09'],
	[10_000_000_000, '100000000.00', '$100,000,000.00'],
	[123456789012345678901n, '1234567890123456789.01', '$1,234,567,890,123,456,789.01'],
	[-5, '-0.05', '$-0.05'],
	[99_999, '999.99', '$999.99'],
	[-123_456, '-1234.56', '$-1,234.56'],
	[123_456_789_01n, '123456789.01', '$123,456,789.01'],
])('%s cents are %s and %s', (cents, decimal, dollars) => {
	expect([centsAsDecimal(cents), centsAsDollars(cents)]).toEqual([decimal, dollars]);
});

it.each([
	['0', '0.00'],
	['12500', '125.00'],
	['-12500', '-125.00'],
	['12345678901234567890', '123456789012345678.90'],
	['', null],
	['-', null],
	['12.5', null],
	['x125', null],
	['125x', null],
	['+125', null],
	['0x7d', null],
])('the text %j as whole cents is %j', (text, decimal) => {
	expect(centsTextAsDecimal(text)).toBe(decimal);
});

const CENTS = 'a whole number of cents, e.g. 12500 for $125.00';
const DOLLARS = 'dollars in plain digits with at most two decimals, e.g. 125.00';
const RANGE = 'must be from $1.00 to $100,000,000.00';
const MISSING_CENTS = `is missing; enter ${CENTS}`;
const NOT_WHOLE = `must be ${CENTS}`;
const notWhole = (value: unknown) => [value, NOT_WHOLE] as const;
const MISSING_DOLLARS = `is missing; enter ${DOLLARS}`;
const NOT_PLAIN = `must be ${DOLLARS}`;

it.each([100, 10_000_000_000, '100', ' 12500 '])('takes %j cents', (value) => {
	expect(paymentCents.parse(value)).toBe(Number(value));
});

it.each<readonly [unknown, string]>([
	[undefined, MISSING_CENTS],
	[null, MISSING_CENTS],
	['', MISSING_CENTS],
	[' ', NOT_WHOLE],
	...['1 000', 'abc', '1e3', '0x64', '100.0', '12,500', '１００'].map(notWhole),
	...[1.5, NaN, Infinity, true, [100], {}].map(notWhole),
	['99', `${RANGE}, not $0.99`],
	[99, `${RANGE}, not $0.99`],
	['10000000001', `${RANGE}, not $100,000,000.01`],
	[-12_500, `${RANGE}, not $-125.00`],
])('refuses %j cents: %s', (value, message) => {
	expect(paymentCents.safeParse(value).error?.issues).toEqual([
		{ code: 'custom', message, path: [] },
	]);
});

it.each([125, '125', ' 125.00 '])('takes %j dollars', (value) => {
	expect(paymentDollars.parse(value)).toBe(12_500);
});

it.each<readonly [unknown, string]>([
	[undefined, MISSING_DOLLARS],
	[null, MISSING_DOLLARS],
	['', MISSING_DOLLARS],
	['0.99', `${RANGE}, not $0.99`],
	['100000000.01', `${RANGE}, not $100,000,000.01`],
	...[
		...['125.505', '$125.505', '125.505x', '1000000000000', '1000000000000.', '1000000000000.5'],
		...['1000000000000.25', '$1000000000000', '01000000000000', '1000000000000x'],
		'1000000000000.xy',
	].map((value) => [value, NOT_PLAIN] as const),
])('refuses %j dollars: %s', (value, message) => {
	expect(paymentDollars.safeParse(value).error?.issues).toEqual([
		{ code: 'custom', message, path: [] },
	]);
});

describe('the amount that typed data signs', () => {
	it.each<[string, TypedAmountUnit, bigint | undefined, string | undefined]>([
		['12500', 'cents', 12_500n, '$125.00'],
		['125000000', 'tokenSixDecimals', 12_500n, '$125.00'],
		['125000001', 'tokenSixDecimals', 12_501n, '$125.000001'],
		['124999999', 'tokenSixDecimals', 12_500n, '$124.999999'],
		['12500', 'tokenSixDecimals', 2n, '$0.0125'],
		['0', 'tokenSixDecimals', 0n, '$0.00'],
		['1', 'tokenSixDecimals', 1n, '$0.000001'],
		['100000', 'tokenSixDecimals', 10n, '$0.10'],
		['9'.repeat(20), 'cents', BigInt('9'.repeat(20)), '$999,999,999,999,999,999.99'],
		['12500', 'notChecked', undefined, undefined],
	])('%j in %s is %s cents and %j', (amount, unit, cents, dollars) => {
		expect(signedAmountCents(amount, unit)).toBe(cents);
		expect(signedAmountInDollars(amount, unit)).toBe(dollars);
	});

	it.each(['', '-1', '1.5', '01', '+1', '0x7d', ' 1', '1 ', '1e3', '١', '9'.repeat(79)])(
		'%j is none in either unit',
		(text) => {
			for (const unit of ['cents', 'tokenSixDecimals'] as const) {
				expect(signedAmountCents(text, unit)).toBeUndefined();
				expect(signedAmountInDollars(text, unit)).toBeUndefined();
			}
		},
	);
});

import {
	paymentCents,
	paymentDollars,
} from '../../../nodes/PayrollPayments/operations/payment/amounts';

/* formats.fuzz.test.ts has what is taken. */

const CENTS = 'a whole number of cents, e.g. 12500 for $125.00';
const DOLLARS = 'dollars in plain digits with at most two decimals, e.g. 125.00';
const RANGE = 'must be from $1.00 to $100,000,000.00';
const MISSING_CENTS = `is missing; enter ${CENTS}`;
const notWhole = (value: unknown, given = `, not ${JSON.stringify(value)}`) =>
	[value, `must be ${CENTS}${given}`] as const;
const MISSING_DOLLARS = `is missing; enter ${DOLLARS}`;

it.each<readonly [unknown, string]>([
	[undefined, MISSING_CENTS],
	[null, MISSING_CENTS],
	['', MISSING_CENTS],
	...[' ', '1 000', 'abc', '1e3', '0x64', '100.0', '12,500', '１００', 1.5, true].map((value) =>
		notWhole(value),
	),
	...[NaN, Infinity].map((value) => notWhole(value, `, not ${value}`)),
	notWhole([100], ', not a list'),
	notWhole({}, ', not an object'),
	['99', `${RANGE}, not $0.99`],
	[99, `${RANGE}, not $0.99`],
	['10000000001', `${RANGE}, not $100,000,000.01`],
	[-12_500, `${RANGE}, not -$125.00`],
])('refuses %j cents: %s', (value, message) => {
	expect(paymentCents.safeParse(value).error?.issues).toEqual([
		{ code: 'custom', message, path: [] },
	]);
});

it.each<readonly [unknown, string]>([
	[undefined, MISSING_DOLLARS],
	[null, MISSING_DOLLARS],
	['', MISSING_DOLLARS],
	['0.99', `${RANGE}, not $0.99`],
	['100000000.01', `${RANGE}, not $100,000,000.01`],
	[
		12_600.300000000001,
		`must be ${DOLLARS}, not 12600.300000000001; round it where you calculate it`,
	],
	[1e15, `must be ${DOLLARS}, not 1000000000000000`],
	...[
		...['125.505', '$125.505', '125.505x', '1000000000000', '1000000000000.', '1000000000000.5'],
		...['1000000000000.25', '$1000000000000', '01000000000000', '1000000000000x'],
		...['1000000000000.xy', '1,250.00', '1e3', '+5', '-1', '$5', '125.', '.50'],
	].map((value) => [value, `must be ${DOLLARS}, not ${JSON.stringify(value)}`] as const),
])('refuses %j dollars: %s', (value, message) => {
	expect(paymentDollars.safeParse(value).error?.issues).toEqual([
		{ code: 'custom', message, path: [] },
	]);
});

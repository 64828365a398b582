import {
	signedAmountCents,
	signedAmountInDollars,
	type TypedAmountUnit,
} from '../../../nodes/PayrollPayments/signing/typedAmount';

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
])('the signed amount %j in %s is %s cents and %j', (amount, unit, cents, dollars) => {
	expect(signedAmountCents(amount, unit)).toBe(cents);
	expect(signedAmountInDollars(amount, unit)).toBe(dollars);
});

it.each(['', '-1', '1.5', '01', '+1', '0x7d', ' 1', '1 ', '1e3', '١', '9'.repeat(79)])(
	'the signed amount %j is none',
	(text) => {
		for (const unit of ['cents', 'tokenSixDecimals'] as const) {
			expect(signedAmountCents(text, unit)).toBeUndefined();
			expect(signedAmountInDollars(text, unit)).toBeUndefined();
		}
	},
);

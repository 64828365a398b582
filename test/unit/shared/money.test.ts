import {
	centsAsDecimal,
	centsAsDollars,
	centsTextAsDecimal,
} from '../../../nodes/PayrollPayments/shared/money';

it.each([
	[0, '0.00', '$0.00'],
	[9, '0.09', '$0.09'],
	[10_000_000_000, '100000000.00', '$100,000,000.00'],
	[123456789012345678901n, '1234567890123456789.01', '$1,234,567,890,123,456,789.01'],
	[-5, '-0.05', '-$0.05'],
	[99_999, '999.99', '$999.99'],
	[-123_456, '-1234.56', '-$1,234.56'],
	[123_456_789_01n, '123456789.01', '$123,456,789.01'],
])('%s cents are %s and %s', (cents, decimal, dollars) => {
	expect([centsAsDecimal(cents), centsAsDollars(cents)]).toEqual([decimal, dollars]);
});

it.each<readonly [string, string | null]>([
	['0', '0.00'],
	['12500', '125.00'],
	['-12500', '-125.00'],
	['12345678901234567890', '123456789012345678.90'],
	...['', '-', '12.5', 'x125', '125x', '+125', '0x7d'].map((text) => [text, null] as const),
])('the text %j as whole cents is %j', (text, decimal) => {
	expect(centsTextAsDecimal(text)).toBe(decimal);
});

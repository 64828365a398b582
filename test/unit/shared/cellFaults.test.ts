import { faultInCell, faultInReference } from '../../../nodes/PayrollPayments/shared/cellFaults';

const SHORTENED = [
	...['4E+11', '4.47911e+11', '+4.47911E+11', '4,47911E+11', '4.47911 E+11', '4.47911E +11'],
	...[' 4.47911E+11 ', '4.47911E11', '4.47911E+011', '1e+21', '4.47911\u00a0E+11', '1.0E7'],
	'INV-2.02603E+11',
];

const NOTHING = ['nan', 'NaN', 'None', 'NULL', '<NA>', '<na>', 'n/a', 'n.a.', 'nil', 'undefined'];
const NO_REFERENCE = [...NOTHING, 'tbd', 'n / a', 'N/A.', '(none)', '"None"', 'n\\a', 'TBD?'];

const FORMULA_ERROR = /the error of a formula in a sheet/;
const MADE_DECIMAL = /enter them as text, without .0/;
const APOSTROPHE = /begins with an apostrophe/;

describe.each([
	['lost digits', /^has .*E.*, a number that has lost some of its digits/i, SHORTENED],
	[
		'the error of a formula',
		FORMULA_ERROR,
		['#N/A', '#REF!', '#BEZUG!', '#NV', '#N/B', '#NEDOSTUPNÉ', 'Loading...', 'A #VALUE! B'],
	],
	['nothing', /which stands for no value; leave it empty/, [...NOTHING, ' nan ']],
	['digits made a decimal number', MADE_DECIMAL, ['447911123456.0', '90210.00', '90210,0']],
	['lost letters', /^has Ã., a letter that was lost/, ['JÃ¼rgen', 'StraÃŸe', 'NiccolÃ²']],
	['an apostrophe in front', APOSTROPHE, ["'0123", "'+447911123456", "'=A1"]],
])('a cell with %s', (_what, fault, texts) => {
	it.each(texts)('%j', (text) => {
		expect(faultInCell(text)).toMatch(fault);
	});
});

it.each([
	...['', ' ', '0', '-', '12.5', '10-49', '+44 7911 123456', '90210', '1,001', '10,000', '4E11'],
	...['2E', 'E+11', 'Nanette', 'Nat', 'Nil', 'Noneman', 'Null Island Ltd', "'s-Hertogenbosch"],
	...["O'Neill", 'v1.2e5', 'A1.5E+10', '10.000', 'Nan', 'SÃO PAULO', 'Âne'],
	...['#1 Main Street', 'C#', 'Unit 3E', 'Suite 4.5 East', '100 N/A Street'],
])('the cell %j is what a person wrote', (text) => {
	expect(faultInCell(text)).toBeUndefined();
});

describe.each([
	['lost digits', /a number that has lost some of its digits/, [...SHORTENED, 'INV 4e+11']],
	['the error of a formula', FORMULA_ERROR, ['#REF!', 'INV-#VALUE!', '#NV']],
	[
		'nothing',
		/^is .* which stands for no reference; enter/,
		[
			...[...NO_REFERENCE, 'TBA', 'tbc', 'na', 'unknown', '0', '00', '0.0', 'Ｎ／Ａ', 'FALSE'],
			...['true', '-0', '0%', '$0.00', '0:00:00', '1899-12-30', '1899-12-30T00:00:00.000Z'],
		],
	],
	[
		'no letter or digit',
		/has no letter or digit; enter/,
		['', '-', '#', '--/--', '…', '\u200b', '\u00ad', '\u3164', '<>'],
	],
	['digits made a decimal number', MADE_DECIMAL, ['1001.0', '１００１．０', '1001,00', '2026.00']],
	[
		'digits in groups',
		/without separators/,
		[
			...['1,001', '1’001', '1\u00a0001', '1\u202f001', '1\u2009001', '1\u2007001', '12,345,678'],
			...['1,001.00', '1.001,00', '1,23,456', '\u200e1,001', '1,\u200b001', '１，００１'],
		],
	],
	[
		'an expression',
		/^contains {{, so its expression wasn’t evaluated$/,
		['{{ $json.nr }}', 'INV-{{'],
	],
	['an apostrophe in front', APOSTROPHE, ["'1001", '’1001', "'INV-1"]],
	[
		'a missing value',
		/^contains .*; check its expression$/,
		[
			...[
				...['INV-undefined', 'INV-null', 'INV-nan', 'NaN-1', 'INV-None', 'INV-<NA>'],
				...['INV-NULL', 'Infinity-1'],
			],
			...['INV-Invalid Date', '12-Invalid DateTime', '[object Object]-1'],
		],
	],
])('a reference with %s', (_what, fault, texts) => {
	it.each(texts)('%j', (text) => {
		expect(faultInReference(text)).toMatch(fault);
	});
});

it.each([
	...['INV-1', '1001', '12', '0001', 'INV-2026-0042', '2026/03', '1.001', '1 001', 'A-0', 'rent'],
	...['0:00:01', '1899-12-31', 'True North', 'false start', '$0.01'],
	...['NAN Goldin 3', 'März-Gehalt', '工资-3', '12.5', 'PO 7, 001', 'n-a-1'],
])('the reference %j is one', (text) => {
	expect(faultInReference(text)).toBeUndefined();
});

it('1 MB is judged in no time', () => {
	for (const unit of ['1', '1,', '0', ' ', 'e', '+', '1.', '1e', '#', "'", 'n/a ']) {
		const text = unit.repeat(1_000_000 / unit.length);
		for (const judge of [faultInCell, faultInReference]) {
			judge(text);
			judge(`1${text}!`);
		}
	}
});

import { faultInCell, faultInReference } from '../../../nodes/PayrollPayments/shared/spoiledCells';

const SHORTENED = [
	...['4E+11', '4.47911e+11', '+4.47911E+11', '4,47911E+11', '4.47911 E+11', '4.47911E +11'],
	...[' 4.47911E+11 ', '4.47911E11', '4.47911E+011', '1e+21', '4.47911\u00a0E+11', '1.0E7'],
];

const FORMULA_ERRORS = ['#N/A', '#REF!', '#BEZUG!', '#NV', '#N/B', 'Loading...', 'A #VALUE! B'];

const NOTHING = ['nan', 'NaN', 'None', 'NULL', 'null', '<NA>', '<na>', 'n/a', 'N/A', 'undefined'];

describe('a cell', () => {
	it.each([...SHORTENED, 'INV-2.02603E+11'])('%j has lost some of its digits', (text) => {
		expect(faultInCell(text)).toMatch(/^has .*E.*, a number that has lost some of its digits/i);
	});

	it.each(FORMULA_ERRORS)('%j is the error of a formula', (text) => {
		expect(faultInCell(text)).toContain('the error of a formula in a sheet');
	});

	it.each([...NOTHING, ' nan '])('%j stands for nothing', (text) => {
		expect(faultInCell(text)).toContain('which stands for no value; leave it empty');
	});

	it.each(['447911123456.0', '90210.00', '90210,0'])('%j was made a decimal number', (text) => {
		expect(faultInCell(text)).toContain('enter them as text, without .0');
	});

	it.each(["'0123", "'+447911123456", "'=A1"])('%j begins with an apostrophe', (text) => {
		expect(faultInCell(text)).toContain('begins with an apostrophe');
	});

	it.each([
		...[
			'',
			' ',
			'0',
			'-',
			'12.5',
			'10-49',
			'+44 7911 123456',
			'90210',
			'1,001',
			'4E11',
			'2E',
			'E+11',
		],
		...[
			'Nanette',
			'Noneman',
			'Null Island Ltd',
			"'s-Hertogenbosch",
			"O'Neill",
			'v1.2e5',
			'A1.5E+10',
		],
		...['#1 Main Street', 'C#', 'Unit 3E', 'Suite 4.5 East', '100 N/A Street'],
	])('%j is what a person wrote', (text) => {
		expect(faultInCell(text)).toBeUndefined();
	});
});

describe('a reference', () => {
	it.each([...SHORTENED, 'INV-2.02603E+11', 'INV 4e+11'])('%j has lost digits', (text) => {
		expect(faultInReference(text)).toContain('a number that has lost some of its digits');
	});

	it.each(['#REF!', 'INV-#VALUE!', '#NV'])('%j is the error of a formula', (text) => {
		expect(faultInReference(text)).toContain('the error of a formula in a sheet');
	});

	it.each([...NOTHING, 'tbd', 'TBA', 'na', 'unknown', '0', '00', '0.0', 'Ｎ／Ａ'])(
		'%j stands for none',
		(text) => {
			expect(faultInReference(text)).toMatch(/ is |^is .* which stands for no reference; enter/);
		},
	);

	it.each(['', '-', '#', '--/--', '…', '\u200b', '\u00ad', '\u3164', '<>'])(
		'%j has no letter or digit',
		(text) => {
			expect(faultInReference(text)).toContain('has no letter or digit; enter');
		},
	);

	it.each(['1001.0', '１００１．０', '1001,00', '2026.00'])('%j was rewritten', (text) => {
		expect(faultInReference(text)).toContain('enter them as text, without .0');
	});

	it.each([
		...['1,001', '1’001', '1\u00a0001', '1\u202f001', '12,345,678', '1,001.00'],
		...[
			'\u200e1,001',
			'1,\u200b001',
			'１，００１',
			'1\u2009001',
			'1\u2007001',
			'1.001,00',
			'1,23,456',
		],
	])('%j was grouped', (text) => {
		expect(faultInReference(text)).toContain('without separators');
	});

	it.each(["'1001", '’1001', "'INV-1"])('%j begins with an apostrophe', (text) => {
		expect(faultInReference(text)).toContain('begins with an apostrophe');
	});

	it.each([
		...['INV-undefined', 'INV-null', 'INV-nan', 'NaN-1', 'INV-None', 'INV-<NA>', 'INV-Infinity'],
		...['INV-Invalid Date', '12-Invalid DateTime', '[object Object]-1'],
	])('%j has a missing value', (text) => {
		expect(faultInReference(text)).toMatch(/^contains .*; check its expression$/);
	});

	it.each([
		...['INV-1', '1001', '12', '0001', 'INV-2026-0042', '2026/03', '1.001', '1 001', 'A-0', 'rent'],
		...[
			'Nan Goldin 3'.replace('Nan', 'NAN'),
			'März-Gehalt',
			'工资-3',
			'12.5',
			'PO 7, 001',
			'n-a-1',
		],
	])('%j is one', (text) => {
		expect(faultInReference(text)).toBeUndefined();
	});
});

it('1 MB is judged in no time', () => {
	for (const unit of ['1', '1,', '0', ' ', 'e', '+', '1.', '1e', '#', "'", 'n/a ']) {
		const text = unit.repeat(1_000_000 / unit.length);
		faultInCell(text);
		faultInReference(text);
		faultInCell(`1${text}!`);
		faultInReference(`1${text}!`);
	}
});

import type { z } from 'zod';
import {
	ecdsaSignature,
	evmAddress,
	hexSignature,
	utcTimestamp,
} from '../../../nodes/PayrollPayments/contract/formats';
import { identifier } from '../../../nodes/PayrollPayments/contract/identifiers';

function faultOf(schema: z.ZodTypeAny, value: unknown): string | undefined {
	return schema.safeParse(value).error?.issues[0]?.message;
}

describe('identifiers', () => {
	const team = identifier('te');

	/* test/unit/shared/text.test.ts has what else people write. */
	it('are read as people mean them', () => {
		expect(team.parse(' “te\u2011AZaz09_\u20111234”. ')).toBe('te-AZaz09_-1234');
	});

	it.each([
		['', 'is missing; it starts with te- and has 15 characters'],
		['te-12345678901', 'must have 15 characters, but has 14'],
		['te-1234567890123', 'must have 15 characters, but has 16'],
		['co-123456789012', 'must start with te-; this is the ID of a company'],
		['xx-123456789012', 'must start with te-'],
		['TE-123456789012', 'must start with te-'],
		['te-12345678901/', 'may contain only letters, digits, - and _ after its prefix'],
		['te-1234567890é2', 'may contain only letters, digits, - and _ after its prefix'],
		['te-12345\n789012', 'may contain only letters, digits, - and _ after its prefix'],
		[15, 'must be text'],
		[
			new Date(0),
			'is a date, not text. In a sheet, format its column as text; in an expression, add .toISOString(), e.g. {{ new Date().toISOString() }}',
		],
		[undefined, 'is missing'],
	])('refuses %j: %s', (value, fault) => {
		expect(faultOf(team, value)).toBe(fault);
	});

	it('names every prefix that would do', () => {
		expect(faultOf(identifier('te', 'co', 'us'), 'in-123456789012')).toBe(
			'must start with te-, co- or us-; this is the ID of an invite',
		);
	});
});

/* formats.fuzz.test.ts has the calendar. */
it('a UTC timestamp of a day that doesn’t exist is refused, and the error says what it takes', () => {
	expect(faultOf(utcTimestamp, '2026-02-31T09:30:00Z')).toContain(
		'date and time in ISO 8601 that ends in Z',
	);
});

it.each<[string, z.ZodTypeAny, string, string | undefined]>([
	['a signature', ecdsaSignature, `0x${'0'.repeat(130)}`, 'must not be all zeros'],
	[
		'a signature',
		ecdsaSignature,
		`0x${'1'.repeat(129)}`,
		'must be 0x followed by 130 hex characters',
	],
	['a signature', ecdsaSignature, `0x${'1'.repeat(130)}`, undefined],
	['any signature', hexSignature, `0x${'0'.repeat(130)}`, 'must not be all zeros'],
	['any signature', hexSignature, '0000', 'must not be all zeros'],
	['any signature', hexSignature, '0x123', 'must be whole bytes in hex, e.g. 0x4f1c'],
	['any signature', hexSignature, '0x12 34', 'must be whole bytes in hex, e.g. 0x4f1c'],
	['an address', evmAddress, '0x1234', 'must be 0x followed by 40 hex characters'],
])('%s: %j', (_what, schema, value, fault) => {
	expect(faultOf(schema, value)).toBe(fault);
	for (const own of ['0x', ''].map((prefix) => `${prefix}${'5f'.repeat(64)}`)) {
		const sent = ['00', '01', '1b'].map((last) => hexSignature.parse(`${own}${last}`));
		expect(sent).toEqual(['1b', '1c', '1b'].map((last) => `${own}${last}`));
		expect(hexSignature.parse(`${own}ff01`)).toBe(`${own}ff01`);
	}
});

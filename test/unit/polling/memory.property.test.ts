import fc from 'fast-check';

import type { Remembered } from '../../../nodes/PayrollPayments/polling/compare';
import { decodeMemory, encodeMemory } from '../../../nodes/PayrollPayments/polling/memory';

const SCOPE = '["teamUserAdded","https://api.example.com","te-000000000001"]';

const identifiers = fc.oneof(
	fc.stringMatching(/^us-[A-Za-z0-9_-]{12}$/),
	fc.stringMatching(/^[A-Z]{3}$/),
	fc.stringMatching(/^\S{1,20}$/),
);
const remembered = fc
	.array(fc.tuple(identifiers, fc.string({ maxLength: 20, unit: 'binary' })), { maxLength: 60 })
	.map((entries) => new Map(entries.map(([id, compared]) => [id, { compared }])));

const sorted = (entries: Remembered | undefined) =>
	entries && [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

it('gives back what was written, whatever the identifiers and values are', () => {
	fc.assert(
		fc.property(remembered, (entries) => {
			expect(sorted(decodeMemory(SCOPE, encodeMemory(SCOPE, entries)))).toEqual(sorted(entries));
		}),
	);
});

it('writes the same text in whatever order the service lists the entries', () => {
	fc.assert(
		fc.property(remembered, (entries) => {
			expect(encodeMemory(SCOPE, new Map([...entries].reverse()))).toBe(
				encodeMemory(SCOPE, entries),
			);
		}),
	);
});

it('counts as nothing if it is damaged', () => {
	for (const text of [undefined, '', 'null', '[]', '{"scope":1}', '7', `{"scope":${SCOPE}}`]) {
		expect(decodeMemory(SCOPE, text)).toBeUndefined();
	}
	const text = encodeMemory(SCOPE, new Map([['us-000000000001', { compared: 'x' }]]));
	expect(decodeMemory(SCOPE, text.slice(0, -1))).toBeUndefined();
});

describe('50,000 entries', () => {
	const id = (prefix: string, number: number) => `${prefix}-${String(number).padStart(12, '0')}`;
	const of = (prefix: string, valueOf: (number: number) => string) =>
		new Map(
			Array.from({ length: 50_000 }, (_, number) => [
				id(prefix, number),
				{ compared: valueOf(number) },
			]),
		);

	const VALUES = ['contractor', 'team_employee', 'aor_contractor'];

	it.each<[string, string, (number: number) => string, number]>([
		['16 characters for each user whose values others share', 'us', (n) => VALUES[n % 3] ?? '', 16],
		['39 for each invite with its address’s hash', 'in', (n) => String(n).padStart(16, 'f'), 39],
	])('take %s', (_what, prefix, valueOf, each) => {
		const most = each * 50_000 + 1_000;
		expect(encodeMemory(SCOPE, of(prefix, valueOf)).length).toBeLessThan(most);
	});

	it('are refused beyond 16 million characters', () => {
		const long = (number: number) => `${number}${'x'.repeat(400)}`;
		expect(() => encodeMemory(SCOPE, of('us', long))).toThrow(
			'The list is too long to remember: 50000 entries',
		);
	});
});

import fc from 'fast-check';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { CATALOGUE } from '../../../nodes/PayrollPayments/operations/catalogue';
import { readSettings } from '../../../nodes/PayrollPayments/trigger/settings';
import { sourceOf } from '../../support/receivedEvent';
import { anyCharacter } from '../../support/unicodeCharacters';

/** What people and expressions put into fields, spoiled or not. */
const fieldValue = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.constantFrom<unknown>(
			...['te-a1B2c3D4e5F6', 'co-a1B2c3D4e5F6', 'team_viewer', 'contractor', 'wallet', 'provided'],
			...['ana@example.com, ben@example.com', '[{"email":"ana@example.com"}]', '['.repeat(100_000)],
			...['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}'],
			...['json', 'fields', 'items', 12_500, true, false],
		),
	},
	fc.jsonValue(),
	fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
	fc.string({ unit: anyCharacter }),
);

describe.each(
	CATALOGUE.map(
		(operation) => [`${operation.resource}.${operation.operation}`, operation] as const,
	),
)('%s', (_name, operation) => {
	const { fields, runOptions, itemOptions } = operation;
	const names = ['options', ...Object.keys({ ...fields, ...runOptions, ...itemOptions })];

	it('any values in its form are read or refused in words, and taint nothing', () => {
		const form = fc.record(Object.fromEntries(names.map((name) => [name, fieldValue])));
		fc.assert(
			fc.property(form, (values) => {
				const read = (name: string): unknown => Reflect.get(values, name);
				const item = { index: 0, json: {}, read, readSaved: read };
				for (const take of [operation.read, operation.readSettings]) {
					try {
						take(item);
					} catch (error) {
						expect(error).toBeInstanceOf(UserError);
						expect(String(error)).not.toMatch(/\n\s+at |\bundefined\b|\[object /);
					}
				}
			}),
			{ numRuns: 80 },
		);
		expect({}).not.toHaveProperty('polluted');
	});
});

it('any saved parameters of the trigger are settings or a refusal in words', () => {
	const outcome = (parameters: Readonly<Record<string, unknown>>) => {
		try {
			return readSettings(sourceOf(parameters), undefined);
		} catch (error) {
			return error;
		}
	};
	const added = <Members>(members: { [Name in keyof Members]: fc.Arbitrary<Members[Name]> }) =>
		fc.oneof({ weight: 9, arbitrary: fc.record(members, { requiredKeys: [] }) }, fieldValue);
	const form = fc.record({
		events: fc.oneof(fc.constant(['*']), fieldValue),
		depositStatuses: fc.oneof(fc.constant(['complete']), fieldValue),
		filters: added({ entityIds: fieldValue, networks: fieldValue, minimumAmountCents: fieldValue }),
		output: fc.oneof(fc.constantFrom('event', 'simplified'), fieldValue),
		options: added({
			deduplicate: fieldValue,
			deduplicationHistory: fieldValue,
			includeHeaders: fieldValue,
			invalidPayload: fieldValue,
			ipAllowlist: fieldValue,
		}),
	});
	fc.assert(
		fc.property(form, (parameters) => {
			const settings = outcome(parameters);
			if (settings instanceof UserError) {
				expect(settings.message).toMatch(/^[A-Z][A-Za-z() ]+[:, ]/);
				expect(settings.message.length).toBeLessThan(300);
			} else {
				expect(settings).toMatchObject({
					filter: { events: expect.arrayContaining([expect.any(String)]) },
				});
			}
		}),
		{ numRuns: 1_000 },
	);
});

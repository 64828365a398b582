import fc from 'fast-check';

import {
	compare,
	type Observations,
	type Remembered,
} from '../../../nodes/PayrollPayments/polling/compare';
import { EVENTS } from '../../../nodes/PayrollPayments/polling/eventKinds';

const watch = (minimumChangeCents: number) => ({ entityId: 'te-000000000001', minimumChangeCents });

/** What one poll sees: a currency that is missing isn't listed. */
const poll = fc.dictionary(
	fc.constantFrom('USD', 'EUR', 'GBP'),
	fc.integer({ min: -50, max: 150 }),
	{ maxKeys: 3 },
);

const observed = (cents: Record<string, number>): Observations =>
	new Map(
		Object.entries(cents).map(([id, value]) => [id, { compared: String(value), record: {} }]),
	);

it('tells a currency exactly when it is as far from what was told last as the minimum', () => {
	fc.assert(
		fc.property(
			fc.array(poll, { minLength: 2, maxLength: 30 }),
			fc.integer({ min: 0, max: 60 }),
			([first = {}, ...later], minimum) => {
				let remembered: Remembered = observed(first);
				/* The model: numbers, and 0 for whatever isn't listed. */
				const told: Record<string, number> = { USD: 0, EUR: 0, GBP: 0, ...first };
				for (const cents of later) {
					const result = compare(
						EVENTS.balanceChanged,
						remembered,
						observed(cents),
						watch(minimum),
					);
					({ remembered } = result);
					const expected: string[] = [];
					for (const currency of Object.keys(told)) {
						const [had, has] = [told[currency] ?? 0, cents[currency] ?? 0];
						if (had === has || Math.abs(has - had) < minimum) continue;
						expected.push(`${currency} ${had} ${has}`);
						told[currency] = has;
					}
					const lines = result.changes.map(
						({ id, before = '0', now }) => `${id} ${before} ${now?.compared ?? '0'}`,
					);
					expect(lines.sort()).toEqual(expected.sort());
				}
			},
		),
		{ numRuns: 500 },
	);
});

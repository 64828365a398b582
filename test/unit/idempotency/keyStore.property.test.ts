import { recordEvent } from '../../../nodes/PayrollPayments/trigger/recordOnce';
import { MemoryStore, pass, runVirtualClock } from './memoryStore';

runVirtualClock();

let owners = 0;

/** Milliseconds that a call takes. */
const stores = [
	['quick', 0, 20],
	['slow', 250, 300],
] as const;

it.each(stores)(
	'exactly one of five processes is the first, whatever their order in a %s store',
	async (speed, least, most) => {
		const outcomes = await Promise.all(
			Array.from({ length: 100 }, async (_, index) => {
				const store = new MemoryStore();
				store.takesTime = async () => await pass(least + Math.random() * (most - least));
				const record = async (process: number, key: string) => {
					await pass(Math.random() * 300);
					const owner = `owner ${(owners += 1)}`;
					const nodeKey = `${speed} process ${process} of ${index}`;
					const entry = { history: 5_000, owner, mayComeAgain: false };
					return await recordEvent(store, nodeKey, key, entry);
				};
				const others = [1, 1, 1, 2, 2, 3].map((process, other) => record(process, `b${other}`));
				const same = await Promise.all([1, 1, 2, 2, 3].map((process) => record(process, 'a')));
				expect(new Set(await Promise.all(others))).toEqual(new Set(['first']));
				return same.sort().join(' ');
			}),
		);
		expect(new Set(outcomes)).toEqual(new Set(['first seen seen seen seen']));
	},
);

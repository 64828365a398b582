import { claimsOf } from '../../../nodes/PayrollPayments/trigger/claims';
import { recordEvent } from '../../../nodes/PayrollPayments/trigger/recordOnce';
import { fail, MemoryStore, runVirtualClock } from '../idempotency/memoryStore';

runVirtualClock();

let store: MemoryStore;

beforeEach(() => {
	store = new MemoryStore();
});

let processes = 0;

/** A process that received the events, as in n8n's regular mode, and their executions. */
async function received(keys: readonly string[], history = 5_000) {
	const nodeKey = `process ${(processes += 1)}`;
	for (const key of keys) (await claimsOf(nodeKey).claim(key, history))?.settle(true);
	return async (key: string, mayComeAgain = false) =>
		await recordEvent(store, nodeKey, key, { history, owner: `owner ${key}`, mayComeAgain });
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

/* test/unit/idempotency/keyStore.test.ts has bursts and pauses. */
describe('an event that this process received', () => {
	it('takes one entry, one call and no pause', async () => {
		const record = await received(['a', 'b']);
		const begun = performance.now();
		expect([await record('a'), await record('b')]).toEqual(['first', 'first']);
		expect([store.saved, store.calls]).toEqual([['a', 'b'], 2]);
		expect(performance.now() - begun).toBe(0);
	});

	it('pushes out nothing that is to be remembered, where older events have marks', async () => {
		store.saved = numbered(10).flatMap((key) => [`old ${key}`, `old ${key} owner`]);
		const keys = numbered(12);
		const record = await received([], 10);
		for (const [index, key] of keys.entries()) {
			const claim = await claimsOf(`process ${processes}`).claim(key, 10);
			claim?.settle(true);
			await record(key);
			const known = [...numbered(10).map((each) => `old ${each}`), ...keys.slice(0, index + 1)];
			expect(store.saved).toEqual(expect.arrayContaining(known.slice(-10)));
		}
		expect(store.saved).toHaveLength(10);
	});

	it('runs where a call failed before it wrote; where it may have written, a person decides', async () => {
		const record = await received(['a', 'b']);
		for (const [key, moment, outcome] of [
			['a', 'meanwhile', 'first'],
			['b', 'afterwards', 'n8n’s database failed, so it isn’t known whether this event ran before'],
		] as const) {
			store.once(moment, fail('SQLITE_BUSY'));
			const recorded = record(key).catch((error: unknown) => Object(error).message);
			expect(await recorded).toBe(outcome);
		}
	});

	it('leaves a mark where its execution may come again, as with Retry On Fail', async () => {
		const record = await received(['a']);
		expect(await record('a', true)).toBe('first');
		expect(await record('a', true)).toBe('first');
		expect(store.saved).toEqual(['a', 'a owner a']);
	});
});

it('an event that another process received, or this one no longer remembers, is known to those that this process received, and the other way round', async () => {
	const record = await received(['b']);
	const outcomes = await Promise.all(['a', 'b'].map(async (key) => await record(key)));
	(await claimsOf(`process ${processes}`).claim('a', 5_000))?.settle(true);
	const elsewhere = await received([]);
	expect(outcomes).toEqual(['first', 'first']);
	expect([await record('a'), await elsewhere('b')]).toEqual(['seen', 'seen']);
});

import {
	forgetKey,
	recordKey as recordKeyAs,
	type HistoryOptions,
	type ProcessedStore,
} from '../../../nodes/PayrollPayments/transport/processedKeys';

const HISTORY = { history: 5 };

let owners = 0;

/** Records a key for somebody who never recorded one before. */
const recordKey = async (store: ProcessedStore, nodeKey: string, key: string, { history }: HistoryOptions) =>
	await recordKeyAs(store, nodeKey, key, { history, owner: `owner ${(owners += 1)}` });

let isRunning = true;

/* A clock of their own, as fast as the machine: no test waits, and none is late because others run. */
beforeAll(() => {
	jest.useFakeTimers({ doNotFake: ['setImmediate'] });
	const run = async () => {
		while (isRunning) {
			await jest.advanceTimersByTimeAsync(1);
			await moment();
		}
	};
	void run();
});

afterAll(() => {
	isRunning = false;
	jest.useRealTimers();
});

/** A moment in which everybody else gets a turn. */
const moment = () => new Promise((resolve) => setImmediate(resolve));

/**
 * A store like n8n's: every call reads one list and writes it back whole, a moment later, and
 * nothing keeps two calls apart.
 */
class Store implements ProcessedStore {
	saved: string[] = [];
	calls = 0;
	/** Called between reading and writing. */
	meanwhile: () => void = () => {};
	/** The time between reading and writing. */
	takesTime: () => Promise<unknown> = moment;

	async checkProcessedAndRecord(
		items: string[],
		_scope: 'node',
		{ maxEntries }: { maxEntries: number },
	) {
		this.calls += 1;
		const list = [...this.saved];
		await this.takesTime();
		const processed = items.filter((item) => list.includes(item));
		const fresh = items.filter((item) => !list.includes(item));
		list.push(...fresh);
		list.splice(0, Math.max(0, list.length - maxEntries));
		this.meanwhile();
		this.saved = list;
		return { new: fresh, processed };
	}

	async removeProcessed(items: string[]) {
		const list = this.saved.filter((item) => !items.includes(item));
		await this.takesTime();
		this.saved = list;
	}

	/** The keys, without the marks of who recorded them. */
	get keys(): string[] {
		return this.saved.filter((item) => !item.includes(' owner '));
	}
}

it('knows the first from every later time', async () => {
	const store = new Store();
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('seen');
	expect(await recordKey(store, 'node', 'b', HISTORY)).toBe('first');
	expect(store.keys).toEqual(['a', 'b']);
});

it('gives one of two hundred at once the first', async () => {
	const store = new Store();
	const outcomes = await Promise.all(
		Array.from({ length: 200 }, () => recordKey(store, 'node', 'a', HISTORY)),
	);
	expect(outcomes.filter((outcome) => outcome === 'first')).toHaveLength(1);
});

it('gives exactly one the first, whenever another comes while that one still checks its record', async () => {
	const outcomes = await Promise.all(
		Array.from({ length: 250 }, async (_, delay) => {
			const store = new Store();
			const name = `a repeat after ${delay}`;
			const late = new Promise((resolve) => setTimeout(resolve, delay));
			const both = await Promise.all([
				recordKey(store, name, 'a', { history: 5_000 }),
				late.then(async () => await recordKey(store, name, 'a', { history: 5_000 })),
			]);
			return both.sort().join(' ');
		}),
	);
	expect(new Set(outcomes)).toEqual(new Set(['first seen']));
});

it('loses none of two hundred different ones at once', async () => {
	const store = new Store();
	const keys = Array.from({ length: 200 }, (_, index) => `${index}`);
	const outcomes = await Promise.all(
		keys.map((key) => recordKey(store, 'node', key, { history: 200 })),
	);
	expect(new Set(outcomes)).toEqual(new Set(['first']));
	expect(new Set(store.keys)).toEqual(new Set(keys));
});

it('forgets the oldest first', async () => {
	const store = new Store();
	for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await recordKey(store, 'node', key, HISTORY);
	expect(store.keys).toEqual(['b', 'c', 'd', 'e', 'f']);
	expect(await recordKey(store, 'node', 'b', HISTORY)).toBe('seen');
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
});

it('works with a history of one, many at once', async () => {
	const store = new Store();
	const outcomes = await Promise.all(
		['a', 'b', 'c'].map((key) => recordKey(store, 'node', key, { history: 1 })),
	);
	expect(outcomes).toEqual(['first', 'first', 'first']);
	expect(store.keys).toEqual(['c']);
});

it('knows an owner again, whose first attempt may have ended in the middle', async () => {
	const store = new Store();
	const mine = { history: 5, owner: 'execution 7' };
	expect(await recordKeyAs(store, 'node', 'a', mine)).toBe('first');
	expect(await recordKeyAs(store, 'node', 'a', mine)).toBe('first');
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('seen');
});

it('does not take for an owner who has looked in vain', async () => {
	const store = new Store();
	await recordKey(store, 'node', 'a', HISTORY);
	const late = { history: 5, owner: 'execution 8' };
	expect(await recordKeyAs(store, 'node', 'a', late)).toBe('seen');
	expect(await recordKeyAs(store, 'node', 'a', late)).toBe('seen');
});

describe('beside other n8n processes', () => {
	const LONG = { history: 5_000 };

	it('records again what another process, late to write, overwrote', async () => {
		const store = new Store();
		const recording = recordKey(store, 'node', 'a', LONG);
		while (!store.keys.includes('a')) await moment();
		store.saved = ['of another process'];
		expect(await recording).toBe('first');
		expect(store.keys).toEqual(['of another process', 'a']);
	});

	it('gives the key to the process whose record stayed', async () => {
		const store = new Store();
		const recording = recordKey(store, 'node', 'a', LONG);
		while (!store.keys.includes('a')) await moment();
		store.saved = ['a', 'a of another process'];
		expect(await recording).toBe('seen');
	});

	/** Milliseconds that a call takes. */
	const stores = [
		['quick', 0, 20],
		['slow', 250, 300],
	] as const;

	it.each(stores)('gives exactly one of five the first, whatever their order in a %s store', async (speed, least, most) => {
		const pass = async (milliseconds: number) =>
			await new Promise((resolve) => setTimeout(resolve, milliseconds));
		const outcomes = await Promise.all(
			Array.from({ length: 100 }, async (_, index) => {
				const store = new Store();
				store.takesTime = async () => await pass(least + Math.random() * (most - least));
				const record = async (process: number, key: string) => {
					await pass(Math.random() * 300);
					return await recordKey(store, `${speed} process ${process} of ${index}`, key, LONG);
				};
				const others = [1, 1, 1, 2, 2, 3].map((process, other) => record(process, `b${other}`));
				const outcomes = await Promise.all([1, 1, 2, 2, 3].map((process) => record(process, 'a')));
				expect(new Set(await Promise.all(others))).toEqual(new Set(['first']));
				return outcomes.sort().join(' ');
			}),
		);
		expect(new Set(outcomes)).toEqual(new Set(['first seen seen seen seen']));
	});
});

it('gives up where the record never stays', async () => {
	const store = new Store();
	const record = store.checkProcessedAndRecord.bind(store);
	store.checkProcessedAndRecord = async (...call) => {
		const answer = await record(...call);
		store.saved = [];
		return answer;
	};
	await expect(recordKey(store, 'node', 'a', { history: 5_000 })).rejects.toThrow(/did not keep the record/);
	expect(store.calls).toBeLessThan(20);
});

it('rejects where the store cannot be written, and lets the next one try', async () => {
	const store = new Store();
	store.meanwhile = () => {
		throw new Error('SQLITE_BUSY');
	};
	const failing = recordKey(store, 'node', 'a', HISTORY);
	const next = recordKey(store, 'node', 'b', HISTORY).catch(() => 'failed too');
	await expect(failing).rejects.toThrow('SQLITE_BUSY');
	expect(await next).toBe('failed too');
	store.meanwhile = () => {};
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
});

it('tries again where another process made the node’s row first', async () => {
	const store = new Store();
	let first = true;
	store.meanwhile = () => {
		if (!first) return;
		first = false;
		store.saved = ['of another process'];
		throw new Error('UNIQUE constraint failed');
	};
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
	expect(store.keys).toEqual(['of another process', 'a']);
});

it('knows after a first look that failed who recorded the key', async () => {
	for (const [recorded, outcome] of [['a', 'seen'], ['b', 'first']] as const) {
		const store = new Store();
		let first = true;
		store.meanwhile = () => {
			if (!first) return;
			first = false;
			store.saved = [recorded];
			throw new Error('connection lost');
		};
		expect(await recordKey(store, 'node', 'a', HISTORY)).toBe(outcome);
	}
});

it('does not let one node wait for another', async () => {
	const store = new Store();
	const stuck: ProcessedStore = {
		checkProcessedAndRecord: () => new Promise(() => {}),
		removeProcessed: () => new Promise(() => {}),
	};
	void recordKey(stuck, 'stuck node', 'a', HISTORY);
	expect(await recordKey(store, 'other node', 'a', HISTORY)).toBe('first');
});

it('forgets a key behind the same lock', async () => {
	const store = new Store();
	const keys = ['a', 'b', 'c', 'd'];
	await recordKey(store, 'node', 'a', HISTORY);
	await Promise.all([
		forgetKey(store, 'node', 'a', HISTORY),
		...keys.slice(1).map((key) => recordKey(store, 'node', key, HISTORY)),
	]);
	expect(store.keys).toEqual(['b', 'c', 'd']);
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
	expect(await recordKey(store, 'node', 'b', HISTORY)).toBe('seen');
});

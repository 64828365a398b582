import {
	forgetKey,
	recordKey,
	type ProcessedStore,
} from '../../../nodes/PayrollPayments/transport/processedKeys';

const HISTORY = { history: 5 };

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

	async checkProcessedAndRecord(
		items: string[],
		_scope: 'node',
		{ maxEntries }: { maxEntries: number },
	) {
		this.calls += 1;
		const list = [...this.saved];
		await moment();
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
		await moment();
		this.saved = list;
	}
}

it('knows the first from every later time', async () => {
	const store = new Store();
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('seen');
	expect(await recordKey(store, 'node', 'b', HISTORY)).toBe('first');
	expect(store.saved).toEqual(['a', 'b']);
});

it('gives one of two hundred at once the first', async () => {
	const store = new Store();
	const outcomes = await Promise.all(
		Array.from({ length: 200 }, () => recordKey(store, 'node', 'a', HISTORY)),
	);
	expect(outcomes.filter((outcome) => outcome === 'first')).toHaveLength(1);
});

it('loses none of two hundred different ones at once', async () => {
	const store = new Store();
	const keys = Array.from({ length: 200 }, (_, index) => `${index}`);
	const outcomes = await Promise.all(
		keys.map((key) => recordKey(store, 'node', key, { history: 200 })),
	);
	expect(new Set(outcomes)).toEqual(new Set(['first']));
	expect(new Set(store.saved)).toEqual(new Set(keys));
});

it('forgets the oldest first', async () => {
	const store = new Store();
	for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await recordKey(store, 'node', key, HISTORY);
	expect(store.saved).toEqual(['b', 'c', 'd', 'e', 'f']);
	expect(await recordKey(store, 'node', 'b', HISTORY)).toBe('seen');
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
});

it('works with a history of one, many at once', async () => {
	const store = new Store();
	const outcomes = await Promise.all(
		['a', 'b', 'c'].map((key) => recordKey(store, 'node', key, { history: 1 })),
	);
	expect(outcomes).toEqual(['first', 'first', 'first']);
	expect(store.saved).toEqual(['c']);
});

it('records again what another process overwrote', async () => {
	const store = new Store();
	let overwrites = 3;
	const record = store.checkProcessedAndRecord.bind(store);
	store.checkProcessedAndRecord = async (...call) => {
		const answer = await record(...call);
		if (overwrites-- > 0) store.saved = [`of another process ${overwrites}`];
		return answer;
	};
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
	expect(store.saved).toContain('a');
});

describe('with a long history', () => {
	const LONG = { history: 5_000 };

	it('records again what another process, late to write, overwrote', async () => {
		const store = new Store();
		expect(await recordKey(store, 'node', 'a', LONG)).toBe('first');
		store.saved = ['of another process'];
		while (store.saved.length < 2) await moment();
		expect(store.saved).toEqual(['of another process', 'a']);
	});

	it('does not bring back what was forgotten on purpose', async () => {
		const store = new Store();
		await recordKey(store, 'node', 'a', LONG);
		await recordKey(store, 'node', 'b', LONG);
		await forgetKey(store, 'node', 'a', LONG);
		const { calls } = store;
		while (store.calls === calls) await moment();
		await forgetKey(store, 'node', 'c', LONG);
		expect(store.saved).toEqual(['b']);
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
	await expect(recordKey(store, 'node', 'a', HISTORY)).rejects.toThrow(/did not keep the record/);
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
	expect(store.saved).toEqual(['of another process', 'a']);
});

it('rejects rather than guess who recorded the key when the first look failed', async () => {
	const store = new Store();
	let first = true;
	store.meanwhile = () => {
		if (!first) return;
		first = false;
		store.saved = ['a'];
		throw new Error('connection lost');
	};
	await expect(recordKey(store, 'node', 'a', HISTORY)).rejects.toThrow('connection lost');
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
	const outcomes = await Promise.all([
		recordKey(store, 'node', 'a', HISTORY),
		recordKey(store, 'node', 'b', HISTORY),
		forgetKey(store, 'node', 'a', HISTORY),
		recordKey(store, 'node', 'a', HISTORY),
		recordKey(store, 'node', 'b', HISTORY),
	]);
	expect(outcomes).toEqual(['first', 'first', undefined, 'first', 'seen']);
	expect(store.saved).toEqual(['b', 'a']);
});

import { getEventListeners } from 'node:events';

import {
	claimKeys,
	findKeys,
	recordKeys,
	type Claimed,
	type ClaimRequest,
	type ProcessedStore,
	type Seen,
} from '../../../nodes/PayrollPayments/idempotency/keyStore';
import { recordEvent } from '../../../nodes/PayrollPayments/trigger/recordOnce';
import { fail, MemoryStore, moment, pass, runVirtualClock } from './memoryStore';

/** How many keys are remembered. */
interface History {
	readonly history: number;
}

const HISTORY: History = { history: 5 };

let owners = 0;

/** Records a key for somebody who never recorded one before. */
const recordKey = async (
	store: ProcessedStore,
	nodeKey: string,
	key: string,
	{ history }: History,
) =>
	await recordEvent(store, nodeKey, key, {
		history,
		owner: `owner ${(owners += 1)}`,
		mayComeAgain: false,
	});

runVirtualClock();

/** A claim as payments make it: several keys, and strict after an error. */
const claimStrictly = async (
	store: ProcessedStore,
	keys: readonly string[],
	{ nodeKey = 'payments', ...more }: { nodeKey?: string } & Partial<ClaimRequest> = {},
): Promise<Claimed | Seen> =>
	await claimKeys(store, nodeKey, {
		keys,
		owner: `owner ${(owners += 1)}`,
		mayClaim: (isRecorded) => !keys.some(isRecorded),
		maxEntries: 1_000,
		isStrict: true,
		...more,
	});

const released = async (claim: Claimed | Seen): Promise<void> => {
	if (claim.status !== 'claimed') throw new Error('was not claimed');
	await claim.release();
};

it('knows the first from every later time', async () => {
	const store = new MemoryStore();
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
	const { calls } = store;
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('seen');
	expect(store.calls - calls).toBe(1);
	expect(await recordKey(store, 'node', 'b', HISTORY)).toBe('first');
	expect(store.keys).toEqual(['a', 'b']);
});

it('gives exactly one the first, whenever another comes while that one still checks its record', async () => {
	const outcomes = await Promise.all(
		Array.from({ length: 250 }, async (_, delay) => {
			const store = new MemoryStore();
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

it('forgets the oldest first', async () => {
	const store = new MemoryStore();
	const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`);
	for (const key of keys) await recordKey(store, 'node', key, HISTORY);
	expect(store.keys.slice(-5)).toEqual(keys.slice(-5));
	/* What is being verified has some room beyond that. */
	expect(store.keys.length).toBeLessThanOrEqual(15);
	expect(await recordKey(store, 'node', 'key 35', HISTORY)).toBe('seen');
	expect(await recordKey(store, 'node', 'key 0', HISTORY)).toBe('first');
});

it('knows an owner again, whose first attempt may have ended in the middle', async () => {
	const store = new MemoryStore();
	const mine = { history: 5, owner: 'execution 7', mayComeAgain: true };
	expect(await recordEvent(store, 'node', 'a', mine)).toBe('first');
	expect(await recordEvent(store, 'node', 'a', mine)).toBe('first');
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('seen');
});

it('does not take for an owner who has looked in vain', async () => {
	const store = new MemoryStore();
	await recordKey(store, 'node', 'a', HISTORY);
	const late = { history: 5, owner: 'execution 8', mayComeAgain: true };
	expect(await recordEvent(store, 'node', 'a', late)).toBe('seen');
	expect(await recordEvent(store, 'node', 'a', late)).toBe('seen');
});

describe('with other n8n processes', () => {
	const LONG = { history: 5_000 };

	it('records again what another process, late to write, overwrote', async () => {
		const store = new MemoryStore();
		const recording = recordKey(store, 'node', 'a', LONG);
		while (!store.keys.includes('a')) await moment();
		store.saved = ['of another process'];
		expect(await recording).toBe('first');
		expect(store.keys).toEqual(['of another process', 'a']);
	});

	it('gives the key to the process whose record stayed', async () => {
		const store = new MemoryStore();
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

	it.each(stores)(
		'gives exactly one of five the first, whatever their order in a %s store',
		async (speed, least, most) => {
			const outcomes = await Promise.all(
				Array.from({ length: 100 }, async (_, index) => {
					const store = new MemoryStore();
					store.takesTime = async () => await pass(least + Math.random() * (most - least));
					const record = async (process: number, key: string) => {
						await pass(Math.random() * 300);
						return await recordKey(store, `${speed} process ${process} of ${index}`, key, LONG);
					};
					const others = [1, 1, 1, 2, 2, 3].map((process, other) => record(process, `b${other}`));
					const outcomes = await Promise.all(
						[1, 1, 2, 2, 3].map((process) => record(process, 'a')),
					);
					expect(new Set(await Promise.all(others))).toEqual(new Set(['first']));
					return outcomes.sort().join(' ');
				}),
			);
			expect(new Set(outcomes)).toEqual(new Set(['first seen seen seen seen']));
		},
	);
});

describe('another claim of the same owner', () => {
	const claim = async (store: ProcessedStore, keys: readonly string[], isAllowed: boolean) => {
		const mayClaim = () => isAllowed;
		return await claimStrictly(store, keys, { owner: 'owner x', mayClaim, isStrict: false });
	};

	it('is not the same one where its keys are others', async () => {
		const store = new MemoryStore();
		await claim(store, ['a', 'bc'], true);
		expect((await claim(store, ['a', 'bc'], false)).status).toBe('claimed');
		expect((await claim(store, ['ab', 'c'], false)).status).toBe('seen');
	});

	it('makes sure that a key which was lost is recorded again', async () => {
		const store = new MemoryStore();
		await claim(store, ['a', 'b'], true);
		const lose = () => (store.saved = store.saved.filter((entry) => entry !== 'b'));
		lose();
		store.once('afterwards', lose);
		expect((await claim(store, ['a', 'b'], false)).status).toBe('claimed');
		expect(store.keys).toEqual(['a', 'b']);
	});
});

it('gives up where the record never stays, but runs an event that nobody else has', async () => {
	const store = new MemoryStore();
	store.afterwards = () => (store.saved = []);
	await expect(claimStrictly(store, ['a'])).rejects.toMatchObject({
		message: 'n8n did not keep the record that guards against doing this twice',
		hint: 'Several n8n processes may be writing it at the same time. Try again in a moment.',
	});
	expect(store.calls).toBe(11);
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
});

it.each([1, 100, 5_000])('runs all of 1,500 at once with a history of %d', async (history) => {
	const store = new MemoryStore();
	const keys = Array.from({ length: 1_500 }, (_, index) => `${index}`);
	const outcomes = await Promise.all(
		keys.map(
			async (key, index) =>
				await recordKey(store, `burst of ${history} in ${index % 2}`, key, { history }),
		),
	);
	expect(new Set(outcomes)).toEqual(new Set(['first']));
	expect(store.calls).toBeLessThan(10);
	if (history === 5_000) expect(new Set(store.keys)).toEqual(new Set(keys));
});

it('rejects where the store cannot be written, and lets the next one try', async () => {
	const store = new MemoryStore();
	store.meanwhile = fail('SQLITE_BUSY');
	const failing = recordKey(store, 'node', 'a', HISTORY);
	const next = recordKey(store, 'node', 'b', HISTORY).catch(() => 'failed too');
	await expect(failing).rejects.toThrow('SQLITE_BUSY');
	expect(await next).toBe('failed too');
	store.meanwhile = () => {};
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
});

it('tries again where another process made the node’s row first', async () => {
	const store = new MemoryStore();
	store.once('meanwhile', () => {
		store.saved = ['of another process'];
		throw new Error('UNIQUE constraint failed');
	});
	expect(await recordKey(store, 'node', 'a', HISTORY)).toBe('first');
	expect(store.keys).toEqual(['of another process', 'a']);
});

it('after a first call that failed, records a key that is new, and leaves the other to a person', async () => {
	for (const [recorded, outcome] of [
		['a', 'n8n’s database failed, so it isn’t known whether this event ran before'],
		['b', 'first'],
	] as const) {
		const store = new MemoryStore();
		store.once('meanwhile', () => {
			store.saved = [recorded];
			throw new Error('connection lost');
		});
		const recording = recordKey(store, 'node', 'a', HISTORY);
		expect(await recording.catch((error: unknown) => Object(error).message)).toBe(outcome);
	}
});

it('does not let one node wait for another', async () => {
	const store = new MemoryStore();
	const stuck: ProcessedStore = {
		checkProcessedAndRecord: () => new Promise(() => {}),
		removeProcessed: () => new Promise(() => {}),
	};
	void recordKey(stuck, 'stuck node', 'a', HISTORY);
	expect(await recordKey(store, 'other node', 'a', HISTORY)).toBe('first');
});

describe('entries recorded beside a claim', () => {
	const claimAlso = async (store: ProcessedStore, key: string, also: readonly string[]) =>
		await claimStrictly(store, [key], { nodeKey: 'also', also });

	it('take no call more, and last as the claim does', async () => {
		const store = new MemoryStore();
		expect((await claimAlso(store, 'a', ['paid'])).status).toBe('claimed');
		expect([store.keys, store.calls]).toEqual([['paid', 'a'], 2]);
		store.once('afterwards', () => {
			store.saved = store.saved.filter((entry) => entry !== 'paid too');
		});
		expect((await claimAlso(store, 'b', ['paid too'])).status).toBe('claimed');
		expect(store.keys).toContain('paid too');
	});

	it('stay where the claim fails or is released', async () => {
		const store = new MemoryStore();
		const claim = await claimAlso(store, 'a', ['paid']);
		store.once('afterwards', () => (store.saved = store.saved.filter((one) => one !== 'paid too')));
		expect((await claimAlso(store, 'a', ['paid too'])).status).toBe('seen');
		await released(claim);
		expect(store.saved).toEqual(['paid', 'paid too']);
	});
});

describe('keys that are recorded in any case', () => {
	const recordPaid = async (store: ProcessedStore) =>
		await recordKeys(store, 'paid', { keys: ['a', 'b'], maxEntries: 1_000 });

	it('are there at the end, known or not, whatever another process overwrites', async () => {
		const store = new MemoryStore();
		store.saved = ['a'];
		store.once('afterwards', () => (store.saved = ['a']));
		await recordPaid(store);
		expect(store.saved).toEqual(['a', 'b']);
		expect(store.calls).toBe(3);
	});

	it('are given up where they never stay, or the store fails twice', async () => {
		const store = new MemoryStore();
		store.afterwards = () => (store.saved = []);
		await expect(recordPaid(store)).rejects.toThrow('n8n did not keep the record');
		store.meanwhile = fail('SQLITE_BUSY');
		await expect(recordPaid(store)).rejects.toThrow('SQLITE_BUSY');
	});
});

describe('a request that is canceled', () => {
	const cancelable = async (store: ProcessedStore, key: string, signal: AbortSignal) =>
		await claimStrictly(store, [key], { nodeKey: 'canceled', signal });

	it('ends at once where it waits for its turn, and records nothing', async () => {
		const store = new MemoryStore();
		/* In its last call, so that nobody shares the next one with those that are canceled. */
		store.takesTime = async () => await pass(100);
		const other = claimStrictly(store, ['a'], { nodeKey: 'canceled' });
		while (store.calls < 2) await moment();
		const cancel = new AbortController();
		const waiting = [
			cancelable(store, 'b', cancel.signal),
			findKeys(store, 'canceled', { keys: ['c'], maxEntries: 1_000, signal: cancel.signal }),
		];
		const begun = performance.now();
		cancel.abort(new Error('stopped'));
		for (const each of waiting) await expect(each).rejects.toThrow('stopped');
		await expect(cancelable(store, 'b', cancel.signal)).rejects.toThrow('stopped');
		expect(performance.now() - begun).toBe(0);
		expect(getEventListeners(cancel.signal, 'abort')).toEqual([]);
		await other;
		await pass(60_000);
		expect([store.keys, store.calls]).toEqual([['a'], 2]);
	});

	it('leaves no trace where it was recorded or looked for', async () => {
		for (const calls of [1, 2]) {
			const store = new MemoryStore();
			const cancel = new AbortController();
			store.afterwards = () => {
				if (store.calls === calls) cancel.abort(new Error('stopped'));
			};
			await expect(cancelable(store, 'a', cancel.signal)).rejects.toThrow('stopped');
			expect(store.saved).toEqual([]);
		}
		const store = new MemoryStore();
		const cancel = new AbortController();
		store.meanwhile = () => cancel.abort(new Error('stopped'));
		const request = { keys: ['a'], maxEntries: 1_000, signal: cancel.signal };
		await expect(findKeys(store, 'canceled', request)).rejects.toThrow('stopped');
		expect(store.saved).toEqual([]);
	});
});

/** Lets another process read the list at these removals, by number, and write it back a bit later. */
const writeBack = (
	store: MemoryStore,
	removals: readonly number[],
	more: readonly string[] = [],
) => {
	const remove = store.removeProcessed.bind(store);
	let count = 0;
	store.removeProcessed = async (...given) => {
		count += 1;
		const list = [...store.saved, ...more];
		const isRead = removals.includes(count);
		await remove(...given);
		if (isRead) setTimeout(() => (store.saved = list), 100);
	};
};

describe('a claim that is released', () => {
	it('leaves the record exactly as it was', async () => {
		const store = new MemoryStore();
		await claimStrictly(store, ['a', 'b']);
		const before = [...store.saved];
		await released(await claimStrictly(store, ['c', 'd']));
		expect(store.saved).toEqual(before);
	});

	it('leaves what others recorded in the meantime', async () => {
		const store = new MemoryStore();
		const claim = await claimStrictly(store, ['a']);
		await Promise.all([
			released(claim),
			...['b', 'c', 'd'].map((key) => claimStrictly(store, [key])),
		]);
		expect(store.keys.sort()).toEqual(['b', 'c', 'd']);
		expect((await claimStrictly(store, ['a'])).status).toBe('claimed');
	});

	it('is taken out again where another process wrote it back', async () => {
		const store = new MemoryStore();
		const claim = await claimStrictly(store, ['a']);
		const stale = [...store.saved];
		store.afterRemoval = (count) => {
			if (count === 1) store.saved = [...stale, 'of another process'];
		};
		await released(claim);
		expect(store.saved).toEqual(['of another process']);
	});

	it.each(
		[undefined, 'next'].flatMap((successorKey) =>
			[[1], [1, 2], [1, 2, 3]].map((at) => [at, successorKey] as const),
		),
	)(
		'is taken out again where another process reads at the removals %j (successor: %s)',
		async (at, successorKey) => {
			const store = new MemoryStore();
			await claimStrictly(store, ['of another']);
			const before = [...store.saved];
			const claim = await claimStrictly(store, ['a', 'b'], { successorKey });
			writeBack(store, at);
			await released(claim);
			expect(store.saved).toEqual(before);
		},
	);

	it('stays where a later one depends on it, without the mark of its owner', async () => {
		for (const at of [[], [1], [1, 2]]) {
			const store = new MemoryStore();
			const claim = await claimStrictly(store, ['a'], { successorKey: 'next' });
			await claimStrictly(store, ['next']);
			const calls = store.calls;
			writeBack(store, at);
			await released(claim);
			expect(store.keys).toEqual(['a', 'next']);
			expect(store.saved).toHaveLength(3);
			expect(store.calls - calls).toBe(3 + at.length);
		}
	});

	it('stays where a later one depends on it beside the trace of another release', async () => {
		const store = new MemoryStore();
		const claim = await claimStrictly(store, ['a'], { successorKey: 'next' });
		const other = await claimStrictly(store, ['b'], { successorKey: 'next to b' });
		let stale: string[] = [];
		store.afterwards = () => {
			if (store.saved.includes('next to b')) stale = store.saved;
		};
		await released(other);
		store.saved = stale;
		await claimStrictly(store, ['next']);
		await released(claim);
		expect(store.keys).toEqual(expect.arrayContaining(['a', 'next']));
	});

	it('stays where another process writes it back together with a later one', async () => {
		const store = new MemoryStore();
		const claim = await claimStrictly(store, ['a'], { successorKey: 'next' });
		const stale = [...store.saved];
		const later = ['next', 'next owner of another process'];
		store.afterRemoval = (count) => {
			if (count === 1) store.saved = [...stale, ...later];
		};
		await released(claim);
		expect(store.saved).toEqual(['a', ...later]);
	});

	it('stays where one that depends on it comes while it is taken out again', async () => {
		const store = new MemoryStore();
		const claim = await claimStrictly(store, ['a'], { successorKey: 'next' });
		const stale = [...store.saved];
		/* Another process reads what is back before it is asked for `next`, and writes it later. */
		const list = [...stale, 'next', 'next owner of another process'];
		store.afterRemoval = (count) => {
			if (count <= 2) store.saved = count === 1 ? stale : list;
		};
		await released(claim);
		expect(store.keys).toEqual(['a', 'next']);
	});

	it('takes out nothing that another owner records after it', async () => {
		const store = new MemoryStore();
		const claim = await claimStrictly(store, ['a'], { successorKey: 'next' });
		const others = ['a', 'a owner of another process'];
		store.afterRemoval = (count) => {
			if (count === 1) store.saved = others;
		};
		await released(claim);
		expect(store.saved).toEqual(others);
	});

	it('asks the store no more often than needed, since each look takes a fifth of a second', async () => {
		for (const successorKey of [undefined, 'next']) {
			const store = new MemoryStore();
			const claim = await claimStrictly(store, ['a'], { successorKey });
			const { calls } = store;
			await released(claim);
			expect([store.saved, store.calls - calls]).toEqual([[], successorKey === undefined ? 2 : 3]);
		}
	});

	it('ends, even where its entries are written back every time', async () => {
		const store = new MemoryStore();
		const claim = await claimStrictly(store, ['a']);
		const { calls } = store;
		store.removeProcessed = async () => {};
		await released(claim);
		expect(store.calls - calls).toBe(10);
	});

	it('takes no room, however often that happens', async () => {
		const store = new MemoryStore();
		const limited = { maxEntries: 400 };
		for (let count = 0; count < 150; count++)
			await claimStrictly(store, [`paid ${count}`], limited);
		for (let count = 0; count < 500; count++) {
			await released(await claimStrictly(store, [`refused ${count}`], limited));
		}
		expect(store.keys).toEqual(Array.from({ length: 150 }, (_, count) => `paid ${count}`));
	});
});

describe('a claim that fails', () => {
	it('leaves no trace where another process wrote it back', async () => {
		const store = new MemoryStore();
		await claimStrictly(store, ['a']);
		const before = [...store.saved];
		const claiming = claimStrictly(store, ['a', 'b']);
		while (!store.keys.includes('b')) await moment();
		const stale = [...store.saved];
		while (store.keys.includes('b')) await moment();
		store.saved = stale;
		expect((await claiming).status).toBe('seen');
		expect(store.saved).toEqual(before);
	});

	it('takes out those of its keys that were not there', async () => {
		const store = new MemoryStore();
		await claimStrictly(store, ['a', 'b']);
		const before = [...store.saved];
		const claim = await claimStrictly(store, ['b', 'c']);
		expect(claim).toMatchObject({ status: 'seen', isUncertain: false });
		expect(claim.status === 'seen' && [claim.isRecorded('b'), claim.isRecorded('c')]).toEqual([
			true,
			false,
		]);
		expect(store.saved).toEqual(before);
	});

	it('takes them out again where another process wrote them back, whatever depends on it', async () => {
		const store = new MemoryStore();
		await claimStrictly(store, ['a']);
		await claimStrictly(store, ['next']);
		const before = [...store.saved];
		writeBack(store, [1]);
		expect((await claimStrictly(store, ['a', 'b'], { successorKey: 'next' })).status).toBe('seen');
		expect(store.saved).toEqual(before);
	});

	it('is what a key means that is there after a call that failed', async () => {
		for (const callsUntilError of [1, 2]) {
			const store = new MemoryStore();
			await claimStrictly(store, ['old'], { nodeKey: `error in call ${callsUntilError}` });
			for (const key of ['old', 'new']) {
				const { calls } = store;
				store.afterwards = () => {
					if (store.calls - calls === callsUntilError) fail('it broke after the write')();
				};
				const nodeKey = `error in call ${callsUntilError}`;
				expect((await claimStrictly(store, [key], { nodeKey })).status).toBe('seen');
			}
			expect(store.keys).toEqual(['old', 'new']);
		}
	});
});

it('counts a failed call as the failure of every claim that shared it', async () => {
	const store = new MemoryStore();
	const nodeKey = 'shared call';
	/* The store was just asked, so the next two claims wait and are asked about together. */
	await claimStrictly(store, ['before'], { nodeKey });
	store.once('afterwards', fail('the connection broke after the write'));
	const claims = await Promise.all(
		['a', 'b'].map(async (key) => await claimStrictly(store, [key], { nodeKey })),
	);
	expect(claims.map(({ status }) => status)).toEqual(['seen', 'seen']);
	expect(store.keys).toEqual(['before', 'a', 'b']);
});

it('shares a call with one that has less room, and makes nothing forgotten', async () => {
	const store = new MemoryStore();
	store.saved = Array.from({ length: 100 }, (_, index) => `old ${index}`);
	await claimStrictly(store, ['before']);
	const { calls } = store;
	await Promise.all([
		claimStrictly(store, ['a'], { maxEntries: 100 }),
		claimStrictly(store, ['b'], { maxEntries: 5 }),
		claimStrictly(store, ['c'], { maxEntries: 5, isOnlyProcess: true }),
	]);
	expect(store.calls - calls).toBe(2);
	expect(store.keys).toHaveLength(104);
});

it('is asked no more often than needed after a call that failed', async () => {
	const store = new MemoryStore();
	store.once('meanwhile', fail('SQLITE_BUSY'));
	const failing = recordKey(store, 'failing once', 'a', HISTORY);
	while (store.calls === 0) await Promise.resolve();
	const next = recordKey(store, 'failing once', 'b', HISTORY);
	expect(await Promise.all([failing, next])).toEqual(['first', 'first']);
	await pass(60_000);
	expect(store.calls).toBe(3);
});

describe('looking for keys', () => {
	/* The pauses before calls are the same in every run: each differs from the last ones. */
	beforeEach(() => {
		let count = 0;
		jest.spyOn(Math, 'random').mockImplementation(() => ((count += 1) * 0.618) % 1);
	});

	afterEach(() => jest.restoreAllMocks());

	it('says which are there, and leaves no trace', async () => {
		const store = new MemoryStore();
		await claimStrictly(store, ['a']);
		const before = [...store.saved];
		const isRecorded = await findKeys(store, 'payments', { keys: ['a', 'b'], maxEntries: 1_000 });
		expect([isRecorded('a'), isRecorded('b')]).toEqual([true, false]);
		expect(store.saved).toEqual(before);
		const { calls } = store;
		await findKeys(store, 'payments', { keys: ['b', 'c'], maxEntries: 1_000 });
		expect(store.calls - calls).toBe(2);
	});

	it('tries once more to take out its trace, and rejects where it could not', async () => {
		const store = new MemoryStore();
		const request = { keys: ['a'], maxEntries: 1_000 };
		const remove = jest.spyOn(store, 'removeProcessed');
		remove.mockRejectedValueOnce(new Error('SQLITE_BUSY'));
		await findKeys(store, 'payments', request);
		expect(store.saved).toEqual([]);
		remove.mockRejectedValue(new Error('SQLITE_BUSY'));
		await expect(findKeys(store, 'payments', request)).rejects.toThrow('SQLITE_BUSY');
	});

	it('takes as many calls for thousands as for one', async () => {
		const store = new MemoryStore();
		const paid = Array.from({ length: 2_000 }, (_, index) => `paid ${index}`);
		const others = Array.from({ length: 3_000 }, (_, index) => `new ${index}`);
		store.saved = [...paid];
		const begun = performance.now();
		const keys = [...paid, ...others];
		const isRecorded = await findKeys(store, 'thousands', { keys, maxEntries: 2_000 });
		expect(keys.filter(isRecorded)).toEqual(paid);
		expect([store.saved, store.calls]).toEqual([paid, 4]);
		expect(performance.now() - begun).toBeLessThan(1_000);
	});

	it.each([1, 3])('finds nothing that is there for only a moment, in call %d', async (moment) => {
		const store = new MemoryStore();
		store.saved = ['a'];
		store.afterwards = () => (store.saved = store.calls + 1 === moment ? ['a', 'b'] : ['a']);
		store.afterRemoval = store.afterwards;
		store.afterwards();
		const isRecorded = await findKeys(store, 'payments', { keys: ['a', 'b'], maxEntries: 1_000 });
		expect([isRecorded('a'), isRecorded('b')]).toEqual([true, false]);
		expect(store.calls).toBe(4);
	});

	/** Times at which another process begins, in milliseconds. */
	const delays = Array.from({ length: 100 }, (_, index) => 10 * index);

	it('finds what is there, and nothing else, while another process looks for the same', async () => {
		const found = await Promise.all(
			delays.map(async (delay) => {
				const store = new MemoryStore();
				store.saved = ['a', 'a owner 0'];
				const find = async (process: string) => {
					const nodeKey = `looking in ${process} after ${delay}`;
					const isRecorded = await findKeys(store, nodeKey, { keys: ['a', 'b'], maxEntries: 400 });
					return [isRecorded('a'), isRecorded('b')];
				};
				const both = await Promise.all([find('one'), pass(delay).then(() => find('the other'))]);
				expect(store.saved).toEqual(['a', 'a owner 0']);
				return both;
			}),
		);
		expect(new Set(found.flat().map(String))).toEqual(new Set(['true,false']));
	});

	it('takes out no record that another process makes while a third one looks', async () => {
		const kept = await Promise.all(
			delays.map(async (delay) => {
				const store = new MemoryStore();
				store.takesTime = async () => await pass(50);
				const find = async (process: string) =>
					await findKeys(store, `${process} looks, and is paid after ${delay}`, {
						keys: ['a'],
						maxEntries: 400,
					});
				const [{ status }] = await Promise.all([
					pass(150).then(
						async () => await claimStrictly(store, ['a'], { nodeKey: `pays after ${delay}` }),
					),
					find('one'),
					pass(delay).then(async () => await find('the third')),
				]);
				return status === 'seen' || store.keys.includes('a');
			}),
		);
		expect(kept).toEqual(delays.map(() => true));
	});
});

describe('a call that never returns', () => {
	/* On the tests' own clock, which AbortSignal.timeout would not follow. */
	beforeEach(() => {
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
			const controller = new AbortController();
			setTimeout(() => controller.abort(), milliseconds);
			return controller.signal;
		});
	});

	afterEach(() => jest.restoreAllMocks());

	/** A store whose next calls hang after they have read, until they are let go. */
	const hangingStore = (count = 1) => {
		const store = new MemoryStore();
		const hanging: Array<() => void> = [];
		store.takesTime = async () => {
			if (hanging.length === count) return await moment();
			return await new Promise<void>((resolve) => hanging.push(resolve));
		};
		return { store, letGo: (index = 0) => hanging[index]?.() };
	};

	it('fails after half a minute, with all that wait for it', async () => {
		const { store } = hangingStore();
		const begun = performance.now();
		const claims = ['a', 'b'].map(
			async (key) => await claimStrictly(store, [key], { nodeKey: 'stuck for good' }),
		);
		await Promise.all(
			claims.map(
				async (claim) =>
					await expect(claim).rejects.toThrow('n8n’s database did not answer within 30 seconds'),
			),
		);
		expect(performance.now() - begun).toBe(30_000);
		await expect(recordKey(store, 'stuck for good', 'c', HISTORY)).rejects.toThrow(
			'did not answer',
		);
		expect(store.calls).toBe(1);
	});

	it('is waited for by those that come later, since it may still write what it has read', async () => {
		const { store, letGo } = hangingStore();
		const nodeKey = 'late write';
		await expect(claimStrictly(store, ['a'], { nodeKey })).rejects.toThrow('did not answer');
		letGo();
		await pass(1_000);
		expect((await claimStrictly(store, ['b'], { nodeKey })).status).toBe('claimed');
		expect((await claimStrictly(store, ['a'], { nodeKey })).status).toBe('seen');
		expect(store.keys).toEqual(['a', 'b']);
	});
});

it('refuses where n8n keeps something else for the node', async () => {
	const store = new MemoryStore();
	store.checkProcessedAndRecord = async () => ({ new: [], processed: [] });
	await expect(claimStrictly(store, ['a'])).rejects.toMatchObject({
		message: 'n8n’s store holds something else for this node',
		hint: 'Replace the node by a new one of the same kind, with the same settings.',
	});
});

describe('between two calls of one node', () => {
	afterEach(() => jest.restoreAllMocks());

	/** A store, and how long it was left alone before each call but the first, in milliseconds. */
	const timedStore = (durations: readonly number[]) => {
		const store = new MemoryStore();
		const pauses: number[] = [];
		let ended: number | undefined;
		const record = store.checkProcessedAndRecord.bind(store);
		store.checkProcessedAndRecord = async (...given) => {
			if (ended !== undefined) pauses.push(Math.round(performance.now() - ended));
			const duration = durations[store.calls] ?? 0;
			store.takesTime = async () => await new Promise((resolve) => setTimeout(resolve, duration));
			const answer = await record(...given);
			ended = performance.now();
			return answer;
		};
		return { store, pauses };
	};

	it.each([
		['quick ones', [10, 10, 20], [200, 0, 200, 0, 200]],
		['slow ones, up to five seconds', [21, 0, 300, 0, 2_000], [210, 0, 3_000, 0, 5_000]],
		['slow ones that become quick', [400], [4_000, 0, 1_000, 0, 250]],
	])(
		'the store is left alone until a record is verified: %s',
		async (name, durations, expected) => {
			for (const [random, jitter] of [
				[0, 0],
				[0.5, 10],
			] as const) {
				jest.spyOn(Math, 'random').mockReturnValue(random);
				const { store, pauses } = timedStore(durations);
				for (let count = 0; count < 3; count++) {
					await recordKey(store, `${name} ${random}`, `key ${count}`, HISTORY);
				}
				expect(pauses).toEqual(expected.map((pause) => (pause === 0 ? 0 : pause + jitter)));
			}
		},
	);

	it('the store is asked at once where it was left alone for long enough', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		const { store } = timedStore([]);
		for (const calls of [1, 3]) {
			const recording = recordKey(store, 'no wait', `key ${calls}`, HISTORY);
			/* No timer can end in between. */
			for (let count = 0; count < 100; count++) await Promise.resolve();
			expect(store.calls).toBe(calls);
			await recording;
			await pass(200);
		}
	});

	it('the store is left alone until what an owner records beside its claim is verified', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const { store, pauses } = timedStore([]);
		const claim = { nodeKey: 'beside', owner: 'owner x' };
		await claimStrictly(store, ['a'], claim);
		await claimStrictly(store, ['a'], { ...claim, also: ['paid'] });
		expect(pauses).toEqual([200, 0, 200]);
	});

	it('the only process waits a fifth of a second at most, and leaves no mark', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const { store, pauses } = timedStore([5, 300, 5]);
		const only = { nodeKey: 'only process', isOnlyProcess: true, maxEntries: 3 };
		const statuses: string[] = [];
		for (const key of ['a', 'a', 'b', 'c', 'd']) {
			statuses.push((await claimStrictly(store, [key], { ...only, isStrict: false })).status);
		}
		expect(statuses).toEqual(['claimed', 'seen', 'claimed', 'claimed', 'claimed']);
		expect(pauses).toEqual([100, 200, 200, 200]);
		expect(store.saved).toEqual(['b', 'c', 'd']);
	});

	it('also after a call that failed', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const { store, pauses } = timedStore([]);
		await recordKey(store, 'failing', 'a', HISTORY);
		const record = store.checkProcessedAndRecord;
		let failed = 0;
		store.checkProcessedAndRecord = async () => {
			failed = performance.now();
			store.checkProcessedAndRecord = record;
			throw new Error('SQLITE_BUSY');
		};
		await recordKey(store, 'failing', 'b', HISTORY);
		expect(performance.now() - failed).toBeGreaterThanOrEqual(200);
		expect(pauses).toEqual([200, 200, 200]);
	});
});

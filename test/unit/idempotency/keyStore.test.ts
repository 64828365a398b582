import { getEventListeners } from 'node:events';

import {
	claimForEvent,
	claimForPayment,
	lookUp,
	recordForGood,
	type PaymentClaim,
	type PaymentClaimRequest,
} from '../../../nodes/PayrollPayments/idempotency/keyStore';
import type { ProcessedStore } from '../../../nodes/PayrollPayments/idempotency/nodeList';
import { recordEvent } from '../../../nodes/PayrollPayments/trigger/recordOnce';
import { fail, MemoryStore, moment, pass, runVirtualClock } from './memoryStore';

runVirtualClock();

let store: MemoryStore;

beforeEach(() => {
	store = new MemoryStore();
});
afterEach(() => jest.restoreAllMocks());

/** Where a key goes, if not into the store of the test. */
interface Place {
	readonly nodeKey?: string;
	readonly into?: ProcessedStore;
}

let owners = 0;
/** Somebody who never recorded anything before. */
const newOwner = () => `owner ${(owners += 1)}`;

/** Records a key of an event; `history` is how many are remembered. */
const recordKey = async (
	key: string,
	{ nodeKey = 'node', into = store, history = 5 }: Place & { history?: number } = {},
) => await recordEvent(into, nodeKey, key, { history, owner: newOwner(), mayComeAgain: false });

/** A claim as payments make it. */
const claimKeys = async (
	keys: readonly string[],
	{ nodeKey = 'payments', into = store, ...more }: Place & Partial<PaymentClaimRequest> = {},
): Promise<PaymentClaim | undefined> =>
	await claimForPayment(
		{ store: into, nodeKey, maxEntries: 1_000 },
		{ keys, mayClaim: (isRecorded) => !keys.some(isRecorded), ...more },
	);

const released = async (claim: PaymentClaim | undefined): Promise<void> => {
	if (claim === undefined) throw new Error('was not claimed');
	await claim.release();
};

it('holds no call to n8n’s store for the 30 seconds that it might have taken', async () => {
	const timeout = jest.spyOn(AbortSignal, 'timeout');
	await recordKey('a');
	const signals = timeout.mock.results.map(({ value }) => value);
	expect(signals).toContainEqual(expect.any(AbortSignal));
	expect(signals.flatMap((each) => getEventListeners(each, 'abort'))).toEqual([]);
});

it('gives exactly one the first, whenever another comes while that one still checks its record', async () => {
	const outcomes = await Promise.all(
		Array.from({ length: 250 }, async (_, delay) => {
			const into = new MemoryStore();
			const nodeKey = `a repeat after ${delay}`;
			const record = async () => await recordKey('a', { nodeKey, into, history: 5_000 });
			const both = await Promise.all([record(), pass(delay).then(record)]);
			return both.sort().join(' ');
		}),
	);
	expect(new Set(outcomes)).toEqual(new Set(['first seen']));
});

it('forgets the oldest first', async () => {
	const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`);
	for (const key of keys) await recordKey(key);
	expect(store.keys.slice(-5)).toEqual(keys.slice(-5));
	/* What is being verified has some room beyond that. */
	expect(store.keys.length).toBeLessThanOrEqual(15);
	expect(await recordKey('key 35')).toBe('seen');
	expect(await recordKey('key 0')).toBe('first');
});

it.each([
	['is recorded again', ['of another process'], 'first', ['a', expect.stringMatching(/^a owner/)]],
	['belongs to the other one', ['a', 'a of another process'], 'seen', []],
])(
	'a key that another process, late to write, overwrote %s',
	async (_what, written, outcome, added) => {
		const recording = recordKey('a');
		while (!store.keys.includes('a')) await moment();
		store.saved = written;
		expect(await recording).toBe(outcome);
		expect(store.saved).toEqual([...written, ...added]);
	},
);

it('gives up where the record never stays, but runs an event that nobody else has', async () => {
	store.afterwards = () => (store.saved = []);
	await expect(claimKeys(['a'])).rejects.toMatchObject({
		message: 'n8n did not keep the record that guards against doing this twice',
		hint: 'Several n8n processes may be writing it at the same time. Try again in a moment.',
	});
	expect(store.calls).toBe(11);
	expect(await recordKey('a')).toBe('first');
});

it.each([1, 100, 5_000])('runs all of 1,500 at once with a history of %d', async (history) => {
	const keys = Array.from({ length: 1_500 }, (_, index) => `${index}`);
	const record = async (key: string, index: number) =>
		await recordKey(key, { nodeKey: `burst of ${history} in ${index % 2}`, history });
	expect(new Set(await Promise.all(keys.map(record)))).toEqual(new Set(['first']));
	expect(store.calls).toBeLessThan(10);
	if (history === 5_000) expect(new Set(store.keys)).toEqual(new Set(keys));
});

it('after a first call that failed, records a key that is new, and leaves the other to a person', async () => {
	for (const [recorded, outcome] of [
		['a', 'n8n’s database failed, so it isn’t known whether this event ran before'],
		['b', 'first'],
	] as const) {
		store.once('meanwhile', () => {
			store.saved = [recorded];
			throw new Error('connection lost');
		});
		const recording = recordKey('a');
		expect(await recording.catch((error: unknown) => Object(error).message)).toBe(outcome);
	}
	expect(store.keys).toEqual(['b', 'a']);
});

it('does not let one node wait for another', async () => {
	const stuck: ProcessedStore = {
		checkProcessedAndRecord: () => new Promise(() => {}),
		removeProcessed: () => new Promise(() => {}),
	};
	void recordKey('a', { into: stuck, nodeKey: 'stuck node' });
	expect(await recordKey('a', { nodeKey: 'other node' })).toBe('first');
});

describe('permanent keys', () => {
	const claimWith = async (key: string, permanentKeys: readonly string[]) =>
		await claimKeys([key], { nodeKey: 'permanent', permanentKeys });
	const lose = (key: string) => () => (store.saved = store.saved.filter((each) => each !== key));

	it.each([
		['nothing', ['paid', 'a'], 2],
		['paid', ['a', 'paid'], 3],
		['a', ['paid', 'a'], 3],
	])('are verified with the claim, where %s is lost', async (key, keys, calls) => {
		store.once('afterwards', lose(key));
		expect(await claimWith('a', ['paid'])).toBeDefined();
		expect([store.keys, store.calls]).toEqual([keys, calls]);
	});

	it('stay where the claim comes to nothing or is released', async () => {
		const claim = await claimWith('a', ['paid']);
		expect(await claimWith('a', ['paid too'])).toBeUndefined();
		await released(claim);
		expect(store.saved).toEqual(['paid', 'paid too']);
	});

	it('alone are there at the end, whatever another process overwrites', async () => {
		store.saved = ['a'];
		store.once('afterwards', () => (store.saved = ['a']));
		await recordForGood({ store, nodeKey: 'paid', maxEntries: 1_000 }, ['a', 'b']);
		expect([store.keys, store.calls]).toEqual([['a', 'b'], 3]);
	});
});

it('a required key that isn’t there lets nobody claim, and isn’t recorded', async () => {
	store.saved = ['other'];
	expect(await claimKeys(['a'], { requiredKeys: ['earlier', 'other'] })).toBeUndefined();
	expect([store.saved, store.calls]).toEqual([['other'], 2]);
});

it('a request that is canceled ends at once where it waits for its turn, and records nothing', async () => {
	const cancel = new AbortController();
	const [list, { signal }] = [{ store, nodeKey: 'canceled', maxEntries: 1_000 }, cancel];
	/* In its last call, so that nobody shares the next one with those that are canceled. */
	store.takesTime = async () => await pass(100);
	const other = claimKeys(['a'], { nodeKey: 'canceled' });
	while (store.calls < 2) await moment();
	const claim = async () => await claimKeys(['b'], { nodeKey: 'canceled', signal });
	const waiting = [claim(), lookUp(list, [['c']], signal)];
	const begun = performance.now();
	cancel.abort(new Error('stopped'));
	for (const each of waiting) await expect(each).rejects.toThrow('stopped');
	await expect(claim()).rejects.toThrow('stopped');
	expect(performance.now() - begun).toBe(0);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
	await other;
	await pass(60_000);
	expect([store.keys, store.calls]).toEqual([['a'], 2]);
});

/** Lets another process read the list at these removals, by number, and write it back a bit later. */
const writeBack = (removals: readonly number[]) => {
	const remove = store.removeProcessed.bind(store);
	let count = 0;
	store.removeProcessed = async (...given) => {
		count += 1;
		const list = [...store.saved];
		const isRead = removals.includes(count);
		await remove(...given);
		if (isRead) setTimeout(() => (store.saved = list), 100);
	};
};

describe('a claim that is released', () => {
	it.each([[], [1], [1, 2], [1, 2, 3]].map((at) => [at]))(
		'leaves the record exactly as it was, where another process reads at the removals %j',
		async (at) => {
			await claimKeys(['of another']);
			const before = [...store.saved];
			const claim = await claimKeys(['a', 'b']);
			writeBack(at);
			await released(claim);
			expect(store.saved).toEqual(before);
		},
	);

	it('takes out nothing that another owner records after it', async () => {
		const claim = await claimKeys(['a']);
		const others = ['a', 'a owner of another process'];
		store.afterRemoval = () => (store.saved = others);
		await released(claim);
		expect(store.saved).toEqual(others);
	});

	/* Each call takes a fifth of a second. */
	it('asks the store no more often than needed, and ends where its entries always come back', async () => {
		const claim = await claimKeys(['a']);
		const { calls } = store;
		await released(claim);
		expect([store.saved, store.calls - calls]).toEqual([[], 2]);
		const next = await claimKeys(['a']);
		const before = store.calls;
		store.removeProcessed = async () => {};
		await released(next);
		expect(store.calls - before).toBe(10);
	});
});

describe('a claim that fails', () => {
	it.each([[[]], [[1]]])(
		'takes out those of its keys that were not there, written back at the removals %j',
		async (at) => {
			await claimKeys(['a', 'b']);
			const before = [...store.saved];
			writeBack(at);
			expect(await claimKeys(['b', 'c'])).toBeUndefined();
			await pass(100);
			expect(store.saved).toEqual(before);
		},
	);

	it.each([1, 2])('is what a key means that is there after its call %d failed', async (call) => {
		const nodeKey = `error in call ${call}`;
		await claimKeys(['old'], { nodeKey });
		for (const key of ['old', 'new']) {
			const { calls } = store;
			store.afterwards = () => {
				if (store.calls - calls === call) fail('it broke after the write')();
			};
			expect(await claimKeys([key], { nodeKey })).toBeUndefined();
		}
		expect(store.keys).toEqual(['old', 'new']);
	});
});

describe('events that wait at the same moment', () => {
	/* The store was just asked, so the next ones wait and are asked about together. */
	beforeEach(async () => void (await recordKey('before')));

	it('leave room to those that have yet to be verified, unless no other process can have them', async () => {
		const record = jest.spyOn(store, 'checkProcessedAndRecord');
		const claim = async (key: string, isOnlyProcess: boolean) =>
			await claimForEvent(
				{ store, nodeKey: 'node', maxEntries: 7 },
				{ key, owner: newOwner(), isOnlyProcess },
			);
		const rooms = () => record.mock.calls.splice(0).map(([, , { maxEntries }]) => maxEntries);
		expect(await claim('a', true)).toBe('claimed');
		expect(await Promise.all([claim('b', true), claim('b', true)])).toEqual(['claimed', 'seen']);
		expect(rooms()).toEqual([7, 7]);
		expect(await Promise.all([claim('c', true), claim('d', false)])).toEqual([
			'claimed',
			'claimed',
		]);
		expect(rooms()).toEqual([37, 27]);
	});

	it('share the failure of their call', async () => {
		store.once('afterwards', fail('the connection broke after the write'));
		const recorded = ['a', 'b'].map(async (key) => await recordKey(key, { history: 9 }));
		for (const each of recorded) await expect(each).rejects.toThrow('it isn’t known');
		expect(store.keys).toEqual(['before', 'a', 'b']);
	});

	it('share the call that takes out what the late ones recorded', async () => {
		const removed = jest.spyOn(store, 'removeProcessed');
		const keys = Array.from({ length: 20 }, () => 'before');
		const outcomes = await Promise.all(keys.map(async (key) => await recordKey(key)));
		expect(new Set(outcomes)).toEqual(new Set(['seen']));
		expect(removed.mock.calls.map(([entries]) => entries.length)).toEqual([20]);
	});

	it('make nothing forgotten where the first of them has more room', async () => {
		const old = Array.from({ length: 100 }, (_, index) => `old ${index}`);
		store.saved = [...old, ...store.saved];
		await Promise.all([recordKey('a', { history: 100 }), recordKey('b', { history: 3 })]);
		expect(store.keys).toEqual([...old, 'before', 'a', 'b']);
	});

	it('are asked about no more often than needed after a call that failed', async () => {
		const { calls } = store;
		store.once('meanwhile', fail('SQLITE_BUSY'));
		const failing = recordKey('a');
		while (store.calls === calls) await moment();
		const next = recordKey('b');
		expect(await Promise.all([failing, next])).toEqual(['first', 'first']);
		await pass(60_000);
		expect(store.calls - calls).toBe(3);
	});
});

describe('looking for keys', () => {
	/* The pauses before calls are the same in every run: each differs from the last ones. */
	beforeEach(() => {
		let count = 0;
		jest.spyOn(Math, 'random').mockImplementation(() => ((count += 1) * 0.618) % 1);
	});

	const find = async (
		keys: string[],
		{ nodeKey = 'payments', maxEntries = 1_000, from = store } = {},
	) => {
		const groups = keys.map((key) => [key]);
		return keys.filter(await lookUp({ store: from, nodeKey, maxEntries }, groups));
	};

	it('tries once more to take out its trace, and rejects where it could not', async () => {
		const remove = jest.spyOn(store, 'removeProcessed');
		remove.mockRejectedValueOnce(new Error('SQLITE_BUSY'));
		await find(['a']);
		expect(store.saved).toEqual([]);
		remove.mockRejectedValue(new Error('SQLITE_BUSY'));
		await expect(find(['a'])).rejects.toThrow('SQLITE_BUSY');
	});

	const thousands = Array.from({ length: 3_000 }, (_, index) => `new ${index}`);

	it('takes as many calls for thousands as for one', async () => {
		const paid = Array.from({ length: 2_000 }, (_, index) => `paid ${index}`);
		store.saved = [...paid];
		const removed = jest.spyOn(store, 'removeProcessed');
		const begun = performance.now();
		const found = await find([...paid, ...thousands], { nodeKey: 'thousands', maxEntries: 2_000 });
		expect(found).toEqual(paid);
		expect([store.saved, store.calls]).toEqual([paid, 4]);
		/* The last of each is its mark. */
		const sizes = removed.mock.calls.map(([entries]) => entries.length).filter((size) => size > 20);
		expect(sizes).toEqual(Array.from({ length: 12 }, () => 251));
		expect(performance.now() - begun).toBeLessThan(1_000);
	});

	it('leaves what another process claims while its trace of thousands is taken out', async () => {
		const remove = store.removeProcessed.bind(store);
		/* n8n looks through its whole list for each entry. */
		jest.spyOn(store, 'removeProcessed').mockImplementation(async (entries, ...others) => {
			store.takesTime = async () => await pass(entries.length / 2);
			const removed = remove(entries, ...others);
			store.takesTime = moment;
			await removed;
		});
		const looking = find(thousands, { nodeKey: 'looks' });
		await pass(10);
		expect(await claimKeys(['a'], { nodeKey: 'claims' })).toBeDefined();
		await looking;
		expect(store.keys).toEqual(['a']);
	});

	it.each([3, 9, 12])('takes it out, too, where it comes back after call %d', async (moment) => {
		let read: string[] = [];
		store.afterRemoval = (count) => {
			if (count === 2) read = store.saved;
			if (count === moment) store.saved = read;
		};
		expect(await find(thousands)).toEqual([]);
		expect(store.saved).toEqual([]);
	});

	it.each([1, 3])('finds nothing that is there for only a moment, in call %d', async (moment) => {
		store.saved = ['a'];
		store.afterwards = () => (store.saved = store.calls + 1 === moment ? ['a', 'b'] : ['a']);
		store.afterRemoval = store.afterwards;
		store.afterwards();
		expect(await find(['a', 'b'])).toEqual(['a']);
		expect(store.calls).toBe(4);
	});

	/** Times at which another process begins, in milliseconds. */
	const delays = Array.from({ length: 100 }, (_, index) => 10 * index);

	it('takes out no record that another process makes between two that were made together', async () => {
		writeBack([1]);
		store.afterRemoval = (count) => count === 3 && store.saved.push('a', 'its owner');
		await Promise.all([find(['a']), find(['a', 'b'])]);
		expect(store.saved).toEqual(['a', 'its owner']);
	});

	it('takes out no record that another process makes while a third one looks', async () => {
		const kept = await Promise.all(
			delays.map(async (delay) => {
				const into = new MemoryStore();
				into.takesTime = async () => await pass(50);
				const look = async (process: string) =>
					await find(['a'], { nodeKey: `${process} looks, paid after ${delay}`, from: into });
				const pay = async () => await claimKeys(['a'], { nodeKey: `pays after ${delay}`, into });
				const [claim] = await Promise.all([
					pass(150).then(pay),
					look('one'),
					pass(delay).then(async () => await look('the third')),
				]);
				return claim === undefined || into.keys.includes('a');
			}),
		);
		expect(kept).toEqual(delays.map(() => true));
	});
});

describe('a call that never returns', () => {
	/** Lets the first call go, which hangs after it has read. */
	let letGo: () => void;

	beforeEach(() => {
		/* On the tests' own clock, which AbortSignal.timeout would not follow. */
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
			const controller = new AbortController();
			setTimeout(() => controller.abort(), milliseconds);
			return controller.signal;
		});
		const hanging = new Promise<void>((resolve) => (letGo = resolve));
		store.takesTime = async () => await (store.calls === 1 ? hanging : moment());
	});

	it('fails after half a minute, with all that wait for it', async () => {
		const nodeKey = 'stuck for good';
		const begun = performance.now();
		const claims = await Promise.allSettled(
			['a', 'b'].map(async (key) => await claimKeys([key], { nodeKey })),
		);
		const message = 'n8n’s database did not answer within 30 seconds';
		expect(claims).toMatchObject(Array(2).fill({ status: 'rejected', reason: { message } }));
		expect(performance.now() - begun).toBe(30_000);
		await expect(recordKey('c', { nodeKey })).rejects.toThrow('did not answer');
		expect(store.calls).toBe(1);
	});

	it('is waited for by those that come later, since it may still write what it has read', async () => {
		const nodeKey = 'late write';
		await expect(claimKeys(['a'], { nodeKey })).rejects.toThrow('did not answer');
		letGo();
		await pass(1_000);
		expect(await claimKeys(['b'], { nodeKey })).toBeDefined();
		expect(await claimKeys(['a'], { nodeKey })).toBeUndefined();
		expect(store.keys).toEqual(['a', 'b']);
	});
});

it('refuses where n8n keeps something else for the node', async () => {
	store.checkProcessedAndRecord = async () => ({ new: [], processed: [] });
	await expect(claimKeys(['a'])).rejects.toMatchObject({
		message: 'n8n’s deduplication data for this node isn’t ours',
		hint: expect.stringContaining('first mark in your sheet what was paid'),
	});
});

describe('between two calls of one node', () => {
	beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));

	/** How long the store will be left alone before each call but the first, in milliseconds. */
	const pausesBetween = (durations: readonly number[] = []): number[] => {
		const pauses: number[] = [];
		let ended: number | undefined;
		const record = store.checkProcessedAndRecord.bind(store);
		store.checkProcessedAndRecord = async (...given) => {
			if (ended !== undefined) pauses.push(Math.round(performance.now() - ended));
			const duration = durations[store.calls] ?? 0;
			store.takesTime = async () => await pass(duration);
			const answer = await record(...given);
			ended = performance.now();
			return answer;
		};
		return pauses;
	};

	it.each([
		['quick ones', 0, [2, 2, 2], [200, 0, 200, 0, 200]],
		['quick ones, out of step', 0.5, [2, 2, 2], [210, 0, 210, 0, 210]],
		['slow ones, up to five seconds', 0, [21, 0, 300, 0, 2_000], [210, 0, 3_000, 0, 5_000]],
		['slow ones, out of step', 0.5, [20, 0, 300, 0, 2_000], [250, 0, 3_750, 0, 6_250]],
		['slow ones that become quick', 0, [400], [4_000, 0, 1_000, 0, 250]],
	])(
		'the store is left alone until a record is verified: %s',
		async (nodeKey, random, durations, expected) => {
			jest.spyOn(Math, 'random').mockReturnValue(random);
			const pauses = pausesBetween(durations);
			for (const key of ['a', 'b', 'c']) await recordKey(key, { nodeKey });
			expect(pauses).toEqual(expected);
		},
	);

	it('the store is asked at once where it was left alone for long enough', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		for (const calls of [1, 3]) {
			const recording = recordKey(`key ${calls}`, { nodeKey: 'no wait' });
			/* No timer can end in between. */
			for (let count = 0; count < 100; count++) await Promise.resolve();
			expect(store.calls).toBe(calls);
			await recording;
			await pass(200);
		}
	});

	it('the store is left alone, too, where one of two events is still to be verified', async () => {
		const pauses = pausesBetween();
		const first = recordKey('a', { nodeKey: 'overlapping' });
		while (store.calls === 0) await moment();
		const second = recordKey('b', { nodeKey: 'overlapping' });
		expect(await Promise.all([first, second])).toEqual(['first', 'first']);
		expect(pauses).toEqual([200, 200]);
	});

	it.each([
		[1, 20],
		[5, 100],
		[300, 200],
	])(
		'after %d ms, the store is left alone for %d where no other process can have the events',
		async (duration, pause) => {
			const pauses = pausesBetween([duration]);
			const list = { store, nodeKey: `alone for ${pause}`, maxEntries: 100 };
			for (const key of ['a', 'b']) {
				await claimForEvent(list, { key, owner: 'me', isOnlyProcess: true });
			}
			expect(pauses).toEqual([pause]);
		},
	);

	it('also after a call that failed', async () => {
		const pauses = pausesBetween();
		await recordKey('a', { nodeKey: 'failing' });
		const record = store.checkProcessedAndRecord;
		let failed = 0;
		store.checkProcessedAndRecord = async () => {
			failed = performance.now();
			store.checkProcessedAndRecord = record;
			throw new Error('SQLITE_BUSY');
		};
		await recordKey('b', { nodeKey: 'failing' });
		expect(performance.now() - failed).toBeGreaterThanOrEqual(200);
		expect(pauses).toEqual([200, 200, 200]);
	});
});

import type { DeduplicationItemTypes, ICheckProcessedOptions } from 'n8n-workflow';

import type { ProcessedStore } from '../../../nodes/PayrollPayments/idempotency/nodeList';

let isOver = false;

/** A moment in which everybody else gets a turn. What still waits when the tests are over never goes on. */
export const moment = () =>
	new Promise((resolve) => {
		if (!isOver) setImmediate(resolve);
	});

/**
 * Gives the tests of a file a clock of their own, as fast as the machine: no test waits, and none is
 * late because others run. `AbortSignal.timeout` would follow the machine's clock, and reach into the
 * next file; it never expires here.
 */
export function runVirtualClock(): void {
	const { timeout } = AbortSignal;
	beforeAll(() => {
		jest.useFakeTimers({ doNotFake: ['setImmediate'] });
		AbortSignal.timeout = () => new AbortController().signal;
		const run = async () => {
			while (!isOver) {
				await jest.advanceTimersToNextTimerAsync();
				await moment();
			}
		};
		void run();
	});
	afterAll(() => {
		isOver = true;
		AbortSignal.timeout = timeout;
		jest.useRealTimers();
	});
}

/** `expect` would cost more than the store itself. */
function assertEntriesOfNode(scope: string, mode: string): void {
	if (scope !== 'node' || mode !== 'entries') {
		throw new Error(`n8n’s store was called for ${scope} and ${mode}`);
	}
}

/** A call that fails. */
export const fail = (words: string) => (): never => {
	throw new Error(words);
};

/**
 * A store like n8n's: every call reads one list and writes it back whole, a moment later, and
 * nothing keeps two calls apart.
 */
export class MemoryStore implements ProcessedStore {
	saved: string[] = [];
	calls = 0;
	/** Called between reading and writing. */
	meanwhile: () => void = () => {};
	/** Called once a call has written: if it throws, the call fails, though it has written. */
	afterwards: () => void = () => {};
	/** Called once entries were removed, with the number of removals so far. */
	afterRemoval: (count: number) => unknown = () => {};
	private removals = 0;
	/** The time between reading and writing. */
	takesTime: () => Promise<unknown> = moment;

	async checkProcessedAndRecord(
		given: DeduplicationItemTypes[],
		scope: string,
		{ mode, maxEntries = 0 }: ICheckProcessedOptions,
	) {
		const items = given.map((item) => item.toString());
		this.calls += 1;
		assertEntriesOfNode(scope, mode);
		if (!(maxEntries > 0)) throw new Error(`n8n’s store can’t keep ${maxEntries} entries`);
		const list = [...this.saved];
		await this.takesTime();
		const asked = new Set(items);
		const known = new Set(list.filter((item) => asked.has(item)));
		const processed = items.filter((item) => known.has(item));
		const fresh = items.filter((item) => !known.has(item));
		list.push(...fresh);
		list.splice(0, Math.max(0, list.length - maxEntries));
		this.meanwhile();
		this.saved = list;
		this.afterwards();
		return { new: fresh, processed };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: string,
		{ mode }: ICheckProcessedOptions,
	) {
		assertEntriesOfNode(scope, mode);
		// n8n fails here where an item is undefined.
		const removed = new Set(items.map((item) => item.toString()));
		const list = this.saved.filter((item) => !removed.has(item));
		await this.takesTime();
		this.saved = list;
		this.afterRemoval((this.removals += 1));
	}

	/** Does something, or fails, in the next call only. */
	once(moment: 'meanwhile' | 'afterwards', then: () => void): void {
		this[moment] = () => {
			this[moment] = () => {};
			then();
		};
	}

	/** The keys, without the marks of who recorded them. */
	get keys(): string[] {
		return this.saved.filter((item) => !/ owner |^[\da-f]{8}-[\da-f]{4}-/.test(item));
	}
}

/** What somebody waits for who has crashed. */
export const never = async () => await new Promise<never>(() => {});

export const pass = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * The store as a process sees it that may crash, and whose calls may fail, before they write or after.
 * @param dice a number below 20 for each call, or one below 0 where none fails
 */
export function unreliable(
	store: ProcessedStore,
	{ isDead, dice }: { readonly isDead: () => boolean; readonly dice: () => number },
): ProcessedStore {
	const call = async <Result>(make: () => Promise<Result>): Promise<Result> => {
		if (isDead()) return await never();
		const fault = dice();
		if (fault === 0) throw new Error('failed before the write');
		const result = await make();
		if (isDead()) return await never();
		if (fault === 1) throw new Error('failed after the write');
		return result;
	};
	return {
		checkProcessedAndRecord: async (...given) =>
			await call(async () => await store.checkProcessedAndRecord(...given)),
		removeProcessed: async (...given) =>
			await call(async () => await store.removeProcessed(...given)),
	};
}

import { sleep } from 'n8n-workflow';

import { Refusal } from '../contract/refusal';

/** n8n's options for a plain list of keys. */
interface EntriesOptions {
	readonly mode: 'entries';
	/** How many keys the list holds; n8n drops those recorded first. 0 would mean no bound. */
	readonly maxEntries: number;
}

/**
 * The part of n8n's deduplication helpers that is needed (`this.helpers` of an executing node);
 * plain, so that tests can stand in for n8n's store.
 *
 * What the store promises, as read in n8n 2.41.1: one row per workflow and node, with the keys'
 * MD5 hashes in the order in which they were first recorded. A known key is not moved to the end,
 * and no times are kept. Every call reads the row and writes it back whole, without a lock or a
 * transaction: of two calls at once, the later write forgets what the earlier one recorded.
 */
export interface ProcessedStore {
	checkProcessedAndRecord(
		items: string[],
		scope: 'node',
		options: EntriesOptions,
	): Promise<{
		new: ReadonlyArray<string | number>;
		processed: ReadonlyArray<string | number>;
	}>;
	removeProcessed(items: string[], scope: 'node', options: EntriesOptions): Promise<void>;
}

export interface HistoryOptions {
	/** How many keys are remembered for the node, at least 1; the oldest are forgotten first. */
	readonly history: number;
}

/** How often a key that another n8n process overwrote is recorded again before giving up. */
const CHECKS = 10;

/** The last task of every node that has one under way in this process. */
const queues = new Map<string, Promise<unknown>>();

/** Runs the tasks of one node one after the other, in the order in which they came. */
async function inTurn<Result>(nodeKey: string, task: () => Promise<Result>): Promise<Result> {
	const result = (queues.get(nodeKey) ?? Promise.resolve()).then(task);
	const settled = result.catch(() => undefined);
	queues.set(nodeKey, settled);
	try {
		return await result;
	} finally {
		if (queues.get(nodeKey) === settled) queues.delete(nodeKey);
	}
}

/** Milliseconds in which another process surely writes what it has read. */
const LATER = 200;

/** Before it is checked later, a key may have left a shorter history than this for its age. */
const LONG = 1_000;

/** The keys that are still to be checked later. */
const unsettled = new Set<string>();

const nameOf = (nodeKey: string, key: string) => `${nodeKey} ${key}`;

/**
 * Records a key once more if it was overwritten after all: by a process that had read the row
 * before, and wrote it back late. Nobody waits for this, and {@link forgetKey} prevents it.
 */
async function checkLater(
	nodeKey: string,
	key: string,
	wasRecorded: () => Promise<boolean>,
): Promise<void> {
	const name = nameOf(nodeKey, key);
	unsettled.add(name);
	for (let check = 0; check < CHECKS && unsettled.has(name); check++) {
		await sleep(LATER);
		await inTurn(nodeKey, async () => {
			if (unsettled.has(name) && (await wasRecorded())) unsettled.delete(name);
		}).catch(() => undefined);
	}
	unsettled.delete(name);
}

/**
 * Records a key in n8n's own store, which survives a restart.
 *
 * Within one n8n process exactly one call gets `first` for a key, whatever runs at once; every
 * other gets `seen`. Across processes n8n offers no lock: the record is checked again, at once and
 * a moment later, until it stays; but two processes that record the same key at the same moment
 * may both be `first`.
 *
 * @param nodeKey names the workflow and the node, the scope of the lock and of the record.
 * @throws {Refusal} or n8n's own error where it cannot be recorded, or where it stays unknown who
 * recorded it. The key may then be in the store all the same.
 */
export async function recordKey(
	store: ProcessedStore,
	nodeKey: string,
	key: string,
	{ history }: HistoryOptions,
): Promise<'first' | 'seen'> {
	const wasRecorded = async () => {
		const { processed } = await store.checkProcessedAndRecord([key], 'node', {
			mode: 'entries',
			maxEntries: history,
		});
		return processed.includes(key);
	};

	/* A node's very first key is an insert, which fails if another process was faster. */
	const wasRecordedBefore = async () =>
		await wasRecorded().catch(async (error: unknown) => {
			if (await wasRecorded()) throw error;
			return false;
		});

	return await inTurn(nodeKey, async () => {
		if (await wasRecordedBefore()) return 'seen';
		for (let check = 0; check < CHECKS; check++) {
			if (!(await wasRecorded())) continue;
			if (history >= LONG) void checkLater(nodeKey, key, wasRecorded);
			return 'first';
		}
		throw new Refusal('n8n did not keep the record that guards against doing this twice', {
			hint: 'Several n8n processes may be writing it at once. Try again in a moment.',
		});
	});
}

/** Takes a key out of n8n's store, so that the next {@link recordKey} gets `first` again. */
export async function forgetKey(
	store: ProcessedStore,
	nodeKey: string,
	key: string,
	{ history }: HistoryOptions,
): Promise<void> {
	unsettled.delete(nameOf(nodeKey, key));
	await inTurn(nodeKey, async () => {
		await store.removeProcessed([key], 'node', { mode: 'entries', maxEntries: history });
	});
}

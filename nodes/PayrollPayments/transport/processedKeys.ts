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

export interface RecordOptions extends HistoryOptions {
	/** Who records: another call with the same owner gets `first` again. */
	readonly owner: string;
}

/** Milliseconds in which another process surely writes what it has read, where the store is quick. */
const SETTLED = 200;

/** Where it is slow: so many times as long as the last call took. */
const PATIENCE = 5;

/** And at most so many milliseconds. */
const LONGEST_SETTLED = 5_000;

/** Longest pause before a call, in milliseconds: without pauses busy processes overwrite each other on and on. */
const PAUSE = 20;

/** How often a record that another process overwrote is made again before giving up. */
const CHECKS = 10;

/** With a history shorter than this a key may have left it for its age when it is checked. */
const SHORT = 100;

/** A key that is to be recorded, and what became of it once its turn has come. */
interface Look {
	readonly key: string;
	/** What stands in the store beside the key: who recorded it. */
	readonly mark: string;
	found?: 'recorded' | 'ours' | 'seen';
}

/** Every key stands in the store beside a mark. */
const entries = (history: number): EntriesOptions => ({ mode: 'entries', maxEntries: 2 * history });

/** The calls of one node to n8n's store, one at a time, in the order in which they were asked for. */
class NodeQueue {
	private lastTurn: Promise<unknown> = Promise.resolve();
	private readonly waiting = new Set<Look>();
	/** Milliseconds to wait before a record is looked at again. */
	settleTime = SETTLED;

	async inTurn(task: () => Promise<void>): Promise<void> {
		const turn = this.lastTurn.then(task);
		this.lastTurn = turn.catch(() => undefined);
		await turn;
	}

	/** Looks for a key, together with all those that wait by then; records it if it is not there. */
	async find(store: ProcessedStore, look: Look, history: number): Promise<Look['found']> {
		this.waiting.add(look);
		try {
			await this.inTurn(async () => {
				if (look.found !== undefined) return;
				await sleep(Math.random() * PAUSE);
				await this.lookTogether(store, history);
			});
		} finally {
			this.waiting.delete(look);
		}
		return look.found;
	}

	private async lookTogether(store: ProcessedStore, history: number): Promise<void> {
		const looks = [...this.waiting];
		const begun = Date.now();
		/* Everybody's mark is asked for: whoever looks again may wait behind a newcomer with the same key. */
		const { processed } = await store.checkProcessedAndRecord(
			[...new Set(looks.flatMap(({ key, mark }) => [key, mark]))],
			'node',
			entries(history),
		);
		const patient = Math.min(PATIENCE * (Date.now() - begun), LONGEST_SETTLED);
		this.settleTime = Math.max(SETTLED, patient);
		const known = new Set(processed);
		for (const look of looks) {
			this.waiting.delete(look);
			if (known.has(look.mark)) look.found = 'ours';
			else if (known.has(look.key)) look.found = 'seen';
			else look.found = 'recorded';
			known.add(look.key);
		}
		/* Marks of those who came too late only take room, so it does not matter if they stay. */
		const late = looks.filter(({ found }) => found === 'seen').map(({ mark }) => mark);
		if (late.length > 0) {
			await store.removeProcessed(late, 'node', entries(history)).catch(() => undefined);
		}
	}
}

const queues = new Map<string, NodeQueue>();

function queueOf(nodeKey: string): NodeQueue {
	const queue = queues.get(nodeKey) ?? new NodeQueue();
	queues.set(nodeKey, queue);
	return queue;
}

/**
 * Records a key in n8n's own store, which survives a restart.
 *
 * Within one n8n process exactly one owner gets `first` for a key, whatever runs at once; every
 * other gets `seen`. Across processes n8n offers no lock, so the owner's mark is recorded with the
 * key and looked for again a moment later: of two processes that recorded the key at once, the one
 * whose mark was overwritten knows it. That moment grows with the time that the store takes; it
 * fails only where another process holds on to what it has read for longer still.
 *
 * @param nodeKey names the workflow and the node, the scope of the lock and of the record.
 * @throws {Refusal} or n8n's own error where it cannot be recorded. The key may then be in the store
 * all the same.
 */
export async function recordKey(
	store: ProcessedStore,
	nodeKey: string,
	key: string,
	{ history, owner }: RecordOptions,
): Promise<'first' | 'seen'> {
	const queue = queueOf(nodeKey);
	const find = async () => await queue.find(store, { key, mark: `${key} ${owner}` }, history);

	/* A node's very first record is an insert, which fails if another process was faster. */
	let found = await find().catch(find);
	if (found !== 'seen' && history < SHORT) return 'first';
	for (let check = 0; check < CHECKS && found !== 'seen'; check++) {
		await sleep(queue.settleTime);
		found = await find();
		if (found === 'ours') return 'first';
	}
	if (found === 'seen') return 'seen';
	throw new Refusal('n8n did not keep the record that guards against doing this twice', {
		hint: 'Several n8n processes may be writing it at once. Try again in a moment.',
	});
}

/** Takes a key out of n8n's store, so that the next {@link recordKey} gets `first` again. */
export async function forgetKey(
	store: ProcessedStore,
	nodeKey: string,
	key: string,
	{ history }: HistoryOptions,
): Promise<void> {
	await queueOf(nodeKey).inTurn(async () => {
		await store.removeProcessed([key], 'node', entries(history));
	});
}

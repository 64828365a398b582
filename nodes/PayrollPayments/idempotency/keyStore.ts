import { randomUUID } from 'node:crypto';

import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { UserError } from '../shared/errors';
import { endedOrAborted } from '../shared/waiting';

/*
 * THE PROTOCOL
 *
 * n8n keeps one list of entries for each node, oldest first, over restarts (deduplication-helper.ts in
 * n8n 2.41.3). Each call reads the list and writes it back whole, and n8n has no lock: of two calls at
 * once, the later write undoes the earlier one. Nor can n8n only look: to ask for a key records it.
 *
 * Within one process the calls of a node take turns, so exactly one of several claims of a key succeeds.
 * Between processes the steps below see to it. They rest on two things:
 * - Marks. Each claim or look-up records a mark of its own in the same call as its keys. As lists are
 *   written only whole, a list with the mark descends from that call, and keys that the call added are
 *   still its own there.
 * - Quiet. A process that has changed the list leaves it alone for a while. A call of another process
 *   that had read the list before the change has then written it.
 * They fail only where another process holds on for longer to what it has read, or more than a handful
 * write one node's list at once.
 *
 * A claim
 *   1. Record the keys and the mark in one call. n8n answers which of them were there before.
 *   2. The mark is new, and the keys are free: RECORDED. Wait until it is quiet, then 1 again.
 *   3. The mark is new, and the keys are not free: SEEN. Remove what this call added, then 7.
 *   4. The mark was there, but not all of the keys: RECORDED, as after 2.
 *   5. All were there: CLAIMED. Nobody can overwrite it any more.
 *   6. A call failed, and may have written: 1 once more, with a new mark. Keys that are there then may
 *      be our own; they count as another's, but it is UNCERTAIN.
 *
 * To undo a claim or a look-up
 *   7. Wait until it is quiet, then record the mark alone. It is new: remove it, and that is all.
 *   8. It was there: remove it and what its call added, then 7. Another process may have written the
 *      list back, and our entries with it.
 *
 * A look-up
 *   9. Record the keys and a mark. Remove in the same turn what this call added, then 7.
 *  10. Look once more for the keys that were there, since another process may have been looking, too.
 *
 * Whoever crashes leaves its entries behind: a key counts as recorded then.
 */

/** The part of n8n's deduplication helpers that is needed (`this.helpers` of an executing node). */
export type ProcessedStore = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed'
>;

export type IsRecorded = (key: string) => boolean;

/** The list of a node. */
export interface NodeList {
	readonly store: ProcessedStore;
	/** Names the workflow and the node. */
	readonly nodeKey: string;
	/** How many entries the list holds; n8n drops those recorded first. 0 would mean no bound. */
	readonly maxEntries: number;
}

/** Shortest quiet, in milliseconds. */
const QUIET_MS = 200;

/** It is quiet for at least this many times as long as the process's calls take. */
const LATENCY_FACTOR = 10;

const MAX_QUIET_MS = 5_000;

/** Keeps processes that began at the same moment from staying in step, in milliseconds. */
const MAX_JITTER_MS = 20;

/** How often a step is repeated before giving up. */
const MAX_REPEATS = 10;

/**
 * How many times its own entries a call leaves room for beyond the list's bound, so that a burst
 * pushes no entry out before it is verified. A later call trims.
 */
const BURST_FACTOR = 10;

/** n8n goes through its whole list for each key that it removes, and others wait for that. */
const KEYS_PER_REMOVAL = 250;

/** After this a call counts as failed, and no other is made until it has ended after all. */
const STORE_TIMEOUT_MS = 30_000;

/** What a claim or look-up has put into the list. */
interface Trace {
	readonly mark: string;
	/** The entries that were not there before, with the mark. */
	readonly added: Set<string>;
}

const newTrace = (): Trace => ({ mark: randomUUID(), added: new Set() });

/** An event is marked if other processes may have received it, too. */
interface EventEntry {
	readonly key: string;
	readonly mark?: string;
}

type Verdict = 'claimed' | 'recorded' | 'seen';

/** One process's calls for one node, in turns. */
class CallQueue {
	private lastTurn: Promise<unknown> = Promise.resolve();
	/** Whether a call has not returned; only one that is overdue outlasts its turn. */
	private isCalling = false;
	/** How long calls take of late, in milliseconds; one that fails at once says nothing about it. */
	private latencyMs = 0;
	/** On the clock that only moves forward, in milliseconds. */
	private lastEnded = 0;
	private quietUntil = 0;
	/** The events that wait for the next turn, and share a call. */
	private nextEvents?: { readonly events: EventEntry[]; readonly verdicts: Promise<Verdicts> };

	/**
	 * Does something with the list once it is quiet.
	 * @throws the signal's reason where it was aborted before
	 */
	async transact<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
		let hasBegun = false;
		const turn = this.lastTurn.then(async () => {
			const rest = this.quietUntil - performance.now();
			if (rest > 0) await sleep(rest + Math.random() * MAX_JITTER_MS);
			signal?.throwIfAborted();
			hasBegun = true;
			return await work();
		});
		this.lastTurn = turn.catch(() => undefined);
		await endedOrAborted(turn, signal);
		if (!hasBegun) signal?.throwIfAborted();
		return await turn;
	}

	/** @returns which of the entries were there before */
	async record(
		{ store, maxEntries }: NodeList,
		given: readonly string[],
		burstFactor = BURST_FACTOR,
	): Promise<ReadonlySet<string>> {
		const entries = [...new Set(given)];
		const room = burstFactor * entries.length;
		const answer = await this.call(
			async () =>
				await store.checkProcessedAndRecord(entries, 'node', {
					mode: 'entries',
					maxEntries: maxEntries + room,
				}),
		);
		if (answer.new.length + answer.processed.length === entries.length) {
			return new Set(answer.processed.map(String));
		}
		throw new UserError('n8n’s deduplication data for this node isn’t ours', {
			hint: 'Replace the node by a new one of the same kind, with the same settings.',
		});
	}

	async remove({ store, maxEntries }: NodeList, entries: Iterable<string>): Promise<void> {
		const all = [...entries];
		if (all.length === 0) return;
		const options = { mode: 'entries', maxEntries } as const;
		await this.call(async () => await store.removeProcessed(all, 'node', options));
	}

	/** Steps 7 and 8. */
	async undo(list: NodeList, traces: readonly Trace[]): Promise<void> {
		const written = traces.filter(({ added }) => added.size > 0);
		const marks = written.map(({ mark }) => mark);
		for (let count = 0; marks.length > 0 && count < MAX_REPEATS; count++) {
			const isBack = await this.transact(async () => {
				const back = await this.record(list, marks);
				await this.remove(
					list,
					marks.filter((mark) => !back.has(mark)),
				);
				for (const { mark, added } of written) if (back.has(mark)) await this.remove(list, added);
				return back.size > 0;
			});
			if (!isBack) return;
		}
	}

	/** For a turn that has left nothing to verify. */
	endQuiet(pauseMs = 0): void {
		this.quietUntil = this.lastEnded + pauseMs;
	}

	/** Steps 1 to 5 for an event, in one call with all that wait for the next turn. */
	async recordEvent(list: NodeList, event: EventEntry): Promise<Verdict> {
		const batch = (this.nextEvents ??= this.startEvents(list));
		batch.events.push(event);
		const verdictOn = await batch.verdicts;
		return verdictOn(event);
	}

	private startEvents(list: NodeList) {
		const events: EventEntry[] = [];
		const verdicts = this.transact(async () => {
			this.nextEvents = undefined;
			return await this.recordEvents(list, events);
		});
		return { events, verdicts };
	}

	private async recordEvents(list: NodeList, events: readonly EventEntry[]) {
		const marks = events.flatMap(({ mark }) => mark ?? []);
		const isOnlyProcess = marks.length === 0;
		const entries = [...events.map(({ key }) => key), ...marks];
		const wasThere = await this.record(list, entries, isOnlyProcess ? 0 : BURST_FACTOR);
		const firstOfKey = new Map<string, EventEntry>();
		for (const event of events) {
			if (!firstOfKey.has(event.key)) firstOfKey.set(event.key, event);
		}
		const verdictOn = (event: EventEntry): Verdict => {
			const { key, mark } = event;
			if (mark !== undefined && wasThere.has(mark))
				return wasThere.has(key) ? 'claimed' : 'recorded';
			if (wasThere.has(key) || firstOfKey.get(key) !== event) return 'seen';
			return mark === undefined ? 'claimed' : 'recorded';
		};
		const lost = events.filter((event) => verdictOn(event) === 'seen');
		await this.remove(
			list,
			lost.flatMap(({ mark }) => mark ?? []),
		).catch(() => undefined);
		if (isOnlyProcess) {
			/* More events share the next call, and calls take at most a twentieth of the time. */
			this.endQuiet(Math.min(2 * this.pauseMs, QUIET_MS));
		} else if (events.every((event) => verdictOn(event) === 'claimed')) {
			this.endQuiet();
		}
		return verdictOn;
	}

	private get pauseMs(): number {
		return Math.min(LATENCY_FACTOR * this.latencyMs, MAX_QUIET_MS);
	}

	/** A call that returns late would write back what it has read: until then none is made. */
	private async call<Result>(begin: () => Promise<Result>): Promise<Result> {
		const timedOut = new UserError('n8n’s database did not answer within 30 seconds');
		if (this.isCalling) throw timedOut;
		const begun = performance.now();
		this.isCalling = true;
		const call = begin().finally(() => {
			this.isCalling = false;
			this.lastEnded = performance.now();
			this.latencyMs = Math.max(this.lastEnded - begun, this.latencyMs / 2);
			this.quietUntil = this.lastEnded + Math.max(this.pauseMs, QUIET_MS);
		});
		const timeout = AbortSignal.timeout(STORE_TIMEOUT_MS);
		const expiry = new Promise<never>((_, reject) => {
			timeout.addEventListener('abort', () => reject(timedOut));
		});
		return await Promise.race([call, expiry]);
	}
}

type Verdicts = (event: EventEntry) => Verdict;

/** One for each node, for as long as the process runs: two for one node would not keep calls apart. */
const queues = new Map<string, CallQueue>();

function queueOf({ nodeKey }: NodeList): CallQueue {
	const queue = queues.get(nodeKey) ?? new CallQueue();
	queues.set(nodeKey, queue);
	return queue;
}

export interface PaymentClaimRequest {
	readonly keys: readonly string[];
	/** Recorded by the same calls for good, whatever becomes of the claim. */
	readonly permanentKeys?: readonly string[];
	/** Whether the keys are free, given which of them are recorded. */
	mayClaim(isRecorded: IsRecorded): boolean;
	readonly signal?: AbortSignal;
}

export type PaymentClaim =
	/** The permanent keys are there for good, too. */
	| { readonly is: 'claimed'; release(): Promise<void> }
	| { readonly is: 'seen' }
	/** The keys may be our own, of a call that failed. */
	| { readonly is: 'uncertain' };

/**
 * Records the keys of a payment together, unless they aren't free. A claim that comes to nothing leaves
 * no trace.
 * @throws {UserError} or n8n's own error where they can't be recorded: they may be in the list or not
 * @throws the signal's reason where it was aborted: the keys are then removed again
 */
export async function claimForPayment(
	list: NodeList,
	{ keys, permanentKeys = [], mayClaim, signal }: PaymentClaimRequest,
): Promise<PaymentClaim> {
	const queue = queueOf(list);
	let trace = newTrace();
	let hasFailed = false;
	const undo = async () => await queue.undo(list, [trace]);
	const record = async (): Promise<Verdict> => {
		const { mark, added } = trace;
		const entries = [...permanentKeys, ...keys, mark];
		const wasThere = await queue.record(list, entries);
		const isOwn = wasThere.has(mark);
		if (isOwn && entries.every((entry) => wasThere.has(entry))) {
			queue.endQuiet();
			return 'claimed';
		}
		const isFree = isOwn || mayClaim((key) => wasThere.has(key));
		/* What an earlier call of a lost claim added is another's by now. */
		if (!isFree) added.clear();
		for (const entry of [...keys, mark]) if (!wasThere.has(entry)) added.add(entry);
		if (isFree) return 'recorded';
		await queue.remove(list, added).catch(() => undefined);
		return 'seen';
	};
	const recordOnceMore = async () => {
		signal?.throwIfAborted();
		hasFailed = true;
		trace = newTrace();
		return await queue.transact(record, signal);
	};
	try {
		for (let count = 0; count <= MAX_REPEATS; count++) {
			const verdict = await queue.transact(record, signal).catch(recordOnceMore);
			signal?.throwIfAborted();
			if (verdict === 'claimed') return { is: 'claimed', release: undo };
			if (verdict === 'seen') {
				/* A mark that stays takes room, and no more. */
				await undo().catch(() => undefined);
				return { is: hasFailed ? 'uncertain' : 'seen' };
			}
		}
	} catch (error) {
		if (signal?.aborted === true) await undo().catch(() => undefined);
		throw error;
	}
	throw new UserError('n8n did not keep the record that guards against doing this twice', {
		hint: 'Several n8n processes may be writing it at the same time. Try again in a moment.',
	});
}

export interface EventClaimRequest {
	readonly key: string;
	/** Another claim with the same owner succeeds again. */
	readonly owner: string;
	/** Whether no other process has the event: nothing is marked or verified then. */
	readonly isOnlyProcess: boolean;
}

/**
 * Records the key of an event, in one call with others that wait.
 * @returns `uncertain` if the key may be our own, of a call that failed
 * @throws {UserError} or n8n's own error where it can't be recorded: it may be in the list or not
 */
export async function claimForEvent(
	list: NodeList,
	{ key, owner, isOnlyProcess }: EventClaimRequest,
): Promise<'claimed' | 'seen' | 'uncertain'> {
	const queue = queueOf(list);
	let mark = `${key} ${owner}`;
	let hasFailed = false;
	const record = async () => await queue.recordEvent(list, isOnlyProcess ? { key } : { key, mark });
	for (let count = 0; count <= MAX_REPEATS; count++) {
		const verdict = await record().catch(async () => {
			hasFailed = true;
			mark += ' again';
			return await record();
		});
		if (verdict === 'claimed') return 'claimed';
		if (verdict === 'seen') return hasFailed ? 'uncertain' : 'seen';
	}
	/* An event that nobody else has is better run than not, however crowded the list is. */
	return 'claimed';
}

/**
 * Looks for keys, thousands at once if need be, and leaves no trace of it. If the process is killed
 * meanwhile, a group of keys is left behind as a whole or not at all.
 * @throws the signal's reason where it was aborted
 */
export async function lookUp(
	list: NodeList,
	groups: ReadonlyArray<readonly string[]>,
	signal?: AbortSignal,
): Promise<IsRecorded> {
	const queue = queueOf(list);
	const find = async (wanted: ReadonlyArray<readonly string[]>): Promise<ReadonlySet<string>> => {
		if (wanted.length === 0) return new Set();
		const traces: Trace[] = [];
		const found = await queue.transact(async () => {
			const removals = packed(wanted).map((keys) => ({ keys, ...newTrace() }));
			const entries = removals.flatMap(({ keys, mark }) => [...keys, mark]);
			const wasThere = await queue.record(list, entries);
			const left = new Set(entries.filter((entry) => !wasThere.has(entry)));
			for (const { keys, mark, added } of removals) {
				/* Each belongs to one removal: once it is gone, another process may record it. */
				for (const entry of [...keys, mark]) if (left.delete(entry)) added.add(entry);
				traces.push({ mark, added });
				await queue.remove(list, added).catch(() => undefined);
			}
			return wasThere;
		}, signal);
		await queue.undo(list, traces);
		signal?.throwIfAborted();
		return found;
	};
	const first = await find(groups);
	const seen = groups.map((group) => group.filter((key) => first.has(key)));
	const second = await find(seen.filter(({ length }) => length > 0));
	return (key) => second.has(key);
}

/** Puts groups together into as few lists as may be removed by one call each. */
function packed(groups: ReadonlyArray<readonly string[]>): string[][] {
	const packs: string[][] = [];
	for (const group of groups) {
		const last = packs.at(-1);
		if (last === undefined || last.length + group.length > KEYS_PER_REMOVAL) packs.push([...group]);
		else last.push(...group);
	}
	return packs;
}

/**
 * Records keys for good, no matter who else has recorded them.
 * @throws {UserError} or n8n's own error where they can't be recorded
 */
export async function record(list: NodeList, keys: readonly string[]): Promise<void> {
	await claimForPayment(list, { keys: [], permanentKeys: keys, mayClaim: () => true });
}

/** Removes keys, no matter who has recorded them. Another process may write them back. */
export async function forget(list: NodeList, keys: readonly string[]): Promise<void> {
	const queue = queueOf(list);
	await queue.transact(async () => await queue.remove(list, keys));
}

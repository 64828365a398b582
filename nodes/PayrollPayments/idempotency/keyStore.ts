import { randomUUID } from 'node:crypto';

import { sleep } from 'n8n-workflow';

import { Refusal } from '../shared/errors';

/** n8n's options for a plain list of keys. */
interface EntriesOptions {
	readonly mode: 'entries';
	/** How many entries the list holds; n8n drops those recorded first. 0 would mean no bound. */
	readonly maxEntries: number;
}

/**
 * The part of n8n's deduplication helpers that is needed (`this.helpers` of an executing node);
 * plain, so that tests can stand in for n8n's store.
 *
 * What the store promises (deduplication-helper.ts in n8n 2.41.3): one row per workflow and node,
 * with the entries' MD5 hashes in the order in which they were first recorded. A known entry is not
 * moved to the end, and no times are kept. Every call reads the row and writes it back whole,
 * without a lock or a transaction: of two calls at once, the later write forgets what the earlier
 * one recorded.
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

type IsRecorded = (key: string) => boolean;

/** Which keys are looked for. */
interface Lookup {
	readonly keys: readonly string[];
	/**
	 * How many entries the node's list holds. Each claim takes one more than it has keys: the mark
	 * of its owner.
	 */
	readonly maxEntries: number;
}

/**
 * What is to be recorded, and on which condition. The keys are recorded together. If the claim
 * fails, those that are new are removed again.
 */
export interface ClaimRequest extends Lookup {
	/** Names who claims: another claim with the same owner succeeds again. */
	readonly owner: string;
	/** Whether the claim may be made, given which of the keys are recorded already. */
	mayClaim(isRecorded: IsRecorded): boolean;
	/** A key that depends on this claim: while it is recorded, a release removes nothing. */
	readonly keptFor?: string;
	/**
	 * Whether an entry that is there after a failed call counts as another owner's. A call can fail
	 * after it has written, and then the owner of an entry is unknown.
	 */
	readonly isStrict: boolean;
}

/** The keys are recorded for this owner. */
export interface Claimed {
	readonly status: 'claimed';
	/** Removes exactly what this claim has recorded. */
	release(): Promise<void>;
}

/** Another owner has the keys. */
export interface Seen {
	readonly status: 'seen';
	/** Whether that is only assumed, since n8n's store failed on the way. */
	readonly isUncertain: boolean;
	readonly isRecorded: IsRecorded;
}

/**
 * How long a process leaves the store alone after each call, in milliseconds. A call of another
 * process that read before it has written by then, so that the next call sees what has become of
 * this one's record.
 */
const QUIET_MS = 200;

/** Where the store is slow: this many times as long as its calls take. */
const LATENCY_FACTOR = 10;

const MAX_QUIET_MS = 5_000;

/** Keeps processes that began at the same moment from staying in step, in milliseconds. */
const MAX_JITTER_MS = 20;

/** How often a record that another process overwrote is made again before giving up. */
const MAX_VERIFICATIONS = 10;

/** With fewer entries than this, one may have left the list for its age when it is verified. */
const MIN_VERIFIABLE_ENTRIES = 200;

/** After this a call counts as failed, so that one that never returns doesn't block the others. */
const STORE_TIMEOUT_MS = 30_000;

/** A claim or a lookup that waits for its turn, and what became of it. */
class PendingClaim {
	/** The entry beside the keys that says who recorded them. */
	readonly mark: string;
	/** Stands in the list while the claim is being taken out. */
	readonly removalMark: string;
	/** What this claim has recorded, to be removed again if it fails. */
	readonly added = new Set<string>();
	/** Whether another owner has the keys, or they were only looked for. */
	isSeen?: boolean;
	/** Whether this claim's record was still there when it was looked for again. */
	isLasting?: boolean;
	/** Whether it was released but stays recorded, because a later claim depends on it. */
	isBuiltUpon = false;
	/** Once it is seen: which of the keys were there. */
	recordedKeys: ReadonlySet<string> = new Set();
	/** Why the store could not be asked. It may have been written all the same. */
	failure?: unknown;

	constructor(
		readonly request: Lookup & Partial<Pick<ClaimRequest, 'mayClaim' | 'keptFor'>>,
		owner: string,
	) {
		this.mark = [...request.keys, owner].join(' ');
		this.removalMark = `${this.mark} removed`;
	}

	get entries(): string[] {
		return [...this.request.keys, this.mark];
	}

	/** No later claim can depend on one that was never made. */
	get keptFor(): string | undefined {
		return this.isSeen ? undefined : this.request.keptFor;
	}

	decide(isRecorded: IsRecorded): void {
		const { keys } = this.request;
		const isOwn = isRecorded(this.mark);
		this.isSeen = !isOwn && !this.request.mayClaim?.(isRecorded);
		if (this.isSeen) {
			this.recordedKeys = new Set(keys.filter(isRecorded));
			return;
		}
		this.isLasting = isOwn && keys.every(isRecorded);
		for (const entry of this.entries) if (!isRecorded(entry)) this.added.add(entry);
	}
}

class StoreTimeout extends Error {}

async function inTime<Result>(call: Promise<Result>): Promise<Result> {
	const timeout = AbortSignal.timeout(STORE_TIMEOUT_MS);
	const expiry = new Promise<never>((_, reject) => {
		timeout.addEventListener('abort', () =>
			reject(new StoreTimeout('n8n’s database did not answer within 30 seconds')),
		);
	});
	return await Promise.race([call, expiry]);
}

function optionsFor(maxEntries: number): EntriesOptions {
	return { mode: 'entries', maxEntries };
}

/** The calls of one node to n8n's store, one at a time, in the order in which they were asked for. */
class NodeQueue {
	private lastTurn: Promise<unknown> = Promise.resolve();
	private readonly pending = new Set<PendingClaim>();
	/** Calls that have not returned in time; they may still write what they have read. */
	private overdueCalls = 0;
	/** Claims made since, which such a write would make n8n forget. */
	private readonly atRisk = new Set<PendingClaim>();
	/** How long calls take of late, in milliseconds; one that fails at once says nothing about it. */
	private latencyMs = 0;
	/** On the clock that only moves forward, in milliseconds. */
	private quietUntil = 0;

	/** Asks the store about a claim, together with all that wait by then. */
	async look(store: ProcessedStore, claim: PendingClaim): Promise<void> {
		claim.failure = undefined;
		this.pending.add(claim);
		await this.inTurn(async () => {
			if (this.pending.has(claim)) await this.flushBatch(store);
		});
		if (claim.failure !== undefined) throw claim.failure;
	}

	/** Removes what a claim has recorded, unless a later claim depends on it. */
	async remove(store: ProcessedStore, claim: PendingClaim): Promise<void> {
		await this.inTurn(async () => {
			this.atRisk.delete(claim);
			await this.removeAdded(store, claim);
		});
	}

	/**
	 * Takes a claim's entries out again if another process has written them back, which is seen by
	 * the mark. Both in one turn: between two turns, another owner could record the keys.
	 *
	 * @returns whether they were back
	 */
	async removeIfBack(store: ProcessedStore, claim: PendingClaim): Promise<boolean> {
		const { mark, removalMark, added, keptFor, request } = claim;
		const { maxEntries } = request;
		return await this.inTurn(async () => {
			const { processed } = await this.record(store, [mark, removalMark], maxEntries);
			const isBack = processed.includes(mark);
			if (!isBack || claim.isBuiltUpon) {
				await this.removeEntries(store, [mark, removalMark], maxEntries);
			} else if (processed.includes(removalMark)) {
				/* Written back from the middle of the removal, when `keptFor` stood there as asked about. */
				const entries = [...added, mark, removalMark, keptFor];
				await this.removeEntries(
					store,
					entries.filter((entry) => entry !== undefined),
					maxEntries,
				);
			} else {
				await this.removeEntries(store, [removalMark], maxEntries);
				await this.removeAdded(store, claim);
			}
			return isBack;
		});
	}

	private async removeAdded(store: ProcessedStore, claim: PendingClaim): Promise<void> {
		const { added, mark, removalMark, keptFor, request } = claim;
		const { maxEntries } = request;
		const entries = [...added, mark];
		if (keptFor === undefined) return await this.removeEntries(store, entries, maxEntries);
		const { processed } = await this.record(store, [keptFor, removalMark], maxEntries);
		claim.isBuiltUpon = processed.includes(keptFor);
		await this.removeEntries(
			store,
			claim.isBuiltUpon ? [mark, removalMark] : [...entries, keptFor, removalMark],
			maxEntries,
		);
	}

	private async inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
		const turn = this.lastTurn.then(async () => {
			const rest = this.quietUntil - performance.now();
			if (rest > 0) await sleep(rest + Math.random() * MAX_JITTER_MS);
			return await task();
		});
		this.lastTurn = turn.catch(() => undefined);
		return await turn;
	}

	/** A call that fails is every waiting claim's failure: it may have written all of their entries. */
	private async flushBatch(store: ProcessedStore): Promise<void> {
		const claims = [...this.pending];
		this.pending.clear();
		try {
			await this.decideTogether(store, claims);
		} catch (failure) {
			for (const claim of claims) claim.failure = failure;
		}
	}

	private async decideTogether(store: ProcessedStore, claims: PendingClaim[]): Promise<void> {
		const entries = [...new Set(claims.flatMap((claim) => claim.entries))];
		const maxEntries = Math.max(...claims.map(({ request }) => request.maxEntries));
		/* Every mark is asked for: a claim that verifies its record may wait behind a newcomer with the same key. */
		const answer = await this.record(store, entries, maxEntries);
		const before = new Set(answer.processed.map(String));
		const held = new Set<string>();
		for (const claim of claims) {
			claim.decide((entry) => before.has(entry) || held.has(entry) || this.holds(entry, claim));
			if (claim.isSeen) continue;
			for (const entry of claim.entries) held.add(entry);
			if (this.overdueCalls > 0) this.atRisk.add(claim);
		}
		const isStray = (entry: string) => !before.has(entry) && !held.has(entry);
		for (const claim of claims) {
			if (!claim.isSeen) continue;
			claim.added.clear();
			for (const entry of claim.entries.filter(isStray)) claim.added.add(entry);
		}
		const strays = entries.filter(isStray);
		if (strays.length === 0) return;
		/* What stays is found by its mark, and taken out then. */
		await this.removeEntries(store, strays, maxEntries).catch(() => undefined);
	}

	private holds(entry: string, asking: PendingClaim): boolean {
		return [...this.atRisk].some((claim) => claim !== asking && claim.entries.includes(entry));
	}

	private async record(store: ProcessedStore, entries: string[], maxEntries: number) {
		const answer = await this.call(
			store,
			store.checkProcessedAndRecord(entries, 'node', optionsFor(maxEntries)),
		);
		if (answer.new.length + answer.processed.length === entries.length) return answer;
		throw new Refusal('n8n’s store holds something else for this node', {
			hint: 'Replace the node by a new one of the same kind, with the same settings.',
		});
	}

	private async removeEntries(store: ProcessedStore, entries: string[], maxEntries: number) {
		await this.call(store, store.removeProcessed(entries, 'node', optionsFor(maxEntries)));
	}

	private async call<Result>(store: ProcessedStore, call: Promise<Result>): Promise<Result> {
		const begun = performance.now();
		const noteTimeout = (error: unknown) => {
			if (error instanceof StoreTimeout) this.expectLateWrite(store, call);
		};
		const inTimeCall = inTime(call);
		inTimeCall.catch(noteTimeout);
		try {
			return await inTimeCall;
		} finally {
			const ended = performance.now();
			this.latencyMs = Math.max(ended - begun, this.latencyMs / 2);
			const quiet = Math.min(LATENCY_FACTOR * this.latencyMs, MAX_QUIET_MS);
			this.quietUntil = ended + Math.max(QUIET_MS, quiet);
		}
	}

	private expectLateWrite(store: ProcessedStore, call: Promise<unknown>): void {
		this.overdueCalls += 1;
		const restore = async () =>
			await this.inTurn(async () => {
				const claims = [...this.atRisk];
				const maxEntries = Math.max(...claims.map(({ request }) => request.maxEntries));
				if (claims.length > 0) {
					await this.record(
						store,
						[...new Set(claims.flatMap(({ entries }) => entries))],
						maxEntries,
					);
				}
				this.overdueCalls -= 1;
				if (this.overdueCalls === 0) this.atRisk.clear();
			});
		/* Where restoring fails too, the claims stay in memory, which knows them as long as the process runs. */
		call.then(restore, restore).catch(() => undefined);
	}
}

/** One for each node, for as long as the process runs: two for one node would not keep calls apart. */
const queues = new Map<string, NodeQueue>();

function queueOf(nodeKey: string): NodeQueue {
	const queue = queues.get(nodeKey) ?? new NodeQueue();
	queues.set(nodeKey, queue);
	return queue;
}

/**
 * Looks at a claim until its record is known to last, or to be another owner's. Before each look
 * the queue has been quiet.
 * @param look asks the store once
 */
async function verify(
	{ maxEntries }: ClaimRequest,
	look: () => Promise<PendingClaim>,
	first: PendingClaim,
): Promise<PendingClaim> {
	let claim = first;
	if (maxEntries < MIN_VERIFIABLE_ENTRIES) return claim;
	for (let count = 0; !claim.isSeen && !claim.isLasting; count++) {
		if (count === MAX_VERIFICATIONS) {
			throw new Refusal('n8n did not keep the record that guards against doing this twice', {
				hint: 'Several n8n processes may be writing it at the same time. Try again in a moment.',
			});
		}
		claim = await look();
	}
	return claim;
}

/**
 * Records keys in n8n's own store, which survives a restart, unless they are recorded already.
 *
 * Within one n8n process exactly one owner's claim of a key succeeds, whatever runs at once. Across
 * processes n8n offers no lock, so the owner's mark is recorded with the keys and looked for again
 * once the process has left the store alone for a while: of two processes that recorded a key at
 * once, the one whose mark was overwritten knows it. It fails only where another process holds on to
 * what it has read for longer than that, or where more than a handful write one node's record in
 * the same moment.
 *
 * @param nodeKey names the workflow and the node, the scope of the lock and of the record
 * @throws {Refusal} or n8n's own error where the keys can't be recorded. They may be in the store
 * all the same.
 */
export async function claimKeys(
	store: ProcessedStore,
	nodeKey: string,
	request: ClaimRequest,
): Promise<Claimed | Seen> {
	const queue = queueOf(nodeKey);
	let claim = new PendingClaim(request, request.owner);
	let failures = 0;
	const look = async () => {
		await queue.look(store, claim);
		return claim;
	};
	/** After a failed call the claim goes on under another mark: an old one proves nothing then. */
	const lookStrictly = async () =>
		await look().catch(async () => {
			failures += 1;
			claim = new PendingClaim(request, `${request.owner} ${failures}`);
			return await look();
		});
	/* A node's very first record is an insert, which fails if another process was faster. */
	const lookFirst = request.isStrict ? lookStrictly : async () => await look().catch(look);
	const lookAgain = request.isStrict ? lookStrictly : look;
	const { isSeen, recordedKeys } = await verify(request, lookAgain, await lookFirst());
	if (!isSeen) {
		return { status: 'claimed', release: async () => await release(store, queue, claim) };
	}
	/* A mark that stays takes room, and no more: only the keys of payments are worth the wait. */
	if (request.isStrict) await keepRemoved(store, queue, claim).catch(() => undefined);
	return {
		status: 'seen',
		isUncertain: failures > 0,
		isRecorded: (key) => recordedKeys.has(key),
	};
}

async function release(
	store: ProcessedStore,
	queue: NodeQueue,
	claim: PendingClaim,
): Promise<void> {
	await queue.remove(store, claim);
	await keepRemoved(store, queue, claim);
}

/** Takes entries out again where another process writes back what it read before they were removed. */
async function keepRemoved(
	store: ProcessedStore,
	queue: NodeQueue,
	claim: PendingClaim,
): Promise<void> {
	for (let count = 0; count < MAX_VERIFICATIONS; count++) {
		if (!(await queue.removeIfBack(store, claim))) return;
	}
}

/** Looks for keys without leaving a trace of having looked. */
export async function findKeys(
	store: ProcessedStore,
	nodeKey: string,
	request: Lookup,
): Promise<IsRecorded> {
	const queue = queueOf(nodeKey);
	const find = async () => {
		/* Under a mark of its own: only a trace of its own may be taken out for being back. */
		const lookup = new PendingClaim(request, randomUUID());
		await queue.look(store, lookup);
		await keepRemoved(store, queue, lookup);
		return lookup.recordedKeys;
	};
	const seen = await find();
	/* What another process puts in to look for the same keys is gone by the second time. */
	const seenAgain = seen.size === 0 ? seen : await find();
	return (key) => seen.has(key) && seenAgain.has(key);
}

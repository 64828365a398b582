import { randomUUID } from 'node:crypto';

import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { UserError } from '../shared/errors';
import { endedOrAborted } from '../shared/waiting';

/**
 * The part of n8n's deduplication helpers that is needed (`this.helpers` of an executing node).
 *
 * What it promises (deduplication-helper.ts in n8n 2.41.3): one row per workflow and node, with the
 * entries' hashes in the order in which they were first recorded. Every call reads the row and writes
 * it back whole, without a lock: of two at once, the later write forgets what the earlier recorded.
 */
export type ProcessedStore = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed'
>;

export type IsRecorded = (key: string) => boolean;

/** Keys that are looked for or recorded in the list of a node. */
interface KeysRequest {
	readonly keys: readonly string[];
	/** How many entries the node's list holds; n8n drops those recorded first. 0 would mean no bound. */
	readonly maxEntries: number;
	/** Ends a claim or a look-up at once where it waits for its turn or for other processes. */
	readonly signal?: AbortSignal;
	/** Whether the keys may be claimed, given which are recorded already; without it they are only looked for. */
	mayClaim?(isRecorded: IsRecorded): boolean;
	/** The key of a claim that depends on this one: while it is recorded, a release removes nothing. */
	readonly successorKey?: string;
	/** Recorded by the same call for good, whether the keys are claimed or not. */
	readonly also?: readonly string[];
	/** Whether no other process writes the list: nothing is marked or verified then, nor can be released. */
	readonly isOnlyProcess?: boolean;
}

/** The keys are recorded together, with one entry that marks their owner, or not at all. */
export interface ClaimRequest extends KeysRequest {
	/** Names who claims keys: another claim with the same owner succeeds again. */
	readonly owner?: string;
	/** For payments: a record that can't be verified fails the claim, and a failed one leaves no trace. */
	readonly isStrict: boolean;
}

export interface Claimed {
	readonly status: 'claimed';
	/** Removes exactly what this claim has recorded. */
	release(): Promise<void>;
}

/** Another owner has the keys. */
export interface Seen {
	readonly status: 'seen';
	/** Whether that is only assumed: a call that failed may have recorded the keys even so. */
	readonly isUncertain: boolean;
	readonly isRecorded: IsRecorded;
}

/**
 * How long a process leaves the store alone after it has changed the list, in milliseconds: a call of
 * another process that read before the change has written by then.
 */
const QUIET_MS = 200;

/** A process leaves the store alone for at least this many times as long as its calls take. */
const LATENCY_FACTOR = 10;

const MAX_QUIET_MS = 5_000;

/** Keeps processes that began at the same moment from staying in step, in milliseconds. */
const MAX_JITTER_MS = 20;

/** How often a record that another process overwrote is made again before giving up. */
const MAX_VERIFICATIONS = 10;

/**
 * How many times its own entries a call leaves room for beyond the list's bound, so that a burst
 * pushes no entry out before it is verified. A later call trims.
 */
const BURST_FACTOR = 10;

/**
 * Keys that are looked up under one mark, and removed together. n8n looks through its whole list for
 * each that it removes, and others look for their records after ten times as long as their calls take.
 */
const KEYS_PER_LOOKUP = 250;

/** After this a call counts as failed, and no other is made until it has ended after all. */
const STORE_TIMEOUT_MS = 30_000;

/** What a call to the store is made for, and what has become of it. */
class StoreRequest {
	/** The entry beside the keys that says who recorded them. */
	readonly mark: string;
	/** What a call for it records for good. */
	readonly lasting: readonly string[];
	/** Everything that a call for it records. */
	readonly entries: readonly string[];
	/** What it has recorded and must remove if it comes to nothing. */
	readonly added = new Set<string>();
	/** Whether a call was made for it, which may have recorded it even if it failed. */
	wasAsked = false;
	/** `recorded` until another call finds all of it; `seen` also where keys were only looked for. */
	status?: 'recorded' | 'lasting' | 'seen';
	/** Once it is seen: which of the keys were there. */
	recordedKeys: ReadonlySet<string> = new Set();
	/** Whether a later claim depends on it, so that its keys stay when it is released. */
	hasSuccessor = false;

	/** @param owner marks the keys; without keys there is nothing to mark */
	constructor(
		readonly wanted: KeysRequest,
		owner?: string,
	) {
		const { keys, also = [], isOnlyProcess } = wanted;
		this.lasting = also;
		this.mark = [...keys, owner].join(' ');
		const marks = keys.length === 0 || isOnlyProcess === true ? [] : [this.mark];
		this.entries = [...also, ...keys, ...marks];
	}

	/** @returns which entries stay in the list for it */
	decide(isRecorded: IsRecorded): readonly string[] {
		const { keys, mayClaim, isOnlyProcess } = this.wanted;
		const isOwn = keys.length === 0 || isRecorded(this.mark);
		if (!isOwn && mayClaim?.(isRecorded) !== true) {
			this.status = 'seen';
			this.recordedKeys = new Set(keys.filter(isRecorded));
			return this.lasting;
		}
		const isLasting = isOnlyProcess === true || (isOwn && this.entries.every(isRecorded));
		this.status = isLasting ? 'lasting' : 'recorded';
		for (const entry of [...keys, this.mark]) if (!isRecorded(entry)) this.added.add(entry);
		return this.entries;
	}

	/** Whether another process could still change what the list says of it. */
	get isOpen(): boolean {
		const isSeen = this.status === 'seen' && this.added.size === 0;
		return this.status !== 'lasting' && !isSeen;
	}
}

/** The calls of one node to n8n's store, one at a time, in the order in which they were asked for. */
class NodeQueue {
	private lastTurn: Promise<unknown> = Promise.resolve();
	/** Those that wait for the next call and share it. */
	private nextBatch?: { readonly requests: Set<StoreRequest>; readonly ended: Promise<void> };
	/** Whether a call has not returned; only one that is overdue outlasts its turn. */
	private isCalling = false;
	/** How long calls take of late, in milliseconds; one that fails at once says nothing about it. */
	private latencyMs = 0;
	/** On the clock that only moves forward, in milliseconds. */
	private lastEnded = 0;
	private quietUntil = 0;

	/**
	 * Asks the store about requests of one caller, together with all that wait by then.
	 * @throws the signal's reason where it was aborted, after what was recorded has been removed
	 */
	async submit(
		store: ProcessedStore,
		requests: readonly StoreRequest[],
		{ signal, maxEntries }: KeysRequest,
	): Promise<void> {
		let failure: unknown;
		if (signal?.aborted !== true) {
			const batch = (this.nextBatch ??= this.startBatch(store));
			for (const request of requests) batch.requests.add(request);
			await endedOrAborted(batch.ended, signal).catch((error: unknown) => (failure = error));
			for (const request of requests) batch.requests.delete(request);
		}
		if (signal?.aborted === true) {
			const asked = requests.filter(({ wasAsked }) => wasAsked);
			await this.remove(store, asked, maxEntries).catch(() => undefined);
			signal.throwIfAborted();
		}
		if (failure !== undefined) throw failure;
	}

	/** A call that fails is every request's failure: it may have written all of their entries. */
	private startBatch(store: ProcessedStore) {
		const requests = new Set<StoreRequest>();
		const ended = this.inTurn(async () => {
			this.nextBatch = undefined;
			await this.decideTogether(store, [...requests]);
		});
		return { requests, ended };
	}

	/**
	 * Removes what requests have recorded, for as long as their marks are there. Another process that
	 * read the list before may write it back, and between two turns another owner may record the same
	 * keys.
	 */
	async remove(
		store: ProcessedStore,
		requests: readonly StoreRequest[],
		maxEntries: number,
	): Promise<void> {
		let isThere = requests.length > 0;
		for (let count = 0; isThere && count < MAX_VERIFICATIONS; count++) {
			isThere = await this.inTurn(async () => await this.removeOnce(store, requests, maxEntries));
		}
	}

	/** Removes entries that no request stands for. */
	async forget(store: ProcessedStore, entries: readonly string[], maxEntries: number) {
		await this.inTurn(async () => await this.removeEntries(store, [entries], maxEntries));
	}

	/** @returns whether there was anything to remove */
	private async removeOnce(
		store: ProcessedStore,
		requests: readonly StoreRequest[],
		maxEntries: number,
	): Promise<boolean> {
		const marks = requests.map(({ mark }) => mark);
		const found = await this.record(store, marks, { maxEntries });
		const removals = [marks.filter((mark) => !found.has(mark))];
		for (const request of requests) {
			if (found.has(request.mark)) removals.push(await this.recordedBy(store, request));
		}
		await this.removeEntries(store, removals, maxEntries);
		return found.size > 0;
	}

	/** The entries that a request recorded, without keys that a later claim depends on. */
	private async recordedBy(store: ProcessedStore, request: StoreRequest): Promise<string[]> {
		const { mark, added, status, wanted } = request;
		/* Stands in the list while the keys are being removed. */
		const removalMark = `${mark} removed`;
		const entries = [mark, removalMark];
		/* No later claim can depend on one that was never made. */
		const successorKey = status === 'seen' ? undefined : wanted.successorKey;
		if (successorKey !== undefined && !request.hasSuccessor) {
			const found = await this.record(store, [successorKey, removalMark], wanted);
			/* Beside the removal mark it is the trace of an earlier look, which was written back. */
			request.hasSuccessor = found.has(successorKey) && !found.has(removalMark);
			if (!request.hasSuccessor) entries.push(successorKey);
		}
		return request.hasSuccessor ? entries : [...entries, ...added];
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

	private async decideTogether(store: ProcessedStore, requests: StoreRequest[]): Promise<void> {
		if (requests.length === 0) return;
		for (const request of requests) request.wasAsked = true;
		const entries = [...new Set(requests.flatMap((request) => request.entries))];
		const maxEntries = Math.max(...requests.map(({ wanted }) => wanted.maxEntries));
		const isOnlyProcess = requests.every(({ wanted }) => wanted.isOnlyProcess);
		const wasThere = await this.record(store, entries, { maxEntries, isOnlyProcess });
		const kept = new Set<string>();
		for (const request of requests) {
			const isRecorded = (entry: string) => wasThere.has(entry) || kept.has(entry);
			for (const entry of request.decide(isRecorded)) kept.add(entry);
		}
		const traces = entries.filter((entry) => !wasThere.has(entry) && !kept.has(entry));
		/*
		 * Each is one request's to take out, with its mark: once it is gone with one mark, another process
		 * may record it while a second mark is still there.
		 */
		const ownerless = new Set(traces);
		const ofClaims: string[] = [];
		const removals = [ofClaims];
		for (const { status, added, entries: own, wanted } of requests) {
			if (status !== 'seen') continue;
			added.clear();
			for (const entry of own) if (ownerless.delete(entry)) added.add(entry);
			if (wanted.mayClaim === undefined) removals.push([...added]);
			else ofClaims.push(...added);
		}
		/* What stays is found by its mark, and removed then. */
		await this.removeEntries(store, removals, maxEntries).catch(() => undefined);
		if (requests.some(({ isOpen }) => isOpen)) return;
		/*
		 * A call costs n8n the same for one entry as for fifty: where many come, they share one, and calls
		 * take at most a twentieth of the time.
		 */
		const pause = isOnlyProcess ? Math.min(2 * this.pauseMs, QUIET_MS) : 0;
		this.quietUntil = this.lastEnded + pause;
	}

	/** @returns which of the entries were there before */
	private async record(
		store: ProcessedStore,
		entries: string[],
		{ maxEntries, isOnlyProcess }: Pick<KeysRequest, 'maxEntries' | 'isOnlyProcess'>,
	) {
		const room = isOnlyProcess === true ? 0 : BURST_FACTOR * entries.length;
		const options = { mode: 'entries', maxEntries: maxEntries + room } as const;
		const answer = await this.call(
			async () => await store.checkProcessedAndRecord(entries, 'node', options),
		);
		if (answer.new.length + answer.processed.length === entries.length) {
			return new Set(answer.processed.map(String));
		}
		throw new UserError('n8n’s store holds something else for this node', {
			hint: 'Replace the node by a new one of the same kind, with the same settings.',
		});
	}

	/** Removes each list in one call. If another process writes it back, its mark comes back as well. */
	private async removeEntries(
		store: ProcessedStore,
		removals: ReadonlyArray<readonly string[]>,
		maxEntries: number,
	) {
		const options = { mode: 'entries', maxEntries } as const;
		for (const entries of removals.filter(({ length }) => length > 0)) {
			await this.call(async () => await store.removeProcessed([...entries], 'node', options));
		}
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

/** One for each node, for as long as the process runs: two for one node would not keep calls apart. */
const queues = new Map<string, NodeQueue>();

function queueOf(nodeKey: string): NodeQueue {
	const queue = queues.get(nodeKey) ?? new NodeQueue();
	queues.set(nodeKey, queue);
	return queue;
}

/**
 * Records keys in n8n's own store, which survives a restart, unless they are recorded already.
 *
 * Within one n8n process exactly one owner's claim of a key succeeds. Across processes n8n offers no
 * lock, so the owner's mark is recorded with the keys and looked for again once the process has left
 * the store alone for a while: of two that recorded a key at once, the one whose mark was overwritten
 * knows it. That fails only where another process holds on for longer to what it has read, or more
 * than a handful write one node's record at once.
 *
 * @param nodeKey names the workflow and the node, the scope of the lock and of the record
 * @throws {UserError} or n8n's own error where the keys can't be recorded. They, and those of `also`,
 * may be in the store or not.
 * @throws the signal's reason where it was aborted. The keys are then removed again.
 */
export async function claimKeys(
	store: ProcessedStore,
	nodeKey: string,
	request: ClaimRequest,
): Promise<Claimed | Seen> {
	const { owner, isStrict, also = [], maxEntries } = request;
	const queue = queueOf(nodeKey);
	let claim = new StoreRequest(request, owner);
	let failures = 0;
	const submit = async () => {
		await queue.submit(store, [claim], request).catch(async () => {
			/*
			 * A node's very first record is an insert, which fails if another process was faster. The
			 * failed call may have recorded the mark even so, and then it proves nothing.
			 */
			failures += 1;
			claim = new StoreRequest(request, [owner, failures].join());
			await queue.submit(store, [claim], request);
		});
	};
	await submit();
	for (let count = 0; claim.status === 'recorded' && count < MAX_VERIFICATIONS; count++) {
		await submit();
	}
	/* An event that nobody else has is better run than not, however crowded the store is. */
	if (claim.status === 'recorded' && isStrict) {
		throw new UserError('n8n did not keep the record that guards against doing this twice', {
			hint: 'Several n8n processes may be writing it at the same time. Try again in a moment.',
		});
	}
	if (claim.status !== 'seen') {
		return {
			status: 'claimed',
			release: async () => await queue.remove(store, [claim], maxEntries),
		};
	}
	if (also.length > 0) await recordKeys(store, nodeKey, { keys: also, maxEntries });
	/* A mark that stays takes room, and no more. */
	if (isStrict) await queue.remove(store, [claim], maxEntries).catch(() => undefined);
	const { recordedKeys } = claim;
	return { status: 'seen', isUncertain: failures > 0, isRecorded: (key) => recordedKeys.has(key) };
}

/**
 * Records keys, even if another owner has recorded them before, and makes sure that they last.
 * @throws {UserError} or n8n's own error where they can't be recorded
 */
export async function recordKeys(
	store: ProcessedStore,
	nodeKey: string,
	{ keys: also, maxEntries }: KeysRequest,
): Promise<void> {
	await claimKeys(store, nodeKey, { keys: [], also, maxEntries, isStrict: true });
}

/**
 * Removes keys, no matter who has recorded them. Another process that read the list before may write
 * them back.
 */
export async function forgetKeys(
	store: ProcessedStore,
	nodeKey: string,
	{ keys, maxEntries }: KeysRequest,
): Promise<void> {
	await queueOf(nodeKey).forget(store, keys, maxEntries);
}

/** Looks for keys, thousands at once if need be, without leaving a trace of having looked. */
export async function findKeys(
	store: ProcessedStore,
	nodeKey: string,
	request: KeysRequest,
): Promise<IsRecorded> {
	const queue = queueOf(nodeKey);
	const find = async (keys: readonly string[]) => {
		const lookups: StoreRequest[] = [];
		for (let left = keys; left.length > 0; left = left.slice(KEYS_PER_LOOKUP)) {
			const some = left.slice(0, KEYS_PER_LOOKUP);
			/* Under its own mark: only its own trace may be removed for being back. */
			lookups.push(new StoreRequest({ ...request, keys: some }, randomUUID()));
		}
		await queue.submit(store, lookups, request);
		await queue.remove(store, lookups, request.maxEntries);
		return new Set(lookups.flatMap(({ recordedKeys }) => [...recordedKeys]));
	};
	const found = await find(request.keys);
	/* What another process puts in to look for the same keys is gone by the second time. */
	const stillFound = found.size === 0 ? found : await find([...found]);
	return (key) => stillFound.has(key);
}

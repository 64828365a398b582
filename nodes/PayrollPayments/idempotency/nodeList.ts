import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { UserError } from '../shared/errors';
import { endedOrAborted } from '../shared/waiting';

/** The part of n8n's deduplication helpers that is needed (`this.helpers` of an executing node). */
export type ProcessedStore = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed'
>;

/** The list that n8n keeps for a node (see keyStore.ts). */
export interface NodeList {
	readonly store: ProcessedStore;
	/** Names the workflow and the node. */
	readonly nodeKey: string;
	/** How many entries it holds; n8n drops those recorded first. 0 would mean no bound. */
	readonly maxEntries: number;
}

/** Shortest quiet, in milliseconds. */
const QUIET_MS = 200;

/** It is quiet for at least this many times as long as the process's calls take. */
const LATENCY_FACTOR = 10;

const MAX_QUIET_MS = 5_000;

/** Keeps processes that began at the same moment from staying in step, in milliseconds. */
const MAX_JITTER_MS = 20;

/**
 * How many times its own entries a call leaves room for beyond the list's bound, so that a burst
 * pushes no entry out before it is verified. A later call trims.
 */
const BURST_FACTOR = 10;

/** After this a call counts as failed, and no other is made until it has ended after all. */
const STORE_TIMEOUT_MS = 30_000;

/** One process's calls to the list of one node: one at a time, in turns. */
export class CallQueue {
	private lastTurn: Promise<unknown> = Promise.resolve();
	/** Whether a call has not returned; only one that is overdue outlasts its turn. */
	private isCalling = false;
	/** How long calls take of late, in milliseconds; one that fails at once says nothing about it. */
	private latencyMs = 0;
	/** On the clock that only moves forward, in milliseconds. */
	private lastEnded = 0;
	private quietUntil = 0;

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

	/**
	 * @param hasBursts whether entries stay only once they are verified
	 * @returns which of the entries were there before
	 */
	async record(
		{ store, maxEntries }: NodeList,
		entries: readonly string[],
		hasBursts = true,
	): Promise<ReadonlySet<string>> {
		const room = hasBursts ? BURST_FACTOR * entries.length : 0;
		const options = { mode: 'entries', maxEntries: maxEntries + room } as const;
		const answer = await this.call(
			async () => await store.checkProcessedAndRecord([...entries], 'node', options),
		);
		if (answer.new.length + answer.processed.length === entries.length) {
			return new Set(answer.processed.map(String));
		}
		throw new UserError('n8n’s deduplication data for this node isn’t ours', {
			hint: 'Replace the node by a new one of the same kind, with the same settings.',
		});
	}

	async remove({ store, maxEntries }: NodeList, entries: readonly string[]): Promise<void> {
		if (entries.length === 0) return;
		const options = { mode: 'entries', maxEntries } as const;
		await this.call(async () => await store.removeProcessed([...entries], 'node', options));
	}

	/** For a turn that has left nothing to verify. */
	endQuiet(): void {
		this.quietUntil = this.lastEnded;
	}

	/** For a list that no other process writes: calls take at most a twentieth of the time. */
	shortenQuiet(): void {
		this.quietUntil = this.lastEnded + Math.min(2 * this.pauseMs, QUIET_MS);
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
const queues = new Map<string, CallQueue>();

export function queueOf({ nodeKey }: NodeList): CallQueue {
	const queue = queues.get(nodeKey) ?? new CallQueue();
	queues.set(nodeKey, queue);
	return queue;
}

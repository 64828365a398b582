import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { throwIfStopped, UserError } from '../shared/errors';
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

/** It is quiet for this many times as long as the process's calls take, within the two limits. */
const LATENCY_FACTOR = 10;

const MAX_QUIET_MS = 5_000;

/** Keeps processes that began at the same moment from staying in step, in milliseconds. */
const MIN_JITTER_MS = 20;

/**
 * How many times its own entries a call leaves room for beyond the list's bound, so that a burst
 * pushes no entry out before it is verified. A later call trims.
 */
const BURST_FACTOR = 10;

/** After this a call counts as failed, and no other is made until it has ended after all. */
const STORE_TIMEOUT_MS = 30_000;

/** What may be done with a list in one turn. */
export interface ListCalls {
	/**
	 * @param isOnlyProcess whether no other process writes the list: entries need no verification then
	 * @returns which of the entries were there before
	 */
	record(entries: readonly string[], isOnlyProcess?: boolean): Promise<ReadonlySet<string>>;
	remove(entries: readonly string[]): Promise<void>;
	/** For a turn that has left nothing to verify. */
	endQuiet(): void;
}

/** One process's calls to the list of one node, one at a time. */
class CallQueue {
	private lastTurn: Promise<unknown> = Promise.resolve();
	/** Whether a call has not returned; only one that is overdue outlasts its turn. */
	private isCalling = false;
	/** How long recent calls took, in milliseconds; one that fails at once says nothing about it. */
	private latencyMs = 0;
	/** When the last call ended, and until when no other begins: as `performance.now()`, which is never set back. */
	private lastEnded = 0;
	private quietUntil = 0;

	async inTurn<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
		let hasBegun = false;
		const turn = this.lastTurn.then(async () => {
			const rest = this.quietUntil - performance.now();
			const jitter = Math.max(this.pauseMs / 2, MIN_JITTER_MS);
			if (rest > 0) await sleep(rest + Math.random() * jitter);
			throwIfStopped(signal);
			hasBegun = true;
			return await work();
		});
		this.lastTurn = turn.catch(() => undefined);
		await endedOrAborted(turn, signal);
		if (!hasBegun) throwIfStopped(signal);
		return await turn;
	}

	callsTo({ store, maxEntries }: NodeList): ListCalls {
		return {
			record: async (entries, isOnlyProcess = false) => {
				const room = isOnlyProcess ? 0 : BURST_FACTOR * entries.length;
				const options = { mode: 'entries', maxEntries: maxEntries + room } as const;
				const answer = await this.call(
					async () => await store.checkProcessedAndRecord([...entries], 'node', options),
				);
				/* Nothing needs verification, so a short pause will do: events that come meanwhile share the next call. */
				if (isOnlyProcess) this.quietUntil = this.lastEnded + Math.min(2 * this.pauseMs, QUIET_MS);
				if (answer.new.length + answer.processed.length === entries.length) {
					return new Set(answer.processed.map(String));
				}
				throw new UserError('n8n’s deduplication data for this node isn’t ours', {
					hint: 'Replace the node by a new one with the same settings. If it pays, first mark in your sheet what was paid, as after a restored backup: the new one doesn’t know it.',
				});
			},
			remove: async (entries) => {
				if (entries.length === 0) return;
				const options = { mode: 'entries', maxEntries } as const;
				await this.call(async () => await store.removeProcessed([...entries], 'node', options));
			},
			endQuiet: () => (this.quietUntil = this.lastEnded),
		};
	}

	private get pauseMs(): number {
		return Math.min(LATENCY_FACTOR * this.latencyMs, MAX_QUIET_MS);
	}

	/** A call that returns late would write back what it has read: until then none is made. */
	private async call<Result>(begin: () => Promise<Result>): Promise<Result> {
		this.throwIfCalling();
		const begun = performance.now();
		this.isCalling = true;
		const call = begin().finally(() => {
			this.isCalling = false;
			this.lastEnded = performance.now();
			this.latencyMs = Math.max(this.lastEnded - begun, this.latencyMs / 2);
			this.quietUntil = this.lastEnded + Math.max(this.pauseMs, QUIET_MS);
		});
		/* Its listener goes when the call ends, so that the signal doesn't hold the execution for 30 seconds. */
		await endedOrAborted(call, AbortSignal.timeout(STORE_TIMEOUT_MS));
		this.throwIfCalling();
		return await call;
	}

	private throwIfCalling(): void {
		if (this.isCalling) throw new UserError('n8n’s database did not answer within 30 seconds');
	}
}

/** One for each node, for as long as the process runs: two for one node would not keep calls apart. */
const queues = new Map<string, CallQueue>();

/**
 * Does something with a list once it is quiet, while no one else in this process does.
 * @throws {UserError} once the execution was stopped
 */
export async function transact<Result>(
	list: NodeList,
	work: (calls: ListCalls) => Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	const queue = queues.get(list.nodeKey) ?? new CallQueue();
	queues.set(list.nodeKey, queue);
	return await queue.inTurn(async () => await work(queue.callsTo(list)), signal);
}

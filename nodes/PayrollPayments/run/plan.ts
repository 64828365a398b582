import type { OutputRecord, WritePlan } from './write';
import type { Settings } from './commonOptions';
import type { RunContext } from './runContext';

/** One unit of work that passed its checks: usually one item, or all rows that share one request. */
export interface Job {
	readonly items: readonly number[];
	/** What it changes, in order; empty for a read. */
	readonly writes: readonly WritePlan[];
	/**
	 * Set if it sends nothing: it puts out what was read, again what this execution did before, or that
	 * an earlier one paid it.
	 */
	readonly kind?: 'report' | 'repeat' | 'paidBefore';
	/** What the output has in addition, if it fails. */
	readonly columns?: OutputRecord;
	/** For a payment: its amount, for the sum of what was paid. */
	readonly cents?: number;
	/** A single item may get any number of records. Several items share one, or get one each. */
	send(): Promise<readonly OutputRecord[]>;
}

/** Input items that were refused or failed for one reason. */
export interface FailedItems extends Pick<Job, 'items' | 'columns'> {
	readonly error: unknown;
	/** What would have been sent, if only its earlier outcome isn't known: a run's approval covers it. */
	readonly writes?: Job['writes'];
	/** Whether nothing is sent after it, whatever *On Error* says. */
	readonly endsRun?: boolean;
}

export interface Plan {
	readonly jobs: readonly Job[];
	readonly refusals: readonly FailedItems[];
	/** Called when nothing more is sent. */
	end?(result: RunResult): Promise<void>;
}

export interface CompletedJob extends Job {
	readonly records: readonly OutputRecord[];
}

export interface RunResult {
	readonly sent: readonly CompletedJob[];
	readonly failed: readonly FailedItems[];
}

export interface Form {
	readonly refusals: readonly FailedItems[];
	/** How the run as a whole goes, by the first item that could be read. */
	readonly settings: Settings;
	/** The checks that a person approved, by item, as they were entered. */
	readonly approved: ReadonlyMap<number, string>;
	check(context: RunContext): Promise<Plan>;
}

/** What each entry gives, or why it was refused. Refused entries don't stop the others. */
export async function collect<Entry extends { readonly items: readonly number[] }, Result>(
	entries: readonly Entry[],
	work: (entry: Entry) => Promise<Result> | Result,
): Promise<{ readonly results: readonly Result[]; readonly refusals: readonly FailedItems[] }> {
	const results: Result[] = [];
	const refusals: FailedItems[] = [];
	for (const entry of entries) {
		try {
			results.push(await work(entry));
		} catch (error) {
			refusals.push({ items: entry.items, error });
		}
	}
	return { results, refusals };
}

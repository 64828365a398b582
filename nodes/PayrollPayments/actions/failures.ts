import { mayHaveActed, Refusal } from '../shared/errors';
import type { Effect } from './commonOptions';
import type { OutputRecord } from './plan';
import type { Redactor } from '../shared/redaction';
import { failureRecord } from '../api/nodeErrors';

/** A job that succeeded, with its output. */
export interface CompletedJob {
	/** The indexes of its input items, at least one. */
	readonly items: readonly number[];
	readonly records: readonly OutputRecord[];
}

/** A job that failed. */
export interface FailedJob {
	readonly items: readonly number[];
	readonly error: unknown;
}

/** How many failures or items a message lists before it only counts the rest. */
const MAX_NAMED = 10;

function firstItem({ items }: { readonly items: readonly number[] }): number {
	return items[0] ?? 0;
}

/** Unknown outcomes first: money or invites may have gone out. */
function mostUrgentFirst(failures: readonly FailedJob[]): FailedJob[] {
	const isUnknown = (error: unknown) =>
		mayHaveActed(error) || (error instanceof Refusal && error.isOutcomeUnknown);
	const urgency = ({ error }: FailedJob) => (isUnknown(error) ? 0 : 1);
	return [...failures].sort((a, b) => urgency(a) - urgency(b) || firstItem(a) - firstItem(b));
}

function named(others: readonly FailedJob[], redactor: Redactor): string {
	const lines = others.slice(0, MAX_NAMED).map((failure) => {
		return String(failureRecord(failure.error, firstItem(failure), redactor).error);
	});
	const rest = others.length - lines.length;
	return `Also failed: ${lines.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`;
}

function completedRecords(completed: readonly CompletedJob[]) {
	return [...completed]
		.sort((a, b) => firstItem(a) - firstItem(b))
		.flatMap((job) => job.records.map((record) => ({ item: firstItem(job), ...record })));
}

function done(records: ReadonlyArray<Readonly<Record<string, unknown>>>): string {
	const names = records.slice(0, MAX_NAMED).map(({ item, transaction }) => {
		return `item ${String(item)}${typeof transaction === 'string' ? ` (${transaction})` : ''}`;
	});
	const rest = records.length - names.length;
	return `Already done before this error: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}

/**
 * Combines all failures of a run into one error: an unknown outcome first, then the others. For a
 * write, `completed` has what was already done, so that nobody does it again.
 */
export function combineFailures(
	failures: readonly FailedJob[],
	completed: readonly CompletedJob[],
	effect: Effect,
	redactor: Redactor,
): { readonly error: unknown; readonly item: number } {
	const [first, ...others] = mostUrgentFirst(failures);
	if (first === undefined) throw new Error('No failures to combine');
	const records = effect === 'write' ? completedRecords(completed) : [];
	const item = firstItem(first);
	if (others.length === 0 && records.length === 0) return { error: first.error, item };

	const error = first.error instanceof Refusal ? first.error : new Refusal(messageOf(first.error));
	if (others.length > 0) {
		error.addDetails({
			failures: others.map((each) => failureRecord(each.error, firstItem(each), redactor)),
		});
		error.addNote(named(others, redactor));
	}
	if (records.length > 0) {
		const own = error.details?.completed;
		error.addDetails({ completed: [...records, ...(Array.isArray(own) ? own : [])] });
		error.addNote(done(records));
	}
	return { error, item };
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : 'The node failed without a message';
}

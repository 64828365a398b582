import { mayHaveActed, Refusal } from '../shared/errors';
import type { FailedItems, Job, OutputRecord } from './plan';
import type { Redactor } from '../shared/redaction';
import { failureRecord } from '../api/nodeErrors';

/** A job that succeeded, with its output. */
export interface CompletedJob extends Pick<Job, 'isRecordPerItem' | 'isReport'> {
	/** The indexes of its input items, at least one. */
	readonly items: readonly number[];
	readonly records: readonly OutputRecord[];
}

/** How many failures or items a message lists before it only counts the rest. */
const MAX_NAMED = 10;

function firstItem({ items }: { readonly items: readonly number[] }): number {
	return items[0] ?? 0;
}

/** The item of one record, or the first item of all records. */
export function itemOf({ items, isRecordPerItem }: CompletedJob, index: number): number {
	return (isRecordPerItem === true ? items[index] : items[0]) ?? 0;
}

/** Unknown outcomes first: money or invites may have gone out. */
function mostUrgentFirst(failures: readonly FailedItems[]): FailedItems[] {
	const isUnknown = (error: unknown) =>
		mayHaveActed(error) || (error instanceof Refusal && error.isOutcomeUnknown);
	const urgency = ({ error }: FailedItems) => (isUnknown(error) ? 0 : 1);
	return [...failures].sort((a, b) => urgency(a) - urgency(b) || firstItem(a) - firstItem(b));
}

function named(others: readonly FailedItems[], redactor: Redactor): string {
	const lines = others.slice(0, MAX_NAMED).map((failure) => {
		return String(failureRecord(failure.error, firstItem(failure), redactor).error);
	});
	const rest = others.length - lines.length;
	return `Also failed: ${lines.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`;
}

function completedRecords(completed: readonly CompletedJob[]) {
	return completed
		.filter(({ isReport }) => isReport !== true)
		.flatMap((job) => job.records.map((record, index) => ({ item: itemOf(job, index), ...record })))
		.sort((a, b) => a.item - b.item);
}

function done(records: ReadonlyArray<Readonly<Record<string, unknown>>>): string {
	const names = records.slice(0, MAX_NAMED).map(({ item, transaction }) => {
		return `item ${String(item)}${typeof transaction === 'string' ? ` (${transaction})` : ''}`;
	});
	const rest = records.length - names.length;
	return `Already done before this error: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}

/**
 * Combines all failures of a run into one error: an unknown outcome first, then the others.
 * @param changes jobs that have changed something. `completed` lists them, so that nobody does it again
 */
export function combineFailures(
	failures: readonly FailedItems[],
	changes: readonly CompletedJob[],
	redactor: Redactor,
): { readonly error: unknown; readonly item: number } {
	const [first, ...others] = mostUrgentFirst(failures);
	if (first === undefined) throw new Error('No failures to combine');
	const records = completedRecords(changes);
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

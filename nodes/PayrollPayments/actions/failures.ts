import { mayHaveActed, Refusal } from '../shared/errors';
import type { Effect } from './commonOptions';
import type { OutputRecord } from './plan';
import type { Redactor } from '../shared/redaction';
import { failureRecord } from './nodeErrors';

/** One unit of work that was done, and what it puts out. */
export interface CompletedJob {
	/** Numbers of the input items, at least one. */
	readonly items: readonly number[];
	readonly records: readonly OutputRecord[];
}

/** One unit of work that failed. */
export interface FailedJob {
	readonly items: readonly number[];
	readonly error: unknown;
}

/** How many other failures a message names before it only counts them. */
const MAX_NAMED = 10;

function firstItem({ items }: { readonly items: readonly number[] }): number {
	return items[0] ?? 0;
}

/** Money and invites of which nobody knows whether they went out come before everything else. */
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
 * One error for everything that failed in one run of the node: an unknown outcome first, the others
 * named, and with a write, what was done as `completed`, so that it is not done again.
 */
export function combineFailures(
	failures: readonly FailedJob[],
	completed: readonly CompletedJob[],
	effect: Effect,
	redactor: Redactor,
): { readonly error: unknown; readonly item: number } {
	const [first, ...others] = mostUrgentFirst(failures);
	if (first === undefined) throw new Error('There is no failure to combine');
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
	return error instanceof Error ? error.message : 'The node failed';
}

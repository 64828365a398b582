import { failureRecord, messageFor } from '../api/nodeErrors';
import { messageOf, outcomeOf, UserError } from '../shared/errors';
import { centsAsDollars } from '../shared/money';
import type { Redactor } from '../shared/redaction';
import type { Operation } from './defineOperation';
import type { CompletedJob, FailedItems, RunResult } from './plan';

/** How many failures or items a message lists before it only counts the rest. */
const MAX_NAMED = 10;

const URGENCY = { unknown: 0, refused: 1, not_sent: 2 };

function firstItem({ items }: { readonly items: readonly number[] }): number {
	return items[0] ?? 0;
}

/** The item of one record, or the first item of all records. */
export function itemOf({ items, isRecordPerItem }: CompletedJob, index: number): number {
	return (isRecordPerItem === true ? items[index] : items[0]) ?? 0;
}

/** Unknown outcomes first: money or invites may have gone out. */
function mostUrgentFirst(failures: readonly FailedItems[]): FailedItems[] {
	const urgency = ({ error }: FailedItems) => URGENCY[outcomeOf(error)];
	return [...failures].sort((a, b) => urgency(a) - urgency(b) || firstItem(a) - firstItem(b));
}

/** "a, b and 3 more". */
function listed(names: readonly string[], separator = ', '): string {
	const shown = names.slice(0, MAX_NAMED).join(separator);
	const rest = names.length - MAX_NAMED;
	return rest > 0 ? `${shown}${separator.trimEnd()} and ${rest} more` : shown;
}

const conjunction = new Intl.ListFormat('en-GB');

/** " (the same in rows 5 and 9)"; nothing if there are no others. */
function alsoIn(others: readonly FailedItems[]): string {
	const rows = others.flatMap(({ error }) =>
		error instanceof UserError ? (error.context.row ?? []) : [],
	);
	const isSheet = rows.length === others.length;
	const places = (isSheet ? rows : others.map(firstItem)).map(String);
	if (places.length === 0) return '';
	const rest = places.length > MAX_NAMED ? [`${places.length - MAX_NAMED} more`] : [];
	const list = conjunction.format([...places.slice(0, MAX_NAMED), ...rest]);
	return ` (the same in ${isSheet ? 'row' : 'item'}${places.length === 1 ? '' : 's'} ${list})`;
}

/** The failures that say the same, each time together, in their order. */
function byMessage(failures: readonly FailedItems[]): FailedItems[][] {
	const groups = new Map<string, FailedItems[]>();
	for (const failure of failures) {
		const message = messageOf(failure.error);
		const group = groups.get(message) ?? [];
		group.push(failure);
		groups.set(message, group);
	}
	return [...groups.values()];
}

/** The failures in one sentence each: those that say the same are named together. */
function named(groups: readonly FailedItems[][], redactor: Redactor): string {
	const lines = groups.flatMap(([first, ...same]) =>
		first === undefined
			? []
			: `${messageFor(first.error, firstItem(first), redactor)}${alsoIn(same)}`,
	);
	return lines.length === 0 ? '' : `Also failed: ${listed(lines, '; ')}.`;
}

function completedRecords(completed: readonly CompletedJob[]) {
	return completed
		.filter(({ isReport }) => isReport !== true)
		.flatMap((job) => job.records.map((record, index) => ({ item: itemOf(job, index), ...record })))
		.sort((a, b) => a.item - b.item);
}

function done(records: ReadonlyArray<Readonly<Record<string, unknown>>>): string {
	const names = records.map(
		({ item, transaction }) =>
			`item ${String(item)}${typeof transaction === 'string' ? ` (${transaction})` : ''}`,
	);
	return `Already done before this error: ${listed(names)}.`;
}

/** "19 of 50 paid ($23,400.00), 1 not known, 30 not sent." */
function tally({ sent, failed }: RunResult): string {
	const paid = sent.filter(({ isReport }) => isReport !== true);
	const cents = paid.reduce((sum, job) => sum + BigInt(job.cents ?? 0), 0n);
	const of = (outcome: keyof typeof URGENCY) =>
		failed.filter(({ error }) => outcomeOf(error) === outcome).flatMap(({ items }) => items).length;
	const counts = [
		`${paid.length} of ${sent.length + failed.flatMap(({ items }) => items).length} paid (${centsAsDollars(cents)})`,
		...[
			[of('refused'), 'refused'],
			[of('unknown'), 'not known'],
			[of('not_sent'), 'not sent'],
		].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])),
	];
	return `${counts.join(', ')}.`;
}

/**
 * Combines all failures of a run into one error: an unknown outcome first, then the others. `completed`
 * lists what was done, so that nobody does it again; `failures` has each failure with its code.
 */
export function combineFailures(
	operation: Operation,
	result: RunResult,
	redactor: Redactor,
): UserError {
	const isChange = operation.effect === 'write';
	const [first, ...others] = mostUrgentFirst(result.failed);
	if (first === undefined) throw new Error('No failures to combine');
	const records = isChange ? completedRecords(result.sent) : [];
	const item = firstItem(first);
	const own =
		first.error instanceof UserError ? first.error : new UserError(messageOf(first.error));
	const told = others.filter(({ error }) => outcomeOf(error) !== 'not_sent');
	const [[, ...same] = [], ...different] = byMessage([first, ...told]);
	const record = (each: FailedItems) => ({
		item: firstItem(each),
		...failureRecord(each.error, firstItem(each), redactor, isChange),
	});
	const isTold = told.length > 0 || own.context.attemptCode !== undefined;
	const failures = isTold ? { failures: [first, ...told].map(record) } : {};
	const before = own.details?.completed;
	const completed =
		records.length > 0 ? { completed: [...records, ...(Array.isArray(before) ? before : [])] } : {};
	const isRun = operation.movesMoney && result.sent.length + result.failed.length > 1;
	const notes = [
		isRun ? tally(result) : '',
		records.length > 0 ? done(records) : '',
		named(different, redactor),
	];
	const details = { ...failures, ...completed };
	const note = notes.filter(Boolean).join(' ');
	const isAlone = note === '' && Object.keys(details).length === 0;
	const message =
		same.length === 0 ? own.message : `${own.message.replace(/\.$/, '')}${alsoIn(same)}`;
	return (isAlone ? own : own.withDone(details, note || undefined)).with({ item, message });
}

import { contextOf, messageOf, UserError } from '../shared/errors';
import { isRecord } from '../shared/json';
import { groupsOf, listed } from '../shared/lists';
import type { Redactor } from '../shared/redaction';
import { messageFor } from '../api/nodeErrors';
import type { Operation } from './operation';
import { failureRecord, madeNow, recordsOf } from './output';
import {
	concernsRun,
	failedRows,
	firstNumber,
	placeInError,
	rowsThatAre,
	type FailedRow,
	type Place,
	type Row,
} from './rows';

/** How many failures or items a message lists before it only counts the rest. */
const MAX_NAMED = 10;

/** An unknown outcome comes first, since a change may have been made; then what concerns the run. */
function urgencyOf(row: FailedRow): number {
	if (row.state.is === 'unknown') return 0;
	if (row.state.is === 'notSent') return 3;
	return concernsRun(row) ? 1 : 2;
}

/** Where something happened: the row of a sheet, or the first item, and all of them if there are several. */
function whereOf(numbers: readonly number[], place?: Place) {
	if (place?.row !== undefined) return { item: place.item, row: place.row.number };
	return { item: firstNumber({ numbers }), ...(numbers.length > 1 ? { items: numbers } : {}) };
}

/** " (the same in rows 5, 9)"; nothing if there are no others than the first. */
function alsoIn(group: readonly FailedRow[]): string {
	if (group.some(concernsRun)) return '';
	const rows = group.flatMap(({ place, state: { error } }) => {
		const row = contextOf(error).row ?? place?.row;
		return row === undefined ? [] : [row.number];
	});
	const isSheet = rows.length === group.length;
	const [, ...places] = (isSheet ? rows : group.flatMap(({ numbers }) => numbers)).map(String);
	if (places.length === 0) return '';
	const kind = `${isSheet ? 'row' : 'item'}${places.length === 1 ? '' : 's'}`;
	return ` (the same in ${kind} ${listed(places, MAX_NAMED)})`;
}

/** The rows that say the same, together, in the order in which they are reported. */
function grouped(failed: readonly FailedRow[]): FailedRow[][] {
	return [...groupsOf(failed, ({ state }) => messageOf(state.error)).values()];
}

/** Each failure as data; one that concerns the run, once. */
function failureRecords(
	groups: readonly FailedRow[][],
	recordOf: (row: FailedRow) => Readonly<Record<string, unknown>>,
) {
	return groups.flatMap((group) =>
		group
			.filter((row, index) => index === 0 || !concernsRun(row))
			.map((row) => {
				const numbers = concernsRun(row) ? [firstNumber(row)] : row.numbers;
				return { ...whereOf(numbers, row.place), ...recordOf(row) };
			}),
	);
}

/** What this execution has changed, in the order of the items. */
function madeRecords(rows: readonly Row[]) {
	return madeNow(rows)
		.flatMap((row) => [...recordsOf(row)])
		.sort((a, b) => a.number - b.number);
}

function namesOf(numbers: readonly number[], place?: Place): string[] {
	return place?.row === undefined
		? numbers.map((item) => `item ${item}`)
		: [`row ${place.row.number}`];
}

/** Where each change was made, with its transaction. */
function namesOfMade(made: ReturnType<typeof madeRecords>): string[] {
	return made.flatMap(({ record: { transaction }, items, place }) =>
		namesOf(items, place).map((name) =>
			typeof transaction === 'string' ? `${name} (${transaction})` : name,
		),
	);
}

/** What was done before the error, and what wasn't sent because of it. */
function notesOn(
	[summary, ...advice]: readonly string[],
	made: ReturnType<typeof madeRecords>,
	notSent: readonly FailedRow[],
): string {
	const names = namesOfMade(made);
	const others = notSent.flatMap(({ numbers, place }) => namesOf(numbers, place));
	const isOnlyPartlyDone = summary === undefined && names.length > 0 && others.length > 0;
	return [
		summary,
		names.length > 0 && `Already done before this error: ${listed(names, MAX_NAMED)}.`,
		...advice,
		isOnlyPartlyDone && `Not sent: ${listed(others, MAX_NAMED)}.`,
	]
		.filter(Boolean)
		.join(' ');
}

/** What was made before the error of a row: what it says itself, and for each step that it completed. */
function madeBefore({ state: { error } }: FailedRow) {
	const { details = {} } = contextOf(error);
	return [details, details.completed].flat().filter(isRecord);
}

/**
 * What the tries of a stopped execution have changed, or may have: n8n keeps nothing of what its node puts
 * out. Undefined if it is nothing.
 */
export function noteOnStopped(operation: Operation, rows: readonly Row[]): string | undefined {
	const made = madeRecords(rows);
	const own = rowsThatAre(rows, 'unknown').filter(({ state }) => state.when !== 'earlierRun');
	const unknown = own.map((row) => {
		const { attemptCode: code } = contextOf(row.state.error);
		const name = listed(namesOf(row.numbers, row.place), MAX_NAMED);
		return code === undefined ? name : `${name} (${code})`;
	});
	if (made.length + unknown.length === 0) return undefined;
	/* The service gives typed data once, and without it nobody can run Execute. */
	const records: ReadonlyArray<Readonly<Record<string, unknown>>> = [
		...made.map(({ record }) => record),
		...own.flatMap(madeBefore),
	];
	const typedData = records.flatMap(({ invites, typed_data: given }) =>
		given === undefined ? [] : [{ invites, typed_data: given }],
	);
	return [
		`Stopped in the middle of ${operation.resource}.${operation.operation}`,
		made.length > 0 && `done: ${namesOfMade(made).join(', ')}`,
		unknown.length > 0 && `outcome unknown: ${unknown.join(', ')}`,
		typedData.length > 0 && `for Execute: ${JSON.stringify(typedData)}`,
	]
		.filter(Boolean)
		.join('; ');
}

/**
 * Combines all failures of a run into one error: that of the most urgent one, which names the others.
 * `completed` lists what was done, so that nobody does it again; `failures` has each failure with its code.
 */
export function combineFailures(
	operation: Operation,
	rows: readonly Row[],
	redactor: Redactor,
): UserError | undefined {
	const sorted = failedRows(rows).sort(
		(a, b) => urgencyOf(a) - urgencyOf(b) || firstNumber(a) - firstNumber(b),
	);
	const [first] = sorted;
	if (first === undefined) return undefined;
	const { error } = first.state;
	const firstError = error instanceof UserError ? error : new UserError(messageOf(error));
	/* What wasn't sent because of another failure isn't listed as one: the note counts or names it. */
	const isReported = (row: FailedRow) => row === first || row.state.is !== 'notSent';
	const notSent = sorted.filter((row) => !isReported(row));
	const groups = grouped(sorted.filter(isReported));
	const [firstGroup = [], ...otherGroups] = groups;

	const recordOf = (row: FailedRow) =>
		failureRecord(operation, rows, row, firstNumber(row), redactor);
	const failures = failureRecords(groups, recordOf);
	/* A single failure is in the message already, but for its code. */
	const isListed = failures.length > 1 || firstError.context.attemptCode !== undefined;

	const made = operation.effect === 'write' ? madeRecords(rows) : [];
	const before = firstError.context.details?.completed;
	const completed = [
		...made.map(({ record, items, place }) => ({
			...whereOf(items, place),
			...(operation.hasSecretOutput === true ? {} : record),
		})),
		/* Steps of the first failed row that were made before it failed (takeInOrder). */
		...(Array.isArray(before) ? before : []),
	];
	const details = {
		...(isListed ? { failures } : {}),
		...(made.length > 0 ? { completed } : {}),
	};

	const messages = otherGroups.map((group) => {
		const [row = first] = group;
		return messageFor(row.state.error, placeInError(row), redactor) + alsoIn(group);
	});
	const alsoFailed = messages.length > 0 && `Also failed: ${listed(messages, MAX_NAMED, '; ')}.`;
	const { hint = firstError.hint } = recordOf(first);
	const place = placeInError(first);
	return firstError
		.withDone(details, notesOn(operation.notesOnFailure?.(rows) ?? [], made, notSent))
		.with({
			item: typeof place === 'number' ? place : (first.place?.item ?? firstNumber(first)),
			...(typeof place === 'object' && { row: place }),
			hint: [hint, alsoFailed].filter(Boolean).join(' '),
			message: `${firstError.message.replace(/\.$/, '')}${alsoIn(firstGroup)}`,
		});
}

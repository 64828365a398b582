import { ExecutionMemory, type RunScope } from '../idempotency/executionMemory';
import { UserError } from '../shared/errors';
import { canonicalJson } from '../shared/json';
import type { Operation } from './operation';
import {
	concernsRun,
	failedRows,
	inputItemsOf,
	isUnread,
	refuseRest,
	rowsThatAre,
	slotsOf,
	type Row,
	type RowThatIs,
} from './rows';
import type { OutputRecord } from './write';

/*
 * WHAT A SECOND TRY DOES
 *
 * n8n runs the whole node again. Where an earlier try has done something, or may have:
 * 1. Its own change isn't sent again. The journals answer: `ofEarlierTry` in paymentJournal.ts, and `known`
 *    in executionJournal.ts. They know single changes, by the item and by the request.
 * 2. `refuseChanged` refuses what differs from it in item or request, since no journal would know it again.
 * 3. `withEarlierTries` puts it back into the output, where this try couldn't even ask the journals.
 * 4. `rememberTries` keeps the rows for the next try.
 * Besides, an unknown outcome of an earlier try ends a run that `stopsAtUnknown` (run.ts).
 */

/** Of each run: the rows that its tries have done, or may have done. */
const rowsOfRuns = new ExecutionMemory<readonly Row[]>();

/**
 * The rows of a try of *Retry On Fail*, with what earlier tries have done. An earlier row takes the place of one
 * that was refused before the journals could be asked, e.g. because its form can't be read any more. Where an
 * item holds something else now, the earlier row is added.
 */
export function withEarlierTries(scope: RunScope, rows: readonly Row[]): readonly Row[] {
	const before = rowsOfRuns.of(scope).get('done') ?? [];
	return before.length === 0 ? rows : mergeTries(rows, before);
}

/** Keeps what the tries so far have done for the next one. Without a failure, there is no next try. */
export function rememberTries(
	scope: RunScope,
	{ columnsOfEarlierTry = {} }: Operation,
	rows: readonly Row[],
): void {
	const done = failedRows(rows).length === 0 ? [] : doneIn(rows, columnsOfEarlierTry);
	rowsOfRuns.of(scope).set('done', done);
}

/** The rows of this try with those of earlier ones, so that each change is reported once. */
function mergeTries(rows: readonly Row[], before: readonly Row[]): readonly Row[] {
	const replaced = replacedRows(rows, before);
	const own = rows.filter((row) => !replaced.has(row));
	const earlier = rowsToReport(before, [...replaced], own);
	/* If items have changed places, a change of this run looks like one of an earlier run: report it once. */
	const reported = new Set(earlier.map(requestsOf));
	const others = own.filter((row) => !(isOfEarlierRun(row) && reported.has(requestsOf(row))));
	/*
	 * A form that can't be read keeps all other rows from being sent. Where the earlier try's row replaces
	 * it, nothing would say so any more: these rows then name it.
	 */
	const [unread] = rowsThatAre([...replaced], 'refused').filter(isUnread);
	const held = unread === undefined ? others : blockedBy(unread, others, earlier);
	return [...held, ...earlier];
}

/** The rows that nobody has asked the journals about, but that an earlier try has done, or may have done. */
function replacedRows(rows: readonly Row[], before: readonly Row[]): ReadonlySet<Row> {
	/* A change that is in another place now was read there, so it isn't the unreadable row here. */
	const readElsewhere = new Set(rows.filter(({ writes }) => writes.length > 0).map(requestsOf));
	const doneBefore = slotsIn(before.filter((row) => !readElsewhere.has(requestsOf(row))));
	return new Set(rows.filter((row) => wasNotLookedUp(row) && isIn(doneBefore, row)));
}

/** What earlier tries have done, or may have done, unless this try reports it in the same place. */
function rowsToReport(
	before: readonly Row[],
	replaced: readonly Row[],
	own: readonly Row[],
): Row[] {
	const answered = rowsThatAre(own, 'done', 'unknown').filter((row) => !isOfEarlierRun(row));
	const [placesOfReplaced, placesOfAnswered] = [slotsIn(replaced), slotsIn(answered)];
	return before.filter(
		(row) => isIn(placesOfReplaced, row) || (isOfEarlierTry(row) && !isIn(placesOfAnswered, row)),
	);
}

/** What earlier tries of the run have done, or may have done; what earlier runs left is looked up again. */
export function doneInEarlierTries(scope: RunScope): readonly Row[] {
	return (rowsOfRuns.of(scope).get('done') ?? []).filter(isOfEarlierTry);
}

/**
 * Refuses rows for whose items an earlier try has done, or may have done, something else, and rows that it
 * has done for other items: an expression gives another value now, or a group has other items.
 */
export function refuseChanged(rows: readonly Row[], before: readonly Row[]): readonly Row[] {
	if (before.length === 0) return rows;
	const sent = requestsBySlot(before);
	const now = requestsBySlot(rows);
	/* A request that is still in its place isn't moved: another item may hold the same one. */
	const moved = new Set(
		[...sent].filter(([slot, each]) => now.get(slot) !== each).map(([, each]) => each),
	);
	return rows.map((row) => {
		if (row.state.is !== 'ready') return row;
		const own = requestsOf(row);
		const isOther = slotsOf(row).some((slot) => (sent.get(slot) ?? own) !== own);
		if (!isOther && !moved.has(own)) return row;
		const what = isOther ? 'another request for this item' : 'this request for another item';
		const error = new UserError(`An earlier try of this run has sent ${what}`, {
			hint: 'Check the result in the service. Retry On Fail runs the node again: use values that stay the same.',
		});
		return { ...row, state: { is: 'refused', error } };
	});
}

function requestsBySlot(rows: readonly Row[]): ReadonlyMap<string, string> {
	return new Map(
		rows.flatMap((row) => slotsOf(row).map((slot) => [slot, requestsOf(row)] as const)),
	);
}

function isOfEarlierTry({ state }: Row): boolean {
	return 'when' in state && state.when === 'earlierTry';
}

function requestsOf({ writes }: Row): string {
	return canonicalJson(writes.map(({ request }) => request));
}

/** Whether it tells what an earlier run has sent, rather than what this one did for the item. */
function isOfEarlierRun({ state, writes }: Row): boolean {
	return 'when' in state && state.when === 'earlierRun' && writes.length > 0;
}

/** Whether the journals weren't asked about a row. */
function wasNotLookedUp(row: Row): boolean {
	return concernsRun(row) || isUnread(row) || row.state.is === 'read';
}

function slotsIn(rows: readonly Row[]): ReadonlySet<string> {
	return new Set(rows.flatMap(slotsOf));
}

function isIn(slots: ReadonlySet<string>, row: Row): boolean {
	return slotsOf(row).every((slot) => slots.has(slot));
}

/**
 * The rows, of which those that weren't sent give the error of the unreadable one as the reason, unless an
 * unknown outcome ended the try.
 */
function blockedBy(
	unread: RowThatIs<'refused'>,
	rows: readonly Row[],
	earlier: readonly Row[],
): Row[] {
	const { error: reason } = unread.state;
	const [item = 0] = inputItemsOf(unread);
	/* All these rows then name the unreadable item, not themselves. */
	const error = reason instanceof UserError ? reason.with({ item }) : reason;
	/* An unknown outcome comes first in the error, and is the reason why they weren't sent. */
	const hasUnknown = rowsThatAre([...rows, ...earlier], 'unknown').length > 0;
	const isHeldUp = ({ state }: Row) => state.is === 'notSent' && !hasUnknown;
	return refuseRest(rows, error).map((row) =>
		isHeldUp(row) ? { ...row, state: { is: 'refused', error, why: 'run' } } : row,
	);
}

/** What a try has done, or may have done, as the next one sees it. */
function doneIn(rows: readonly Row[], columns: OutputRecord): Row[] {
	return rowsThatAre(rows, 'done', 'unknown').map(({ state, ...row }) => {
		if (state.when === 'earlierRun') return { ...row, state };
		if (state.is === 'unknown') return { ...row, state: { ...state, when: 'earlierTry' } };
		const records = state.records.map((record) => ({ ...record, ...columns }));
		return { ...row, state: { ...state, records, when: 'earlierTry' } };
	});
}

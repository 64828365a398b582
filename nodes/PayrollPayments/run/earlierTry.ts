import { ExecutionMemory, type RunScope } from '../idempotency/executionMemory';
import { UserError } from '../shared/errors';
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

/** Of each run: the rows that its tries have done, or may have done, and those that the last one hasn't. */
const rowsOfRuns = new ExecutionMemory<readonly Row[]>();

/**
 * The rows of a try of *Retry On Fail*, with what an earlier one has done in place of rows that were refused
 * before the journals could be asked: the credentials or a form can't be read any more, for instance.
 */
export function withEarlierTry(
	scope: RunScope,
	{ columnsOfEarlierTry = {} }: Operation,
	rows: readonly Row[],
): readonly Row[] {
	const run = rowsOfRuns.of(scope);
	const [before, undone] = [byKey(run.get('done') ?? []), byKey(run.get('undone') ?? [])];
	const isUnasked = (row: Row) =>
		concernsRun(row) || isUnread(row) || rowsThatAre([row], 'read', 'ready').length > 0;
	const unasked = rows.filter(isUnasked);
	const told = new Set(unasked.filter((row) => isDone(row, before, undone)));
	const others = rows.filter((row) => !told.has(row));
	/* A form that can't be read is why the others weren't sent. */
	const [unread] = rowsThatAre([...told], 'refused').filter(isUnread);
	const retold = unasked.filter((row) => told.has(row) || unreadItem(row) !== undefined);
	const earlier = [...new Set(retold.flatMap((row) => sameIn(before, row)))];
	const rest = [...(unread === undefined ? others : heldUpBy(unread, others, earlier)), ...earlier];
	const all = [...rest, ...notTold(doneInEarlierTries(scope), rest)];
	/* Without a failure there is no further try. */
	const isLast = failedRows(all).length === 0;
	run.set('done', isLast ? [] : doneIn(all, columnsOfEarlierTry));
	run.set('undone', isLast ? [] : rowsThatAre(all, 'refused', 'notSent', 'read', 'ready'));
	return all;
}

/** What earlier tries have done of items or rows that hold something else now, or aren't there any more. */
function notTold(before: readonly Row[], rows: readonly Row[]): readonly Row[] {
	const told = byKey(rowsThatAre(rows, 'done', 'unknown'));
	return before.filter((row) => slotsOf(row).every((slot) => !told.has(`row ${slot}`)));
}

/** What earlier tries of the run have done, or may have done; what earlier runs left is looked up again. */
export function doneInEarlierTries(scope: RunScope): readonly Row[] {
	const before = rowsOfRuns.of(scope).get('done') ?? [];
	return before.filter(({ state }) => 'when' in state && state.when === 'earlierTry');
}

/** The input item whose form can't be read; it may have had a list of rows. */
function unreadItem(row: Row): number | undefined {
	return isUnread(row) && row.place?.row === undefined ? row.place?.item : undefined;
}

type RowsByKey = ReadonlyMap<string, readonly Row[]>;

/** Rows by the number of each of their items, and by each input item that they come from. */
function byKey(rows: readonly Row[]): RowsByKey {
	const found = new Map<string, Row[]>();
	for (const row of rows) {
		const keys = [
			...slotsOf(row).map((slot) => `row ${slot}`),
			...inputItemsOf(row).map((item) => `item ${item}`),
		];
		for (const key of keys) {
			const others = found.get(key);
			if (others === undefined) found.set(key, [row]);
			else others.push(row);
		}
	}
	return found;
}

function sameIn(rows: RowsByKey, row: Row): readonly Row[] {
	const item = unreadItem(row);
	const keys = item === undefined ? slotsOf(row).map((slot) => `row ${slot}`) : [`item ${item}`];
	return keys.flatMap((key) => rows.get(key) ?? []);
}

/** Whether an earlier try has done all of a row, or may have. */
function isDone(row: Row, before: RowsByKey, undone: RowsByKey): boolean {
	if (unreadItem(row) !== undefined) {
		return sameIn(before, row).length > 0 && sameIn(undone, row).length === 0;
	}
	return slotsOf(row).every((slot) => before.has(`row ${slot}`));
}

/** The rows that weren't sent because another one couldn't be read, unless an unknown outcome ended the try. */
function heldUpBy(
	unread: RowThatIs<'refused'>,
	rows: readonly Row[],
	earlier: readonly Row[],
): Row[] {
	const { error: reason } = unread.state;
	const [item = 0] = inputItemsOf(unread);
	/* Else it would be told of each row as its own. */
	const error =
		reason instanceof UserError && reason.context.row === undefined
			? reason.with({ item })
			: reason;
	const unknown = rowsThatAre([...rows, ...earlier], 'unknown').filter(
		({ state }) => state.when !== 'earlierRun',
	);
	const isHeldUp = ({ state }: Row) => state.is === 'notSent' && unknown.length === 0;
	return refuseRest(rows, error).map((row) =>
		isHeldUp(row) ? { ...row, state: { is: 'refused', error, scope: 'run' } } : row,
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

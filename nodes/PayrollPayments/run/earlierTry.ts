import { ExecutionMemory, type RunScope } from '../idempotency/executionMemory';
import type { Operation } from './operation';
import {
	concernsRun,
	failedRows,
	inputItemsOf,
	isUnread,
	refuseRest,
	rowsThatAre,
	type Row,
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
	const [before = [], undone = []] = [run.get('done'), run.get('undone')];
	const refusedNow = rows.filter((row) => concernsRun(row) || isUnread(row));
	const told = new Set(refusedNow.filter((row) => isDone(row, before, undone)));
	const others = rows.filter((row) => !told.has(row));
	/* A form that can't be read is why the others weren't sent. */
	const [unread] = rowsThatAre([...told], 'refused').filter(isUnread);
	const all = [
		...(unread === undefined ? others : heldUpBy(unread.state.error, others)),
		...before.filter((earlier) =>
			refusedNow.some(
				(row) => (told.has(row) || unreadItem(row) !== undefined) && isSame(row, earlier),
			),
		),
	];
	/* Without a failure there is no further try. */
	const isLast = failedRows(all).length === 0;
	run.set('done', isLast ? [] : doneIn(all, columnsOfEarlierTry));
	run.set('undone', isLast ? [] : rowsThatAre(all, 'refused', 'notSent'));
	return all;
}

/** The input item whose form can't be read; it may have had a list of rows. */
function unreadItem(row: Row): number | undefined {
	return isUnread(row) && row.place?.row === undefined ? row.place?.item : undefined;
}

function isSame(row: Row, earlier: Row): boolean {
	const item = unreadItem(row);
	return item === undefined
		? earlier.items.some((each) => row.items.includes(each))
		: inputItemsOf(earlier).includes(item);
}

/** Whether an earlier try has done all of a row, or may have. */
function isDone(row: Row, before: readonly Row[], undone: readonly Row[]): boolean {
	const earlier = before.filter((each) => isSame(row, each));
	if (unreadItem(row) !== undefined) {
		return earlier.length > 0 && !undone.some((each) => isSame(row, each));
	}
	const items = new Set(earlier.flatMap((each) => each.items));
	return row.items.every((item) => items.has(item));
}

/** The rows that weren't sent because another one couldn't be read, unless an unknown outcome ended the try. */
function heldUpBy(error: unknown, rows: readonly Row[]): Row[] {
	const unknown = rowsThatAre(rows, 'unknown').filter(({ state }) => state.when !== 'earlierRun');
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

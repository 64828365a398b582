import { ExecutionMemory, type RunScope } from '../idempotency/executionMemory';
import type { Operation } from './operation';
import { concernsRun, failedRows, isUnread, refuseRest, rowsThatAre, type Row } from './rows';
import type { OutputRecord } from './write';

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
	const before = run.get('rows') ?? [];
	const itemsBefore = new Set(before.flatMap(({ items }) => items));
	const isTold = (row: Row) =>
		(concernsRun(row) || isUnread(row)) && row.items.every((item) => itemsBefore.has(item));
	const told = rows.filter(isTold);
	const replaced = new Set(told.flatMap(({ items }) => items));
	const others = rows.filter((row) => !isTold(row));
	/* A form that can't be read is why the others weren't sent. */
	const [unread] = rowsThatAre(told, 'refused').filter(isUnread);
	const all = [
		...(unread === undefined ? others : refuseRest(others, unread.state.error)),
		...before.filter(({ items }) => items.some((item) => replaced.has(item))),
	];
	/* Without a failure there is no further try. */
	run.set('rows', failedRows(all).length === 0 ? [] : doneIn(all, columnsOfEarlierTry));
	return all;
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

import { ExecutionMemory, type RunScope } from '../idempotency/executionMemory';
import type { Operation } from './operation';
import { concernsRun, failedRows, rowsThatAre, type Row } from './rows';
import type { OutputRecord } from './write';

const rowsOfRuns = new ExecutionMemory<readonly Row[]>();

/**
 * The rows of a try of *Retry On Fail*, with what an earlier one has done in place of rows that were refused
 * before the journals could be asked: the credentials can't be read any more, or don't allow it any more.
 */
export function withEarlierTry(
	scope: RunScope,
	{ columnsOfEarlierTry = {} }: Operation,
	rows: readonly Row[],
): readonly Row[] {
	const run = rowsOfRuns.of(scope);
	const before = run.get('rows') ?? [];
	const itemsBefore = new Set(before.flatMap(({ items }) => items));
	const isTold = (row: Row) => concernsRun(row) && row.items.every((item) => itemsBefore.has(item));
	const replaced = new Set(rows.filter(isTold).flatMap(({ items }) => items));
	const all = [
		...rows.filter((row) => !isTold(row)),
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

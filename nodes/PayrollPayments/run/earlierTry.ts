import { ExecutionMemory, type RunScope } from '../idempotency/executionMemory';
import { concernsRun, failedRows, rowsThatAre, type Row } from './rows';

const rowsOfRuns = new ExecutionMemory<readonly Row[]>();

/**
 * The rows of a try of *Retry On Fail*, with what an earlier one has done in place of rows that were refused
 * before the journals could be asked: the credentials can't be read any more, or don't allow it any more.
 */
export function withEarlierTry(scope: RunScope, rows: readonly Row[]): readonly Row[] {
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
	run.set('rows', failedRows(all).length === 0 ? [] : doneIn(all));
	return all;
}

/** What a try has done, or may have done, as the next one sees it. */
function doneIn(rows: readonly Row[]): Row[] {
	return rowsThatAre(rows, 'done', 'unknown')
		.filter(({ state }) => state.when !== 'earlierRun')
		.map((row) => ({ ...row, state: { ...row.state, when: 'earlierTry' } }));
}

import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { contextOf, ServiceError } from '../shared/errors';
import type { Redactor } from '../shared/redaction';
import { messageFor } from '../api/nodeErrors';
import type { Operation } from './operation';
import {
	failedRows,
	firstNumber,
	inputItemsOf,
	placeInError,
	rowsThatAre,
	type FailedRow,
	type Row,
	type RowThatIs,
} from './rows';
import type { OutputRecord } from './write';

/** `outcome` of a failed item, by the state of its row. */
export const OUTCOMES = { refused: 'refused', unknown: 'unknown', notSent: 'not_sent' } as const;

/** What a row put out: each record, the input items that it comes from, and its number in the run. */
export function* recordsOf({ numbers: all, place, state }: RowThatIs<'done' | 'checked'>) {
	const { records } = state;
	for (const [index, record] of records.entries()) {
		const numbers = records.length === all.length ? all.slice(index, index + 1) : all;
		yield {
			record,
			place,
			items: inputItemsOf({ numbers, place }),
			number: firstNumber({ numbers }),
		};
	}
}

/** The rows whose changes this execution has made. */
export function madeNow(rows: readonly Row[]): Array<RowThatIs<'done'>> {
	return rowsThatAre(rows, 'done').filter(({ state }) => state.when !== 'earlierRun');
}

interface SentSummary {
	/** Whether this execution has changed anything, or may have. */
	readonly isTouched: boolean;
	readonly wasAnySent: boolean;
	/** Whether a signer may have signed, although nothing was sent. */
	readonly mayBeSigned: boolean;
}

/** By the rows of a run, since each failed one says what became of all, and there can be thousands. */
const sentByRows = new WeakMap<readonly Row[], SentSummary>();

function sentBy(rows: readonly Row[]): SentSummary {
	const known = sentByRows.get(rows);
	if (known !== undefined) return known;
	const isTouched = rows.some(
		({ state }) => (state.is === 'done' || state.is === 'unknown') && state.when !== 'earlierRun',
	);
	const sent = {
		isTouched,
		wasAnySent: isTouched || rows.some(reachedService),
		mayBeSigned: failedRows(rows).some(({ state }) => contextOf(state.error).mayBeSigned),
	};
	sentByRows.set(rows, sent);
	return sent;
}

function reachedService({ state }: Row): boolean {
	return state.is === 'refused' && state.why === 'sent';
}

/**
 * What a failed row says to do. Whether anything was signed or sent is said here and nowhere else,
 * since only the rows tell.
 */
function hintFor({ effect }: Operation, rows: readonly Row[], row: FailedRow): string | undefined {
	const { hint } = contextOf(row.state.error);
	if (effect === 'read' || row.state.is === 'unknown' || reachedService(row)) return hint;
	const { isTouched, wasAnySent, mayBeSigned } = sentBy(rows);
	if (wasAnySent && row.state.is === 'notSent') return hint;
	const nothing = mayBeSigned ? 'Nothing was sent.' : 'Nothing was signed or sent.';
	const said = wasAnySent ? 'This was not sent.' : nothing;
	const others = isTouched && 'Other items were: leave them out of the next run.';
	return [hint, said, others].filter(Boolean).join(' ');
}

/**
 * The output for an item of a failed row, as tooling/outputSchemas.ts describes it.
 * @param number one of the row's
 */
export function failureRecord(
	operation: Operation,
	rows: readonly Row[],
	row: FailedRow,
	number: number,
	redactor: Redactor,
): IDataObject {
	const { error } = row.state;
	const { details = {}, note, attemptCode } = contextOf(error);
	const service = error instanceof ServiceError ? error : undefined;
	const isChange = operation.effect === 'write';
	const redacted = (text: string | undefined) => text && redactor.text(text);
	const fields = {
		error: [messageFor(error, placeInError(row, number), redactor), redacted(note)]
			.filter(Boolean)
			.join('. '),
		error_code: redacted(service?.errorCode),
		http_status: service?.status,
		outcome: isChange ? OUTCOMES[row.state.is] : undefined,
		attempt_code: attemptCode,
		hint: isChange ? redacted(hintFor(operation, rows, row)) : undefined,
	};
	const given = Object.entries(fields).filter(([, value]) => value !== undefined);
	return Object.assign(Object.fromEntries(given), redactor.data(details));
}

/** n8n takes an item with `$error` for a failed one, and would put out nothing else of it. */
function withoutItemError(record: OutputRecord): OutputRecord {
	if (!('$error' in record)) return record;
	const others = { ...record };
	Reflect.deleteProperty(others, '$error');
	return others;
}

/** What items have in addition: all of them, or those that failed. */
interface MoreColumns {
	readonly ofAll?: Readonly<Record<string, string>>;
	readonly ofFailed?: OutputRecord;
}

/** What the node puts out with *On Error: Continue*, or where nothing failed: in the order of the items. */
export function outputItems(
	node: INode,
	operation: Operation,
	rows: readonly Row[],
	redactor: Redactor,
	{ ofAll = {}, ofFailed }: MoreColumns = {},
): INodeExecutionData[] {
	const ofRun = Object.fromEntries(
		Object.entries(ofAll).map(([name, text]) => [name, redactor.text(text)]),
	);
	/* Put in order as they come: a second list of 50,000 records would cost as much memory again. */
	const byNumber: INodeExecutionData[][] = [];
	const put = (number: number, output: INodeExecutionData) =>
		(byNumber[number] ??= []).push(output);
	for (const row of rowsThatAre(rows, 'done', 'checked')) {
		for (const { record, number, items: all } of recordsOf(row)) {
			const [first = number, ...others] = new Set(all);
			const pairedItem =
				others.length === 0 ? { item: first } : [first, ...others].map((each) => ({ item: each }));
			put(number, { json: { ...withoutItemError(record), ...ofRun }, pairedItem });
		}
	}
	for (const row of failedRows(rows)) {
		for (const number of row.numbers) {
			const record = failureRecord(operation, rows, row, number, redactor);
			const json: IDataObject = {
				...ofFailed,
				...operation.failureColumns,
				...row.columns,
				...record,
				...ofRun,
			};
			const pairedItem = { item: row.place?.item ?? number };
			/* n8n sends an item to the error output by these two members, and adds the input's own. */
			const { error: message, ...details } = json;
			const isBare = Object.keys(details).length === 0;
			const routed = isBare ? { error: message } : { error: message, details };
			put(number, { json: node.onError === 'continueErrorOutput' ? routed : json, pairedItem });
		}
	}
	return byNumber.flat();
}

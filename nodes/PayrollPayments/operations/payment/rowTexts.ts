import {
	concernsRun,
	failedRows,
	inOrder,
	sheetPlaceOf,
	type FailedRow,
	type Row,
} from '../../run/rows';
import type { OutputRecord } from '../../run/write';
import { messageOf } from '../../shared/errors';
import { groupsOf, listed } from '../../shared/lists';
import { shorten } from '../../shared/redaction';
import { placeName } from '../../shared/sheetPlace';

// How checks and runs call a row, and what failed in it.

/** Only a hash of what was sent is recorded, so nobody can say what it was. */
export const ASK_ABOUT_SENT =
	'If a payment that isn’t known yet was sent for another recipient or amount, ask about that one.';

/** Characters of a reference. More of them would take the place of what else a person must see. */
const LONGEST_REFERENCE = 99;

/** Characters of an error that a message quotes. */
const LONGEST_ERROR = 300;

/** A column that is text; '' for any other. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The reference of a row, as far as there is room for it. */
export const referenceOf = ({ reference }: OutputRecord): string =>
	shorten(textOf(reference), LONGEST_REFERENCE);

/** A row as people call it: "row 7 of the sheet (PAY-007)". */
export function rowName({ columns = {}, place, numbers }: Row): string {
	const reference = referenceOf(columns) || undefined;
	return placeName({ ...sheetPlaceOf({ numbers, place }), reference });
}

/** A payment by its reference or, without a short one, its row. */
export function paymentName(row: Row): string {
	const reference = textOf(row.columns?.reference);
	const isShort = reference !== '' && reference.length <= LONGEST_REFERENCE;
	return isShort ? reference : rowName(row);
}

function reasonOf({ state }: FailedRow): string {
	return shorten(messageOf(state.error), LONGEST_ERROR).replace(/\.$/, '');
}

/** What failed, with the names of the first rows; a row is named unless the whole run is refused. */
export function failureTexts(rows: readonly Row[], nameOf: (row: Row) => string): string[] {
	return [...groupsOf(inOrder(failedRows(rows)), reasonOf)].map(([reason, group]) => {
		const names = group.flatMap((row) => (concernsRun(row) ? [] : nameOf(row)));
		return names.length === 0 ? reason : beginningWithRow(`${listed(names)}: ${reason}`);
	});
}

/** Each row that failed, and why; what concerns the whole run, once. */
export function eachFailure(rows: readonly Row[]): string[] {
	const failures = inOrder(failedRows(rows)).map((row) =>
		concernsRun(row) ? reasonOf(row) : beginningWithRow(`${rowName(row)}: ${reasonOf(row)}`),
	);
	return [...new Set(failures)];
}

const beginningWithRow = (text: string) => text.replace(/^row /, 'Row ');

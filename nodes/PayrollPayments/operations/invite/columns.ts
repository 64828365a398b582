import { z } from 'zod';

import { isBlank, titleOf, type Field } from '../../forms/field';
import { choice, filledText, menuOf, text } from '../../forms/fieldTypes';
import { UserError } from '../../shared/errors';
import { shorten, visible } from '../../shared/redaction';
import { listed } from '../../shared/lists';

import { invitee, INVITEE_FIELDS, inviteeFrom, type Invitee, type InviteeField } from './invitees';

/**
 * One row of a sheet, and the columns that Column Names gives for it. n8n's nodes for sheets leave out
 * empty cells, so a row may lack a column that the sheet has.
 */
export interface Row {
	/** Counted from 1, as in a sheet. */
	readonly number: number;
	readonly columns: Readonly<Record<string, unknown>>;
	readonly names: ReadonlyArray<{ readonly field: InviteeField; readonly name: string }>;
	/** The headers of all rows. */
	readonly headers: ReadonlySet<string>;
}

/** A header without what spellings differ in: "First Name", first_name and firstName are one. */
function withoutStyle(header: string): string {
	return header.replace(/[\s_-]/g, '').toLowerCase();
}

const RECOGNIZED = new Map(INVITEE_FIELDS.map((field) => [withoutStyle(field), field]));

const columnField = choice({ label: 'Field' }, menuOf(INVITEE_FIELDS), 'email');

const columnName = text(
	{ label: 'Name', description: 'Header of the column that has this field', example: 'Work Email' },
	filledText,
);

const NO_COLUMN = 'is empty. Add a column with a field and a name, or remove the option';

const column = z.object({ field: columnField.schema, name: columnName.schema });

/** Headers for fields whose columns aren't recognized by name. */
export const columnNames: Field<Row['names'], 'unset'> = {
	empty: 'unset',
	form: {
		displayName: 'Column Names',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add column',
		default: {},
		description:
			'Which column of the input rows has which field, if its header isn’t the field’s name',
		options: [
			{
				displayName: 'Column',
				name: 'column',
				values: [
					{ ...columnField.form, name: 'field' },
					{ ...columnName.form, name: 'name' },
				],
			},
		],
	},
	/* n8n turns an expression for the whole field into an empty one. */
	schema: z
		.object(
			{ column: z.array(column, { required_error: NO_COLUMN }).min(1, NO_COLUMN) },
			{ invalid_type_error: 'must be a list of columns' },
		)
		.transform((value) => value.column),
};

/** @throws {UserError} if no row has a column that the user named: what it holds would be dropped */
export function checkColumnNames(rows: readonly Row[]): void {
	const named = new Map(rows.flatMap(({ names }) => names.map(({ name, field }) => [name, field])));
	for (const [name, field] of named) {
		if (rows.some((row) => matches(row, name).length > 0)) continue;
		throw new UserError(
			`Column Names reads ${titleOf(field)} from column ${name}, but no row has that column`,
			{
				hint: `Correct Column Names under Options. The first row has the columns ${listed(Object.keys(rows[0]?.columns ?? {}), 10)}. If the column is only empty, turn on Include Empty Cells in the node that reads the file.`,
			},
		);
	}
}

export function readRow(row: Row): Invitee {
	const isNamed = row.names.some(({ name }) => withoutStyle(name) === 'prefill');
	if (!isNamed && !isBlank(row.columns.prefill)) {
		const advice = ' Invitees From: JSON takes invitees in the service’s form.';
		throw rowError(
			row,
			'prefill can’t be a column; use one for each field, e.g. first_name',
			advice,
		);
	}
	const headers = headersOf(row);
	const valueOf = (field: InviteeField): unknown => {
		const header = headers.get(field);
		return header === undefined ? undefined : (row.columns[header] ?? undefined);
	};
	const result = invitee.safeParse(inviteeFrom(valueOf));
	if (result.success) return result.data;
	const [{ path, message } = { path: [], message: 'isn’t valid' }] = result.error.issues;
	const field = INVITEE_FIELDS.find((each) => each === path.at(-1)) ?? 'email';
	const named = row.names.find((each) => each.field === field)?.name;
	const fault = `${headers.get(field) ?? named ?? field} ${message}`;
	if (field !== 'email') throw rowError(row, fault);
	const value = valueOf(field);
	if (typeof value === 'string' && value.trim() !== '') {
		throw rowError(row, `${shorten(visible(value.trim()), 100)} isn’t an email address`);
	}
	const advice =
		named === undefined
			? ' If the address is in another column, enter its header in Column Names under Options.'
			: ' Column Names says where the address is, so it is taken from no other column.';
	throw rowError(row, fault, advice);
}

/**
 * The row's headers that a name stands for: the one spelled exactly so, if any row has it, or else
 * those in another style.
 */
function matches(row: Row, name: string): string[] {
	const headers = Object.keys(row.columns);
	if (row.headers.has(name)) return headers.filter((header) => header === name);
	const wanted = withoutStyle(name);
	/* A name of nothing but style, such as "-", would match a header that is empty. */
	return wanted === '' ? [] : headers.filter((header) => withoutStyle(header) === wanted);
}

/**
 * The header of each field. A named column wins over a recognized one, where the row has it; for the
 * address, everywhere: another column may hold a private one.
 */
function headersOf(row: Row): ReadonlyMap<InviteeField, string> {
	const named = row.names.flatMap(({ field, name }) =>
		matches(row, name).map((header) => ({ field, header })),
	);
	/* Where a row has only one of two such columns, its cell in the other one can be empty. */
	const recognized = [...row.headers].flatMap((header) => {
		const field = RECOGNIZED.get(withoutStyle(header));
		const isNamed =
			named.some((each) => each.header === header || each.field === field) ||
			(field === 'email' && row.names.some((each) => each.field === field));
		return field === undefined || isNamed ? [] : [{ field, header }];
	});
	const found = new Map<InviteeField, string>();
	for (const { field, header } of [...named, ...recognized]) {
		const other = found.get(field);
		if (other !== undefined && [other, header].some((each) => each in row.columns)) {
			throw rowError(
				row,
				`columns ${other} and ${header} both hold ${titleOf(field)}`,
				' Remove one of the two columns, or enter the right one in Column Names under Options.',
			);
		}
		found.set(field, header);
	}
	return found;
}

function rowError({ number }: Row, fault: string, advice = ''): UserError {
	const hint = `Correct the row, then run the node again.${advice}`;
	return new UserError(fault, { row: number, hint });
}

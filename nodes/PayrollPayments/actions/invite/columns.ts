import { z } from 'zod';

import { isBlank, optional, titleOf, type Field } from '../../forms/field';
import { choice, filledText, text } from '../../forms/fieldTypes';
import { UserError } from '../../shared/errors';
import { isRecord } from '../../shared/json';
import { shorten } from '../../shared/redaction';
import { listed } from '../checkedWrite';

import {
	documentedInvitee,
	INVITEE_FIELDS,
	inviteeFrom,
	type Invitee,
	type InviteeField,
} from './invitees';

/** The headers that the user named, and what they hold. */
export type ColumnNames = ReadonlyArray<{ readonly field: InviteeField; readonly name: string }>;

/** One row of a sheet, and the columns that Column Names gives for it. */
export interface Row {
	/** Counted from 1, as in a sheet. */
	readonly number: number;
	readonly columns: Readonly<Record<string, unknown>>;
	readonly names: ColumnNames;
}

/** A header without what spellings differ in: "First Name", first_name and firstName are one. */
function withoutStyle(header: string): string {
	return header.replace(/[\s_-]/g, '').toLowerCase();
}

const RECOGNIZED: ReadonlyMap<string, InviteeField> = new Map(
	INVITEE_FIELDS.map((field) => [withoutStyle(field), field]),
);

const columnField = choice(
	{ label: 'Field' },
	INVITEE_FIELDS.map((value) => ({ name: titleOf(value), value })).sort((a, b) =>
		a.name.localeCompare(b.name, 'en'),
	),
	'email',
);

const columnName = text(
	{ label: 'Name', description: 'Header of the column that has this field', example: 'Work Email' },
	filledText,
);

const NO_COLUMN = 'is empty. Add a column with a field and a name, or remove the option';

/** Headers for fields whose columns aren't recognized by name. */
export const columnNames: Field<ColumnNames | undefined> = optional({
	form: {
		displayName: 'Column Names',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add column',
		default: {},
		description:
			"Which column of the input rows has which field, if its header isn't the field's name",
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
			{
				column: z
					.array(z.object({ field: columnField.schema, name: columnName.schema }), {
						required_error: NO_COLUMN,
					})
					.min(1, NO_COLUMN),
			},
			{ invalid_type_error: 'must be a list of columns' },
		)
		.transform(({ column }) => column),
	required: false,
});

/** One value of a row. */
interface Cell {
	readonly field: InviteeField;
	readonly header: string;
	readonly value: unknown;
}

/** @throws {UserError} if no row has a column that the user named: what it holds would be dropped */
export function checkColumnNames(rows: readonly Row[]): void {
	const named = new Map(rows.flatMap(({ names }) => names.map(({ name, field }) => [name, field])));
	for (const [name, field] of named) {
		if (rows.some(({ columns }) => matches(Object.keys(columns), name).length > 0)) continue;
		throw new UserError(
			`Column Names reads ${titleOf(field)} from column ${name}, but no row has that column`,
			{
				field: 'columnNames',
				hint: `Correct Column Names under Options. The first row has the columns ${listed(Object.keys(rows[0]?.columns ?? {}), 10)}. Nothing was sent.`,
			},
		);
	}
}

/** @throws {UserError} if the row isn't valid */
export function readRow(row: Row): Invitee {
	const cells = cellsOf(row);
	const result = documentedInvitee.safeParse(inviteeFrom((field) => cells.get(field)?.value));
	if (result.success) return result.data;
	const { path = [], message = "isn't valid" } = result.error.issues[0] ?? {};
	const field = String(path.at(-1) ?? 'email');
	const { header = field, value } = cells.get(field) ?? {};
	if (field !== 'email') throw rowError(row, `${header} ${message}`);
	const given = typeof value === 'string' ? value.trim() : '';
	if (given !== '') throw rowError(row, `${quoted(given)} isn't an email address`);
	throw rowError(
		row,
		`${header} ${message}`,
		' If the address is in another column, enter its header in Column Names under Options.',
	);
}

/** The headers that a name stands for: the one spelled exactly so, or else those in another style. */
function matches(headers: readonly string[], name: string): string[] {
	if (headers.includes(name)) return [name];
	const wanted = withoutStyle(name);
	/* A name of nothing but style, such as "-", would match a header that is empty. */
	return wanted === '' ? [] : headers.filter((header) => withoutStyle(header) === wanted);
}

/** The cell of each field. A named column wins over a recognized one, where the row has it. */
function cellsOf(row: Row): ReadonlyMap<string, Cell> {
	const headers = Object.keys(row.columns);
	const named = row.names.flatMap(({ field, name }) =>
		matches(headers, name).map((header) => ({ field, header, value: row.columns[header] })),
	);
	const recognized = headers
		.filter((header) => !named.some((cell) => cell.header === header))
		.flatMap((header) => recognize(row, header))
		.filter(({ field }) => !named.some((cell) => cell.field === field));
	const found = new Map<string, Cell>();
	for (const cell of [...named, ...recognized]) {
		const other = found.get(cell.field);
		if (other !== undefined) {
			throw rowError(
				row,
				`columns ${other.header} and ${cell.header} both hold ${titleOf(cell.field)}`,
				' Remove one of the two columns, or enter the right one in Column Names under Options.',
			);
		}
		found.set(cell.field, cell);
	}
	return found;
}

/** The cells under a header. A `prefill` in the service's own form counts as its properties. */
function recognize(row: Row, header: string): Cell[] {
	const value = row.columns[header];
	const style = withoutStyle(header);
	const known = RECOGNIZED.get(style);
	if (known !== undefined) return [{ field: known, header, value }];
	if (style !== 'prefill' || isBlank(value)) return [];
	if (!isRecord(value)) throw rowError(row, `${header} must be an object`);
	return Object.entries(value).map(([name, entry]) => {
		const field = RECOGNIZED.get(withoutStyle(name));
		if (field !== undefined && field !== 'email') {
			return { field, header: `${header}.${name}`, value: entry };
		}
		throw rowError(row, `${header} has an unknown property: ${quoted(name)}`);
	});
}

function quoted(said: string): string {
	return shorten(said, 100);
}

function rowError({ number }: Row, fault: string, advice = ''): UserError {
	const hint = `Nothing was sent for this row. Correct it, then run the node again.${advice}`;
	return new UserError(fault, { row: number, hint });
}

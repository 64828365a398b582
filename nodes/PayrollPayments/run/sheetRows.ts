import { z } from 'zod';

import { entityLabel, type Entity } from '../api/credentials';
import { isBlank, titleOf, type Field } from '../forms/field';
import { choice, filledText, menuOf, text } from '../forms/fieldTypes';
import { UserError } from '../shared/errors';
import { isRecord } from '../shared/json';
import { listed } from '../shared/lists';
import { asWord, quoted } from '../shared/redaction';
import { isZero } from '../shared/cellFaults';
import type { SheetPlace } from '../shared/sheetPlace';
import { sheetPlaceOf, type Form } from './rows';

type Columns = Readonly<Record<string, unknown>>;

/** A header that the user named for a field. */
interface NamedColumn<Name extends string> {
	readonly field: Name;
	readonly name: string;
}

/**
 * One row of a sheet, and the columns that Column Names gives for it. n8n's nodes for sheets leave out
 * empty cells, so a row may lack a column that the sheet has.
 */
export interface SheetRow<Name extends string> {
	readonly place: SheetPlace;
	readonly cells: Columns;
	readonly names: ReadonlyArray<NamedColumn<Name>>;
	/** The headers of all rows. */
	readonly headers: ReadonlySet<string>;
}

/** A header without what spellings differ in: "First Name", first_name and firstName are one. */
export function withoutStyle(header: string): string {
	return header.replace(/[\s_\p{Pd}\p{Cf}]/gu, '').toLowerCase();
}

/** A header without what SheetJS, with which n8n reads Excel files, adds to a repeated one: amount_1. */
function withoutRepetition(header: string, headers: ReadonlySet<string>): string {
	const original = header.replace(/_1$/, '');
	return headers.has(original) ? original : header;
}

/** Whether a header is that of n8n's own column with the number of the row. */
function isRowNumber(header: string): boolean {
	return withoutStyle(header) === 'rownumber';
}

/** The row's own number, or its place in the list. */
export function placeIn(columns: unknown, position: number): SheetPlace {
	const found = Object.entries(isRecord(columns) ? columns : {}).find(([each]) =>
		isRowNumber(each),
	);
	const number = Number(found?.[1] ?? 0);
	const isOfSheet = Number.isSafeInteger(number) && number > 0;
	return isOfSheet ? { number, isOfSheet } : { number: position };
}

/** Whether a cell has what nobody filled in: an unticked box, or a formula without input. */
function isUntouched(cell: string): boolean {
	return isZero(cell) || cell.toLowerCase() === 'false';
}

/** Whether a row has no value but its number. */
export function isEmptyRow(columns: unknown): boolean {
	if (!isRecord(columns)) return isBlank(columns);
	return Object.entries(columns).every(
		([header, value]) =>
			isRowNumber(header) ||
			isBlank(value) ||
			(isRecord(value) ? Object.keys(value).length === 0 : isUntouched(String(value).trim())),
	);
}

type SheetForm<Name extends string> = Form<
	unknown,
	{ readonly columnNames?: SheetRow<Name>['names'] }
>;

/** The rows of a sheet, each with the headers of all of them. */
export function sheetOf<Name extends string, Source extends SheetForm<Name>>(
	forms: readonly Source[],
): ReadonlyMap<Source, SheetRow<Name>> {
	const headers = new Set(forms.flatMap(({ json }) => Object.keys(json)));
	return new Map(
		forms.map((form) => {
			const { json: cells, options } = form;
			const names = options.columnNames ?? [];
			return [form, { place: sheetPlaceOf(form), cells, names, headers }];
		}),
	);
}

const NO_COLUMN = 'is empty. Add a column with a field and a name, or remove the option';

const columnName = text(
	{ label: 'Name', description: 'Header of the column that has this field', example: 'Work Email' },
	filledText,
);

/** *Column Names*: headers for fields whose columns aren't recognized by name. */
export function columnNamesFor<const Name extends string>(
	names: readonly [Name, ...Name[]],
): Field<ReadonlyArray<NamedColumn<Name>>, 'unset'> {
	const columnField = choice<Name>({ label: 'Field' }, menuOf(names), names[0]);
	const column = z
		.object({ field: z.unknown(), name: columnName.schema })
		.transform(({ field, name }, context): NamedColumn<Name> => {
			const { data, error } = columnField.schema.safeParse(field);
			if (data !== undefined) return { field: data, name };
			for (const issue of error?.issues ?? []) context.addIssue({ ...issue, path: ['field'] });
			return z.NEVER;
		});
	return {
		empty: 'unset',
		form: {
			displayName: 'Column Names',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add column',
			default: {},
			description: 'Which column has which field, if its header isn’t the field’s name',
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
}

/** @throws {UserError} if no row has a column that the user named: what it holds would be dropped */
export function checkColumnNames(rows: ReadonlyArray<SheetRow<string>>): void {
	const named = new Map(rows.flatMap(({ names }) => names.map(({ name, field }) => [name, field])));
	for (const [name, field] of named) {
		if (rows.some((row) => matches(row, name).length > 0)) continue;
		throw new UserError(
			`Column Names reads ${titleOf(field)} from column ${name}, but no row has that column`,
			{
				hint: `Correct Column Names under Options. The first row has the columns ${listed(Object.keys(rows[0]?.cells ?? {}), 10)}. If the column is only empty, turn on Include Empty Cells in the node that reads the file.`,
			},
		);
	}
}

/**
 * Refuses rows that can't be those of the sheet, since no column has the name of a field. With Column Names, the
 * user has said that they are.
 * @param where what holds the rows
 * @param advice what to do if that isn't the sheet
 * @throws {UserError} if no row has a column of any field
 */
export function requireKnownColumn<Name extends string>(
	rows: ReadonlyArray<SheetRow<Name>>,
	{ recognized }: Pick<Recognition<Name>, 'recognized'>,
	{ where, advice }: { readonly where: string; readonly advice: string },
): void {
	const [first] = rows;
	const [field = ''] = recognized.values();
	if (first === undefined || first.names.length > 0) return;
	const isKnown = (header: string) =>
		recognized.has(withoutStyle(withoutRepetition(header, first.headers)));
	if ([...first.headers].some(isKnown)) return;
	const shown = [...first.headers].filter((header) => !isRowNumber(header)).map(asWord);
	throw new UserError(
		`${where} has no column that this node knows, such as ${field}. Its columns: ${listed(shown, 5)}`,
		{ hint: `If this is your sheet, enter its headers in Column Names under Options. ${advice}` },
	);
}

/**
 * The row's headers that a name stands for: the one spelled exactly so, if any row has it, or else
 * those in another style.
 */
function matches(row: SheetRow<string>, name: string): string[] {
	const headers = Object.keys(row.cells);
	if (row.headers.has(name)) return headers.filter((header) => header === name);
	const wanted = withoutStyle(name);
	/* A name of nothing but style, such as "-", would match a header that is empty. */
	return wanted === '' ? [] : headers.filter((header) => withoutStyle(header) === wanted);
}

/** What a cell shows; an object shows nothing that a form could have. */
export function textOfCell(cell: unknown): string {
	return isRecord(cell) ? 'an object' : String(cell);
}

/** Spellings of values, by the names of their columns; both {@link withoutStyle}. */
type Spellings = ReadonlyMap<string, ReadonlySet<string>>;

export function spellingsOf(given: Readonly<Record<string, readonly string[]>>): Spellings {
	return new Map(
		Object.entries(given).map(([name, values]) => [name, new Set(values.map(withoutStyle))]),
	);
}

/** Headers of columns that say something else than the given values, unless Column Names reads them. */
export function columnsUnlike(
	rows: ReadonlyArray<SheetRow<string>>,
	given: Spellings,
): ReadonlySet<string> {
	const headers = rows.flatMap((row) =>
		Object.entries(row.cells)
			.filter(([header, cell]) => {
				const values = given.get(withoutStyle(header));
				if (values === undefined || isBlank(cell)) return false;
				if (values.has(withoutStyle(textOfCell(cell)))) return false;
				return !row.names.some(({ name }) => matches(row, name).includes(header));
			})
			.map(([header]) => header),
	);
	return new Set(headers);
}

/** What the columns for a team may say where it is one of these. */
export function teamColumns(ids: readonly string[], entities: readonly Entity[]) {
	const named = ids.map((id) => entities.find((each) => each.id === id)?.name ?? id);
	const all = [...ids, ...named, ...ids.map((id) => entityLabel(id, entities))];
	return { team: all, teamid: all, teamname: all, teamnanoid: all };
}

interface Recognition<Name extends string> {
	/** The spellings that are recognized, {@link withoutStyle}, and the field of each. */
	readonly recognized: ReadonlyMap<string, Name>;
	/** Fields that are read from the named column alone, even in a row that lacks it. */
	readonly exclusive: readonly Name[];
}

/** Reads the fields of a row, by its headers. */
export interface FieldsOfRow<Name extends string> {
	valueOf(field: Name): unknown;
	/** The column of a field, as the sheet calls it. */
	headerOf(field: Name): string;
	isNamed(field: Name): boolean;
	/** Whether the sheet has a column of the field, or Column Names gives it one; its cell may be empty. */
	hasColumn(field: Name): boolean;
}

/**
 * The fields of a row. A named column wins over a recognized one, where the row has it; for some fields,
 * everywhere: another column may hold a private address.
 * @throws {UserError} if two columns hold one field
 */
export function fieldsOfRow<Name extends string>(
	row: SheetRow<Name>,
	{ recognized, exclusive }: Recognition<Name>,
): FieldsOfRow<Name> {
	const named = row.names.flatMap(({ field, name }) =>
		matches(row, name).map((header) => ({ field, header })),
	);
	/* From the headers of all rows: a row has no cell for a column in which it is empty. */
	const others = [...row.headers].flatMap((header) => {
		const field = recognized.get(withoutStyle(withoutRepetition(header, row.headers)));
		const isTaken =
			named.some((each) => each.header === header || each.field === field) ||
			row.names.some((each) => each.field === field && exclusive.includes(each.field));
		return field === undefined || isTaken ? [] : [{ field, header }];
	});
	const headers = new Map<Name, string>();
	for (const { field, header } of [...named, ...others]) {
		const other = headers.get(field);
		if (other !== undefined && [other, header].some((each) => each in row.cells)) {
			throw rowError(
				row,
				`columns ${other} and ${header} both hold ${titleOf(field)}`,
				'Remove one of the two columns, or enter the right one in Column Names under Options.',
			);
		}
		headers.set(field, header);
	}
	const nameOf = (field: Name) => row.names.find((each) => each.field === field)?.name;
	const columnOf = (field: Name) => headers.get(field) ?? nameOf(field);
	return {
		valueOf: (field) => {
			const header = headers.get(field);
			return header === undefined ? undefined : (row.cells[header] ?? undefined);
		},
		headerOf: (field) => columnOf(field) ?? field,
		isNamed: (field) => nameOf(field) !== undefined,
		hasColumn: (field) => columnOf(field) !== undefined,
	};
}

/** What is wrong with the address in a cell, if anything is there. */
export function faultInAddress(value: unknown): string | undefined {
	if (typeof value !== 'string' || isBlank(value)) return undefined;
	return `${quoted(value.trim())} isn’t an email address`;
}

/** @param advice what else to do, in full sentences */
export function rowError(
	{ place }: Pick<SheetRow<string>, 'place'>,
	fault: string,
	advice = '',
): UserError {
	const hint = `Correct the row, then run the node again. ${advice}`.trim();
	return new UserError(fault, { row: place, hint });
}

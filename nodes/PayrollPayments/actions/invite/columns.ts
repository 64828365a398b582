import { z } from 'zod';

import { Refusal } from '../../shared/errors';
import { choicesOf, menuOf } from '../../shared/menu';
import { optional, titleOf, type Field } from '../fields/field';
import { filledText } from '../fields/kinds';

import { INVITEE_FIELDS, readInvitee, type Invitee, type InviteeField } from './invitees';

/** The columns of one row: its values by header. */
type Columns = Readonly<Record<string, unknown>>;

/** The headers that the user named, by field. */
export type ColumnNames = ReadonlyMap<InviteeField, string>;

/** How many headers an error lists before it only counts the rest. */
const MAX_HEADERS = 10;

/** A header without what spellings differ in: "First Name", first_name and firstName are one. */
function withoutStyle(header: string): string {
	return header.replace(/[\s_-]/g, '').toLowerCase();
}

const RECOGNIZED: ReadonlyMap<string, InviteeField> = new Map(
	INVITEE_FIELDS.map((field) => [withoutStyle(field), field]),
);

const FIELD_OPTIONS = INVITEE_FIELDS.map((value) => ({ name: titleOf(value), value })).sort(
	(a, b) => a.name.localeCompare(b.name, 'en'),
);

const namedColumn = z.object(
	{
		field: z.unknown().transform((value, context) => {
			const field = typeof value === 'string' ? RECOGNIZED.get(withoutStyle(value)) : undefined;
			if (field !== undefined) return field;
			context.addIssue({ code: 'custom', message: `must be ${choicesOf(menuOf(FIELD_OPTIONS))}` });
			return z.NEVER;
		}),
		name: filledText,
	},
	{ invalid_type_error: 'must be a field and a name', required_error: 'is missing' },
);

/** Headers for fields whose columns aren't recognized by name. */
export function columnNames(): Field<ColumnNames | undefined> {
	const field: Field<ColumnNames> = {
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
						{
							displayName: 'Field',
							name: 'field',
							type: 'options',
							options: FIELD_OPTIONS,
							default: 'email',
						},
						{
							displayName: 'Name',
							name: 'name',
							type: 'string',
							placeholder: 'e.g. Work Email',
							default: '',
							description: 'Header of the column that has this field',
						},
					],
				},
			],
		},
		schema: z
			.object(
				{ column: z.array(namedColumn, { invalid_type_error: 'must be a list' }).default([]) },
				{
					invalid_type_error: 'must be a list of columns',
				},
			)
			.transform(({ column }, context) => {
				const names = new Map<InviteeField, string>();
				column.forEach(({ field, name }, index) => {
					if (names.has(field)) {
						context.addIssue({
							code: 'custom',
							path: ['column', index, 'field'],
							message: `repeats ${titleOf(field)}`,
						});
					}
					names.set(field, name);
				});
				return names;
			}),
		required: false,
	};
	return optional(field);
}

/** Reads the rows of one sheet. */
export class SheetReader {
	/** The field that a header is recognized as; sheets repeat their headers in every row. */
	private readonly fields = new Map<string, InviteeField | undefined>();

	/** @throws {Refusal} if no row has a column that the user named: what it holds would be dropped */
	constructor(
		private readonly names: ColumnNames,
		rows: readonly Columns[],
	) {
		for (const [field, name] of names) {
			if (!rows.some((row) => namedHeaders(Object.keys(row), name).length > 0)) {
				throw missingColumn(field, name, Object.keys(rows[0] ?? {}));
			}
		}
	}

	/**
	 * The invitee that one row describes.
	 * @throws {Refusal} if a column isn't valid, by its header
	 */
	read(columns: Columns): Invitee {
		const headers = this.headersOf(columns);
		const result = readInvitee((field) => {
			const header = headers.get(field);
			return header === undefined ? undefined : columns[header];
		});
		if ('invitee' in result) return result.invitee;
		const column = headers.get(result.field) ?? this.names.get(result.field) ?? result.field;
		throw new Refusal(`Column ${column} ${result.fault}`, {
			field: result.field,
			hint: 'Nothing was sent. Correct this row, then run the node again. Each row needs a column email; if yours has another name, enter it in Column Names under Options.',
		});
	}

	/** The header of each field that the row has. */
	private headersOf(columns: Columns): Map<InviteeField, string> {
		const all = Object.keys(columns);
		const headers = new Map<InviteeField, string>();
		for (const [field, name] of this.names) {
			const [header, other] = namedHeaders(all, name);
			if (header === undefined) continue;
			if (other !== undefined) throw ambiguous(field, header, other);
			headers.set(field, header);
		}
		const named = new Set(headers.values());
		for (const header of all) {
			const field = named.has(header) ? undefined : this.fieldOf(header);
			if (field === undefined || this.names.has(field)) continue;
			const other = headers.get(field);
			if (other !== undefined) throw ambiguous(field, other, header);
			headers.set(field, header);
		}
		return headers;
	}

	private fieldOf(header: string): InviteeField | undefined {
		if (!this.fields.has(header)) this.fields.set(header, RECOGNIZED.get(withoutStyle(header)));
		return this.fields.get(header);
	}
}

/** The header that the user named: the one spelled exactly so, or else those that differ in style. */
function namedHeaders(headers: readonly string[], name: string): string[] {
	if (headers.includes(name)) return [name];
	const wanted = withoutStyle(name);
	/* A name of nothing but style, such as "-", would match a header that is empty. */
	return wanted === '' ? [] : headers.filter((header) => withoutStyle(header) === wanted);
}

function missingColumn(field: InviteeField, name: string, headers: readonly string[]): Refusal {
	const shown = headers.slice(0, MAX_HEADERS).join(', ');
	const rest = headers.length > MAX_HEADERS ? ` and ${headers.length - MAX_HEADERS} more` : '';
	return new Refusal(
		`No row has a column ${name}, which Column Names gives for ${titleOf(field)}`,
		{
			field: 'columnNames',
			hint: `Correct Column Names under Options. The first row has the columns ${shown}${rest}. Nothing was sent.`,
		},
	);
}

function ambiguous(field: InviteeField, first: string, second: string): Refusal {
	return new Refusal(`Columns ${first} and ${second} both hold ${titleOf(field)}`, {
		field,
		hint: 'Remove one of the two columns, or enter the right one in Column Names under Options. Nothing was sent.',
	});
}

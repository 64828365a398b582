import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { z } from 'zod';

import { anyText } from '../shared/text';
import { oneOf } from '../shared/lists';
import { parseJson } from '../shared/json';
import {
	isBlank,
	propertyOf,
	TEXT_MARK,
	titleOf,
	type Empty,
	type Field,
	type FieldSet,
	type InputOf,
	type Reading,
	type Schema,
} from './field';

/** What every type of field is made with. */
export interface Wording<IfEmpty extends Empty = Empty> extends Reading<IfEmpty> {
	readonly label: string;
	readonly description?: string;
	/** An example, shown in the empty field as "e.g. …". */
	readonly example?: string;
	readonly hint?: string;
}

interface TextWording<IfEmpty extends Empty> extends Wording<IfEmpty> {
	/** What the form shows at first. */
	readonly preset?: string;
}

function fieldOf<Value, IfEmpty extends Empty>(
	{ label, example, description, hint, ...reading }: Wording<IfEmpty>,
	form: Omit<Field<Value>['form'], 'displayName'>,
	schema: Schema<Value>,
): Field<Value, NoInfer<IfEmpty>> {
	const texts = {
		displayName: label,
		...(description !== undefined && { description }),
		...(example !== undefined && { placeholder: `e.g. ${example}` }),
		...(hint !== undefined && { hint }),
	};
	return { form: { ...texts, ...form }, schema, ...reading };
}

export const filledText = anyText.refine((value) => value.trim() !== '', 'is missing');

export function text<Value, IfEmpty extends Empty = 'required'>(
	{ preset = '', ...wording }: TextWording<IfEmpty>,
	schema: Schema<Value>,
	typeOptions?: INodeProperties['typeOptions'],
): Field<Value, NoInfer<IfEmpty>> {
	const form = { type: 'string', default: preset, ...(typeOptions && { typeOptions }) } as const;
	return fieldOf(wording, form, schema);
}

/** Text that n8n hides, as it does everywhere with a secret. */
export const password: typeof text = (wording, schema) => text(wording, schema, { password: true });

export const longText: typeof text = (wording, schema) => text(wording, schema, { rows: 4 });

type Option<Value extends string> = INodePropertyOptions & { readonly value: Value };

interface Entry {
	/** By default the value as a title. */
	readonly name?: string;
	readonly description?: string;
}

export function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
	return Object.keys(record).filter((key): key is Key => key in record);
}

/** The entries of a menu, by value and in their order; a text is an entry's description. */
export function menu<Value extends string>(
	entries: Readonly<Record<Value, Entry | string>>,
): Array<Option<Value>> {
	return keysOf(entries).map((value) => {
		const entry: Entry | string = entries[value];
		const { name = titleOf(value), description }: Entry =
			typeof entry === 'string' ? { description: entry } : entry;
		return { name, value, ...(description === undefined ? {} : { description }) };
	});
}

/** Entries in the order of their names, as n8n's linter wants them. */
function inOrder<Each extends { readonly name: string }>(entries: readonly Each[]): Each[] {
	return [...entries].sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** A menu of values in the order of their names. */
export function menuOf<const Value extends string>(
	values: readonly Value[],
	nameOf: (value: Value) => string = titleOf,
): Array<Option<Value>> {
	return inOrder(values.map((value) => ({ name: nameOf(value), value })));
}

/** Longest menu that an error lists in full. */
const MOST_LISTED = 6;

/** What to choose from, as a person sees it, and the values for expressions. */
function choicesOf(options: ReadonlyArray<Option<string>>): string {
	const [names, values] = [options.map(({ name }) => name), options.map(({ value }) => value)];
	const isLong = names.length > MOST_LISTED;
	const listed = isLong ? `an entry of its menu, e.g. ${names[0]}` : oneOf(names);
	if (names.join() === values.join()) return listed;
	return `${listed} (${isLong ? values[0] : values.join(', ')})`;
}

function entryOf<Value extends string>(options: ReadonlyArray<Option<Value>>): Schema<Value> {
	return z.unknown().transform((value, context) => {
		const option = options.find((each) => each.value === value);
		if (option !== undefined) return option.value;
		const fault = isBlank(value) ? 'is missing. Select' : 'must be';
		context.addIssue({ code: 'custom', message: `${fault} ${choicesOf(options)}` });
		return z.NEVER;
	});
}

/**
 * A menu of which one entry is selected.
 * @param preset with an empty one, nothing is selected in new nodes, so that nothing is decided by accident
 */
export function choice<const Value extends string, IfEmpty extends Empty = 'required'>(
	wording: Wording<IfEmpty>,
	options: ReadonlyArray<Option<Value>>,
	preset: NoInfer<Value> | '',
): Field<Value, NoInfer<IfEmpty>> {
	const all =
		preset === '' ? inOrder([{ name: 'Choose One', value: '' }, ...options]) : [...options];
	return fieldOf(wording, { type: 'options', options: all, default: preset }, entryOf(options));
}

/** A list, given as an array or as text separated by commas, semicolons or line breaks. */
const entries = z.unknown().transform((value) => {
	if (typeof value !== 'string') return value ?? [];
	const listed = value.split(/[,;\n]/).map((entry) => entry.trim());
	return listed.filter(Boolean);
});

export function listOf<Entry>(entry: Schema<Entry>): Schema<Entry[]> {
	return entries.pipe(
		z
			.array(entry, { invalid_type_error: 'must be a list, or text separated by commas' })
			.min(1, 'is empty'),
	);
}

/** A list of texts: separated by commas, or an array from an expression. */
export function textList<Entry, IfEmpty extends Empty = 'required'>(
	wording: TextWording<IfEmpty>,
	entry: Schema<Entry>,
): Field<Entry[], NoInfer<IfEmpty>> {
	return text(wording, listOf(entry));
}

/** A menu of which any number of entries is selected; its value is their list. */
export function choices<Value extends string, IfEmpty extends Empty = 'required'>(
	wording: Wording<IfEmpty>,
	options: ReadonlyArray<Option<Value>>,
	preset: readonly Value[] = [],
): Field<Value[], NoInfer<IfEmpty>> {
	const form = { options: [...options], default: [...preset] };
	return fieldOf(wording, { ...form, type: 'multiOptions' }, listOf(entryOf(options)));
}

/* Files of spreadsheets have TRUE and FALSE. */
const truth = z.preprocess(
	(value) => {
		const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
		return word === 'true' || word === 'false' ? word === 'true' : value;
	},
	z.boolean({ message: 'must be true or false' }),
);

export function flag<IfEmpty extends Empty = 'required'>(
	wording: Wording<IfEmpty>,
	preset = false,
): Field<boolean, NoInfer<IfEmpty>> {
	return fieldOf(wording, { type: 'boolean', default: preset }, truth);
}

interface Range {
	readonly least: number;
	readonly most?: number;
}

/** A whole number, given as such or as digits. */
export function integer({ least, most }: Range): Schema<number> {
	const range = most === undefined ? `${least} or more` : `from ${least} to ${most}`;
	return z.preprocess(
		(value) => (typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value),
		z
			.number({ errorMap: () => ({ message: `must be a whole number, ${range}` }) })
			.int()
			.min(least)
			.max(most ?? Number.MAX_SAFE_INTEGER),
	);
}

export function wholeNumber<IfEmpty extends Empty = 'required'>(
	wording: Wording<IfEmpty>,
	{ preset, ...range }: Range & { readonly preset: number },
): Field<number, NoInfer<IfEmpty>> {
	const { least, most } = range;
	const typeOptions = { minValue: least, ...(most && { maxValue: most }) };
	return fieldOf(wording, { type: 'number', default: preset, typeOptions }, integer(range));
}

/** JSON, given as text or as a value from an expression. */
export function json<Value, IfEmpty extends Empty = 'required'>(
	{ preset = '{}', ...wording }: TextWording<IfEmpty>,
	schema: Schema<Value>,
): Field<Value, NoInfer<IfEmpty>> {
	const parsed = z.unknown().transform((value, context) => {
		const once = typeof value === 'string' ? parseJson(value) : value;
		/* Sheets and other programs encode it twice. */
		const read = typeof once === 'string' ? (parseJson(once) ?? once) : once;
		if (read !== undefined || value === undefined) return read;
		const message = isBlank(value) ? 'is missing' : 'isn’t valid JSON';
		context.addIssue({ code: 'custom', message });
		return z.NEVER;
	});
	const form = { type: 'json', default: preset, typeOptions: { rows: 4 } } as const;
	return fieldOf(wording, form, parsed.pipe(schema));
}

/** Fields that a person adds as needed, in the order of their labels. */
export function collection<Fields extends FieldSet>(
	texts: Pick<INodeProperties, 'displayName' | 'placeholder' | 'description'>,
	members: Fields,
): Field<Partial<InputOf<Fields>>> {
	const fields = Object.entries(members).map(([name, field]) => propertyOf(name, field));
	const options = [...fields, TEXT_MARK].sort((a, b) =>
		a.displayName.localeCompare(b.displayName, 'en'),
	);
	return {
		form: { ...texts, type: 'collection', default: {}, options },
		schema: z.custom<Partial<InputOf<Fields>>>(),
		members,
	};
}

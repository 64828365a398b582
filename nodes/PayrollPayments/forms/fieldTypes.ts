import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { z } from 'zod';

import { anyText } from '../shared/text';
import { parseJson } from '../shared/json';
import {
	isBlank,
	TEXT_MARK,
	titleOf,
	type Field,
	type FieldSet,
	type InputOf,
	type Schema,
} from './field';

export interface Wording {
	readonly label: string;
	readonly description?: string;
	/** An example, shown in the empty field as "e.g. …". */
	readonly example?: string;
	readonly hint?: string;
}

function textsOf({ label, example, ...others }: Wording) {
	return { displayName: label, ...others, ...(example && { placeholder: `e.g. ${example}` }) };
}

export const filledText = anyText.refine((value) => value.trim() !== '', 'is missing');

/**
 * Makes text of credentials optional. Only empty text leaves it unset: n8n resolves expressions before
 * we see them, so that null may be one that found no value, and must not open what it should close.
 */
export function unlessEmpty<Text extends z.ZodTypeAny>(
	schema: Text,
): Schema<z.output<Text> | undefined> {
	return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}

export function text<Text extends z.ZodTypeAny>(
	wording: Wording,
	schema: Text,
	typeOptions?: INodeProperties['typeOptions'],
): Field<z.output<Text>> {
	return {
		form: { ...textsOf(wording), type: 'string', default: '', ...(typeOptions && { typeOptions }) },
		schema,
		required: !schema.isOptional(),
	};
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

/** The entries of a menu, by value; a text is an entry's description. */
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

/** A menu of values in the order of their names. */
export function menuOf<const Value extends string>(
	values: readonly Value[],
	nameOf: (value: Value) => string = titleOf,
): Array<Option<Value>> {
	const options = values.map((value) => ({ name: nameOf(value), value }));
	return options.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Longest menu that an error lists in full. */
const MOST_LISTED = 6;

const disjunction = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** What to choose from, as a person sees it, and the values for expressions. */
function choicesOf(options: ReadonlyArray<Option<string>>): string {
	const [names, values] = [options.map(({ name }) => name), options.map(({ value }) => value)];
	const isLong = names.length > MOST_LISTED;
	const listed = isLong ? `an entry of its menu, e.g. ${names[0]}` : disjunction.format(names);
	if (names.join() === values.join()) return listed;
	return `${listed} (${isLong ? values[0] : values.join(', ')})`;
}

function oneOf<Value extends string>(options: ReadonlyArray<Option<Value>>): Schema<Value> {
	return z.unknown().transform((value, context) => {
		const option = options.find((each) => each.value === value);
		if (option !== undefined) return option.value;
		const fault = isBlank(value) ? 'is missing. Select' : 'must be';
		context.addIssue({ code: 'custom', message: `${fault} ${choicesOf(options)}` });
		return z.NEVER;
	});
}

export function choice<const Value extends string>(
	wording: Wording,
	options: ReadonlyArray<Option<Value>>,
	preset: NoInfer<Value>,
): Field<Value> {
	return {
		form: { ...textsOf(wording), type: 'options', options: [...options], default: preset },
		schema: oneOf(options),
		required: false,
	};
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
export function textList<Entry>(wording: Wording, entry: Schema<Entry>): Field<Entry[]> {
	return text(wording, listOf(entry));
}

export function choices<Value extends string>(
	wording: Wording,
	options: ReadonlyArray<Option<Value>>,
	preset: readonly Value[] = [],
): Field<Value[]> {
	return {
		form: {
			...textsOf(wording),
			type: 'multiOptions',
			options: [...options],
			default: [...preset],
		},
		schema: listOf(oneOf(options)),
		required: preset.length > 0,
	};
}

export function flag(wording: Wording, preset = false): Field<boolean> {
	return {
		form: { ...textsOf(wording), type: 'boolean', default: preset },
		schema: z.preprocess(
			(value) => {
				/* Files of spreadsheets have TRUE and FALSE. */
				const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
				return word === 'true' || word === 'false' ? word === 'true' : value;
			},
			z.boolean({ invalid_type_error: 'must be true or false' }).default(preset),
		),
		required: false,
	};
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

export function wholeNumber(
	wording: Wording,
	{ preset, ...range }: Range & { readonly preset: number },
): Field<number> {
	const { least, most } = range;
	return {
		form: {
			...textsOf(wording),
			type: 'number',
			default: preset,
			typeOptions: { minValue: least, ...(most && { maxValue: most }) },
		},
		schema: integer(range),
		required: false,
	};
}

/** JSON, given as text or as a value from an expression. */
export function json<Value>(wording: Wording, schema: Schema<Value>, preset = '{}'): Field<Value> {
	return {
		form: { ...textsOf(wording), type: 'json', default: preset, typeOptions: { rows: 4 } },
		schema: z
			.unknown()
			.transform((value, context) => {
				const parsed = typeof value === 'string' ? parseJson(value) : value;
				if (parsed !== undefined || value === undefined) return parsed;
				const message = isBlank(value) ? 'is missing' : 'isn’t valid JSON';
				context.addIssue({ code: 'custom', message });
				return z.NEVER;
			})
			.pipe(schema),
		required: true,
	};
}

/** Fields that a person adds as needed, in the order of their labels. */
export function collection<Fields extends FieldSet>(
	texts: Pick<INodeProperties, 'displayName' | 'placeholder' | 'description'>,
	members: Fields,
): Field<Partial<InputOf<Fields>>> {
	const fields = Object.entries(members).map(
		([name, { form }]): INodeProperties => ({ ...form, name }),
	);
	const options = [...fields, TEXT_MARK].sort((a, b) =>
		a.displayName.localeCompare(b.displayName, 'en'),
	);
	return {
		form: { ...texts, type: 'collection', default: {}, options },
		schema: z.custom<Partial<InputOf<Fields>>>(),
		members,
		required: false,
	};
}

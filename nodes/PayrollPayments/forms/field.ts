import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { z } from 'zod';
import { UserError } from '../shared/errors';

/** How n8n shows a field. Its name, and when it is shown, come from the operation's definition. */
type FieldForm = Omit<INodeProperties, 'name' | 'displayOptions' | 'required'>;

/** Values of other fields of the operation; the field is shown and read only if they match. */
export type ShownWhen = Readonly<Record<string, readonly (string | boolean)[]>>;

/** One field of an operation: how n8n shows it and what it accepts. */
export interface Field<Value> {
	readonly form: FieldForm;
	/** Turns the raw value into what the operation uses. Its messages are put after the label. */
	readonly schema: z.ZodType<Value, z.ZodTypeDef, unknown>;
	readonly required: boolean;
	readonly shownWhen?: ShownWhen;
	/** Whether to refuse expressions, so that only a value typed by a person counts. */
	readonly withoutExpressions?: boolean;
	/** Whether to refuse an expression that resolves to nothing, instead of reading it as empty. */
	readonly mustResolve?: boolean;
	/** Whether a field that was added must hold something: as an option, it must not be there in vain. */
	readonly filledWhereSet?: boolean;
	/** Whether to refuse the field when an AI agent runs the node. */
	readonly refusedInTool?: boolean;
}

/** Where the fields of one item are read from. */
export interface ParameterSource {
	/** The value of a parameter, with expressions resolved for the item. */
	read(name: string): unknown;
	/** The value of a parameter as saved in the workflow; an expression is its text. */
	readSaved(name: string): unknown;
}

/** One input item, with the node's parameters resolved for it. */
export interface InputItem extends ParameterSource {
	readonly index: number;
	readonly json: IDataObject;
}

export type FieldSet = Readonly<Record<string, Field<unknown>>>;

/** The checked values that an operation receives, one per field. */
export type InputOf<Fields extends FieldSet> = {
	readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

/** Whether a field was left empty, or its expression found no value. */
export function isBlank(value: unknown): boolean {
	return (
		value === undefined ||
		value === null ||
		(typeof value === 'string' && value.trim() === '') ||
		(Array.isArray(value) && value.length === 0)
	);
}

/** Whether a value was saved as an expression; of a list, any entry. */
function isExpression(saved: unknown): boolean {
	return [saved].flat().some((entry) => typeof entry === 'string' && entry.startsWith('='));
}

/** Makes a field optional: a blank value becomes `undefined`. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
	return {
		...field,
		required: false,
		schema: z.preprocess((value) => (isBlank(value) ? undefined : value), field.schema.optional()),
	};
}

/** Shows and reads a field only if other fields have the given values. */
export function shownWhen<Value>(
	condition: ShownWhen,
	field: Field<Value>,
): Field<Value | undefined> {
	return { ...field, shownWhen: condition };
}

/** Makes a field refuse expressions and hides n8n's switch for them. */
export function withoutExpressions<Value>(field: Field<Value>): Field<Value> {
	return { ...field, withoutExpressions: true, form: { ...field.form, noDataExpression: true } };
}

/** Makes a field refuse an expression that resolves to nothing, instead of reading it as empty. */
export function mustResolve<Value>(field: Field<Value>): Field<Value> {
	return { ...field, mustResolve: true };
}

/** Makes an optional field that must hold something once it was added. */
export function filledWhereSet<Value>(field: Field<Value>): Field<Value | undefined> {
	return { ...optional(field), filledWhereSet: true };
}

/** Makes a field refuse to be set when an AI agent runs the node. */
export function refusedInTool<Value>(field: Field<Value>): Field<Value> {
	return { ...field, refusedInTool: true };
}

/** Gives a field another default. */
export function withDefault<Value>(field: Field<Value>, preset: string): Field<Value> {
	return { ...field, form: { ...field.form, default: preset } };
}

/**
 * Whether the text that was saved is an expression. In a field without expressions, n8n still resolves
 * a lone `$fromAI()`, and passes others on as text, with or without the leading "=".
 */
function isExpressionText(saved: unknown): boolean {
	return typeof saved === 'string' && (/^\s*=/.test(saved) || saved.includes('{{'));
}

/**
 * The value of a field that takes no expressions, as a person typed it.
 * @throws {UserError} if it is an expression, or text where n8n saves a switch
 */
function valueWithoutExpression(name: string, { form }: Field<unknown>, saved: unknown): unknown {
	const isText = form.type === 'boolean' && typeof saved === 'string';
	if (!isText && !isExpressionText(saved)) return saved;
	throw new UserError(`${form.displayName} can't be an expression`, {
		field: name,
		hint: 'Set it by hand in the node. Nothing was signed or sent.',
	});
}

/** "companyZip" and "company_zip" as a label: "Company ZIP". */
export function titleOf(name: string): string {
	return name
		.replace(/_/g, ' ')
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
		.replace(/\bZip\b/, 'ZIP');
}

function pathIn(label: string, path: ReadonlyArray<string | number>): string {
	return path.reduce<string>(
		(text, step) =>
			typeof step === 'number' ? `${text}, entry ${step + 1}` : `${text}, ${titleOf(step)}`,
		label,
	);
}

/** The error for a value that doesn't fit a field's schema. */
export function refusalOf(
	name: string,
	label: string,
	error: z.ZodError,
	hint = 'Nothing was sent. Correct the field, then run the node again.',
): UserError {
	const issue = error.issues[0];
	const unknown =
		issue?.code === 'unrecognized_keys' ? `has an unknown property: ${issue.keys.join(', ')}` : '';
	const fault = unknown || (issue?.message ?? "isn't valid");
	return new UserError(`${pathIn(label, issue?.path ?? [])} ${fault}`, {
		field: name,
		hint,
	});
}

function isShown(condition: ShownWhen | undefined, source: ParameterSource): boolean {
	return Object.entries(condition ?? {}).every(([name, values]) => {
		const given = source.read(name);
		/* An expression can resolve to the text "false", which flags accept. */
		return values.some((value) => value === given || String(value) === given);
	});
}

/**
 * Reads and checks all fields of one item.
 * @param hint what to do about a field that isn't valid; by default, that of a node's run
 * @throws {UserError} for the first field that isn't valid, by its label
 */
export function readFields<Fields extends FieldSet>(
	fields: Fields,
	source: ParameterSource,
	hint?: string,
): InputOf<Fields>;
export function readFields(
	fields: FieldSet,
	source: ParameterSource,
	hint?: string,
): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const [name, field] of Object.entries(fields)) {
		if (!isShown(field.shownWhen, source)) continue;
		const saved = source.readSaved(name);
		const given =
			field.withoutExpressions === true
				? valueWithoutExpression(name, field, saved)
				: source.read(name);
		const value = field.schema.safeParse(given);
		if (!value.success) throw refusalOf(name, field.form.displayName, value.error, hint);
		if (field.mustResolve === true && value.data === undefined && isExpression(saved)) {
			throw new UserError(`${field.form.displayName} is an expression that resolved to nothing`, {
				field: name,
				hint: hint ?? 'Correct the expression, or clear the field. Nothing was signed or sent.',
			});
		}
		if (field.filledWhereSet === true && value.data === undefined && saved !== undefined) {
			throw new UserError(`${field.form.displayName} is empty`, {
				field: name,
				hint: 'Fill it in, or remove the option. Nothing was signed or sent.',
			});
		}
		values[name] = value.data;
	}
	return values;
}

import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { z } from 'zod';
import { Refusal } from '../../shared/errors';

/** What n8n shows of a field; its name and when it is shown follow from the definition. */
type FieldForm = Omit<INodeProperties, 'name' | 'displayOptions' | 'required'>;

/** The values of other fields of the same operation with which a field is shown and read. */
export type ShownWhen = Readonly<Record<string, readonly (string | boolean)[]>>;

/** One field of an operation: how n8n shows it and what it accepts. */
export interface Field<Value> {
	readonly form: FieldForm;
	/** From the parameter's raw value to what the operation works with. Its messages follow the label. */
	readonly schema: z.ZodType<Value, z.ZodTypeDef, unknown>;
	readonly required: boolean;
	readonly shownWhen?: ShownWhen;
	/** Whether only a value that a person typed counts: an expression leaves the field unset. */
	readonly literal?: boolean;
	/** Whether an expression must find something: then empty is not the same as left empty. */
	readonly mustResolve?: boolean;
	/** Whether the field may not be set where an AI agent runs the node. */
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

/** What an operation receives: one checked value a field. */
export type InputOf<Fields extends FieldSet> = {
	readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

function isBlank(value: unknown): boolean {
	return (
		value === undefined ||
		value === null ||
		(typeof value === 'string' && value.trim() === '') ||
		(Array.isArray(value) && value.length === 0)
	);
}

function isExpression(saved: unknown): boolean {
	return typeof saved === 'string' && saved.startsWith('=');
}

/** The same field, which may be left empty. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
	return {
		...field,
		required: false,
		schema: z.preprocess((value) => (isBlank(value) ? undefined : value), field.schema.optional()),
	};
}

/** The same field, shown and read only where other fields have the given values. */
export function shownWhen<Value>(
	condition: ShownWhen,
	field: Field<Value>,
): Field<Value | undefined> {
	return { ...field, shownWhen: condition };
}

/** The same field, which takes no expression; one that is there all the same never counts as set. */
export function literal<Value>(field: Field<Value>): Field<Value> {
	return { ...field, literal: true, form: { ...field.form, noDataExpression: true } };
}

/** The same field, where an expression that finds nothing is refused instead of read as empty. */
export function mustResolve<Value>(field: Field<Value>): Field<Value> {
	return { ...field, mustResolve: true };
}

/** The same field, which may not be set where an AI agent runs the node. */
export function refusedInTool<Value>(field: Field<Value>): Field<Value> {
	return { ...field, refusedInTool: true };
}

/**
 * What a person typed. n8n resolves an expression in a field that takes none where it is a lone
 * `$fromAI()`, and hands any other over as its text, with or without the leading "=".
 */
export function typedByPerson(value: unknown): unknown {
	return typeof value === 'string' && /^\s*(?:=|\{\{)/.test(value) ? undefined : value;
}

/** "companyZip" and "company_zip" as people write them: "Company Zip". */
function titleOf(name: string): string {
	return name
		.replace(/_/g, ' ')
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function pathIn(label: string, path: ReadonlyArray<string | number>): string {
	return path.reduce<string>(
		(text, step) =>
			typeof step === 'number' ? `${text}, entry ${step + 1}` : `${text}, ${titleOf(step)}`,
		label,
	);
}

/** The refusal for a value that a field's schema did not accept. */
export function refusalOf(name: string, label: string, error: z.ZodError): Refusal {
	const issue = error.issues[0];
	const unknown =
		issue?.code === 'unrecognized_keys' ? `has an unknown member: ${issue.keys.join(', ')}` : '';
	const fault = unknown || (issue?.message ?? 'is not valid');
	return new Refusal(`${pathIn(label, issue?.path ?? [])} ${fault}`, {
		field: name,
		hint: 'Nothing was sent. Correct the field and run the node again.',
	});
}

function isShown(condition: ShownWhen | undefined, source: ParameterSource): boolean {
	return Object.entries(condition ?? {}).every(([name, values]) => {
		const given = source.read(name);
		/* An expression may give "false" as text, which flags accept. */
		return values.some((value) => value === given || String(value) === given);
	});
}

/**
 * The values of all fields of one item, checked.
 * @throws {Refusal} for the first field at fault, by its label
 */
export function readFields<Fields extends FieldSet>(
	fields: Fields,
	source: ParameterSource,
): InputOf<Fields>;
export function readFields(fields: FieldSet, source: ParameterSource): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const [name, field] of Object.entries(fields)) {
		if (!isShown(field.shownWhen, source)) continue;
		const saved = source.readSaved(name);
		const given = field.literal === true ? typedByPerson(saved) : source.read(name);
		const value = field.schema.safeParse(given);
		if (!value.success) throw refusalOf(name, field.form.displayName, value.error);
		if (field.mustResolve === true && value.data === undefined && isExpression(saved)) {
			throw new Refusal(`${field.form.displayName} is an expression that found nothing`, {
				field: name,
				hint: 'Correct the expression, or clear the field. Nothing was signed or sent.',
			});
		}
		values[name] = value.data;
	}
	return values;
}

import type { IDataObject, IDisplayOptions, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { z } from 'zod';
import { messageOf, UserError, wrapError } from '../shared/errors';
import { isRecord } from '../shared/json';

/** How n8n shows a field. Its name, and when it is shown, come from the operation's definition. */
type FieldForm = Omit<INodeProperties, 'name' | 'displayOptions' | 'required'>;

/** Makes a value of anything, or says what's wrong with it. */
export type Schema<Value> = z.ZodType<Value, z.ZodTypeDef, unknown>;

/** Values that other fields may have, or, in n8n's spelling, a text that must be in them. */
export type ShownWhen = Readonly<
	Record<string, ReadonlyArray<string | boolean | { readonly _cnd: { readonly includes: string } }>>
>;

/** One field of an operation: how n8n shows it and what it accepts. */
export interface Field<Value> {
	readonly form: FieldForm;
	/** Turns the raw value into what the operation uses. Its messages are put after the label. */
	readonly schema: Schema<Value>;
	readonly required: boolean;
	/** What a collection may hold. The members that were added are read, in place of the schema. */
	readonly members?: FieldSet;
	/** The field is shown and read only if the others match one of these. */
	readonly shownWhen?: readonly ShownWhen[];
	readonly withoutExpressions?: boolean;
	readonly mustResolve?: boolean;
	readonly mustResolveEach?: boolean;
	readonly filledWhereSet?: boolean;
}

export interface ParameterSource {
	/**
	 * The value of a parameter, with expressions resolved for the item.
	 * @param preset the form's default, for a source that knows what was never saved
	 */
	read(name: string, preset?: unknown): unknown;
	/** The value of a parameter as saved in the workflow; an expression is its text. */
	readSaved(name: string, preset?: unknown): unknown;
	/** The value of one expression, without its "=", for the item. */
	evaluate?(expression: string): unknown;
	/** What to do about a field that isn't valid; by default, that of a node's run. */
	readonly hint?: string;
	/** Where the field is, for errors, unless it's in the form of the node. */
	readonly where?: string;
}

/** Saved credentials. What was never saved has its default; what is there without a value is null. */
export function savedValues(
	saved: Readonly<Record<string, unknown>>,
	texts: Pick<ParameterSource, 'hint' | 'where'>,
): ParameterSource {
	const read = (name: string, preset: unknown): unknown =>
		Object.hasOwn(saved, name) ? (saved[name] ?? null) : preset;
	return { read, readSaved: read, ...texts };
}

/** The parameters of a trigger, which has no input items. */
export function parametersOf(
	context: Pick<IPollFunctions, 'getNode' | 'getNodeParameter'>,
	fields: FieldSet,
): ParameterSource {
	const hint = 'Correct the field, then publish the workflow again.';
	const saved = context.getNode().parameters;
	return {
		read: (name) => {
			const { displayName = name, default: preset } = fields[name]?.form ?? {};
			try {
				return context.getNodeParameter(name, preset);
			} catch (error) {
				const message = `${displayName} can’t be evaluated: ${messageOf(error)}`;
				throw wrapError(error, message, { hint });
			}
		},
		readSaved: (name) => saved[name],
		hint,
	};
}

export interface InputItem extends ParameterSource {
	readonly index: number;
	readonly json: IDataObject;
}

export type FieldSet = Readonly<Record<string, Field<unknown>>>;

export type InputOf<Fields extends FieldSet> = {
	readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

type Show = NonNullable<IDisplayOptions['show']>;

/** Fields as n8n shows them where others have these values. n8n needs a copy of a field for each of its conditions. */
export function propertiesOf(fields: FieldSet, show: Show = {}): INodeProperties[] {
	return Object.entries(fields).flatMap(([name, { form, required, shownWhen = [{}] }]) =>
		shownWhen.map((condition) => {
			const values = Object.entries(condition).map(([other, wanted]) => [other, [...wanted]]);
			const all = { ...show, ...Object.fromEntries(values) };
			return {
				...form,
				name,
				...(required ? { required: true } : {}),
				...(Object.keys(all).length > 0 ? { displayOptions: { show: all } } : {}),
			};
		}),
	);
}

/** A text between the fields. */
export function noticeOf(name: string, displayName: string, show?: Show): INodeProperties {
	const displayOptions = show && { displayOptions: { show } };
	return { displayName, name, type: 'notice', default: '', ...displayOptions };
}

/** Whether a field was left empty, or its expression found no value. */
export function isBlank(value: unknown): boolean {
	return (
		value === undefined ||
		value === null ||
		(typeof value === 'string' && value.trim() === '') ||
		(Array.isArray(value) && value.length === 0)
	);
}

/**
 * Whether what was saved has an expression. In a field without expressions, n8n still resolves a lone
 * `$fromAI()`, and passes others on as text, with or without the leading "=".
 */
function hasExpression(saved: unknown): boolean {
	return [saved]
		.flat()
		.some((entry) => typeof entry === 'string' && (/^\s*=/.test(entry) || entry.includes('{{')));
}

/** The parts of a saved text that n8n evaluates. */
function expressionsIn(saved: unknown): string[] {
	return typeof saved === 'string' ? (saved.match(/\{\{[\s\S]*?\}\}/g) ?? []) : [];
}

/** Makes a field optional: a blank value becomes `undefined`. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
	return {
		...field,
		required: false,
		schema: z.preprocess((value) => (isBlank(value) ? undefined : value), field.schema.optional()),
	};
}

/** Shows and reads a field only if other fields, read before it, match one of the conditions. */
export function shownWhen<Value>(
	conditions: ShownWhen | readonly ShownWhen[],
	field: Field<Value>,
): Field<Value | undefined> {
	return { ...field, shownWhen: [conditions].flat() };
}

/** Makes a field refuse expressions and hides n8n's switch for them. */
export function withoutExpressions<Value>(field: Field<Value>): Field<Value> {
	return { ...field, withoutExpressions: true, form: { ...field.form, noDataExpression: true } };
}

/** Makes a field optional that refuses an expression that resolves to nothing. */
export function mustResolve<Value>(field: Field<Value>): Field<Value | undefined> {
	return { ...optional(field), mustResolve: true };
}

/** The same, for each expression in a text: "INV-{{ … }}" would become "INV-". */
export function mustResolveEach<Value>(field: Field<Value>): Field<Value | undefined> {
	return { ...mustResolve(field), mustResolveEach: true };
}

/** Makes an optional field that must hold something once it was added. */
export function filledWhereSet<Value>(field: Field<Value>): Field<Value | undefined> {
	return { ...optional(field), filledWhereSet: true };
}

/** Makes a field what its form shows where it was left out. */
export function orPreset<Value>(field: Field<Value>): Field<Value> {
	const preset = field.schema.parse(field.form.default);
	const { schema, ...rest } = optional(field);
	return { ...rest, schema: schema.transform((value) => value ?? preset) };
}

export function withDefault<Value>(field: Field<Value>, preset: string): Field<Value> {
	return { ...field, form: { ...field.form, default: preset } };
}

/** "companyZip" and "company_zip" as a label: "Company ZIP". */
export function titleOf(name: string): string {
	return name
		.replace(/_/g, ' ')
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
		.replace(/\b(?:Api|Zip)\b/, (word) => word.toUpperCase());
}

const RUN_AGAIN = 'Nothing was sent. Correct the field, then run the node again.';

/** The error for a value that doesn't fit a field's schema. */
export function refusalOf(label: string, error: z.ZodError, hint = RUN_AGAIN): UserError {
	const [issue] = error.issues;
	const fault =
		issue?.code === 'unrecognized_keys'
			? `has an unknown property: ${issue.keys.join(', ')}`
			: (issue?.message ?? 'isn’t valid');
	const path = (issue?.path ?? []).map((step) =>
		typeof step === 'number' ? `, entry ${step + 1}` : `, ${titleOf(step)}`,
	);
	return new UserError(`${label}${path.join('')} ${fault}`, { hint });
}

/** Whether the fields that were read before match the condition; a list, with any of its entries. */
function matches(condition: ShownWhen, read: Readonly<Record<string, unknown>>): boolean {
	return Object.entries(condition).every(([name, wanted]) =>
		wanted.some((value) =>
			typeof value === 'object'
				? String(read[name]).includes(value._cnd.includes)
				: [read[name]].flat().includes(value),
		),
	);
}

/** Reads and checks all fields of one item; refuses the first that isn't valid, by its label. */
export function readFields<Fields extends FieldSet>(
	fields: Fields,
	source: ParameterSource,
): InputOf<Fields>;
export function readFields(fields: FieldSet, source: ParameterSource): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const [name, field] of Object.entries(fields)) {
		if (field.shownWhen?.some((condition) => matches(condition, values)) === false) continue;
		const read = field.members === undefined ? readField : readMembers;
		values[name] = read(name, field, source);
	}
	return values;
}

function readField(name: string, field: Field<unknown>, source: ParameterSource): unknown {
	const { displayName, type, default: preset } = field.form;
	const label = [displayName, source.where].filter(Boolean).join(' ');
	const refuse = (fault: string, hint: string): never => {
		throw new UserError(`${label} ${fault}`, { hint: source.hint ?? hint });
	};
	const saved = source.readSaved(name, preset);
	const isTyped = field.withoutExpressions === true;
	/* n8n saves a switch as text only where it's an expression. */
	if (isTyped && (hasExpression(saved) || (type === 'boolean' && typeof saved === 'string'))) {
		refuse('can’t be an expression', 'Set it by hand in the node. Nothing was signed or sent.');
	}
	const given = isTyped ? saved : source.read(name, preset);
	const { data: value, error } = field.schema.safeParse(given);
	if (error !== undefined) throw refusalOf(label, error, source.hint);
	const { evaluate } = source;
	const hasGap =
		field.mustResolveEach === true &&
		evaluate !== undefined &&
		expressionsIn(saved).some((each) => isBlank(evaluate(each)));
	const isNothing = given === undefined || value === undefined;
	if ((isNothing || hasGap) && field.mustResolve === true && hasExpression(saved)) {
		const next = 'Correct the expression, or clear the field. Nothing was signed or sent.';
		refuse(`${isNothing ? 'is' : 'has'} an expression that resolved to nothing`, next);
	}
	if (value !== undefined) return value;
	if (field.filledWhereSet === true && saved !== undefined) {
		refuse('is empty', 'Fill it in, or remove the option. Nothing was signed or sent.');
	}
	return undefined;
}

/** The members of a collection that were added to it. */
function readMembers(
	name: string,
	{ form, members = {} }: Field<unknown>,
	source: ParameterSource,
): Record<string, unknown> {
	const inside = membersOf(name, form.displayName, source, source.hint ?? RUN_AGAIN);
	const added = Object.entries(members).filter(
		([each]) => inside.read(each) !== undefined || inside.readSaved(each) !== undefined,
	);
	return readFields(Object.fromEntries(added), inside);
}

/**
 * n8n empties a collection that was saved as a text or an expression, except members whose name is
 * also a property of texts. This one tells such a collection from one without members.
 */
export const TEXT_MARK: INodeProperties = {
	displayName: 'Text in Place of Fields',
	name: 'length',
	type: 'hidden',
	default: '',
};

/**
 * What a collection holds, as parameters.
 * @throws {UserError} if it was not saved as n8n's form saves it
 */
export function membersOf(
	name: string,
	label: string,
	source: ParameterSource,
	hint: string,
): ParameterSource {
	const mapOf = (collection: unknown = {}) => {
		const isMap = isRecord(collection) && (collection[TEXT_MARK.name] ?? 0) === 0;
		if (isMap) return new Map(Object.entries(collection));
		throw new UserError(`${label} can’t be an expression or a text`, { hint });
	};
	const [given, saved] = [mapOf(source.read(name)), mapOf(source.readSaved(name))];
	return {
		read: (each) => given.get(each),
		readSaved: (each) => saved.get(each),
		hint: source.hint,
	};
}

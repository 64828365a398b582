import type {
	IDataObject,
	IDisplayOptions,
	INode,
	INodeProperties,
	IPollFunctions,
} from 'n8n-workflow';

import { z } from 'zod';
import { messageOf, UserError, wrapError } from '../shared/errors';
import { isRecord } from '../shared/json';
import { listed } from '../shared/lists';
import { asWord } from '../shared/redaction';

/** How n8n shows a field. Its name, and when it's shown, come from the set of fields that it's in. */
type FieldForm = Omit<INodeProperties, 'name' | 'displayOptions' | 'required' | 'noDataExpression'>;

/** Makes a value of anything, or says what's wrong with it. */
export type Schema<Value> = z.ZodType<Value, z.ZodTypeDef, unknown>;

/** Values that other fields may have, or, in n8n's spelling, a text that must be in them. */
type ShownWhen = Readonly<
	Record<string, ReadonlyArray<string | boolean | { readonly _cnd: { readonly includes: string } }>>
>;

/**
 * What becomes of a field that is empty.
 * - `required`: it's refused in the words of its schema
 * - `refuse`: it's refused where it was added to a collection, or undefined where it wasn't
 * - `unset`: its value is undefined
 * - `preset`: its value is what its form shows at first
 *
 * An expression that finds nothing is refused, whatever this says: it must not open what the field closes.
 */
export type Empty = 'required' | 'refuse' | 'unset' | 'preset';

/** How a field is read, whatever its type. */
export interface Reading<IfEmpty extends Empty> {
	/** By default `required`. */
	readonly empty?: IfEmpty;
	/** What to do where an expression finds nothing. */
	readonly ifNothing?: string;
	/** Hides n8n's switch for expressions, and refuses them. */
	readonly expressions?: 'never';
}

/** One field of a form: how n8n shows it and what it accepts. */
export interface Field<Value, IfEmpty extends Empty = 'required'> extends Reading<IfEmpty> {
	readonly form: FieldForm;
	/** Turns the raw value into what the operation uses. Its messages are put after the label. */
	readonly schema: Schema<Value>;
	/** What a collection may hold. The members that were added are read, in place of the schema. */
	readonly members?: FieldSet;
	/** The field is shown and read only if the others match one of these. */
	readonly shownWhen?: readonly ShownWhen[];
	/** A text below the field that goes once it's filled in. */
	readonly noticeWhileEmpty?: string;
}

export type AnyField = Field<unknown, Empty>;
export type FieldSet = Readonly<Record<string, AnyField>>;

type ValueOf<Each> =
	Each extends Field<infer Value, infer IfEmpty>
		?
				| Value
				| (IfEmpty extends 'refuse' | 'unset' ? undefined : never)
				| (Each extends { readonly shownWhen: readonly ShownWhen[] } ? undefined : never)
		: never;

export type InputOf<Fields extends FieldSet> = {
	readonly [Name in keyof Fields]: ValueOf<Fields[Name]>;
};

/** Shows and reads a field only if other fields, read before it, match one of the conditions. */
export function shownWhen<Each extends AnyField>(
	conditions: ShownWhen | readonly ShownWhen[],
	field: Each,
) {
	return { ...field, shownWhen: [conditions].flat() };
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
	/** Whether the values come with expressions resolved: then null may be one that found nothing. */
	readonly isResolved?: boolean;
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
	return { read, readSaved: read, isResolved: true, ...texts };
}

type TriggerContext = Pick<IPollFunctions, 'getNodeParameter'> & {
	evaluateExpression?(expression: string): unknown;
};

/** The parameters of a trigger, which has no input items. */
export function parametersOf(
	context: TriggerContext,
	{ parameters: saved }: Pick<INode, 'parameters'>,
	fields: FieldSet,
): ParameterSource {
	const hint = 'Correct the field, then publish the workflow again.';
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
		...(context.evaluateExpression && {
			evaluate: (expression) => context.evaluateExpression?.(expression),
		}),
		hint,
	};
}

export interface InputItem extends ParameterSource {
	readonly index: number;
	readonly json: IDataObject;
}

type Show = NonNullable<IDisplayOptions['show']>;

/** Types whose form always shows a value, unless none is selected at first. */
const ALWAYS_FILLED = ['boolean', 'collection', 'number', 'options'];

/** Whether n8n marks the field as required. */
function isRequired({ form, empty = 'required' }: AnyField): boolean {
	return empty === 'required' && (!ALWAYS_FILLED.includes(form.type) || form.default === '');
}

export function propertyOf(name: string, { form, expressions }: AnyField): INodeProperties {
	return { ...form, name, ...(expressions === 'never' && { noDataExpression: true }) };
}

/** Fields as n8n shows them where others have these values. n8n needs a copy of a field for each of its conditions. */
export function propertiesOf(fields: FieldSet, show: Show = {}): INodeProperties[] {
	return Object.entries(fields).flatMap(([name, field]) =>
		(field.shownWhen ?? [{}]).flatMap((condition): INodeProperties[] => {
			const values = Object.entries(condition).map(([other, wanted]) => [other, [...wanted]]);
			const all = { ...show, ...Object.fromEntries(values) };
			const displayOptions = Object.keys(all).length > 0 && { displayOptions: { show: all } };
			const property = {
				...propertyOf(name, field),
				...(isRequired(field) && { required: true }),
				...displayOptions,
			};
			if (field.noticeWhileEmpty === undefined) return [property];
			/* n8n shows a field whatever an expression gives, but hides it by its text. */
			const hide = { [name]: [{ _cnd: { not: '' } }] };
			const notice = noticeOf(`${name}Notice`, field.noticeWhileEmpty);
			return [property, { ...notice, displayOptions: { show: all, hide } }];
		}),
	);
}

/** A text between the fields. */
export function noticeOf(name: string, displayName: string, show?: Show): INodeProperties {
	const displayOptions = show && { displayOptions: { show } };
	return { displayName, name, type: 'notice', default: '', ...displayOptions };
}

/** What the user sees a field called. */
export function labelOf({ form }: AnyField): string {
	return form.displayName;
}

/** "companyZip" and "company_zip" as a label: "Company ZIP". */
export function titleOf(name: string): string {
	return name
		.replace(/_/g, ' ')
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
		.replace(/\b(?:Api|Zip)\b/, (word) => word.toUpperCase());
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

const RUN_AGAIN = 'Correct the field, then run the node again.';

/** The error for a value that doesn't fit a field's schema. */
export function refusalOf(label: string, error: z.ZodError, hint = RUN_AGAIN): UserError {
	const [issue] = error.issues;
	const fault =
		issue?.code === 'unrecognized_keys'
			? `has an unknown property: ${listed(issue.keys.map(asWord), 5)}`
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

/** A text that n8n evaluates. */
function isExpression(saved: unknown): saved is string {
	return typeof saved === 'string' && saved.startsWith('=');
}

/**
 * Whether a field that takes no expressions was given one. n8n takes the "=" off (`getNodeParameters` in
 * n8n-workflow's node-helpers.js, 2.41) and hands it over as text, but still resolves a lone `$fromAI()`.
 * A switch is saved as text only if it's an expression.
 */
function isMeantAsExpression(saved: unknown, type: string): boolean {
	if (type === 'boolean' && typeof saved === 'string') return true;
	return [saved]
		.flat()
		.some((entry) => typeof entry === 'string' && (/^\s*=/.test(entry) || entry.includes('{{')));
}

/** The expressions in a text. A backslash takes the meaning from braces (n8n-workflow's expression-parser.js, 2.41). */
const EXPRESSIONS = /(?<!\\)\{\{[\s\S]*?(?<!\\)\}\}/g;

/** Whether an expression within other text found no value: "INV-{{ … }}" would become "INV-". */
function hasGap(saved: string, { evaluate }: ParameterSource): boolean {
	if (evaluate === undefined) return false;
	const expressions = saved.match(EXPRESSIONS) ?? [];
	return expressions.some((each) => saved !== `=${each}` && isBlank(evaluate(each)));
}

/** A value; of a resource locator, what it holds. */
export function contentOf(value: unknown): unknown {
	return isRecord(value) && '__rl' in value ? value.value : value;
}

/** Whether a value is what n8n saves for a field that was left empty. */
function isLeftEmpty({ type }: FieldForm, value: unknown): boolean {
	return type === 'multiOptions' ? isBlank(value) : value === '';
}

function readField(name: string, field: AnyField, source: ParameterSource): unknown {
	const { form, schema, empty = 'required', expressions, ifNothing } = field;
	const label = () => [form.displayName, source.where].filter(Boolean).join(' ');
	const refusal = (fault: string, hint: string) =>
		new UserError(`${label()} ${fault}`, { hint: source.hint ?? hint });
	const foundNothing = (verb: 'is' | 'has') =>
		refusal(
			`${verb} an expression that resolved to nothing`,
			ifNothing ?? 'Correct the expression.',
		);
	const saved = contentOf(source.readSaved(name, form.default));
	const isFixed = expressions === 'never';
	if (isFixed && isMeantAsExpression(saved, form.type)) {
		throw refusal('can’t be an expression', 'Set it by hand in the node.');
	}
	const given = isFixed ? saved : source.read(name, form.default);
	const isEmpty = source.isResolved === true ? isLeftEmpty(form, given) : isBlank(contentOf(given));
	if (isExpression(saved)) {
		if (isEmpty) throw foundNothing('is');
		/* In JSON, a member may be empty. */
		if (form.type === 'string' && hasGap(saved, source)) throw foundNothing('has');
	}
	const isAbsent = given === undefined && saved === undefined;
	if (isEmpty && empty === 'refuse' && !isAbsent) {
		throw refusal('is empty', 'Fill it in, or remove the option.');
	}
	if (isEmpty && (empty === 'unset' || empty === 'refuse')) return undefined;
	const isPreset = isAbsent || (empty === 'preset' && isBlank(given));
	const { data: value, error } = schema.safeParse(isPreset ? form.default : given);
	if (error !== undefined) throw refusalOf(label(), error, source.hint);
	if (value === undefined && isExpression(saved)) throw foundNothing('is');
	return value;
}

/** The members of a collection that were added to it. */
function readMembers(
	name: string,
	{ form, members = {} }: AnyField,
	source: ParameterSource,
): Record<string, unknown> {
	const inside = collectionMembers(name, form.displayName, source, source.hint ?? RUN_AGAIN);
	const added = Object.entries(members).filter(
		([each]) => inside.read(each) !== undefined || inside.readSaved(each) !== undefined,
	);
	return readFields(Object.fromEntries(added), inside);
}

/**
 * n8n reads the members of a collection off whatever was saved for it (`getNodeParameters` in
 * n8n-workflow's node-helpers.js, 2.41), so that a text or an expression becomes a collection without
 * members. A text has a `length`, though, and this hidden member tells the two apart.
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
export function collectionMembers(
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
	return { ...source, read: (each) => given.get(each), readSaved: (each) => saved.get(each) };
}

import { Refusal } from '../shared/errors';
import { oneOf, type Menu } from '../shared/menu';

/** One parameter, as its readers and their messages need it. */
export interface Parameter {
	readonly name: string;
	/** The label on the form. */
	readonly label: string;
	readonly value: unknown;
	/** The value as saved in the workflow, with expressions as text. */
	readonly saved: unknown;
}

export function refuse(
	{ name, label }: Pick<Parameter, 'name' | 'label'>,
	what: string,
	hint: string,
): never {
	throw new Refusal(`${label} ${what}`, { field: name, hint });
}

export function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/**
 * The value of a field, its expressions resolved.
 * @throws {Refusal} that names the field if n8n can't evaluate an expression in it
 */
export function evaluateField(name: string, label: string, read: () => unknown): unknown {
	try {
		return read();
	} catch (error) {
		return refuse(
			{ name, label },
			`can't be evaluated: ${reasonOf(error)}`,
			'Fix the expression in this field.',
		);
	}
}

/** Whether a field was left empty, or its expression found no value. */
function isNothing(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

function holdsExpression(saved: unknown): boolean {
	if (Array.isArray(saved)) return saved.some(holdsExpression);
	return typeof saved === 'string' && saved.startsWith('=');
}

/** The entries of an array, or of text with commas or line breaks. Blank ones are dropped. */
function entriesOf(parameter: Parameter): string[] {
	const { value } = parameter;
	const list: unknown = typeof value === 'string' ? value.split(/[,\n]/) : (value ?? []);
	const hint =
		'Enter values separated by commas, or use an expression that gives an array of texts.';
	if (!Array.isArray(list)) return refuse(parameter, "isn't a list", hint);
	return list
		.filter((entry) => !isNothing(entry))
		.map((entry) =>
			typeof entry === 'string' || typeof entry === 'number'
				? String(entry).trim()
				: refuse(parameter, "contains a value that isn't text", hint),
		);
}

/** The entries of a list that says what to accept. Empty is refused: it doesn't mean everything. */
export function requiredEntries(parameter: Parameter, hint: string): string[] {
	const entries = entriesOf(parameter);
	return entries.length > 0 ? entries : refuse(parameter, 'is empty or resolves to nothing', hint);
}

/** The entries of a filter. Left empty it accepts everything, but not if its expression found nothing. */
export function filterEntries(parameter: Parameter): string[] {
	const entries = entriesOf(parameter);
	if (entries.length === 0) refuseEmptyExpression(parameter);
	return entries;
}

function refuseEmptyExpression(parameter: Parameter): void {
	if (!holdsExpression(parameter.saved)) return;
	refuse(
		parameter,
		'resolves to nothing',
		'Fix the expression, or remove the filter to let everything through.',
	);
}

export function readMinimum(parameter: Parameter): number {
	const { value } = parameter;
	if (isNothing(value)) {
		refuseEmptyExpression(parameter);
		return Number.NEGATIVE_INFINITY;
	}
	const minimum = typeof value === 'string' ? Number(value) : value;
	if (typeof minimum === 'number' && Number.isFinite(minimum)) return minimum;
	return refuse(parameter, "isn't a number", 'Enter the amount in cents, e.g. 12500 for $125.00.');
}

/** A limit in seconds; Infinity for 0. Nothing is refused: it doesn't mean any age. */
export function readMaximumAge(parameter: Parameter): number {
	const { value } = parameter;
	const seconds = typeof value === 'string' && !isNothing(value) ? Number(value) : value;
	if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0) {
		return seconds === 0 ? Number.POSITIVE_INFINITY : seconds;
	}
	return refuse(
		parameter,
		isNothing(value) ? 'is empty or resolves to nothing' : "isn't a number of seconds",
		'Enter a number of seconds, e.g. 86400 for one day, or 0 for no limit.',
	);
}

export function readSwitch(parameter: Parameter, preset: boolean): boolean {
	const { value } = parameter;
	if (isNothing(value)) return preset;
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	return refuse(
		parameter,
		"isn't true or false",
		'Turn the option on or off, or fix its expression.',
	);
}

export function readChoice<Choice extends string>(
	parameter: Parameter,
	menu: Menu<Choice>,
	preset?: NoInfer<Choice>,
): Choice {
	const { value } = parameter;
	if (preset !== undefined && isNothing(value)) return preset;
	const read = oneOf(menu).safeParse(value);
	if (read.success) return read.data;
	const [issue] = read.error.issues;
	return refuse(
		parameter,
		issue?.message ?? "isn't on the menu",
		'Choose from the menu, or fix the expression.',
	);
}

function membersOf(collection: unknown): ReadonlyMap<string, unknown> {
	const isCollection = typeof collection === 'object' && collection !== null;
	return new Map(isCollection ? Object.entries(collection) : []);
}

/** Gives the members of a collection by name; undefined if one was not added. */
export function collection({ value, saved }: Pick<Parameter, 'value' | 'saved'>) {
	const values = membersOf(value);
	const savedValues = membersOf(saved);
	return (name: string, label: string): Parameter | undefined =>
		values.has(name) || savedValues.has(name)
			? { name, label, value: values.get(name), saved: savedValues.get(name) }
			: undefined;
}

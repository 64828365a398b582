import { z } from 'zod';

/** The labels of a menu's entries, by the values that expressions give. */
export type Menu<Value extends string = string> = Readonly<Record<Value, string>>;

/** An error lists no longer menu than this. */
const MOST_LISTED = 6;

const disjunction = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** What to choose from, as a person sees it, and the values for expressions. */
function choicesOf(menu: Menu): string {
	const values = Object.keys(menu);
	const labels = Object.values(menu);
	if (values.length > MOST_LISTED) return `an entry of its menu, e.g. ${labels[0]} (${values[0]})`;
	const listed = disjunction.format(labels);
	const isPlain = labels.every((label, index) => label === values[index]);
	return isPlain ? listed : `${listed} (${values.join(', ')})`;
}

/** The menu of options that a form shows. */
export function menuOf<Value extends string>(
	options: ReadonlyArray<{ readonly name: string; readonly value: Value }>,
): Menu<Value>;
export function menuOf(options: ReadonlyArray<{ name: string; value: string }>): Menu {
	return Object.fromEntries(options.map(({ name, value }) => [value, name]));
}

function isOn<Value extends string>(menu: Menu<Value>, value: unknown): value is Value {
	return typeof value === 'string' && Object.hasOwn(menu, value);
}

/** Exactly one value of a menu. */
export function oneOf<Value extends string>(
	menu: Menu<Value>,
): z.ZodType<Value, z.ZodTypeDef, unknown> {
	return z.unknown().transform((value, context) => {
		if (isOn(menu, value)) return value;
		const isMissing = value === undefined || value === null || value === '';
		const fault = isMissing ? 'is missing. Choose' : 'must be';
		context.addIssue({ code: 'custom', message: `${fault} ${choicesOf(menu)}` });
		return z.NEVER;
	});
}

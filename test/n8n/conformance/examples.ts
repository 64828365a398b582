import { without } from '../../../n8nHost/sampleEvents';
import { openapi, resolved, schema, type Schema } from './openapi';

/** Examples that follow from a schema. */
interface Examples {
	/** The first one has every field. */
	readonly allowed: readonly [unknown, ...unknown[]];
	/** Without anything that is optional. */
	readonly sparse: unknown;
	/** Without anything of which the document doesn't say that it is always there. */
	readonly bare: unknown;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function leaf(first: unknown, ...others: readonly unknown[]): Examples {
	return { allowed: [first, ...others], sparse: first, bare: first };
}

function listOf({ items = {}, minItems = 0 }: Schema): Examples {
	const { allowed: values, sparse, bare } = examplesOf(items);
	const [first] = values;
	const shorter = [...values.map((value) => [value]), Array(minItems).fill(first)];
	return { ...leaf(values, ...shorter), sparse: [sparse], bare: [bare] };
}

function objectOf(record: Schema): Examples {
	const { properties = {}, required = [] } = record;
	const fields = Object.entries(properties).map(([name, each]) => ({
		name,
		isRequired: required.includes(name),
		kind: examplesOf(each),
	}));
	const full = Object.fromEntries(fields.map(({ name, kind }) => [name, kind.allowed[0]]));
	const only = (part: 'sparse' | 'bare') =>
		Object.fromEntries(
			fields.flatMap(({ name, isRequired, kind }) => (isRequired ? [[name, kind[part]]] : [])),
		);
	const changed = fields.flatMap(({ name, isRequired, kind }) => [
		...(isRequired ? [] : [without(full, name)]),
		...kind.allowed.map((value) => ({ ...full, [name]: value })),
	]);
	const isOpen = record.additionalProperties !== false;
	return {
		...leaf(full, only('sparse'), ...changed, ...(isOpen ? [{ ...full, unknown_field: 1 }] : [])),
		sparse: only('sparse'),
		bare: record['x-required-not-documented'] === true ? {} : only('bare'),
	};
}

/** What a schema allows. */
export function examplesOf(unresolved: Schema): Examples {
	const { type, ...each } = resolved(unresolved);
	if (each.anyOf !== undefined && each.properties === undefined) {
		const values = each.anyOf.flatMap((one) => examplesOf(one).allowed);
		return leaf(values[0], ...values.slice(1));
	}
	if (each.const !== undefined) return leaf(each.const);
	const [first, ...others] =
		each.enum?.filter((value) => value !== each.not?.const) ?? each.examples ?? [];
	if (first !== undefined) return leaf(first, ...others);
	switch (type) {
		case 'array':
			return listOf(each);
		case 'object':
			return each.properties === undefined ? leaf({ anything: 1 }, {}) : objectOf(each);
		case 'integer':
			return leaf(each.minimum ?? 0);
		case 'number':
			return leaf(7, 0, 1.5);
		case 'boolean':
			return leaf(true, false);
		case 'null':
			return leaf(null);
		case 'string':
			return leaf('text', 'Zoë · 名前');
		case undefined:
		default:
			throw new Error(`openapi.yaml has a schema that isn't understood: ${JSON.stringify(each)}`);
	}
}

/** Texts that a schema of `components` allows. */
export const allowedTexts = (name: string): string[] => (schema(name).examples ?? []).map(String);

/** Texts that it rules out: its counterexamples, and examples of the others that don't fit it. */
export function forbiddenTexts(name: string): string[] {
	const { pattern = '', 'x-counterexamples': counterexamples = [] } = schema(name);
	const others = Object.keys(openapi.components.schemas)
		.flatMap(allowedTexts)
		.filter((text) => !new RegExp(pattern).test(text));
	return [...new Set([...counterexamples.map(String), ...others])];
}

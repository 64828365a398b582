import { without } from '../../../n8nHost/sampleEvents';
import { openapi, resolved, schema, type Schema } from './openapi';

/** An example of a value, and what makes it one. */
export interface Example {
	readonly what: string;
	readonly value: unknown;
	/** Only the type is wrong, which text in a path or query can't show. */
	readonly isOtherType?: boolean;
}

/** Examples that follow from a schema. */
export interface Examples {
	/** The first one has every field. */
	readonly allowed: readonly [Example, ...Example[]];
	readonly forbidden: readonly Example[];
	/** Without anything that is optional. */
	readonly sparse: unknown;
	/** Without anything of which the document doesn't say that it is always there. */
	readonly bare: unknown;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const named = (value: unknown): Example => ({ what: JSON.stringify(value) ?? 'nothing', value });
const ofOtherType = (value: unknown): Example => ({ ...named(value), isOtherType: true });

function leaf(
	[first, ...others]: readonly unknown[],
	forbidden: readonly unknown[],
	otherTypes: readonly unknown[] = [],
): Examples {
	return {
		allowed: [named(first), ...others.map(named)],
		forbidden: [...forbidden.map(named), ...otherTypes.map(ofOtherType)],
		sparse: first,
		bare: first,
	};
}

/** Every schema in the file, wherever it is. */
function everySchema(root: unknown): Schema[] {
	if (Array.isArray(root)) return root.flatMap(everySchema);
	if (!isRecord(root)) return [];
	return [root, ...Object.values(root).flatMap(everySchema)];
}

const ALL = everySchema(openapi);

/** One of the listed values; no value of another list with the same values in it. */
function enumerated(values: readonly string[]): Examples {
	const [first = ''] = values;
	const relatives = ALL.flatMap(({ enum: others = [] }) =>
		others.some((other) => values.includes(other)) ? others : [],
	);
	const misspelled = ['', `${first}x`, first.slice(1), first.toUpperCase(), first.toLowerCase()];
	const outsiders = [...new Set([...relatives, ...misspelled])];
	return leaf(
		values,
		outsiders.filter((outsider) => !values.includes(outsider)),
		[7, null],
	);
}

/** Examples from the file; what is an example of another pattern fits this one, or is none of it. */
function patterned({ pattern, examples = [], ...others }: Schema): Examples {
	const strangers = ALL.flatMap((other) =>
		other.pattern === undefined ? [] : (other.examples ?? []),
	)
		.map(String)
		.filter((text) => pattern !== undefined && !new RegExp(pattern).test(text));
	const forbidden = [...new Set([...(others['x-counterexamples'] ?? []), ...strangers])];
	return leaf(examples, forbidden, [7, null]);
}

function integer({ minimum = 0, maximum }: Schema): Examples {
	return leaf(
		[minimum, minimum + 1, ...(maximum === undefined ? [] : [maximum - 1, maximum])],
		[minimum - 1, minimum + 0.5, 'one', ...(maximum === undefined ? [] : [maximum + 1])],
		[String(minimum)],
	);
}

function listOf({ items = {}, minItems = 0, maxItems }: Schema): Examples {
	const item = examplesOf(items);
	const sized = (size: number): Example => ({
		what: `${size} entries`,
		value: Array.from({ length: size }, () => item.allowed[0].value),
	});
	const single = ({ what, value, ...others }: Example): Example => ({
		what: `[${what}]`,
		value: [value],
		...others,
	});
	return {
		allowed: [
			{ what: 'every entry', value: item.allowed.slice(0, maxItems).map(({ value }) => value) },
			...item.allowed.map(single),
			sized(minItems),
			...(maxItems === undefined ? [] : [sized(maxItems)]),
		],
		forbidden: [
			...item.forbidden.map(single),
			...(minItems > 0 ? [sized(minItems - 1)] : []),
			...(maxItems === undefined ? [] : [sized(maxItems + 1)]),
			ofOtherType('no list'),
		],
		sparse: [item.sparse],
		bare: [item.bare],
	};
}

function objectOf(record: Schema): Examples {
	const { properties = {}, required = [] } = record;
	const fields = Object.entries(properties).map(([name, each]) => ({
		name,
		isRequired: required.includes(name),
		kind: examplesOf(each),
	}));
	const full = Object.fromEntries(fields.map(({ name, kind }) => [name, kind.allowed[0].value]));
	const necessary = fields.filter(({ isRequired }) => isRequired);
	const only = (part: 'sparse' | 'bare') =>
		Object.fromEntries(necessary.map(({ name, kind }) => [name, kind[part]]));
	const changed = (name: string, { what, value, ...others }: Example): Example => ({
		what: `${name}: ${what}`,
		value: { ...full, [name]: value },
		...others,
	});
	const lacking = (wanted: boolean): Example[] =>
		fields
			.filter(({ isRequired }) => isRequired === wanted)
			.map(({ name }) => ({ what: `no ${name}`, value: without(full, name) }));
	const isOpen = record.additionalProperties !== false;
	return {
		allowed: [
			{ what: 'every field', value: full },
			{ what: 'no optional field', value: only('sparse') },
			...lacking(false),
			...fields.flatMap(({ name, kind }) => kind.allowed.map((each) => changed(name, each))),
			...(isOpen ? [{ what: 'an unknown field', value: { ...full, unknown_field: 1 } }] : []),
		],
		forbidden: [
			...lacking(true),
			...fields.flatMap(({ name, kind }) => kind.forbidden.map((each) => changed(name, each))),
			...(isOpen ? [] : [{ what: 'an unknown field', value: { ...full, unknown_field: 1 } }]),
			ofOtherType('no object'),
		],
		sparse: only('sparse'),
		bare: record['x-required-not-documented'] === true ? {} : only('bare'),
	};
}

/** Examples of each variant; where they are of several types, those that are no variant's. */
function together([first, ...others]: readonly Examples[]): Examples {
	if (first === undefined) throw new Error('openapi.yaml has a choice of nothing');
	const allowed: Examples['allowed'] = [
		...first.allowed,
		...others.flatMap((each) => each.allowed),
	];
	const isAllowed = ({ value }: Example) => allowed.some((each) => Object.is(each.value, value));
	return {
		...first,
		allowed,
		forbidden: [first, ...others].flatMap(({ forbidden }) =>
			forbidden.filter((each) => !isAllowed(each)),
		),
	};
}

function withRivals(record: Schema, rivals: readonly string[]): Examples {
	const [{ value }] = objectOf(record).allowed;
	const variants = rivals.map((kept) => {
		const others = rivals.filter((rival) => rival !== kept);
		return objectOf({ ...record, properties: without(record.properties ?? {}, ...others) });
	});
	const examples = together(variants);
	return { ...examples, forbidden: [...examples.forbidden, { what: rivals.join(' and '), value }] };
}

function variant(record: Schema, change: Schema | undefined): Schema {
	return {
		...record,
		then: undefined,
		properties: { ...record.properties, ...change?.properties },
	};
}

/** What a schema allows, and what it rules out. */
export function examplesOf(unresolved: Schema): Examples {
	const each = resolved(unresolved);
	if (each.anyOf !== undefined && each.properties === undefined)
		return together(each.anyOf.map(examplesOf));
	if (each.then !== undefined)
		return together([variant(each, each.then), variant(each, each.else)].map(examplesOf));
	if (each['x-not-together'] !== undefined) return withRivals(each, each['x-not-together']);
	if (each.const !== undefined)
		return leaf([each.const], [], [typeof each.const === 'boolean' ? !each.const : 'other']);
	if (each.enum !== undefined)
		return enumerated(each.enum.filter((value) => value !== each.not?.const));
	switch (each.type) {
		case 'array':
			return listOf(each);
		case 'object':
			return each.properties === undefined
				? leaf([{ anything: 1 }, {}], [], ['text', 7, null])
				: objectOf(each);
		case 'integer':
			return integer(each);
		case 'number':
			return leaf([7, 0, 1.5], [], ['7', true, null]);
		case 'boolean':
			return leaf([true, false], [], ['true', 1, null]);
		case 'null':
			return leaf([null], []);
		case 'string':
			if (each.examples !== undefined) return patterned(each);
			return leaf(['text', 'Zoë · 名前'], each.minLength === undefined ? [] : [''], [
				7,
				true,
				null,
				{},
			]);
		case undefined:
		default:
			throw new Error(`openapi.yaml has a schema that isn't understood: ${JSON.stringify(each)}`);
	}
}

/** Texts that a schema of `components` allows. */
export function allowedTexts(name: string): string[] {
	return examplesOf(schema(name)).allowed.map(({ value }) => String(value));
}

/** Texts that it rules out. */
export function forbiddenTexts(name: string): string[] {
	return examplesOf(schema(name)).forbidden.flatMap(({ value, isOtherType = false }) =>
		isOtherType ? [] : [String(value)],
	);
}

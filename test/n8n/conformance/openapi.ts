import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { repository } from '../../../tooling/paths.mjs';

/*
 * sandbox/openapi.yaml, the only transcription of the service's document. The sandbox validates with
 * it; here it says which cases the node and the sandbox are tried with.
 */

/** A schema in openapi.yaml, with the keywords that occur there. */
export interface Schema {
	readonly $ref?: string;
	readonly type?: string;
	readonly const?: unknown;
	readonly enum?: readonly string[];
	readonly not?: { readonly const?: unknown };
	readonly anyOf?: readonly Schema[];
	readonly pattern?: string;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly minItems?: number;
	readonly maxItems?: number;
	readonly items?: Schema;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly additionalProperties?: boolean;
	readonly default?: unknown;
	readonly examples?: readonly unknown[];
	readonly 'x-counterexamples'?: readonly unknown[];
	readonly 'x-required-not-documented'?: boolean;
}

type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;

interface Operation {
	readonly operationId: string;
	readonly security?: readonly unknown[];
	readonly parameters?: ReadonlyArray<{
		name: string;
		in: string;
		required: boolean;
		schema: Schema;
	}>;
	readonly requestBody?: { readonly content: Content };
	readonly responses: Readonly<Record<'200', { readonly content?: Content }>>;
}

/** As the sandbox finds it to be when it starts (sandbox/description.ts). */
export const openapi: {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
} = parse(readFileSync(path.join(repository, 'sandbox', 'openapi.yaml'), 'utf8'));

/** A schema of `components` by its name. */
export function schema(name: string): Schema {
	const found = openapi.components.schemas[name];
	if (found === undefined) throw new Error(`openapi.yaml has no schema ${name}`);
	return found;
}

/** The schema itself where it only refers to another; what stands next to the reference wins. */
export function resolved({ $ref: reference, ...own }: Schema): Schema {
	if (reference === undefined) return own;
	return { ...resolved(schema(reference.replace('#/components/schemas/', ''))), ...own };
}

/** A field of a record, or a parameter. */
export function fieldOf(record: Schema, name: string): Schema {
	const field = resolved(record).properties?.[name];
	if (field === undefined) throw new Error(`openapi.yaml has no field ${name}`);
	return resolved(field);
}

/** The values of an enumeration, e.g. `Role` or `Deposit.status`. */
export function valuesOf(name: string): readonly string[] {
	const [record = '', ...fields] = name.split('.');
	const { enum: values } = fields.reduce(fieldOf, resolved(schema(record)));
	if (values === undefined) throw new Error(`openapi.yaml has no values for ${name}`);
	return values;
}

/** The names of a record's fields. */
export function fieldsOf(name: string): string[] {
	return Object.keys(schema(name).properties ?? {});
}

/** One operation of the service. */
interface DocumentedOperation {
	readonly id: string;
	/** Its number in docs/api.md. */
	readonly number: number;
	readonly method: string;
	readonly path: string;
	/** Also where the document doesn't say. */
	readonly needsToken: boolean;
	readonly pathParameters: Schema;
	readonly query: Schema;
	readonly body?: Schema;
	/** `data` of the answer. */
	readonly answer: Schema;
}

function parametersOf({ parameters = [] }: Operation, place: 'path' | 'query'): Schema {
	const own = parameters.filter((each) => each.in === place);
	return {
		type: 'object',
		required: own.filter(({ required }) => required).map(({ name }) => name),
		additionalProperties: false,
		properties: Object.fromEntries(own.map((each) => [each.name, each.schema])),
	};
}

/** In the order of docs/api.md. */
export const OPERATIONS: readonly DocumentedOperation[] = Object.entries(openapi.paths)
	.flatMap(([template, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ template, method, operation })),
	)
	.map(({ template, method, operation }, index) => ({
		id: operation.operationId,
		number: index + 1,
		method: method.toUpperCase(),
		path: template,
		needsToken: operation.security?.length !== 0,
		pathParameters: parametersOf(operation, 'path'),
		query: parametersOf(operation, 'query'),
		body: operation.requestBody?.content['application/json'].schema,
		answer: operation.responses['200'].content?.['application/json'].schema.properties?.data ?? {},
	}));

export function operation(id: string): DocumentedOperation {
	const found = OPERATIONS.find((each) => each.id === id);
	if (found === undefined) throw new Error(`openapi.yaml has no operation ${id}`);
	return found;
}

/** A field of an operation's body. */
export const bodyField = (id: string, name: string) => fieldOf(operation(id).body ?? {}, name);

/** A parameter of an operation's query. */
export const queryParameter = (id: string, name: string) => fieldOf(operation(id).query, name);

/** The least and the largest value, or number of entries. */
export function boundsOf(bounded: Schema): readonly [number, number] {
	const least = bounded.minimum ?? bounded.minItems ?? 0;
	const most = bounded.maximum ?? bounded.maxItems;
	if (most === undefined) throw new Error('openapi.yaml has no bound here');
	return [least, most];
}

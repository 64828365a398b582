import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { z } from 'zod';

/** Names for the two body fields whose names docs/api.md doesn't know (Endpoints 8 and 9). */
export interface UnnamedFields {
	readonly decisionFieldName: string;
	readonly eventTypeFieldName: string;
}

/** One operation as openapi.yaml describes it. */
export interface OperationDescription {
	readonly id: string;
	readonly method: 'GET' | 'POST' | 'PUT';
	/** With braces: `/v2/teams/{team_nanoid}/users`. */
	readonly path: string;
	readonly parameters: readonly ParameterDescription[];
	readonly token: 'none' | 'optional' | 'required';
}

const schemaShape = z.record(z.unknown());
const parameterShape = z.object({
	name: z.string(),
	in: z.enum(['query', 'path']),
	required: z.boolean(),
	schema: schemaShape,
	'x-comma-separated': z.boolean().default(false),
	'x-setting': z.literal('currenciesEncodings').optional(),
});
const contentShape = z.object({ 'application/json': z.object({ schema: schemaShape }) });
const operationShape = z.object({
	operationId: z.string(),
	security: z.array(z.record(z.unknown())).optional(),
	parameters: z.array(parameterShape).default([]),
	'x-not-together': z.array(z.string()).optional(),
	requestBody: z.object({ content: contentShape }).optional(),
	responses: z.record(z.union([z.object({ content: contentShape }), z.record(z.string())])),
});
const documentShape = z.object({
	paths: z.record(z.record(operationShape)),
	components: z.object({ schemas: z.record(schemaShape) }),
});

type ParameterDescription = z.infer<typeof parameterShape>;
type OperationShape = z.infer<typeof operationShape>;

const DOCUMENT_ID = 'openapi.yaml';
const METHODS = { get: 'GET', post: 'POST', put: 'PUT' } as const;

/** The parts of a request that the description covers. */
export interface RequestParts {
	readonly path: Readonly<Record<string, unknown>>;
	readonly query: Readonly<Record<string, unknown>>;
	readonly body?: unknown;
}

/**
 * The compiled OpenAPI description of the service: validates requests, answers and events.
 * Immutable; each pair of {@link UnnamedFields} has its own.
 */
export class Description {
	readonly operations: readonly OperationDescription[];
	private readonly ajv: Ajv2020;
	private readonly schemas: Readonly<Record<string, Record<string, unknown>>>;
	private readonly shapes = new Map<string, OperationShape>();

	private static readonly cache = new Map<string, Description>();

	/** The description with these names, compiled once per process. */
	static with({ decisionFieldName, eventTypeFieldName }: UnnamedFields): Description {
		const key = JSON.stringify([decisionFieldName, eventTypeFieldName]);
		const description =
			this.cache.get(key) ?? new Description({ decisionFieldName, eventTypeFieldName });
		this.cache.set(key, description);
		return description;
	}

	private constructor(unnamedFields: UnnamedFields) {
		const document = readDocument(unnamedFields);
		this.ajv = newAjv();
		const operations: OperationDescription[] = [];
		const { paths, components } = documentShape.parse(document);
		this.schemas = components.schemas;
		this.ajv.addSchema({ $id: DOCUMENT_ID, $defs: this.schemas });
		for (const [path, methods] of Object.entries(paths)) {
			for (const [method, shape] of Object.entries(methods)) {
				this.shapes.set(shape.operationId, shape);
				operations.push(describe(path, method, shape));
			}
		}
		this.operations = operations;
	}

	/**
	 * A compiled check of an operation's requests. The caller names the type that the schema
	 * enforces.
	 */
	requestCheck<Request>(operationId: string): ValidateFunction<Request> {
		const { parameters, requestBody, 'x-not-together': rivals } = this.shape(operationId);
		const body = requestBody?.content['application/json'].schema;
		return this.ajv.compile<Request>({
			type: 'object',
			required: ['path', 'query', ...(body ? ['body'] : [])],
			additionalProperties: false,
			properties: {
				path: parametersSchema(parameters.filter((each) => each.in === 'path')),
				query: {
					...parametersSchema(parameters.filter((each) => each.in === 'query')),
					...(rivals ? { not: { required: rivals } } : {}),
				},
				...(body ? { body } : {}),
			},
		});
	}

	/**
	 * A compiled check of an operation's answers with a status. The caller names the type that the
	 * schema enforces. Throws if the operation has no such answer.
	 */
	answerCheck<Answer>(operationId: string, status: number): ValidateFunction<Answer> {
		const schema = this.answerSchema(operationId, status);
		if (!schema) throw new Error(`${operationId} does not answer with ${status}`);
		return this.ajv.compile<Answer>(schema);
	}

	/** What is wrong with a webhook event; empty if it is valid. */
	eventProblems(event: unknown): string[] {
		const type = z.object({ event_type: z.string() }).safeParse(event).data?.event_type;
		const name = type === 'deposit.received' ? 'DepositReceivedEvent' : 'EventEnvelope';
		const check = this.ajv.getSchema(`${DOCUMENT_ID}#/$defs/${name}`);
		if (!check) throw new Error(`openapi.yaml has no schema ${name}`);
		return check(event) ? [] : problems(check.errors);
	}

	/** The values of an enumeration in `components/schemas`. */
	enumeration(name: string): readonly string[] {
		return z.array(z.string()).parse(this.schemas[name]?.enum);
	}

	private shape(operationId: string): OperationShape {
		const shape = this.shapes.get(operationId);
		if (!shape) throw new Error(`openapi.yaml has no operation ${operationId}`);
		return shape;
	}

	private answerSchema(operationId: string, status: number): object | undefined {
		const { responses } = this.shape(operationId);
		const answer = responses[String(status)] ?? responses.default;
		if (!answer) return undefined;
		const inline = z.object({ content: contentShape }).safeParse(answer);
		if (inline.success) return inline.data.content['application/json'].schema;
		return { $ref: `${DOCUMENT_ID}#/$defs/FailureEnvelope` };
	}
}

/** Formats validation errors: where, and what is wrong. */
export function problems(errors: readonly ErrorObject[] | null | undefined): string[] {
	return (errors ?? [])
		.filter(({ keyword }) => keyword !== 'if')
		.map(({ instancePath, keyword, message, params }) => {
			const where = instancePath.slice(1).replaceAll('/', '.') || 'request';
			if (keyword === 'not') return `${where} has parameters that exclude each other`;
			const name: unknown = params.additionalProperty;
			const values: unknown = params.allowedValues;
			const which = typeof name === 'string' ? ` (${name})` : '';
			const allowed = Array.isArray(values) ? ` (${values.join(', ')})` : '';
			return `${where} ${message ?? 'is not valid'}${which}${allowed}`;
		});
}

function describe(path: string, method: string, shape: OperationShape): OperationDescription {
	if (method !== 'get' && method !== 'post' && method !== 'put') {
		throw new Error(`openapi.yaml: ${method} ${path} is not a method of this service`);
	}
	const optional = shape.security?.some((scheme) => Object.keys(scheme).length === 0);
	return {
		id: shape.operationId,
		method: METHODS[method],
		path,
		parameters: shape.parameters,
		token: shape.security?.length === 0 ? 'none' : optional ? 'optional' : 'required',
	};
}

function parametersSchema(parameters: readonly ParameterDescription[]): object {
	return {
		type: 'object',
		required: parameters.filter((each) => each.required).map((each) => each.name),
		additionalProperties: false,
		properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
	};
}

function newAjv(): Ajv2020 {
	const ajv = new Ajv2020({
		allErrors: true,
		strict: true,
		strictRequired: false,
		strictTypes: false,
	});
	addFormats(ajv);
	ajv.addFormat('utc-timestamp', isCalendarValid);
	ajv.addVocabulary(['x-setting', 'x-counterexamples', 'x-required-not-documented']);
	return ajv;
}

/** Rejects e.g. February 31, which `Date` rolls over into March. */
function isCalendarValid(timestamp: string): boolean {
	const time = Date.parse(timestamp);
	return (
		!Number.isNaN(time) && new Date(time).toISOString().slice(0, 16) === timestamp.slice(0, 16)
	);
}

/** Reads openapi.yaml, makes its references absolute and names the unnamed fields. */
function readDocument(unnamedFields: UnnamedFields): Record<string, unknown> {
	const text = readFileSync(join(__dirname, 'openapi.yaml'), 'utf8');
	return z.record(z.unknown()).parse(
		parse(text, (_key: unknown, value: unknown) => {
			const schema = schemaShape.safeParse(value);
			if (Array.isArray(value) || !schema.success) return value;
			return absolute(named(schema.data, unnamedFields));
		}),
	);
}

function absolute(schema: Record<string, unknown>): Record<string, unknown> {
	const { $ref: reference } = schema;
	if (typeof reference !== 'string') return schema;
	return { ...schema, $ref: reference.replace('#/components/schemas', `${DOCUMENT_ID}#/$defs`) };
}

function named(
	schema: Record<string, unknown>,
	unnamedFields: UnnamedFields,
): Record<string, unknown> {
	const properties = schemaShape.safeParse(schema.properties);
	if (!properties.success) return schema;
	const names = new Map<string, string>();
	for (const [name, value] of Object.entries(properties.data)) {
		const setting = schemaShape.safeParse(value).data?.['x-setting'];
		if (setting === 'decisionFieldName') names.set(name, unnamedFields.decisionFieldName);
		if (setting === 'eventTypeFieldName') names.set(name, unnamedFields.eventTypeFieldName);
	}
	if (names.size === 0) return schema;
	const rename = (name: string): string => names.get(name) ?? name;
	return {
		...schema,
		required: z.array(z.string()).parse(schema.required).map(rename),
		properties: Object.fromEntries(
			Object.entries(properties.data).map(([name, value]) => [rename(name), value]),
		),
	};
}

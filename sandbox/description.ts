import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { z } from 'zod';

import type { Issue } from './failure';
import type { Settings } from './settings';

/** The settings that change the description. */
export type DescriptionSettings = Pick<
	Settings,
	'decisionFieldName' | 'eventTypeFieldName' | 'openapi'
>;

/** One operation as openapi.yaml describes it. */
export interface OperationDescription {
	readonly id: string;
	/** In capital letters. */
	readonly method: string;
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
	'x-other-paths': z.record(z.record(operationShape)),
	components: z.object({ schemas: z.record(schemaShape) }),
});

type ParameterDescription = z.infer<typeof parameterShape>;
type OperationShape = z.infer<typeof operationShape>;

const DOCUMENT_ID = 'openapi.yaml';
/** Schemas of events that the document doesn't show, as services of this kind send them. */
const EVENT_SCHEMAS: Readonly<Record<string, string>> = {
	'payment.group.created': 'PaymentGroupCreatedEvent',
	'payment.sent': 'PaymentEvent',
	'payment.failed': 'PaymentEvent',
	'payment.canceled': 'PaymentEvent',
	'invite.accepted': 'InviteEvent',
	'invite.rejected': 'InviteEvent',
	'invite.expired': 'InviteEvent',
	'withdraw_account.duplicated_detected': 'WithdrawAccountEvent',
};
/** Keywords that replace those beside them for services of this kind. */
const IN_PRACTICE = 'x-in-practice';

/** The parts of a request that the description covers. */
export interface RequestParts {
	readonly path: Readonly<Record<string, unknown>>;
	readonly query: Readonly<Record<string, unknown>>;
	readonly body?: unknown;
}

/**
 * The compiled OpenAPI description of the service: validates requests, answers and events.
 * Immutable; each combination of {@link DescriptionSettings} has its own.
 */
export class Description {
	readonly operations: readonly OperationDescription[];
	/** Paths that the document doesn't have. */
	readonly otherPaths: readonly string[];
	private readonly isLetter: boolean;
	private readonly ajv: Ajv2020;
	private readonly schemas: Readonly<Record<string, Record<string, unknown>>>;
	private readonly shapes = new Map<string, OperationShape>();

	private static readonly cache = new Map<string, Description>();

	/** The description with these settings, compiled once per process. */
	static with(settings: DescriptionSettings): Description {
		const { decisionFieldName, eventTypeFieldName, openapi } = settings;
		const key = JSON.stringify([decisionFieldName, eventTypeFieldName, openapi]);
		const description = this.cache.get(key) ?? new Description(settings);
		this.cache.set(key, description);
		return description;
	}

	private constructor(settings: DescriptionSettings) {
		this.isLetter = settings.openapi === 'letter';
		const document = readDocument(settings);
		this.ajv = newAjv();
		const operations: OperationDescription[] = [];
		const { paths, 'x-other-paths': others, components } = documentShape.parse(document);
		this.schemas = components.schemas;
		this.ajv.addSchema({ $id: DOCUMENT_ID, $defs: this.schemas });
		for (const [path, methods] of [...Object.entries(paths), ...Object.entries(others)]) {
			for (const [method, shape] of Object.entries(methods)) {
				this.shapes.set(shape.operationId, shape);
				operations.push(describe(path, method, shape));
			}
		}
		this.operations = operations;
		this.otherPaths = Object.keys(others);
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
		const known = type === undefined || this.isLetter ? undefined : EVENT_SCHEMAS[type];
		const documented = type === 'deposit.received' ? 'DepositReceivedEvent' : 'EventEnvelope';
		const name = known ?? documented;
		const check = this.ajv.getSchema(`${DOCUMENT_ID}#/$defs/${name}`);
		if (!check) throw new Error(`openapi.yaml has no schema ${name}`);
		return check(event) ? [] : problems(check.errors);
	}

	/** Whether a schema in `components/schemas` allows a value. */
	allows(name: string, value: unknown): boolean {
		return this.ajv.validate(`${DOCUMENT_ID}#/$defs/${name}`, value) === true;
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

/** What is wrong with the fields of a request, as zod says it. */
export function issues(errors: readonly ErrorObject[] | null | undefined): Issue[] {
	const found = (errors ?? [])
		.filter(({ keyword }) => keyword !== 'if')
		.map((error): Issue => {
			const missing: unknown = error.params.missingProperty;
			const [, ...path] = error.instancePath.slice(1).split('/');
			const places = typeof missing === 'string' ? [...path, missing] : path;
			return {
				path: places.map((place) => (/^\d+$/.test(place) ? Number(place) : place)),
				message: messageOf(error),
			};
		});
	// A value that breaks two patterns of one format has one issue.
	return [...new Map(found.map((issue) => [JSON.stringify(issue), issue])).values()];
}

function messageOf({ keyword, message, params, schemaPath }: ErrorObject): string {
	const values: unknown = params.allowedValues;
	const unknown: unknown = params.additionalProperty;
	// The name of the schema that a value doesn't fit, such as Email.
	const [, name = 'value'] = /\$defs\/(\w+)\//.exec(schemaPath) ?? [];
	switch (keyword) {
		case 'required':
			return 'Required';
		case 'additionalProperties':
			return `Unrecognized key(s) in object: '${String(unknown)}'`;
		case 'pattern':
		case 'format':
			return `Invalid ${name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`;
		case 'enum':
			return `Invalid enum value. Expected ${Array.isArray(values) ? values.join(' | ') : ''}`;
		default:
			return message ?? 'Invalid input';
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
	const optional = shape.security?.some((scheme) => Object.keys(scheme).length === 0);
	return {
		id: shape.operationId,
		method: method.toUpperCase(),
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

/**
 * Reads openapi.yaml, makes its references absolute, names the unnamed fields, and has each schema say
 * what the setting `openapi` asks for.
 */
function readDocument(settings: DescriptionSettings): Record<string, unknown> {
	const text = readFileSync(join(__dirname, 'openapi.yaml'), 'utf8');
	return z.record(z.unknown()).parse(
		parse(text, (_key: unknown, value: unknown) => {
			const schema = schemaShape.safeParse(value);
			if (Array.isArray(value) || !schema.success) return value;
			const { [IN_PRACTICE]: practice, ...letter } = schema.data;
			const isLetter = settings.openapi === 'letter' || practice === undefined;
			return absolute(named(isLetter ? letter : patched(letter, practice), settings));
		}),
	);
}

const patchShape = z.object({ without: z.array(z.string()).default([]) }).passthrough();

/** The schema with other keywords in place of some of its own. */
function patched(schema: Record<string, unknown>, patch: unknown): Record<string, unknown> {
	const { without, ...keywords } = patchShape.parse(patch);
	const kept = Object.entries(schema).filter(([name]) => !without.includes(name));
	return { ...Object.fromEntries(kept), ...keywords };
}

function absolute(schema: Record<string, unknown>): Record<string, unknown> {
	const { $ref: reference } = schema;
	if (typeof reference !== 'string') return schema;
	return { ...schema, $ref: reference.replace('#/components/schemas', `${DOCUMENT_ID}#/$defs`) };
}

function named(
	schema: Record<string, unknown>,
	{ decisionFieldName, eventTypeFieldName }: DescriptionSettings,
): Record<string, unknown> {
	const properties = schemaShape.safeParse(schema.properties);
	if (!properties.success) return schema;
	const names = new Map<string, string>();
	for (const [name, value] of Object.entries(properties.data)) {
		const setting = schemaShape.safeParse(value).data?.['x-setting'];
		if (setting === 'decisionFieldName') names.set(name, decisionFieldName);
		if (setting === 'eventTypeFieldName') names.set(name, eventTypeFieldName);
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

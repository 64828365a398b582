import { readFileSync } from 'node:fs';
import path from 'node:path';

import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { z } from 'zod';

import { repository } from '../../../scripts/lib/paths.mjs';

/*
 * Judges requests, answers and events by sandbox/openapi.yaml with ajv alone, apart from the sandbox's
 * own way of reading that file.
 */

/** A request as it went over the wire. */
export interface WireRequest {
	readonly method: string;
	/** Without the query. */
	readonly path: string;
	readonly query: Readonly<Record<string, string | readonly string[]>>;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, unknown>>;
}

const schemaShape = z.record(z.unknown());
const parameterShape = z.object({
	name: z.string(),
	in: z.enum(['query', 'path']),
	required: z.boolean().default(false),
	schema: schemaShape,
	'x-comma-separated': z.boolean().default(false),
});
const operationShape = z.object({
	operationId: z.string(),
	security: z.array(z.record(z.unknown())).optional(),
	parameters: z.array(parameterShape).default([]),
	requestBody: z.unknown().optional(),
	responses: z.record(z.unknown()),
});
const documentShape = z.object({
	info: z.object({ version: z.string() }),
	security: z.array(z.record(z.unknown())),
	paths: z.record(z.record(operationShape)),
	webhooks: z.record(z.unknown()),
	components: z.object({
		schemas: z.record(schemaShape),
		securitySchemes: z.record(z.record(z.string())),
	}),
});

const file: unknown = parse(readFileSync(path.join(repository, 'sandbox', 'openapi.yaml'), 'utf8'));
export const openapi = documentShape.parse(file);

function isOnCalendar(timestamp: string): boolean {
	const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = timestamp
		.split(/[-T:Z]/)
		.map(Number);
	const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
	return (
		month >= 1 &&
		month <= 12 &&
		day >= 1 &&
		day <= lastDay &&
		hour <= 23 &&
		minute <= 59 &&
		second < 60
	);
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addFormat('utc-timestamp', isOnCalendar);
ajv.addSchema(schemaShape.parse(file), 'openapi', undefined, false);

const escaped = (step: string): string =>
	encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));

function schemaAt(...steps: readonly string[]): ValidateFunction {
	const pointer = `openapi#/${steps.map(escaped).join('/')}`;
	const check = ajv.getSchema(pointer);
	if (check === undefined) throw new Error(`openapi.yaml has nothing at ${pointer}`);
	return check;
}

function faultsOf(check: ValidateFunction, value: unknown, where: string): string[] {
	if (check(value)) return [];
	return (check.errors ?? []).map(
		({ instancePath, message, params }) =>
			`${where}${instancePath} ${message} ${JSON.stringify(params)}`,
	);
}

interface Found {
	readonly template: string;
	readonly method: string;
	readonly operation: z.infer<typeof operationShape>;
	readonly pathValues: Readonly<Record<string, string>>;
}

function find(request: WireRequest): Found | undefined {
	for (const [template, methods] of Object.entries(openapi.paths)) {
		const pattern = template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
		const match = new RegExp(`^${pattern}$`).exec(request.path);
		const method = request.method.toLowerCase();
		const operation = methods[method];
		if (match === null || operation === undefined) continue;
		const values = Object.entries({ ...match.groups });
		return {
			template,
			method,
			operation,
			pathValues: Object.fromEntries(
				values.map(([name, value]) => [name, decodeURIComponent(value)]),
			),
		};
	}
	return undefined;
}

function typed(
	values: string | readonly string[],
	{ schema, 'x-comma-separated': isCommaSeparated }: z.infer<typeof parameterShape>,
): unknown {
	if (schema.type === 'array') {
		if (typeof values !== 'string') return values;
		return isCommaSeparated ? values.split(',') : [values];
	}
	if (schema.type === 'integer' && typeof values === 'string' && /^-?[\d.]+$/.test(values)) {
		return Number(values);
	}
	return values;
}

/** The operation that a request is for, or undefined. */
export function operationOf(request: WireRequest): string | undefined {
	return find(request)?.operation.operationId;
}

/** What is wrong with a request; empty if openapi.yaml allows it. */
export function requestFaults(request: WireRequest): string[] {
	const found = find(request);
	if (found === undefined) return [`${request.method} ${request.path} doesn't exist`];
	const { template, method, operation, pathValues } = found;
	const given = { path: pathValues, query: request.query };
	const unknown = Object.keys(request.query).filter(
		(name) => !operation.parameters.some((each) => each.in === 'query' && each.name === name),
	);
	const parameters = operation.parameters.flatMap((parameter, index) => {
		const value = given[parameter.in][parameter.name];
		if (value === undefined) return parameter.required ? [`${parameter.name} is missing`] : [];
		const check = schemaAt('paths', template, method, 'parameters', String(index), 'schema');
		return faultsOf(check, typed(value, parameter), parameter.name);
	});
	const body =
		operation.requestBody === undefined
			? request.body === undefined
				? []
				: ['a body where none belongs']
			: faultsOf(
					schemaAt(
						...['paths', template, method, 'requestBody', 'content', 'application/json', 'schema'],
					),
					request.body,
					'body',
				);
	return [...unknown.map((name) => `${name} is unknown`), ...parameters, ...body];
}

/** Whether openapi.yaml asks for a token: never, perhaps or always. */
export function tokenOf(operationId: string): 'none' | 'unclear' | 'needed' {
	const security = operationCalled(operationId).operation.security ?? openapi.security;
	if (security.length === 0) return 'none';
	return security.some((scheme) => Object.keys(scheme).length === 0) ? 'unclear' : 'needed';
}

/** Where an operation is, and what it lists. */
export function operationCalled(operationId: string): Omit<Found, 'pathValues'> {
	for (const [template, methods] of Object.entries(openapi.paths)) {
		for (const [method, operation] of Object.entries(methods)) {
			if (operation.operationId === operationId) return { template, method, operation };
		}
	}
	throw new Error(`openapi.yaml has no operation ${operationId}`);
}

/** What is wrong with the `data` of a successful answer. */
export function answerFaults(operationId: string, data: unknown): string[] {
	const { template, method } = operationCalled(operationId);
	const check = schemaAt(
		...['paths', template, method, 'responses', '200', 'content', 'application/json', 'schema'],
	);
	return faultsOf(check, { success: true, data }, 'answer');
}

/** What is wrong with a value of one of the schemas in `components`. */
export function schemaFaults(name: string, value: unknown): string[] {
	return faultsOf(schemaAt('components', 'schemas', name), value, name);
}

/** What is wrong with an event that is delivered as one of the two webhooks. */
export function eventFaults(webhook: 'deposit.received' | 'event', event: unknown): string[] {
	const check = schemaAt(
		...['webhooks', webhook, 'post', 'requestBody', 'content', 'application/json', 'schema'],
	);
	return faultsOf(check, event, 'event');
}

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import type { Account } from './accounts';
import type { OperationDescription } from './description';
import { failureEnvelope, ServiceFailure } from './failure';
import { faultyAnswer, stillProcesses, type Answer, type Fault } from './faults';
import { asDocumented, asNamedHere, documentedName, withMembers } from './fieldNames';
import type { Operation, Prepared, Refused } from './operations/operation';
import type { Settings } from './settings';
import type { SimulatedService } from './simulatedService';
import { headersForLog, type WireLogEntry } from './wireLog';

/** The operation that a request was routed to. */
export interface Route {
	readonly operation: Operation;
	readonly description: OperationDescription;
}

/**
 * Serves one request to /v2: validates and logs it, then answers it or applies a planned fault. It
 * checks the token first (401), then the format (400), then the operation's own rules (404, 403, 400).
 */
export async function serve(
	service: SimulatedService,
	route: Route | undefined,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<void> {
	const { path, query } = addressOf(request);
	const body = readBody(request);
	const prepared = route && prepare(service, route, request.params, query, body);
	const problems = prepared ? prepared.problems : [`${request.method} ${path} does not exist`];
	const entry = log(service, request, {
		body: body.value,
		operation: route?.operation.id ?? 'unknown',
		problems,
		outcome: 'received',
	});
	reply.raw.once('close', () => {
		if (!reply.raw.writableFinished && entry.outcome === 'received') entry.outcome = 'client gone';
	});

	const { resets } = service.resets.state;
	const fault = service.faults.take(request.method, path);
	if (fault && fault.delay > 0) await wait(fault.delay, undefined, { ref: false });
	// After a reset, a request from before it must not change anything.
	const isPast = service.resets.state.resets !== resets;
	if (fault && (isPast || fault.kind === 'cutBefore')) return cut(reply, entry, fault);

	const isProcessed = !fault || stillProcesses(fault);
	const genuine = isProcessed
		? await answerTo(service, route, { request, prepared, entry })
		: undefined;
	if (fault?.kind === 'cutAfter') return cut(reply, entry, fault);

	const answer = fault ? faultyAnswer(fault, genuine) : genuine;
	if (!answer) throw new Error('The request was neither processed nor failed on purpose');
	entry.status = answer.status;
	if (entry.outcome === 'received') entry.outcome = fault ? `fault: ${fault.kind}` : 'answered';
	await reply.code(answer.status).headers(answer.headers).send(answer.body);
}

/** Answers a request that Fastify itself rejects, e.g. one whose body is too large. */
export async function refuse(
	service: SimulatedService,
	request: FastifyRequest,
	reply: FastifyReply,
	{ message, statusCode = 500 }: FastifyError,
): Promise<void> {
	const problems = [message];
	log(service, request, {
		operation: 'unknown',
		problems,
		status: statusCode,
		outcome: 'answered',
	});
	await reply.code(statusCode).send(failureEnvelope(message));
}

function addressOf({ url }: FastifyRequest) {
	const [path = '', search = ''] = url.split(/\?(.*)/s);
	return { path, query: new URLSearchParams(search) };
}

/** Adds a request to the wire log, and returns its entry. */
function log(
	service: SimulatedService,
	request: FastifyRequest,
	known: Pick<WireLogEntry, 'body' | 'operation' | 'problems' | 'status' | 'outcome'>,
): WireLogEntry {
	const { path, query } = addressOf(request);
	const entry: WireLogEntry = {
		requestId: randomUUID(),
		at: new Date().toISOString(),
		method: request.method,
		path,
		query: queryForLog(query),
		headers: headersForLog(request.headers),
		valid: known.problems.length === 0,
		...known,
	};
	service.wireLog.add(entry, service.settings.logLimit);
	return entry;
}

function cut(reply: FastifyReply, entry: WireLogEntry, fault: Fault): void {
	entry.outcome = `fault: ${fault.kind}`;
	reply.hijack();
	reply.raw.destroy();
}

interface Received {
	readonly request: FastifyRequest;
	readonly prepared: Prepared | undefined;
	readonly entry: WireLogEntry;
}

async function answerTo(
	service: SimulatedService,
	route: Route | undefined,
	{ request, prepared, entry }: Received,
): Promise<Answer> {
	const { fieldNames, extraMembers, requestsPerMinute } = service.settings;
	const failure = (status: number, message: string, code?: string, more = {}): Answer =>
		json(status, failureEnvelope(message, service.nextFailureHasCode() ? code : undefined, more));
	try {
		if (!service.rateLimit.allows(requestsPerMinute)) {
			throw new ServiceFailure(429, 'Rate limit exceeded');
		}
		if (!route || !prepared) throw new ServiceFailure(404, 'No such operation', 'NOT_FOUND');
		const caller = await callerOf(service, route.description, request);
		if (!('work' in prepared)) throw validationFailure(prepared, service.settings);
		const data = await prepared.work({ service, requestId: entry.requestId, caller });
		const answer = asNamedHere(withMembers(data, extraMembers), fieldNames);
		return json(200, { success: true, data: answer });
	} catch (error) {
		if (error instanceof ServiceFailure) {
			return failure(error.status, error.message, error.errorCode, error.more);
		}
		const message = error instanceof Error ? error.message : 'Unknown error';
		return failure(500, `The sandbox itself failed: ${message}`, 'INTERNAL');
	}
}

/** Says what is wrong in the message, or in a member beside it as validators list it. */
function validationFailure(
	{ problems, issues }: Refused,
	{ issuesMember }: Settings,
): ServiceFailure {
	const code = 'VALIDATION_FAILED';
	if (issuesMember === null || issues.length === 0) {
		return new ServiceFailure(400, problems.join('; '), code);
	}
	return new ServiceFailure(400, 'Validation error', code, { [issuesMember]: issues });
}

function json(status: number, content: object): Answer {
	const headers = { 'content-type': 'application/json; charset=utf-8' };
	return { status, headers, body: JSON.stringify(content) };
}

/** Reads the token from either header; throws ServiceFailure 401. */
async function callerOf(
	service: SimulatedService,
	{ id, token: needed }: OperationDescription,
	{ headers }: FastifyRequest,
): Promise<Account | undefined> {
	if (needed === 'none') return undefined;
	const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
	const legacy = headers['x-auth-token'];
	const apiKey = typeof legacy === 'string' && legacy !== '' ? legacy : undefined;
	if (bearer === undefined && apiKey !== undefined) {
		if (service.settings.apiKeyRefusedBy.some((each) => each === id)) {
			throw new ServiceFailure(401, 'X-Auth-Token is not accepted here', 'API_KEY_REFUSED');
		}
	}
	const token = bearer ?? apiKey;
	if (token === undefined) {
		const isOptional = needed === 'optional' && !service.settings.instantPaymentNeedsToken;
		if (isOptional && headers.authorization === undefined) return undefined;
		throw new ServiceFailure(401, 'A bearer token is needed', 'TOKEN_MISSING');
	}
	const { wallet } = await service.tokens.read(token, service.settings);
	const account = service.organisation.account(wallet);
	if (!account) throw new ServiceFailure(401, 'The token’s wallet is unknown', 'TOKEN_INVALID');
	return account;
}

interface Body {
	/** The parsed JSON, the text if it isn't JSON, or undefined if there is no body. */
	readonly value: unknown;
	/** Why the body can't be used. */
	readonly problem?: string;
}

function readBody({ body: text, headers }: FastifyRequest): Body {
	if (typeof text !== 'string' || text === '') return { value: undefined };
	const isJson = /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
	const problem = isJson ? undefined : 'the content type of the body is not application/json';
	try {
		const value: unknown = JSON.parse(text);
		return { value, problem };
	} catch {
		return { value: text, problem: problem ?? 'body is not JSON' };
	}
}

function prepare(
	service: SimulatedService,
	{ operation, description }: Route,
	path: unknown,
	query: URLSearchParams,
	body: Body,
): Prepared {
	if (body.problem !== undefined) return { problems: [body.problem], issues: [] };
	const { fieldNames } = service.settings;
	return operation.prepare(service.description, {
		path: typeof path === 'object' && path !== null ? { ...path } : {},
		query: readQuery(query, description, service.settings),
		...(body.value === undefined ? {} : { body: asDocumented(body.value, fieldNames) }),
	});
}

/** Query values converted to their described types; values that don't fit stay text. */
function readQuery(
	query: URLSearchParams,
	description: OperationDescription,
	settings: Settings,
): Record<string, unknown> {
	const read: Record<string, unknown> = {};
	for (const written of new Set(query.keys())) {
		const values = query.getAll(written);
		const [first = ''] = values;
		const key = documentedName(written, settings.fieldNames);
		const name = key.replace(/\[\]$/, '');
		const parameter = description.parameters.find(
			(each) => each.in === 'query' && each.name === name,
		);
		const list =
			parameter?.schema.type === 'array'
				? readList(key, values, encodingsOf(parameter, settings))
				: undefined;
		const isInteger = parameter?.schema.type === 'integer' && /^-?\d+$/.test(first);
		const single = isInteger && key === name ? Number(first) : first;
		if (list) read[name] = list;
		else read[key] = values.length === 1 ? single : values.join(' ');
	}
	return read;
}

function encodingsOf(
	parameter: OperationDescription['parameters'][number],
	{ currenciesEncodings }: Settings,
): readonly string[] {
	if (parameter['x-setting'] === 'currenciesEncodings') return currenciesEncodings;
	return parameter['x-comma-separated'] ? ['repeated', 'commaSeparated'] : ['repeated'];
}

/** The entries of a list, or undefined if it isn't encoded in one of the accepted ways. */
function readList(
	key: string,
	values: readonly string[],
	encodings: readonly string[],
): readonly string[] | undefined {
	if (key.endsWith('[]')) return encodings.includes('brackets') ? values : undefined;
	const [first = ''] = values;
	if (values.length === 1 && encodings.includes('commaSeparated')) return first.split(',');
	return encodings.includes('repeated') ? values : undefined;
}

function queryForLog(query: URLSearchParams): Record<string, string | string[]> {
	const shown: Record<string, string | string[]> = {};
	for (const name of new Set(query.keys())) {
		const values = query.getAll(name);
		shown[name] = values.length === 1 ? (values[0] ?? '') : values;
	}
	return shown;
}

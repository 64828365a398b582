import {
	sleep,
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
} from 'n8n-workflow';

import type { z } from 'zod';
import type { HttpAnswer, HttpRequest } from '../shared/http';
import { DEEPEST, isDeeperThan } from '../shared/json';
import { mayHaveActed, NoResponseError, ServiceError, throwIfStopped } from '../shared/errors';
import type { Redactor } from '../shared/redaction';
import { readCredentials, type ServiceCredentials } from './credentials';
import { errorFor } from './errors';
import { DEFAULT_TIMEOUT, exchangeOver } from './n8nHttp';
import { ownRequests } from './outboundRequests';
import { readEnvelope } from './schemas/answers';
import { addSecretsOf, sessionBinding, sessions } from './session';

/** The credential type that calls the service. */
export const CREDENTIALS = 'payrollPaymentsApi';

/** How often a read is repeated by default. */
export const DEFAULT_RETRIES = 3;

/** Statuses after which a read is repeated. */
export const TRANSIENT_STATUSES: readonly number[] = [429, 502, 503, 504];
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** Characters of a response. The nesting of a larger list isn't checked, which would take too long. */
const LARGE_READ = 4_000_000;

/** Query values; a list goes as repeated keys, undefined is left out. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** One call of one operation of the service. */
export interface Call<Data> {
	readonly method: HttpRequest['method'];
	/** Below the base URL, beginning with /v2; see {@link path}. */
	readonly path: string;
	readonly query?: Query;
	readonly body?: Readonly<Record<string, unknown>>;
	/** Schema of `data` in a successful response. */
	readonly answer: z.ZodType<Data, z.ZodTypeDef, unknown>;
	/** Set for the two sign-in operations (docs/api.md, Authentication). */
	readonly withoutToken?: boolean;
	/** The documented role that the caller needs, for the hint on a 403. */
	readonly roleNeeded?: string;
}

/** Sends one call that changes nothing, and returns its data. */
export type SendRead = <Data>(call: Call<Data> & { readonly method: 'GET' }) => Promise<Data>;

/** How many milliseconds a call may take, and how often a read is repeated. */
export interface Patience {
	readonly timeout: number;
	readonly retries: number;
}

/** What calls are sent over. */
export interface Transport {
	readonly credentials: Pick<ServiceCredentials, 'baseUrl' | 'authentication'>;
	/** Reads go with a token that n8n may renew; writes go exactly once. */
	exchange(request: HttpRequest, kind: 'read' | 'write' | 'withoutToken'): Promise<HttpAnswer>;
	readonly redactor: Redactor;
	/** Ends pauses once the execution was stopped. */
	readonly signal?: AbortSignal;
}

/** Template tag for a path: percent-encodes the inserted values. */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
	return parts.reduce((text, part, index) => {
		const value = values[index];
		return text + part + (value === undefined ? '' : encodeURIComponent(value));
	}, '');
}

/** The absolute URL of a call. */
export function urlOf(baseUrl: string, callPath: string, query: Query = {}): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		if (value === undefined) continue;
		for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
	}
	// Not every server reads a plus sign as a space, or splits a list at an encoded comma.
	const text = search.toString().replaceAll('+', '%20').replaceAll('%2C', ',');
	return `${baseUrl}${callPath}${text === '' ? '' : `?${text}`}`;
}

/** How long the service asks to wait, in milliseconds: in seconds or as an HTTP date. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
	if (header === undefined) return undefined;
	if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Waits, or until the execution is stopped. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	throwIfStopped(signal);
	const stopped = new Promise<void>((resolve) => {
		signal?.addEventListener('abort', () => resolve(), { once: true });
	});
	await Promise.race([sleep(milliseconds), stopped]);
}

/**
 * Sends a request, and repeats a read that met a transient fault (a status of {@link TRANSIENT_STATUSES}, no connection)
 * with growing pauses and `Retry-After`. A service that asks for more than a minute is not waited
 * for. Nothing else in the package repeats a request, and this repeats only reads.
 */
async function exchangePatiently(
	send: () => Promise<HttpAnswer>,
	retries: number,
	signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
	for (let count = 1; ; count++) {
		throwIfStopped(signal);
		const isLast = count > retries;
		const answer = await send().catch((error: unknown) => {
			if (isLast || !(error instanceof NoResponseError)) throw error;
			return undefined;
		});
		const asked = retryAfter(answer?.headers['retry-after'], Date.now()) ?? 0;
		const isTransient = answer === undefined || TRANSIENT_STATUSES.includes(answer.status);
		if (answer !== undefined && (isLast || !isTransient || asked > LONGEST_PAUSE_MS)) return answer;
		const grown = FIRST_PAUSE_MS * 2 ** (count - 1) * (0.5 + Math.random() / 2);
		await pause(Math.min(LONGEST_PAUSE_MS, Math.max(asked, grown)), signal);
	}
}

/**
 * The `data` of a success (docs/api.md, Response envelope).
 * @throws {ServiceError} for any other response
 */
function readAnswer<Data>(answer: HttpAnswer, call: Call<Data>, transport: Transport): Data {
	const isSuccess = answer.status >= 200 && answer.status <= 299;
	const envelope = isSuccess ? readEnvelope(answer.body) : undefined;
	if (envelope?.success !== true) {
		throw errorFor(answer, transport.redactor.text, {
			roleNeeded: call.roleNeeded,
			withApiKey:
				transport.credentials.authentication === 'legacyApiKey' && call.withoutToken !== true,
		});
	}
	const data = call.answer.safeParse(envelope.data);
	const fault = (what: string, hint: string) =>
		new ServiceError(what, { status: answer.status, nothingDone: false, hint });
	if (!data.success) {
		const member = ['data', ...(data.error.issues[0]?.path ?? [])].join('.');
		throw fault(
			`The service reported success, but ${member} is missing or invalid in its response`,
			'The service may have changed. Update this node, or report the problem.',
		);
	}
	const isChecked = call.method !== 'GET' || answer.body.length <= LARGE_READ;
	if (isChecked && isDeeperThan(data.data, DEEPEST)) {
		throw fault(
			`The response is nested deeper than ${DEEPEST} levels`,
			'Check the Base URL in the credentials.',
		);
	}
	return data.data;
}

/**
 * Sends a call and reads its response. Only reads (GET) may be repeated.
 * @throws {ServiceError | NoResponseError} for anything but a documented success
 */
export async function send<Data>(
	transport: Transport,
	call: Call<Data>,
	{ timeout, retries }: Patience,
): Promise<Data> {
	const { method, body, withoutToken } = call;
	const isRead = method === 'GET';
	const kind = withoutToken === true ? 'withoutToken' : isRead ? 'read' : 'write';
	const url = urlOf(transport.credentials.baseUrl, call.path, call.query);
	const answer = exchangePatiently(
		async () => await transport.exchange({ method, url, body, timeout }, kind),
		isRead ? retries : 0,
		transport.signal,
	);
	return await answer
		.then((given) => readAnswer(given, call, transport))
		.catch((error: unknown) => {
			if (kind !== 'write' || !mayHaveActed(error)) throw error;
			throw error.with({
				note: 'The request may have succeeded anyway. Check the service before you run this again.',
			});
		});
}

/**
 * The context without its cancel signal: n8n would break off a request under way, and then nobody
 * would know what became of the payment in it.
 */
function uninterrupted(context: IAllExecuteFunctions): IAllExecuteFunctions {
	return new Proxy(context, {
		has: (target, name) => name !== 'getExecutionCancelSignal' && Reflect.has(target, name),
	});
}

/**
 * Sends requests over n8n's own functions, with the token of the credentials or without.
 *
 * For a read, n8n signs in again after a 401 and repeats it. It would repeat a write just the same, so
 * writes ask for every status as an answer: then n8n has nothing to react to.
 * @param saved the credentials as n8n returned them. They go along with every request, so that n8n
 * doesn't read and decrypt them each time.
 */
function n8nExchange(
	context: IAllExecuteFunctions,
	saved: ICredentialDataDecryptedObject,
	credentials: ServiceCredentials,
	redactor: Redactor,
): Transport['exchange'] {
	let latest = saved;
	const { helpers } = context;
	const caller = uninterrupted(context);
	return async (request, kind) => {
		if (kind === 'withoutToken') {
			return await exchangeOver(
				async (options): Promise<unknown> => await helpers.httpRequest(options),
			)(request);
		}
		const [isRead, before] = [kind === 'read', latest.sessionToken];
		/* n8n writes a new token into this object, so each request gets its own copy. */
		const data = { ...latest };
		ownRequests.set(data, credentials);
		const answer = await exchangeOver(
			async (options): Promise<unknown> =>
				await helpers.httpRequestWithAuthentication.call(
					isRead ? context : caller,
					CREDENTIALS,
					isRead ? options : { ...options, ignoreHttpStatusErrors: true },
					{ credentialsDecrypted: { id: '', name: '', type: CREDENTIALS, data } },
				),
		)(request).catch((error: unknown) => ({ error, status: undefined }));
		sessions.reportStatus(data.sessionToken, answer.status);
		if (data.sessionToken !== before) {
			latest = data;
			addSecretsOf(redactor, data);
		}
		if ('error' in answer) throw answer.error;
		return answer;
	};
}

/** The service, reached with the credentials of a node. */
export interface Client extends Transport {
	readonly credentials: ServiceCredentials;
	send<Data>(call: Call<Data>, patience?: Partial<Patience>): Promise<Data>;
	/** Whether the service took the token of these credentials a moment ago. */
	isTokenFresh(): boolean;
}

/**
 * Opens the service with the node's credentials, which are read once.
 * @param redactor learns the secrets in the credentials, and every token that n8n obtains
 * @param signal ends pauses and stops further requests
 * @throws {UserError} if a field of the credentials is wrong
 */
export async function openClient(
	context: IAllExecuteFunctions,
	redactor: Redactor,
	signal?: AbortSignal,
): Promise<Client> {
	const saved = await context.getCredentials(CREDENTIALS);
	addSecretsOf(redactor, saved);
	const credentials = readCredentials(saved, context.getNode().credentials?.[CREDENTIALS]?.name);
	const exchange = n8nExchange(context, saved, credentials, redactor);
	const transport: Transport = { credentials, exchange, redactor, signal };
	const boundTo = sessionBinding(credentials);
	const note = (isTaken: boolean, { withoutToken }: Call<unknown>) => {
		if (withoutToken !== true) sessions.note(boundTo, isTaken);
	};
	return {
		...transport,
		credentials,
		send: async (call, { timeout = DEFAULT_TIMEOUT, retries = DEFAULT_RETRIES } = {}) => {
			const data = await send(transport, call, { timeout, retries }).catch((error: unknown) => {
				const isRefused = error instanceof ServiceError && error.status === 401;
				const isAnswer = error instanceof ServiceError && error.nothingDone;
				if (isRefused || isAnswer) note(!isRefused, call);
				throw error;
			});
			note(true, call);
			return data;
		},
		isTokenFresh: () => sessions.isFresh(boundTo),
	};
}

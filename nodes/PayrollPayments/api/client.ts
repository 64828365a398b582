import {
	sleep,
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
} from 'n8n-workflow';

import type { z } from 'zod';
import {
	mayHaveActed,
	NoResponseError,
	ServiceError,
	throwIfStopped,
	UserError,
} from '../shared/errors';
import type { HttpAnswer, HttpRequest } from '../shared/http';
import { DEEPEST, isDeeperThan } from '../shared/json';
import type { Redactor } from '../shared/redaction';
import { endedOrAborted } from '../shared/waiting';
import { balanceCall } from './balanceCall';
import { readCredentials, type ServiceCredentials } from './credentials';
import { errorFor, unusableAnswer } from './errors';
import { answerFrom, exchangeOver, optionsFor } from './n8nHttp';
import { ownRequests } from './outboundRequests';
import { readEnvelope } from './schemas/answers';
import { addSecretsOf, sessionBinding, sessions } from './session';

export const CREDENTIALS = 'payrollPaymentsApi';

/** An identifier of the right form that names nobody. */
export const PLACEHOLDER_ID = 'co-000000000000';

export const DEFAULT_RETRIES = 3;

export const TRANSIENT_STATUSES: readonly number[] = [429, 502, 503, 504];
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** Characters of a response. The nesting of a larger list isn't checked, which would take too long. */
const LARGE_READ = 4_000_000;

/** Query values; a list goes as repeated keys, undefined is left out. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface Call<Data> {
	readonly method: HttpRequest['method'];
	/** Below the base URL, beginning with /v2. */
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

export type WriteCall<Data> = Call<Data> & { readonly method: 'POST' | 'PUT' };

export type SendRead = <Data>(call: Call<Data> & { readonly method: 'GET' }) => Promise<Data>;

/** How long to wait for the service. */
interface Patience {
	/** For one answer, in milliseconds. */
	readonly timeout?: number;
	/** How often a read is repeated. */
	readonly retries?: number;
}

/** Sends a request once. For a read, n8n may renew the token and send it again. */
type Exchange = (
	request: HttpRequest,
	kind: 'read' | 'write' | 'withoutToken',
) => Promise<HttpAnswer>;

export function urlOf(baseUrl: string, callPath: string, query: Query = {}): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		for (const each of [value ?? []].flat()) search.append(name, String(each));
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

/** Milliseconds until a read that met a transient fault is repeated; undefined if it isn't. */
function pauseAfter(answer: HttpAnswer | Error, attempt: number): number | undefined {
	const grown = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
	if (answer instanceof Error) return Math.min(LONGEST_PAUSE_MS, grown);
	const asked = retryAfter(answer.headers['retry-after'], Date.now()) ?? 0;
	const isRepeated = TRANSIENT_STATUSES.includes(answer.status) && asked <= LONGEST_PAUSE_MS;
	return isRepeated ? Math.min(LONGEST_PAUSE_MS, Math.max(asked, grown)) : undefined;
}

export class Client {
	private readonly boundTo: string;

	constructor(
		readonly credentials: ServiceCredentials,
		readonly exchange: Exchange,
		private readonly redactor: Redactor,
		private readonly patience: Patience & { readonly signal?: AbortSignal } = {},
		/** The session that the next request is sent with, as n8n stores it. */
		private readonly stored: () => unknown = () => undefined,
	) {
		this.boundTo = sessionBinding(credentials);
	}

	readonly sendRead: SendRead = async (call) => await this.send(call);

	readonly sendWrite = async <Data>(call: WriteCall<Data>): Promise<Data> => await this.send(call);

	readonly ensureToken = async (entityId = PLACEHOLDER_ID): Promise<void> => {
		if (sessions.isFresh(this.boundTo, this.stored())) return;
		/* Someone waits to pay: a service that hangs is asked once more at most. */
		const { timeout, retries = 1 } = this.patience;
		const patience = { timeout, retries: Math.min(retries, 1) };
		await this.send(balanceCall(entityId), patience).catch((error: unknown) => {
			if (error instanceof ServiceError && error.status !== 401) return;
			throw error instanceof UserError ? error.with({ outcome: 'refused' }) : error;
		});
	};

	/**
	 * Sends a call and returns its data. Nothing else in the package repeats a request, and this repeats
	 * only reads.
	 * @throws {ServiceError | NoResponseError} for anything but a documented success
	 */
	readonly send = async <Data>(
		call: Call<Data>,
		{ timeout, retries = DEFAULT_RETRIES }: Patience = this.patience,
	): Promise<Data> => {
		const { method, body, withoutToken } = call;
		const isRead = method === 'GET';
		const kind = withoutToken === true ? 'withoutToken' : isRead ? 'read' : 'write';
		const url = urlOf(this.credentials.baseUrl, call.path, call.query);
		for (let attempt = 1; ; attempt++) {
			throwIfStopped(this.patience.signal);
			const answer = await this.exchange({ method, url, body, timeout }, kind).catch(
				(error: unknown) => {
					if (error instanceof NoResponseError) return error;
					throw error;
				},
			);
			const wait = isRead && attempt <= retries ? pauseAfter(answer, attempt) : undefined;
			if (wait === undefined) return this.dataIn(answer, call);
			await endedOrAborted(sleep(wait), this.patience.signal);
		}
	};

	/** The data of a success. Notes whether the service took the token. */
	private dataIn<Data>(answer: HttpAnswer | NoResponseError, call: Call<Data>): Data {
		const withToken = call.withoutToken !== true;
		try {
			if (answer instanceof NoResponseError) throw answer;
			const data = this.read(answer, call);
			if (withToken) sessions.note(this.boundTo, this.stored(), true);
			return data;
		} catch (error) {
			const { status, nothingDone } = error instanceof ServiceError ? error : {};
			const isJudged = status === 401 || nothingDone === true;
			if (withToken && isJudged) sessions.note(this.boundTo, this.stored(), status !== 401);
			const note =
				'The request may have succeeded anyway. Check the service before you run this again.';
			const isWrite = withToken && call.method !== 'GET';
			throw isWrite && mayHaveActed(error) ? error.with({ note }) : error;
		}
	}

	/** The `data` of a success (docs/api.md, Response envelope). */
	private read<Data>(answer: HttpAnswer, call: Call<Data>): Data {
		const { status, body } = answer;
		const envelope = status >= 200 && status <= 299 ? readEnvelope(body) : undefined;
		if (envelope?.success !== true) {
			const { authentication } = this.credentials;
			const withApiKey = authentication === 'legacyApiKey' && call.withoutToken !== true;
			throw errorFor(answer, this.redactor.text, { roleNeeded: call.roleNeeded, withApiKey });
		}
		const { data, error } = call.answer.safeParse(envelope.data);
		if (error !== undefined) {
			const member = ['data', ...(error.issues[0]?.path ?? [])].join('.');
			const what = `The service reported success, but ${member} is missing or invalid in its response`;
			throw unusableAnswer(what, status);
		}
		const isChecked = call.method !== 'GET' || body.length <= LARGE_READ;
		if (isChecked && isDeeperThan(data, DEEPEST)) {
			throw unusableAnswer(`The response is nested deeper than ${DEEPEST} levels`, status);
		}
		return data;
	}
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
 * Opens the service with the node's credentials, which are read once and go along with every request,
 * so that n8n doesn't read and decrypt them each time.
 *
 * For a read, n8n signs in again after a 401 and repeats it. It would repeat a write just the same, so
 * writes ask for every status as an answer. An answer that can't be read is an error to n8n even so:
 * then the credentials refuse to be renewed (authentication.ts).
 * @param redactor learns the secrets in the credentials, and every token that n8n obtains
 */
export async function openClient(
	context: IAllExecuteFunctions,
	redactor: Redactor,
	patience?: Patience & { readonly signal?: AbortSignal },
): Promise<Client> {
	let saved: ICredentialDataDecryptedObject = await context.getCredentials(CREDENTIALS);
	addSecretsOf(redactor, saved);
	const credentials = readCredentials(saved, context.getNode().credentials?.[CREDENTIALS]?.name);
	const { helpers } = context;
	const caller = uninterrupted(context);
	const withoutToken = exchangeOver(helpers.httpRequest);
	const exchange: Exchange = async (request, kind) => {
		if (kind === 'withoutToken') return await withoutToken(request);
		const isRead = kind === 'read';
		const before = saved.sessionToken;
		/* n8n writes a new token into this object, so each request gets its own copy. */
		const data = { ...saved };
		/* Without a stored token, n8n signs in before it sends the request. */
		if (sessions.isRefused(before)) data.sessionToken = '';
		ownRequests.set(data, credentials);
		const options = optionsFor(request);
		let status: number | undefined;
		try {
			const response = helpers.httpRequestWithAuthentication.call(
				isRead ? context : caller,
				CREDENTIALS,
				isRead ? options : { ...options, ignoreHttpStatusErrors: true },
				{ credentialsDecrypted: { id: '', name: '', type: CREDENTIALS, data } },
			);
			const answer = await answerFrom(response, request);
			({ status } = answer);
			if (!isRead && status === 401) sessions.drop(data.sessionToken);
			return answer;
		} finally {
			sessions.reportStatus(data.sessionToken, status);
			if (data.sessionToken !== before) {
				saved = data;
				addSecretsOf(redactor, data);
			}
		}
	};
	return new Client(credentials, exchange, redactor, patience, () => saved.sessionToken);
}

import type { z } from 'zod';
import type { HttpAnswer, HttpExchange, HttpRequest } from '../shared/http';
import { DEEPEST, isDeeperThan } from '../shared/json';
import { mayHaveActed, ServiceError } from '../shared/errors';
import type { Redact } from '../shared/redaction';
import { errorFor } from './errors';
import { retryRead } from './retry';
import { readEnvelope } from './schemas/envelope';

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

/** A call that changes nothing. */
export type ReadCall<Data> = Call<Data> & { readonly method: 'GET' };

/** Sends one read and returns its data. */
export type SendRead = <Data>(call: ReadCall<Data>) => Promise<Data>;

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

/** How calls are sent. */
export interface Sending {
	readonly withToken: HttpExchange;
	readonly withoutToken: HttpExchange;
	/** Milliseconds. */
	readonly timeout: number;
	readonly retries: number;
	readonly pause: (milliseconds: number) => Promise<void>;
	/** Removes the secrets of the credentials from what the service says. */
	readonly redact: Redact;
	/** Whether `withToken` sends the older scheme's API key, for the hint on a 401. */
	readonly withApiKey?: boolean;
}

/** Characters of a response. The nesting of a larger list isn't checked, because that takes too long. */
const LARGE_READ = 4_000_000;

function tooDeep(status: number): ServiceError {
	return new ServiceError(`The response is nested deeper than ${DEEPEST} levels`, {
		status,
		refused: false,
		hint: 'Check the Base URL in the credentials.',
	});
}

/**
 * The `data` of a success (docs/api.md, Response envelope).
 * @throws {ServiceError} for any other response
 */
function readAnswer<Data>(
	answer: HttpAnswer,
	call: Call<Data>,
	{ redact, withApiKey }: Sending,
): Data {
	const isSuccess = answer.status >= 200 && answer.status <= 299;
	const envelope = isSuccess ? readEnvelope(answer.body) : undefined;
	if (envelope?.success !== true) {
		const { roleNeeded, withoutToken } = call;
		throw errorFor(answer, redact, {
			roleNeeded,
			withApiKey: withApiKey === true && withoutToken !== true,
		});
	}
	const data = call.answer.safeParse(envelope.data);
	if (data.success) return data.data;
	const member = ['data', ...(data.error.issues[0]?.path ?? [])].join('.');
	throw new ServiceError(
		`The service reported success, but ${member} is missing or invalid in its response`,
		{
			status: answer.status,
			refused: false,
			hint: 'The service may have changed. Update this node, or report the problem.',
		},
	);
}

/**
 * Sends a call and reads its response.
 * @throws {ServiceError} if the service refused, or the response isn't a documented one
 * @throws {NoResponseError} if no response arrived
 */
export async function sendCall<Data>(
	baseUrl: string,
	call: Call<Data>,
	sending: Sending,
): Promise<Data> {
	const exchange = call.withoutToken === true ? sending.withoutToken : sending.withToken;
	const request: HttpRequest = {
		method: call.method,
		url: urlOf(baseUrl, call.path, call.query),
		body: call.body,
		timeout: sending.timeout,
	};
	const retries = call.method === 'GET' ? sending.retries : 0;
	const changesState = call.method !== 'GET' && call.withoutToken !== true;
	const send = async () => {
		const answer = await retryRead(async () => await exchange(request), {
			retries,
			pause: sending.pause,
		});
		const data = readAnswer(answer, call, sending);
		const isChecked = changesState || answer.body.length <= LARGE_READ;
		if (isChecked && isDeeperThan(data, DEEPEST)) throw tooDeep(answer.status);
		return data;
	};
	return await send().catch((error: unknown) => {
		if (!changesState || !mayHaveActed(error)) throw error;
		throw error.addNote(
			'The request may have succeeded anyway. Check the service before you run this again.',
		);
	});
}

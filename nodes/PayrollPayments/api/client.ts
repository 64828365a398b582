import type { z } from 'zod';
import type { HttpExchange, HttpRequest } from '../shared/http';
import { DEEPEST, isDeeperThan } from '../shared/json';
import type { Redact } from '../shared/redaction';

import { readAnswer } from './answer';
import { retryRead } from './retry';
import { mayHaveActed, ServiceError } from '../shared/errors';

/** Query values; a list goes as repeated keys, undefined is left out. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** One call of one operation of the service. */
export interface Call<Data> {
	readonly method: HttpRequest['method'];
	/** Below the base URL, beginning with /v2; see {@link path}. */
	readonly path: string;
	readonly query?: Query;
	readonly body?: Readonly<Record<string, unknown>>;
	/** What `data` of the success looks like. */
	readonly answer: z.ZodType<Data, z.ZodTypeDef, unknown>;
	/** Without a token: the sign-in operations (docs/api.md, Authentication). */
	readonly withoutToken?: boolean;
	/** The role that the document says the caller needs, for the hint on a 403. */
	readonly roleNeeded?: string;
}

/** Sends one call and returns its data. */
export type SendCall = <Data>(call: Call<Data>) => Promise<Data>;

/** A path whose inserted values are percent-encoded. */
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
	const text = search.toString();
	return `${baseUrl}${callPath}${text === '' ? '' : `?${text}`}`;
}

/** How calls are sent: with or without the token, how long, how often, how pauses are made. */
export interface Sending {
	readonly withToken: HttpExchange;
	readonly withoutToken: HttpExchange;
	/** Milliseconds. */
	readonly timeout: number;
	readonly retries: number;
	readonly pause: (milliseconds: number) => Promise<void>;
	/** Takes the secrets of the credentials out of what the service says. */
	readonly redact: Redact;
}

/** Characters of a long list: going through all of it would slow the reading down. */
const LARGE_READ = 4_000_000;

function tooDeep(status: number): ServiceError {
	return new ServiceError(`The answer is nested deeper than ${DEEPEST} levels`, {
		status,
		refused: false,
		hint: 'Check that the Base URL in the credentials is the address of the service.',
	});
}

/**
 * Sends a call and reads its answer.
 * @throws {ServiceError} where the service refused or answered something else
 * @throws {NoResponseError} where no answer came
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
		const data = readAnswer(answer, call.answer, sending.redact, call.roleNeeded);
		const isChecked = changesState || answer.body.length <= LARGE_READ;
		if (isChecked && isDeeperThan(data, DEEPEST)) throw tooDeep(answer.status);
		return data;
	};
	return await send().catch((error: unknown) => {
		if (!changesState || !mayHaveActed(error)) throw error;
		throw error.addNote(
			'What was asked may have been done all the same: look at the service before you run this again.',
		);
	});
}

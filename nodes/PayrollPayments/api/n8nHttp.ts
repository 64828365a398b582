import type { IHttpRequestOptions } from 'n8n-workflow';

import { z } from 'zod';
import { NoResponseError, Refusal } from '../shared/errors';
import type { HttpAnswer, HttpExchange, HttpRequest } from '../shared/http';

/** Milliseconds until a request is given up, where nothing else is set. */
export const DEFAULT_TIMEOUT = 30_000;

const header = z.union([z.string(), z.array(z.string()).transform((values) => values.join(', '))]);

const headers = z.record(z.unknown()).transform((all) => {
	const read: Record<string, string> = {};
	for (const [name, value] of Object.entries(all)) {
		const text = header.safeParse(value);
		if (text.success) read[name.toLowerCase()] = text.data;
	}
	return read;
});

const body = z.union([z.string(), z.undefined().transform(() => ''), z.null().transform(() => '')]);

/** An answer as n8n's request functions hand it over. */
const fullResponse = z
	.object({ statusCode: z.number(), headers, body })
	.transform(({ statusCode, ...rest }): HttpAnswer => ({ status: statusCode, ...rest }));

/** The answer inside the error that n8n's request functions throw for a status other than 2xx. */
const answerInError = z
	.object({ response: z.object({ status: z.number(), headers, data: body }) })
	.transform(
		({ response }): HttpAnswer => ({
			status: response.status,
			headers: response.headers,
			body: response.data,
		}),
	);

const codedError = z.object({ code: z.string() });

const REASONS: Readonly<Record<string, string>> = {
	CERT_HAS_EXPIRED: 'its TLS certificate has expired',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed',
	EAI_AGAIN: 'its name could not be looked up',
	ECONNABORTED: 'it did not answer in time',
	ECONNREFUSED: 'nothing listens at this address',
	ECONNRESET: 'the connection broke',
	EHOSTUNREACH: 'there is no way to its network',
	ENETUNREACH: 'there is no way to its network',
	ENOTFOUND: 'its name is not known',
	EPIPE: 'the connection broke',
	EPROTO: 'it does not speak TLS',
	ERR_CANCELED: 'the execution was cancelled',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another name',
	ETIMEDOUT: 'it did not answer in time',
	SELF_SIGNED_CERT_IN_CHAIN: 'its TLS certificate is self-signed',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its TLS certificate is not trusted',
};

/** The error and what caused it, outermost first; bounded, since causes may form a circle. */
function chainOf(error: unknown): unknown[] {
	const chain: unknown[] = [];
	let link: unknown = error;
	while (link !== undefined && link !== null && chain.length < 6) {
		chain.push(link);
		link = link instanceof Error ? link.cause : undefined;
	}
	return chain;
}

/** With these the request may have left before the connection was gone; with the others it did not. */
const BREAKS_LATER = ['ECONNABORTED', 'ECONNRESET', 'EPIPE', 'ERR_CANCELED', 'ETIMEDOUT'];

function noAnswer(request: HttpRequest, chain: readonly unknown[]): NoResponseError {
	const codes = chain.flatMap((link) => codedError.safeParse(link).data?.code ?? []);
	const code = codes.find((each) => each in REASONS);
	const reason = (code !== undefined && REASONS[code]) || 'the connection failed';
	return new NoResponseError(
		`No answer from ${new URL(request.url).host}: ${reason}`,
		{
			hint: 'Check that n8n can reach this address (network, proxy, firewall), or raise the timeout under Options.',
		},
		code === undefined || BREAKS_LATER.includes(code),
	);
}

function optionsFor(request: HttpRequest): IHttpRequestOptions {
	return {
		method: request.method,
		url: request.url,
		headers: {
			accept: 'application/json',
			...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
			...request.headers,
		},
		...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
		encoding: 'text',
		returnFullResponse: true,
		disableFollowRedirect: true,
		timeout: request.timeout ?? DEFAULT_TIMEOUT,
	};
}

/**
 * An exchange over one of n8n's request functions, so that n8n's proxies, certificates, domain
 * restrictions and credentials apply. Answers of any status come back as answers.
 * @throws {Refusal} what the credentials refused while signing in, or {@link NoResponseError}
 */
export function exchangeOver(
	send: (options: IHttpRequestOptions) => Promise<unknown>,
): HttpExchange {
	return async (request) => {
		try {
			return fullResponse.parse(await send(optionsFor(request)));
		} catch (error) {
			const chain = chainOf(error);
			for (const link of chain) {
				if (link instanceof Refusal) throw link;
				const answer = answerInError.safeParse(link);
				if (answer.success) return answer.data;
			}
			throw noAnswer(request, chain);
		}
	};
}

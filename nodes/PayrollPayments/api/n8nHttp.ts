import type { IHttpRequestOptions } from 'n8n-workflow';

import { z } from 'zod';
import { NoResponseError, UserError } from '../shared/errors';
import type { HttpAnswer, HttpExchange, HttpRequest } from '../shared/http';

/** Milliseconds until a request times out, by default. */
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

/** A response as n8n's request functions return it. */
const fullResponse = z
	.object({ statusCode: z.number(), headers, body })
	.transform(({ statusCode, ...rest }): HttpAnswer => ({ status: statusCode, ...rest }));

/** The response inside the error that n8n's request functions throw for a status other than 2xx. */
const answerInError = z
	.object({ response: z.object({ status: z.number(), headers, data: body }) })
	.transform(
		({ response }): HttpAnswer => ({
			status: response.status,
			headers: response.headers,
			body: response.data,
		}),
	);

/** The code of a failed connection; n8n 1.x drops the error that has it, and keeps it as `httpCode`. */
const errorCode = z.union([
	z.object({ code: z.string() }).transform(({ code }) => code),
	z.object({ httpCode: z.string() }).transform(({ httpCode }) => httpCode),
]);

const REASONS: Readonly<Record<string, string>> = {
	CERT_HAS_EXPIRED: 'its TLS certificate has expired',
	CERT_NOT_YET_VALID: "its TLS certificate isn't valid yet",
	CERT_UNTRUSTED: "its TLS certificate isn't trusted",
	DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed',
	EAI_AGAIN: "its host name couldn't be looked up",
	ECONNABORTED: 'it took too long to respond',
	ECONNREFUSED: 'it refused the connection',
	ECONNRESET: 'the connection was interrupted',
	EHOSTUNREACH: "its network can't be reached",
	ENETUNREACH: "its network can't be reached",
	ENOTFOUND: "its host name wasn't found",
	EPIPE: 'the connection was interrupted',
	EPROTO: "it doesn't support TLS",
	ERR_CANCELED: 'the execution was canceled',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for a different host name',
	ETIMEDOUT: 'it took too long to respond',
	SELF_SIGNED_CERT_IN_CHAIN: 'its TLS certificate is self-signed',
	UNABLE_TO_GET_ISSUER_CERT: "its TLS certificate isn't trusted",
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its TLS certificate isn't trusted",
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its TLS certificate isn't trusted",
};

/** The error and its causes, outermost first. Bounded, because causes may be circular. */
function chainOf(error: unknown): unknown[] {
	const chain: unknown[] = [];
	let link: unknown = error;
	while (link !== undefined && link !== null && chain.length < 6) {
		chain.push(link);
		link = link instanceof Error ? link.cause : undefined;
	}
	return chain;
}

/** With these there was no connection; with others, such as a network that went away, there may have been. */
const BEFORE_SENDING = ['EAI_AGAIN', 'ECONNREFUSED', 'ENOTFOUND'];

function hintFor(reason: string): string {
	return reason.includes('TLS certificate')
		? "Fix the server's certificate. If a private certificate authority issued it, set NODE_EXTRA_CA_CERTS for n8n."
		: 'Check that n8n can reach this address (network, proxy, firewall), or raise Timeout (Milliseconds) under Options.';
}

function noResponse(request: HttpRequest, chain: readonly unknown[]): NoResponseError {
	const codes = chain.flatMap((link) => errorCode.safeParse(link).data ?? []);
	const code = codes.find((each) => each in REASONS);
	const reason = (code !== undefined && REASONS[code]) || 'the connection failed';
	const isUnsent = reason.includes('TLS certificate') || BEFORE_SENDING.includes(code ?? '');
	return new NoResponseError(`No response from ${new URL(request.url).host}: ${reason}`, {
		hint: hintFor(reason),
		wasSent: !isUnsent,
	});
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
 * restrictions and credentials apply. Returns responses of any status.
 * @throws {UserError} what the credentials threw, or {@link NoResponseError}
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
				if (link instanceof UserError) throw link;
				const answer = answerInError.safeParse(link);
				if (answer.success) return answer.data;
			}
			throw noResponse(request, chain);
		}
	};
}

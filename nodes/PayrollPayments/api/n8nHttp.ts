import type { IHttpRequestOptions } from 'n8n-workflow';

import { z } from 'zod';
import { NoResponseError, UserError } from '../shared/errors';
import type { HttpAnswer, HttpExchange, HttpRequest } from '../shared/http';

/** Milliseconds until a request times out, by default. */
export const DEFAULT_TIMEOUT = 30_000;

const headers = z
	.record(z.unknown())
	.transform(
		(all): Record<string, string> =>
			Object.fromEntries(
				Object.entries(all).map(([name, value]) => [name.toLowerCase(), String(value)]),
			),
	);

const body = z
	.string()
	.nullish()
	.transform((text) => text ?? '');

const fullResponse = z
	.object({ statusCode: z.number(), headers, body })
	.transform(({ statusCode, ...rest }): HttpAnswer => ({ status: statusCode, ...rest }));

/** The response inside the error that n8n's request functions throw for a status other than 2xx. */
const answerInError = z
	.object({ response: z.object({ status: z.number(), headers, data: body }) })
	.transform(({ response: { data, ...rest } }): HttpAnswer => ({ ...rest, body: data }));

/** The code of a failed connection. n8n's own error keeps that of the one it wraps as `httpCode`. */
const withCode = z.object({ code: z.string() }).or(z.object({ httpCode: z.string() }));

const TOO_SLOW = 'it took too long to respond';
const RAISE_TIMEOUT =
	' In the action node, you can also raise Timeout (Milliseconds) under Options.';

/** With the first two there was no connection; with others, such as a lost network, there may have been. */
const REASONS: ReadonlyArray<readonly [codes: RegExp, reason: string, wasSent?: false]> = [
	[/^ECONNREFUSED$/, 'it refused the connection', false],
	[/^(?:ENOTFOUND|EAI_AGAIN)$/, 'its host name wasn’t found', false],
	[/^(?:ECONNRESET|EPIPE)$/, 'the connection was interrupted'],
	[/^(?:ECONNABORTED|ETIMEDOUT)$/, TOO_SLOW],
	[/^E(?:HOST|NET)UNREACH$/, 'its network can’t be reached'],
	[/^EPROTO$/, 'it doesn’t support TLS'],
	[/^ERR_CANCELED$/, 'the execution was canceled'],
	[/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'its TLS certificate is self-signed'],
	[/^CERT_HAS_EXPIRED$/, 'its TLS certificate has expired'],
	[/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its TLS certificate is for a different host name'],
	[/^(?:CERT_\w+|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/, 'its TLS certificate isn’t trusted'],
];

/** The error and its causes, outermost first. Bounded, because causes may be circular. */
function chainOf(error: unknown, most = 6): unknown[] {
	if (error === undefined || error === null || most === 0) return [];
	return [error, ...chainOf(error instanceof Error ? error.cause : undefined, most - 1)];
}

function noResponse(request: HttpRequest, chain: readonly unknown[]): NoResponseError {
	const codes = chain.flatMap((link) => Object.values(withCode.safeParse(link).data ?? {}));
	const [code = ''] = codes.filter((each) => REASONS.some(([known]) => known.test(each)));
	const [, reason = 'the connection failed', wasSent = true] =
		REASONS.find(([known]) => known.test(code)) ?? [];
	const isCertificate = reason.includes('TLS certificate');
	return new NoResponseError(`No response from ${new URL(request.url).host}: ${reason}`, {
		hint: isCertificate
			? 'Fix the server’s certificate. If a private certificate authority issued it, set NODE_EXTRA_CA_CERTS for n8n.'
			: `Check that n8n can reach this address (network, proxy, firewall).${reason === TOO_SLOW ? RAISE_TIMEOUT : ''}`,
		wasSent: wasSent && !isCertificate,
	});
}

/** The request as n8n's request functions take it. */
export function optionsFor({
	method,
	url,
	headers,
	body,
	timeout,
	signal,
}: HttpRequest): IHttpRequestOptions {
	const type = body === undefined ? {} : { 'content-type': 'application/json' };
	return {
		method,
		url,
		headers: { accept: 'application/json', ...type, ...headers },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
		encoding: 'text',
		returnFullResponse: true,
		disableFollowRedirect: true,
		timeout: timeout ?? DEFAULT_TIMEOUT,
		...(signal && { abortSignal: signal }),
	};
}

/**
 * The answer in what one of n8n's request functions gives or throws.
 * @throws {UserError} what the credentials threw, or {@link NoResponseError}
 */
export async function answerFrom(
	response: Promise<unknown>,
	request: HttpRequest,
): Promise<HttpAnswer> {
	try {
		return fullResponse.parse(await response);
	} catch (error) {
		const chain = chainOf(error);
		for (const link of chain) {
			if (link instanceof UserError) throw link;
			const answer = answerInError.safeParse(link);
			if (answer.success) return answer.data;
		}
		throw noResponse(request, chain);
	}
}

/**
 * An exchange over one of n8n's request functions, so that n8n's proxies, certificates, domain
 * restrictions and credentials apply.
 */
export function exchangeOver(
	send: (options: IHttpRequestOptions) => Promise<unknown>,
): HttpExchange {
	return async (request) => await answerFrom(send(optionsFor(request)), request);
}

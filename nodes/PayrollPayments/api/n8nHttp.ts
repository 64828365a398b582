import type { IHttpRequestOptions } from 'n8n-workflow';

import { z } from 'zod';
import { NoResponseError, UserError } from '../shared/errors';
import type { HttpAnswer, HttpExchange, HttpRequest } from '../shared/http';
import { unusableAnswer } from './errors';

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

const fullResponse = z.object({ statusCode: z.number(), headers, body: z.unknown() });

const byteStream = z.custom<AsyncIterable<Uint8Array>>(
	(value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
);

/** Bytes of a body that are read; more is not from this service. */
const LONGEST_BODY = 64 * 1024 * 1024;

/** The code of a failed connection. n8n's own error keeps that of the one it wraps as `httpCode`. */
const withCode = z.object({ code: z.string() }).or(z.object({ httpCode: z.string() }));

const TOO_SLOW = 'it took too long to respond';
const RAISE_TIMEOUT =
	' In the action node, you can also raise Timeout (Milliseconds) under Options.';

/** With the first two there was no connection; with others, such as a lost network, there may have been. */
const REASONS: ReadonlyArray<readonly [codes: RegExp, reason: string, wasSent?: false]> = [
	[/^ECONNREFUSED$/, 'it refused the connection', false],
	[/^(?:ENOTFOUND|EAI_AGAIN)$/, 'its host name wasn’t found', false],
	[/^(?:ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, 'the connection was interrupted'],
	/* Only its deadline and Stop cancel a request. */
	[/^(?:ECONNABORTED|ETIMEDOUT|ERR_CANCELED)$/, TOO_SLOW],
	[/^E(?:HOST|NET)UNREACH$/, 'its network can’t be reached'],
	[/^EPROTO$/, 'it doesn’t support TLS'],
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
	const [, found = 'the connection failed', wasSent = true] =
		REASONS.find(([known]) => known.test(code)) ?? [];
	const reason = request.signal?.aborted === true ? 'the execution was canceled' : found;
	const isCertificate = reason.includes('TLS certificate');
	return new NoResponseError(`No response from ${new URL(request.url).host}: ${reason}`, {
		hint: isCertificate
			? 'Fix the server’s certificate. If a private certificate authority issued it, set NODE_EXTRA_CA_CERTS for n8n.'
			: `Check that n8n can reach this address (network, proxy, firewall).${reason === TOO_SLOW ? RAISE_TIMEOUT : ''}`,
		wasSent: wasSent && !isCertificate,
	});
}

/** Ends a request: its own signal, or the time for its whole answer, which begins now. */
export function deadlineOf({
	timeout = DEFAULT_TIMEOUT,
	signal,
}: Pick<HttpRequest, 'timeout' | 'signal'>): AbortSignal {
	const deadline = AbortSignal.timeout(timeout);
	return signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
}

/**
 * The request as n8n's request functions take it. They would buffer any body, so they hand over the
 * stream; and every status is an answer, because n8n would repeat the request after an error.
 */
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
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: timeout ?? DEFAULT_TIMEOUT,
		...(signal && { abortSignal: signal }),
	};
}

async function textOf(body: unknown, status: number): Promise<string> {
	if (typeof body === 'string' || body === null || body === undefined) return body ?? '';
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of byteStream.parse(body)) {
		length += chunk.length;
		if (length > LONGEST_BODY) {
			throw unusableAnswer('The response has more than 64 MB, so it wasn’t read', status);
		}
		chunks.push(chunk);
	}
	return new TextDecoder().decode(Buffer.concat(chunks));
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
		const { statusCode: status, headers, body } = fullResponse.parse(await response);
		const text = await textOf(body, status).catch((error: unknown) => {
			/* Of a failure, the status says what matters. */
			if (status >= 300 && !(error instanceof UserError)) return '';
			throw error;
		});
		return { status, headers, body: text };
	} catch (error) {
		const chain = chainOf(error);
		throw chain.find((link) => link instanceof UserError) ?? noResponse(request, chain);
	}
}

/**
 * An exchange over one of n8n's request functions, so that n8n's proxies, certificates and domain
 * restrictions apply.
 */
export function exchangeOver(
	send: (options: IHttpRequestOptions) => Promise<unknown>,
): HttpExchange {
	return async (request) => {
		const options = { ...optionsFor(request), abortSignal: deadlineOf(request) };
		return await answerFrom(send(options), request);
	};
}

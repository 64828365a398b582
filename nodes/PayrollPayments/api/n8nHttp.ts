import type { IHttpRequestOptions } from 'n8n-workflow';

import { z } from 'zod';
import { NoResponseError, UserError, type ErrorContext } from '../shared/errors';
import type { HttpAnswer, HttpExchange, HttpRequest } from '../shared/http';
import { isRecord } from '../shared/json';
import { unusableAnswer } from './serviceErrors';

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

interface ByteStream extends AsyncIterable<Uint8Array> {
	destroy(error: Error): void;
}
const byteStream = z.custom<ByteStream>(
	(value) => isRecord(value) && Symbol.asyncIterator in value && 'destroy' in value,
);

/** Bytes of a body that are read; more is not from this service. */
const LONGEST_BODY = 64 * 1024 * 1024;

/** The code of a failed connection. n8n's own error keeps that of the one it wraps as `httpCode`. */
const withCode = z.object({ code: z.string() }).or(z.object({ httpCode: z.string() }));

/** Why n8n itself didn't send a request, e.g. to an address that its administrator has blocked. */
const blockedByN8n = z.object({
	level: z.literal('info'),
	message: z.string(),
	description: z.string().nullish(),
});

/** The host that a failed connection was for, where the error names it. */
const withPeer = z.union([
	z.object({ address: z.string(), port: z.number() }),
	z.object({ hostname: z.string() }),
]);

const TOO_SLOW = 'it took too long to respond';

const CHECK_NETWORK = 'Check that n8n can reach this address (network, proxy, firewall).';
const CHECK_PROXY = 'Check HTTPS_PROXY and HTTP_PROXY of n8n, and that the proxy is running.';
const FIX_CERTIFICATE =
	'Fix the server’s certificate. If a private certificate authority issued it, set NODE_EXTRA_CA_CERTS for n8n.';

interface Reason {
	readonly codes: RegExp;
	readonly said: string;
	readonly hint?: string;
	/** Where there was no connection. After others, such as a lost network, there may have been one. */
	readonly wasSent?: false;
	/** The same of a proxy between n8n and the service. */
	readonly saidOfProxy?: (proxy: string) => string;
}

const ofCertificate = (codes: RegExp, said: string): Reason => {
	return { codes, said: `its TLS certificate ${said}`, hint: FIX_CERTIFICATE, wasSent: false };
};

const REASONS: readonly Reason[] = [
	{
		codes: /^ECONNREFUSED$/,
		said: 'it refused the connection',
		saidOfProxy: (proxy) => `the proxy ${proxy} refused the connection`,
		wasSent: false,
	},
	{
		codes: /^(?:ENOTFOUND|EAI_AGAIN)$/,
		said: 'its host name wasn’t found',
		saidOfProxy: (proxy) => `the host name of the proxy ${proxy} wasn’t found`,
		wasSent: false,
	},
	{
		codes: /^(?:ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/,
		said: 'the connection was interrupted',
	},
	{
		/* Only its deadline and Stop cancel a request. */
		codes: /^(?:ECONNABORTED|ETIMEDOUT|ERR_CANCELED)$/,
		said: TOO_SLOW,
		hint: `${CHECK_NETWORK} In the action node, you can also raise Timeout (Milliseconds) under Options.`,
	},
	{ codes: /^E(?:HOST|NET)UNREACH$/, said: 'its network can’t be reached' },
	{ codes: /^EPROTO$/, said: 'it doesn’t support TLS' },
	ofCertificate(/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'is self-signed'),
	ofCertificate(/^CERT_HAS_EXPIRED$/, 'has expired'),
	ofCertificate(/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'is for a different host name'),
	ofCertificate(/^(?:CERT_\w+|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/, 'isn’t trusted'),
];

/** The error and its causes, outermost first. Bounded, because causes may be circular. */
function chainOf(error: unknown, most = 6): unknown[] {
	if (error === undefined || error === null || most === 0) return [];
	return [error, ...chainOf(error instanceof Error ? error.cause : undefined, most - 1)];
}

/** The proxy that n8n wanted to connect to instead of the host in the URL. */
function proxyIn(chain: readonly unknown[], { hostname, port, protocol }: URL): string | undefined {
	const peer = chain.map((link) => withPeer.safeParse(link).data).find((each) => each);
	if (peer === undefined) return undefined;
	if ('hostname' in peer) return peer.hostname === hostname ? undefined : peer.hostname;
	const own = port || (protocol === 'https:' ? 443 : 80);
	return peer.port === Number(own) ? undefined : `${peer.address}:${peer.port}`;
}

function noResponse(request: HttpRequest, chain: readonly unknown[]): NoResponseError {
	const url = new URL(request.url);
	const failed = (said: string, { hint = CHECK_NETWORK, ...context }: ErrorContext = {}) =>
		new NoResponseError(`No response from ${url.host}: ${said}`, { hint, ...context });
	if (request.signal?.aborted === true) return failed('the execution was canceled');
	const blocked = chain.map((link) => blockedByN8n.safeParse(link).data).findLast((each) => each);
	if (blocked !== undefined) {
		const { message, description } = blocked;
		return failed(message, { hint: description ?? undefined });
	}
	const codes = chain.flatMap((link) => Object.values(withCode.safeParse(link).data ?? {}));
	const reason = REASONS.find((each) => codes.some((code) => each.codes.test(code)));
	const proxy = proxyIn(chain, url);
	const { said = 'the connection failed', hint, wasSent, saidOfProxy } = reason ?? {};
	/* A proxy that can't be reached has passed nothing on. */
	return proxy !== undefined && saidOfProxy !== undefined
		? failed(saidOfProxy(proxy), { hint: CHECK_PROXY, outcome: 'refused', wasSent })
		: failed(said, { hint, wasSent });
}

/** Ends a request: its own signal, or the time for its whole answer, which begins now. */
export function deadlineOf({
	timeout = DEFAULT_TIMEOUT,
	signal,
}: Pick<HttpRequest, 'timeout' | 'signal'>): AbortSignal {
	const deadline = AbortSignal.timeout(timeout);
	if (signal === undefined) return deadline;
	const either = AbortSignal.any([signal, deadline]);
	/* Else Node 20 drops both as garbage, and the request never ends. */
	deadline.addEventListener('abort', () => either.aborted);
	return either;
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
	};
}

async function bodyText(body: unknown, status: number, ends?: AbortSignal): Promise<string> {
	if (typeof body === 'string' || body === null || body === undefined) return body ?? '';
	const stream = byteStream.parse(body);
	ends?.addEventListener('abort', () => {
		stream.destroy(Object.assign(new Error(TOO_SLOW), { code: 'ETIMEDOUT' }));
	});
	const decoder = new TextDecoder();
	let text = '';
	let length = 0;
	for await (const chunk of stream) {
		length += chunk.length;
		if (length > LONGEST_BODY) {
			throw unusableAnswer('The response has more than 64 MB, so it wasn’t read', status);
		}
		text += decoder.decode(chunk, { stream: true });
	}
	return text + decoder.decode();
}

/**
 * The answer in what one of n8n's request functions gives or throws.
 * @param ends ends its body, if the function doesn't
 * @throws {UserError} what the credentials threw, or {@link NoResponseError}
 */
export async function answerFrom(
	response: Promise<unknown>,
	request: HttpRequest,
	ends?: AbortSignal,
): Promise<HttpAnswer> {
	try {
		const { statusCode: status, headers, body } = fullResponse.parse(await response);
		const text = await bodyText(body, status, ends).catch((error: unknown) => {
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
		const abortSignal = deadlineOf(request);
		return await answerFrom(send({ ...optionsFor(request), abortSignal }), request, abortSignal);
	};
}

import type { IHttpRequestOptions } from 'n8n-workflow';

import { UserError } from '../shared/errors';
import type { ServiceCredentials } from './credentials';
import { credentialLabel, isUnlimited } from './credentialLimits';
import { isAmong } from './otherRequests';

/** What a node handed to one of n8n's two request functions; expressions may put anything in it. */
type Given = Readonly<Record<string, unknown>>;

/** In the words of both request functions. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

/** Request options that could bypass n8n's own connections. */
const CONNECTION_MEMBER =
	/^(?:adapter|agents?|agentOptions|ca|checkServerIdentity|dispatcher|https?Agent|lookup|proxy|socketPath|transport)$/;

/** The members that govern certificate checks, and the value with which the checks are made. */
const CERTIFICATE_CHECKS: Readonly<Record<string, boolean>> = {
	rejectUnauthorized: true,
	strictSSL: true,
	skipSslCertificateValidation: false,
};

/** What some frameworks read another method from, and some servers another path. */
const OTHER_REQUEST = /method|^x-(?:original|rewrite)-ur[il]$/i;
const BODY_HEADER = /^(?:content-length|transfer-encoding)$/i;

function isEmpty(value: unknown): boolean {
	if (value === undefined || value === null || value === '' || value === false) return true;
	if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
	return Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
}

function refuseOwnConnection(given: Given): void {
	const member = Object.keys(given).find((name) => {
		const checked = CERTIFICATE_CHECKS[name];
		if (checked !== undefined) return (given[name] ?? checked) !== checked;
		return CONNECTION_MEMBER.test(name) && !isEmpty(given[name]);
	});
	if (member === undefined) return;
	throw new UserError(`The request sets ${member}, which could expose the token`, {
		hint: 'Remove Proxy, Ignore SSL Issues and SSL Certificates from the request: the token goes over n8n’s own connections only. n8n’s own proxy is used anyway. To trust a private certificate authority, set NODE_EXTRA_CA_CERTS for n8n.',
	});
}

/** Where the request goes, parsed once: what is checked here is what is sent. */
function destinationOf({ url, uri, baseURL }: Given): URL {
	const text = url ?? uri;
	const isAmbiguous = !isEmpty(baseURL) || (!isEmpty(url) && !isEmpty(uri) && url !== uri);
	if (typeof text === 'string' && !isAmbiguous && URL.canParse(text)) return new URL(text);
	throw new UserError('The request has no valid URL', {
		hint: 'Give one complete URL that starts with the Base URL in the credentials.',
	});
}

function headersOf({ headers }: Given): Array<[string, unknown]> {
	return Object.entries(isEmpty(headers) ? {} : Object(headers));
}

/** n8n's HTTP client unpacks a header that is an object: its members become headers. */
function isNested(value: unknown): boolean {
	const isObject = (each: unknown) => Object(each) === each;
	return Array.isArray(value) ? value.some(isObject) : isObject(value);
}

/** The request, bound for the origin of the base URL and without redirects. Refuses any other. */
export function toOwnOrigin(
	{ baseUrl }: Pick<ServiceCredentials, 'baseUrl'>,
	options: IHttpRequestOptions,
): IHttpRequestOptions {
	const given: Given = { ...options };
	const url = destinationOf(given);
	const { origin, host } = new URL(baseUrl);
	if (url.origin !== origin) {
		throw new UserError(
			`The token of these credentials goes to ${origin} only, not to ${url.origin}`,
			{ hint: 'Correct the URL of the request, or the Base URL in the credentials.' },
		);
	}
	for (const [name, value] of headersOf(given)) {
		if (isNested(value)) {
			throw new UserError(`The header ${name} isn’t text`, {
				hint: 'Give each header of the request a text.',
			});
		}
		if (name.trim().toLowerCase() === 'host' && String(value).toLowerCase() !== host) {
			throw new UserError(`The token of these credentials goes to ${host} only`, {
				hint: 'Remove the Host header from the request.',
			});
		}
	}
	url.hash = '';
	return Object.assign({ ...options }, NO_REDIRECTS, {
		url: url.href,
		uri: undefined,
		baseURL: undefined,
	});
}

/** The names of members at any depth: `{ '': { _method: … } }` is sent as `[_method]=…`, which some read as `_method`. */
function namesWithin(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, member]) => [name, ...namesWithin(member)]);
}

/** The names of all headers and query parameters. */
function namesIn(given: Given, url: string): string[] {
	const { qs } = given;
	return [
		...headersOf(given).map(([name]) => name),
		...new URL(url).searchParams.keys(),
		...(qs instanceof URLSearchParams ? qs.keys() : namesWithin(qs)),
		...(typeof qs === 'string' ? [qs] : []),
	].map((name) => name.trim());
}

/** Whether it's a GET without a body, and nothing in it makes a server read another method or path. */
export function isPlainGet(given: Given, { url }: IHttpRequestOptions): boolean {
	const { method } = given;
	const isGet = (method ?? '') === '' || (typeof method === 'string' && /^get$/i.test(method));
	return (
		isGet &&
		['body', 'form', 'formData'].every((member) => isEmpty(given[member])) &&
		!namesIn(given, url).some((name) => OTHER_REQUEST.test(name) || BODY_HEADER.test(name))
	);
}

/** Whether *Other Nodes May Also Send* lists the request. */
function isListedRequest(
	{ baseUrl, limits }: ServiceCredentials,
	given: Given,
	{ url }: IHttpRequestOptions,
): boolean {
	const method = typeof given.method === 'string' ? given.method.toUpperCase() : 'GET';
	const { origin, pathname } = new URL(url);
	const sent = `${origin}${pathname}`;
	if (!sent.startsWith(`${baseUrl}/`)) return false;
	if (namesIn(given, url).some((name) => OTHER_REQUEST.test(name))) return false;
	return isAmong(limits.otherRequests, { method, path: sent.slice(baseUrl.length) });
}

/**
 * A request of another node, such as n8n's HTTP Request, as it may be sent with the credentials: to the
 * origin of their base URL and over n8n's own connections. Unless access is *Everything* without any
 * limit, only a plain GET, and what the credentials list: what else a request might do can't be checked
 * from here.
 */
export function allowedRequest(
	credentials: ServiceCredentials,
	options: IHttpRequestOptions,
): IHttpRequestOptions {
	const given: Given = { ...options };
	const sent = toOwnOrigin(credentials, options);
	refuseOwnConnection(given);
	if (isUnlimited(credentials) || isPlainGet(given, sent)) return sent;
	if (isListedRequest(credentials, given, sent)) return sent;
	throw new UserError('Other nodes may only read with these credentials', {
		hint: `Use the Payroll Payments node for this, or send a GET without a body, and without “method” in the name of a header or parameter. Anything else must be listed under Other Nodes May Also Send in ${credentialLabel(credentials)}, or needs Everything under Workflows May there and no limits.`,
	});
}

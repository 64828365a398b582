import type { IHttpRequestOptions } from 'n8n-workflow';

import { UserError } from '../shared/errors';
import type { ServiceCredentials } from './credentials';
import { credentialLabel, isUnlimited } from './limits';

/**
 * What a node handed to one of n8n's two request functions (IHttpRequestOptions, IRequestOptions).
 * An expression may have put anything into any member.
 */
type Given = Readonly<Record<string, unknown>>;

/** In the words of both request functions. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

/** The members in which a request could bring another way to the service than n8n's own. */
const CONNECTION_MEMBERS = [
	'adapter',
	'agent',
	'agentOptions',
	'agents',
	'ca',
	'checkServerIdentity',
	'dispatcher',
	'httpAgent',
	'httpsAgent',
	'lookup',
	'socketPath',
	'transport',
];

/** The members that govern certificate checks, and the value with which the checks are made. */
const CERTIFICATE_CHECKS: ReadonlyArray<readonly [string, boolean]> = [
	['rejectUnauthorized', true],
	['strictSSL', true],
	['skipSslCertificateValidation', false],
];

const BODY_MEMBERS = ['body', 'form', 'formData'];

/**
 * Names with which some frameworks take a GET for another method, and headers that announce a body: a
 * server that waits for one reads the next request as it.
 */
const NOT_PLAIN = /method|^(?:content-length|transfer-encoding)$/i;

function isEmpty(value: unknown): boolean {
	if (value === undefined || value === null || value === '' || value === false) return true;
	if (typeof value !== 'object') return false;
	return Array.isArray(value) || value instanceof Uint8Array
		? value.length === 0
		: Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
}

function refuseOwnConnection(given: Given): void {
	if (!isEmpty(given.proxy)) {
		throw new UserError('The request sets a proxy, which would receive the token', {
			hint: "Remove Proxy from the request's options. The proxy that n8n itself is set up with is used anyway.",
		});
	}
	const isUnchecked = ([member, checked]: readonly [string, boolean]) =>
		given[member] !== undefined && given[member] !== null && given[member] !== checked;
	if (CERTIFICATE_CHECKS.some(isUnchecked)) {
		throw new UserError('The request turns certificate checks off, which would expose the token', {
			hint: 'Turn off Ignore SSL Issues in the request. To trust a private certificate authority, set NODE_EXTRA_CA_CERTS for n8n.',
		});
	}
	const member = CONNECTION_MEMBERS.find((name) => !isEmpty(given[name]));
	if (member === undefined) return;
	throw new UserError(`The request brings its own connection settings (${member})`, {
		hint: "Turn off SSL Certificates in the request: the token goes over n8n's own connections only.",
	});
}

const ABSOLUTE_URL = /^(?:[a-z][a-z\d+.-]*:)?\/\//i;

/** Joins the two parts of a URL as axios does, n8n's HTTP client. */
function joinUrl(base: string, url: string): string {
	if (base === '' || ABSOLUTE_URL.test(url)) return url;
	return url === '' ? base : `${base.replace(/\/?\/$/, '')}/${url.replace(/^\/+/, '')}`;
}

/** Where the request goes, parsed once: what is checked here is what is sent. */
function destinationOf({ url, uri, baseURL }: Given): URL {
	const text = url ?? uri ?? '';
	const base = baseURL ?? '';
	const isAmbiguous = !isEmpty(url) && !isEmpty(uri) && url !== uri;
	if (typeof text === 'string' && typeof base === 'string' && !isAmbiguous) {
		try {
			return new URL(joinUrl(base, text));
		} catch {
			/* Refused below. */
		}
	}
	throw new UserError('The request has no valid URL', {
		hint: 'Give one complete URL that starts with the Base URL in the credentials.',
	});
}

function headersOf({ headers }: Given): Array<[string, unknown]> {
	return Object.entries(isEmpty(headers) ? {} : Object(headers));
}

/** n8n's HTTP client unpacks a header that is an object: its members become headers. */
function isTextList(value: unknown): boolean {
	return Array.isArray(value) && value.every((entry) => Object(entry) !== entry);
}

/**
 * The request, bound for the origin of the base URL and without redirects.
 * @throws {UserError} if it goes anywhere else
 */
export function toOwnOrigin(
	credentials: Pick<ServiceCredentials, 'baseUrl'>,
	options: IHttpRequestOptions,
): IHttpRequestOptions {
	const given: Given = { ...options };
	const url = destinationOf(given);
	const { origin, host } = new URL(credentials.baseUrl);
	const headers = headersOf(given);
	const nested = headers.find(([, value]) => Object(value) === value && !isTextList(value));
	if (nested !== undefined) {
		throw new UserError(`The header ${nested[0]} isn't text`, {
			hint: 'Give each header of the request a text.',
		});
	}
	if (url.origin !== origin) {
		throw new UserError(
			`The token of these credentials goes to ${origin} only, not to ${url.origin}`,
			{
				hint: 'Correct the URL of the request, or the Base URL in the credentials.',
			},
		);
	}
	const misleads = ([name, value]: [string, unknown]) =>
		name.trim().toLowerCase() === 'host' && String(value).toLowerCase() !== host;
	if (headers.some(misleads)) {
		throw new UserError(`The token of these credentials goes to ${host} only`, {
			hint: 'Remove the Host header from the request.',
		});
	}
	url.hash = '';
	const sent = { ...options, ...NO_REDIRECTS, url: url.href };
	return 'uri' in given || 'baseURL' in given
		? Object.assign(sent, { uri: undefined, baseURL: undefined })
		: sent;
}

/** Whether it only reads: GET, no body, and nothing that some frameworks take for another method. */
function isPlainGet(given: Given, { url }: IHttpRequestOptions): boolean {
	const { method, qs } = given;
	const isGet = (method ?? '') === '' || (typeof method === 'string' && /^get$/i.test(method));
	const query = typeof qs === 'string' ? qs : Object.keys(Object(qs ?? {})).join(' ');
	const names = [
		...headersOf(given).map(([name]) => name),
		...new URL(url).searchParams.keys(),
		...(qs instanceof URLSearchParams ? qs.keys() : [query]),
	];
	return (
		isGet &&
		BODY_MEMBERS.every((member) => isEmpty(given[member])) &&
		!names.some((name) => NOT_PLAIN.test(name.trim()))
	);
}

/**
 * A request of another node, such as n8n's HTTP Request, as it may be sent with the credentials: to the
 * origin of their base URL and over n8n's own connections. Unless access is *Everything* without any
 * limit, only a plain GET: what else a request might do can't be checked from here.
 * @param options of either of n8n's request functions; they stay as they are
 * @throws {UserError} that says what the credentials don't allow
 */
export function allowedRequest(
	credentials: ServiceCredentials,
	options: IHttpRequestOptions,
): IHttpRequestOptions {
	const given: Given = { ...options };
	const sent = toOwnOrigin(credentials, options);
	refuseOwnConnection(given);
	if (isUnlimited(credentials) || isPlainGet(given, sent)) return sent;
	throw new UserError('Other nodes may only read with these credentials', {
		field: 'access',
		hint: `Use the Payroll Payments node for this, or send a GET without a body. Anything else needs Everything under Workflows May and no limits in ${credentialLabel(credentials)}.`,
	});
}

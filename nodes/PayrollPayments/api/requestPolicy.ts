import type { IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';

import { Refusal } from '../shared/errors';
import type { ServiceCredentials } from './credentials';

import {
	isUnlimited,
	limitsPayments,
	missingPermissions,
	permissionOf,
	requireAllowedPayment,
	requirePermission,
} from './permissions';

/**
 * What a node handed to one of n8n's two request functions (IHttpRequestOptions, IRequestOptions).
 * An expression may have put anything into any member.
 */
type Given = Readonly<Record<string, unknown>>;

type Headers = Readonly<Record<string, string | number | boolean | string[] | null | undefined>>;

/** In the words of both request functions. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

/** The members that name the URL, apart from `url`, and those that hold a body. */
const ADDRESS_MEMBERS = ['uri', 'baseURL'];
const BODY_MEMBERS = ['body', 'form', 'formData'];

/** The members in which a request could name another way to the service than n8n's own. */
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

/** A header's name as axios and the service compare it. */
function lowerCaseName(name: string): string {
	return name.trim().toLowerCase();
}

/** An object literal or the like: no stream, form or buffer. Works across JavaScript realms. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
	if (typeof value !== 'object' || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isEmpty(value: unknown): boolean {
	if (value === undefined || value === null || value === '' || value === false) return true;
	if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
	return isPlainObject(value) && Object.keys(value).length === 0;
}

function refuseOwnConnection(given: Given): void {
	if (!isEmpty(given.proxy)) {
		throw new Refusal('The request sets a proxy, which would receive the token', {
			hint: "Remove Proxy from the request's options. The proxy that n8n itself is set up with is used anyway.",
		});
	}
	for (const [member, checked] of CERTIFICATE_CHECKS) {
		const value = given[member];
		if (value === undefined || value === null || value === checked) continue;
		throw new Refusal('The request turns certificate checks off, which would expose the token', {
			hint: 'Turn off Ignore SSL Issues in the request. To trust a private certificate authority, set NODE_EXTRA_CA_CERTS for n8n.',
		});
	}
	const member = CONNECTION_MEMBERS.find((name) => !isEmpty(given[name]));
	if (member === undefined) return;
	throw new Refusal(`The request brings its own connection settings (${member})`, {
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
			const destination = new URL(joinUrl(base, text));
			if (destination.hash !== '') destination.hash = '';
			return destination;
		} catch {
			/* Refused below. */
		}
	}
	throw new Refusal('The request has no valid URL', {
		hint: 'Give one complete URL that starts with the Base URL in the credentials.',
	});
}

const METHODS: readonly IHttpRequestMethods[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/** The method in capitals; undefined for one that no HTTP API has. */
function methodOf({ method }: Given): IHttpRequestMethods | undefined {
	if (isEmpty(method)) return 'GET';
	const name = typeof method === 'string' ? method.toUpperCase() : '';
	return METHODS.find((known) => known === name);
}

function isHeaderValue(value: unknown): value is Headers[string] {
	if (Array.isArray(value)) return value.every((each) => typeof each === 'string');
	return value === null || !['object', 'function', 'symbol', 'bigint'].includes(typeof value);
}

/**
 * The headers, copied. axios would merge an object under the name of a method into them, and a Host
 * header would lead a shared front end to somebody else's service.
 */
function headersOf({ headers }: Given, { host }: URL): Headers {
	const copy: Record<string, Headers[string]> = {};
	for (const [name, value] of Object.entries(isEmpty(headers) ? {} : Object(headers))) {
		if (typeof value !== 'string' && !isHeaderValue(value)) {
			throw new Refusal(`The header ${name} of the request isn't text`, {
				hint: 'Give every header as a name and a text.',
			});
		}
		if (lowerCaseName(name) === 'host' && String(value).toLowerCase() !== host) {
			throw new Refusal(`The token of these credentials goes to ${host} only`, {
				hint: 'Remove the Host header from the request.',
			});
		}
		copy[name] = value;
	}
	return copy;
}

const OVERRIDE_NAME = /^[^a-z]*_method|http.?method|method.?override/i;
const CHANGING_METHOD = /post|put|patch|delete/i;

/** Whether a parameter makes some frameworks take the request for one with another method. */
function overridesMethod(name: string, value: unknown): boolean {
	if (OVERRIDE_NAME.test(name)) return true;
	return /method/i.test(name) && CHANGING_METHOD.test(JSON.stringify(value) ?? '');
}

function queryParameters({ qs }: Given, url: URL): ReadonlyArray<readonly [string, unknown]> {
	/* Most queries need no decoding to see that they name no method. */
	const inUrl = /method|%/i.test(url.search) ? [...url.searchParams] : [];
	if (isEmpty(qs)) return inUrl;
	const entries = qs instanceof URLSearchParams ? [...qs] : Object.entries(Object(qs));
	return [...inUrl, ...entries];
}

/** Why a GET may be more than a read; undefined for a plain one. */
function doubtAboutRead(given: Given, url: URL, headers: Headers): string | undefined {
	if (!isEmpty(given.body) || !isEmpty(given.form) || !isEmpty(given.formData))
		return 'It has a body';
	for (const [name, value] of Object.entries(headers)) {
		const lowerCase = lowerCaseName(name);
		const isFraming =
			lowerCase === 'transfer-encoding' ||
			(lowerCase === 'content-length' && String(value).trim() !== '0');
		if (isFraming || lowerCase.includes('method')) return `It has the header ${name}`;
	}
	const { qs } = given;
	if (!isEmpty(qs) && !isPlainObject(qs) && !(qs instanceof URLSearchParams)) {
		return "Its query can't be read";
	}
	const override = queryParameters(given, url).find(([name, value]) =>
		overridesMethod(name, value),
	);
	return override === undefined ? undefined : `It has the query parameter ${override[0]}`;
}

/** The headers that a documented write may carry under limits: none of them changes what is done. */
const HARMLESS_HEADERS = new Set([
	'accept',
	'accept-charset',
	'accept-encoding',
	'accept-language',
	'authorization',
	'baggage',
	'cache-control',
	'content-length',
	'content-type',
	'host',
	'idempotency-key',
	'pragma',
	'traceparent',
	'tracestate',
	'user-agent',
	'x-auth-token',
	'x-correlation-id',
	'x-request-id',
]);

/** The members of a payment's body (docs/api.md, Endpoint 10). */
const PAYMENT_MEMBERS = new Set([
	'from',
	'amount_cents',
	'signer',
	'typed_data',
	'signature',
	'external_recipient_email',
	'currency_symbol',
	'network',
]);

interface Body {
	/** The JSON that is sent in place of what was given; undefined for no body. */
	readonly text: string | undefined;
	readonly members: Readonly<Record<string, unknown>>;
}

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;

function isContentHeader(name: string): boolean {
	return ['content-length', 'content-type'].includes(lowerCaseName(name));
}

/**
 * A JSON object, whether it was given as one, as text or as bytes, written out again: of a member
 * that is there twice only the one that was read is sent. Undefined for any other body.
 */
function readBody({ body, form, formData }: Given, headers: Headers): Body | undefined {
	if (!isEmpty(form) || !isEmpty(formData)) return undefined;
	if (body === undefined || body === null || body === '') return { text: undefined, members: {} };
	const isJson = Object.entries(headers)
		.filter(([name]) => lowerCaseName(name) === 'content-type')
		.every(([, value]) => typeof value === 'string' && JSON_TYPE.test(value.trim()));
	if (!isJson) return undefined;
	try {
		const source =
			body instanceof Uint8Array
				? Buffer.from(body).toString('utf8')
				: isPlainObject(body)
					? JSON.stringify(body)
					: body;
		if (typeof source !== 'string') return undefined;
		const members: unknown = JSON.parse(source);
		return isPlainObject(members) ? { text: JSON.stringify(members), members } : undefined;
	} catch {
		return undefined;
	}
}

/** Why a request with the method and the path of a documented write may be another one. */
function doubtAboutWrite(
	given: Given,
	url: URL,
	headers: Headers,
	{ members }: Body,
): string | undefined {
	if (url.search !== '' || !isEmpty(given.qs)) return 'It has a query';
	const header = Object.entries(headers).find(
		([name, value]) => Array.isArray(value) || !HARMLESS_HEADERS.has(name.toLowerCase()),
	);
	if (header !== undefined) return `It has the header ${header[0]}`;
	const override = Object.entries(members).find(([name, value]) => overridesMethod(name, value));
	return override === undefined ? undefined : `Its body has the member ${override[0]}`;
}

/** Takes members away where they were given. */
function clear(
	sent: IHttpRequestOptions,
	given: Given,
	members: readonly string[],
): IHttpRequestOptions {
	for (const member of members) {
		if (given[member] !== undefined) Object.assign(sent, { [member]: undefined });
	}
	return sent;
}

/** Refuses a request that is neither a plain GET nor a documented write. */
function refuseUnknownRequest(
	credentials: ServiceCredentials,
	method: string,
	doubt = 'It is none of the documented operations',
): never {
	const missing = missingPermissions(credentials);
	if (missing.length === 0) {
		throw new Refusal(`These credentials limit payments, and this ${method} request may be one`, {
			hint: `${doubt}, so it can't be shown not to be a payment. Ask the person who manages the credentials.`,
		});
	}
	throw new Refusal(`These credentials don't allow this ${method} request`, {
		field: 'permissions',
		hint: `${doubt}, so it needs every permission; ${missing.join(', ')} ${missing.length === 1 ? "isn't" : "aren't"} selected. Ask the person who manages the credentials.`,
	});
}

function requireReadablePayment(credentials: ServiceCredentials, { members }: Body): void {
	const {
		amount_cents: cents,
		external_recipient_email: email,
		currency_symbol: currency,
	} = members;
	const surplus = limitsPayments(credentials)
		? Object.keys(members).find((name) => !PAYMENT_MEMBERS.has(name))
		: undefined;
	const isReadable =
		typeof cents === 'number' &&
		Number.isSafeInteger(cents) &&
		cents > 0 &&
		typeof email === 'string' &&
		email !== '' &&
		(currency === undefined || currency === 'USD') &&
		surplus === undefined;
	if (!isReadable) {
		throw new Refusal("The amount and the recipient of this payment can't be read", {
			hint: 'Send a JSON body with amount_cents as a whole number, external_recipient_email as text, and no members that the operation doesn’t have.',
		});
	}
	requireAllowedPayment(credentials, { amountCents: cents, recipientEmail: email });
}

/**
 * The request as it may be sent with the credentials: to the origin of their base URL, over n8n's own
 * connections, without redirects, and only for what they allow. What was read to decide this is what
 * is sent.
 * @param options of either of n8n's request functions; they stay as they are
 * @throws {Refusal} that says what the credentials don't allow
 */
export function allowedRequest(
	credentials: ServiceCredentials,
	options: IHttpRequestOptions,
): IHttpRequestOptions {
	const given: Given = { ...options };
	const url = destinationOf(given);
	const base = new URL(credentials.baseUrl);
	if (url.origin !== base.origin) {
		throw new Refusal(
			`The token of these credentials goes to ${base.origin} only, not to ${url.origin}`,
			{ hint: 'Correct the URL of the request, or the Base URL in the credentials.' },
		);
	}
	refuseOwnConnection(given);
	const headers = headersOf(given, url);
	const method = methodOf(given);
	const sent: IHttpRequestOptions = { ...options, ...NO_REDIRECTS, url: url.href, headers };
	if (method !== undefined) sent.method = method;
	clear(sent, given, ADDRESS_MEMBERS);
	const prefix = base.pathname.replace(/\/$/, '');
	const path = url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : '';
	const needed = method === undefined ? undefined : permissionOf(method, path);
	const unlimited = isUnlimited(credentials);
	if (unlimited && needed !== 'sendPayments') return sent;

	if (method === 'GET') {
		const doubt = doubtAboutRead(given, url, headers);
		if (doubt === undefined) return clear(sent, given, BODY_MEMBERS);
		return refuseUnknownRequest(credentials, method, doubt);
	}
	if (needed === undefined) return refuseUnknownRequest(credentials, method ?? 'unusual');
	requirePermission(credentials, needed);
	const body = readBody(given, headers);
	if (needed === 'sendPayments') {
		requireReadablePayment(credentials, body ?? { text: undefined, members: {} });
	}
	const doubt =
		body === undefined ? "Its body isn't JSON" : doubtAboutWrite(given, url, headers, body);
	if (body === undefined || (doubt !== undefined && !unlimited)) {
		return refuseUnknownRequest(credentials, method ?? 'unusual', doubt);
	}
	const otherHeaders = Object.entries(headers).filter(([name]) => !isContentHeader(name));
	const contentType = body.text === undefined ? [] : [['content-type', 'application/json']];
	return Object.assign(clear(sent, given, BODY_MEMBERS), {
		headers: Object.fromEntries([...otherHeaders, ...contentType]),
		body: body.text,
	});
}

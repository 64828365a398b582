import type { IHttpRequestOptions } from 'n8n-workflow';

/** What n8n's request functions take: either kind, or whatever an expression made of it. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/**
 * Options as `authenticate` gets them. n8n declares them as IHttpRequestOptions and hands over those of
 * its older request function too.
 */
export function asOptions(given: GivenOptions): IHttpRequestOptions {
	return Object.assign({ url: '' }, { url: undefined }, given);
}

/**
 * What n8n's HTTP Request node hands to `requestWithAuthentication`, as recorded from versions 4.5 and
 * 2 of the node in n8n-nodes-base of n8n 2.41.3 (HttpRequestV3.node.js, HttpRequestV2.node.js).
 */
const VERSION_4 = {
	headers: {
		accept:
			'application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7',
	},
	gzip: true,
	rejectUnauthorized: true,
	followRedirect: true,
	resolveWithFullResponse: true,
	sendCredentialsOnCrossOriginRedirect: false,
	allowedDomains: undefined,
	followAllRedirects: true,
	maxRedirects: undefined,
	timeout: 300_000,
	encoding: null,
	json: false,
	useStream: true,
};

const VERSION_2 = {
	headers: { accept: 'application/json,text/*;q=0.99' },
	gzip: true,
	rejectUnauthorized: true,
	allowedDomains: undefined,
	timeout: 3_600_000,
	json: true,
};

export const httpRequestNode = {
	get: (uri: string, qs?: Readonly<Record<string, unknown>>): GivenOptions => ({
		...VERSION_4,
		method: 'GET',
		uri,
		...(qs === undefined ? {} : { qs }),
	}),
	/** The page of a list, with *Pagination* on: the URL stands in both members. */
	nextPage: (url: string): GivenOptions => ({
		...VERSION_4,
		simple: false,
		method: 'GET',
		qs: {},
		uri: url,
		url,
	}),
	json: (method: string, uri: string, body: unknown): GivenOptions => ({
		...VERSION_4,
		method,
		uri,
		body,
	}),
	raw: (method: string, uri: string, body: string, type = 'application/json'): GivenOptions => ({
		...VERSION_4,
		headers: { 'content-type': type, ...VERSION_4.headers },
		method,
		uri,
		body,
	}),
	binaryFile: (
		method: string,
		uri: string,
		body: Buffer,
		type = 'application/json',
	): GivenOptions => ({
		...VERSION_4,
		headers: { 'content-length': body.length, 'content-type': type, ...VERSION_4.headers },
		method,
		uri,
		body,
	}),
	formUrlencoded: (method: string, uri: string, form: unknown): GivenOptions => ({
		...VERSION_4,
		method,
		uri,
		form,
	}),
	multipart: (method: string, uri: string, formData: unknown): GivenOptions => ({
		...VERSION_4,
		method,
		uri,
		formData,
	}),
	version2: (method: string, uri: string, body: unknown): GivenOptions => ({
		...VERSION_2,
		method,
		uri,
		body,
	}),
	version2Raw: (method: string, uri: string, body: unknown): GivenOptions => ({
		...VERSION_2,
		json: false,
		useStream: true,
		method,
		uri,
		body,
	}),
};

import fc from 'fast-check';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { PERMISSIONS } from '../../../nodes/PayrollPayments/api/credentialLimits';

import type { GivenOptions } from './httpRequestShapes';

/*
 * A judge for requests that the credentials let out: an independent router, far more lenient than any
 * real one. It takes a request for every operation that some server, framework or proxy might take it
 * for, and says what each would need. It shares no code with the policy.
 */

type Reading = { readonly method: string; readonly path: string };

const ROUTES: ReadonlyArray<readonly [RegExp, readonly string[], string]> = [
	[/^\/v2\/auth\/verify$/, ['POST'], 'nothing'],
	[/^\/v2\/invites$/, ['POST'], 'invitePeople'],
	[/^\/v2\/invites\/manager$/, ['POST', 'PUT'], 'manageAdministrators'],
	[
		/^\/v2\/payments\/teams\/[^/]+\/external_entity\/[^/]+\/name_review$/,
		['POST'],
		'resolveNameReviews',
	],
	[/^\/v2\/payments\/external_entity\/instant$/, ['PUT'], 'sendPayments'],
	[/^\/v2\/webhooks\/test\/[^/]+$/, ['POST'], 'sendTestEvents'],
];

const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

function decoded(text: string): string {
	let last = text;
	for (let round = 0; round < 3; round++) {
		last = last.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
			String.fromCharCode(parseInt(hex, 16)),
		);
	}
	return last;
}

/** The path as the most forgiving server reads it. */
function lenientPath(path: string, prefix: string): string {
	const segments: string[] = [];
	const plain =
		decoded(path)
			.toLowerCase()
			.replaceAll('\\', '/')
			.replace(/[\0\t\r\n ]/g, '')
			.split(/[?#]/)[0] ?? '';
	for (const part of plain.split('/')) {
		const segment = (part.split(';')[0] ?? '')
			.replace(/\.json$/, '')
			.replace(/\.+$/, (dots) => (dots.length > 2 || part === dots ? dots : ''));
		if (segment === '..') segments.pop();
		else if (segment !== '' && segment !== '.') segments.push(segment);
	}
	const joined = `/${segments.join('/')}`;
	return joined.startsWith(`${prefix}/`) ? joined.slice(prefix.length) : joined;
}

function textsIn(value: unknown): string[] {
	if (typeof value === 'object' && value !== null) {
		return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
	}
	return [String(value)];
}

/** Verbs that some framework may find in a header, a parameter or a member called like a method. */
function overridingVerbs(names: ReadonlyArray<readonly [string, unknown]>): string[] {
	return names
		.filter(([name]) => /method/i.test(decoded(name)))
		.flatMap(([, value]) => textsIn(value))
		.flatMap((text) => VERBS.filter((verb) => decoded(text).toUpperCase().includes(verb)));
}

function bodyMembers(body: unknown): Array<[string, unknown]> {
	if (typeof body === 'string') {
		try {
			const parsed: unknown = JSON.parse(body);
			return bodyMembers(typeof parsed === 'string' ? [] : parsed);
		} catch {
			return [...new URLSearchParams(body)];
		}
	}
	if (body instanceof Uint8Array) return bodyMembers(Buffer.from(body).toString('utf8'));
	if (body instanceof URLSearchParams) return [...body];
	return typeof body === 'object' && body !== null ? Object.entries(body) : [];
}

/** A request as it was let out, or as it arrived. */
export interface Sent {
	readonly method?: unknown;
	readonly url?: unknown;
	readonly baseURL?: unknown;
	readonly uri?: unknown;
	readonly qs?: unknown;
	readonly headers?: unknown;
	readonly body?: unknown;
	readonly form?: unknown;
	readonly formData?: unknown;
}

/** Every way in which the request may be understood. */
function readingsOf(sent: Sent, prefix: string): Reading[] {
	const url = new URL(String(sent.url));
	const headers = Object.entries(Object(sent.headers)).map(([name, value]): [string, unknown] => [
		name.trim(),
		value,
	]);
	const query = [...url.searchParams, ...bodyMembers(sent.qs)];
	const members = [
		...bodyMembers(sent.body),
		...bodyMembers(sent.form),
		...bodyMembers(sent.formData),
	];
	const methods = [
		String(sent.method ?? 'GET')
			.trim()
			.toUpperCase(),
		...overridingVerbs([...headers, ...query, ...members]),
	];
	const paths = [
		url.pathname,
		...headers
			.filter(([name]) => /^x-(?:original|rewrite|forwarded)-(?:url|uri|path)$/i.test(name))
			.map(([, value]) => String(value)),
	];
	return methods.flatMap((method) =>
		paths.map((path) => ({ method, path: lenientPath(path, prefix) })),
	);
}

/** What a reading needs: a permission, `nothing`, or `everything` for what is not documented. */
function needOf({ method, path }: Reading): string {
	if (method === 'GET') return 'nothing';
	const route = ROUTES.find(([pattern, methods]) => pattern.test(path) && methods.includes(method));
	return route?.[2] ?? 'everything';
}

/** Members and parameters under a name, all of them where one is there several times. */
function valuesOf(sent: Sent, name: RegExp): unknown[] {
	const inText =
		typeof sent.body === 'string' && sent.body.startsWith('{')
			? [...sent.body.matchAll(/"([^"]*)":("[^"]*"|[^,}]*)/g)].map(
					([, found = '', value = '']): [string, unknown] => [found, value.replaceAll('"', '')],
				)
			: bodyMembers(sent.body);
	return [
		...new URL(String(sent.url)).searchParams,
		...bodyMembers(sent.qs),
		...inText,
		...bodyMembers(sent.form),
		...bodyMembers(sent.formData),
	]
		.filter(([found]) => name.test(found))
		.map(([, value]) => value);
}

/** One request with one set of credentials. */
export interface Case {
	readonly saved: ICredentialDataDecryptedObject;
	readonly granted: readonly string[];
	readonly maximumCents: number | undefined;
	readonly onlyExampleCom: boolean;
	readonly prefix: string;
	readonly given: GivenOptions;
}

/** What is wrong with letting this request out; undefined where nothing is. */
export function faultIn(
	{ granted, maximumCents, onlyExampleCom, prefix }: Case,
	sent: Sent,
): string | undefined {
	if (sent.uri !== undefined || sent.baseURL !== undefined) return 'two addresses';
	const isLimited = maximumCents !== undefined || onlyExampleCom;
	for (const reading of readingsOf(sent, prefix)) {
		const need = needOf(reading);
		if (need === 'nothing') continue;
		const mayDoAll = granted.length === PERMISSIONS.length && !isLimited;
		if (need === 'everything' ? !mayDoAll : !granted.includes(need)) {
			return `${reading.method} ${reading.path} without ${need}`;
		}
		if (need !== 'sendPayments' || !isLimited) continue;
		const amounts = valuesOf(sent, /amount.?cents/i).map(Number);
		const recipients = valuesOf(sent, /external.?recipient.?email/i).map(String);
		if (amounts.length !== 1 || recipients.length !== 1)
			return 'a payment that can be read in two ways';
		if (
			maximumCents !== undefined &&
			!amounts.every((cents) => cents > 0 && cents <= maximumCents)
		) {
			return `a payment of ${amounts.join(', ')}`;
		}
		if (onlyExampleCom && !recipients.every((to) => /^[a-z0-9]+@example\.com$/i.test(to))) {
			return `a payment to ${recipients.join(', ')}`;
		}
	}
	return undefined;
}

const PATHS = [
	'/v2/auth/verify',
	'/v2/invites',
	'/v2/invites/manager',
	'/v2/payments/teams/te-a1B2c3D4e5F6/external_entity/us-a1B2c3D4e5F6/name_review',
	'/v2/payments/external_entity/instant',
	'/v2/webhooks/test/wh-a1B2c3D4e5F6',
	'/v2/webhooks/test/..',
	'/v2/balance',
	'/v2/payouts',
];

const METHOD_NAMES = [
	'GET',
	'POST',
	'PUT',
	'PATCH',
	'DELETE',
	'HEAD',
	'OPTIONS',
	'get',
	'post',
	'put',
	'Put',
	'',
	undefined,
	'po\u017Ft',
	'POST ',
	'X',
];

const OVERRIDES: ReadonlyArray<readonly [string, unknown]> = [
	['X-HTTP-Method-Override', 'PUT'],
	['x-http-method', 'POST'],
	['X-Method-Override', 'put'],
	['_method', 'PUT'],
	['_METHOD', ['POST']],
	['_method[]', 'PUT'],
	['%5Fmethod', 'PUT'],
	['$httpMethod', 'PUT'],
	['method', 'delete'],
	['method', { a: 'PUT' }],
];

const HEADER_EXTRAS: ReadonlyArray<readonly [string, unknown]> = [
	...OVERRIDES,
	['X-Original-URL', '/v2/payments/external_entity/instant'],
	['X-Rewrite-URL', '/v2/invites'],
	['Content-Type', 'application/x-www-form-urlencoded'],
	['content-type', 'application/json'],
	['Content-Encoding', 'gzip'],
	['Transfer-Encoding', 'chunked'],
	['Content-Length', 5],
	['accept', 'application/json'],
	['X-Request-Id', '1'],
];

/** One change to a path that some server undoes. */
const pathTwist = fc.constantFrom<(path: string) => string>(
	(path) => path,
	(path) => path,
	(path) => path,
	(path) => path,
	(path) => path,
	(path) => path,
	(path) => `${path}/`,
	(path) => path.replace('/v2/', '//v2/'),
	(path) => path.replace('/v2/', '/v2//'),
	(path) => path.replace('/v2/', '/v2/./'),
	(path) => path.replace('/v2/', '/x/../v2/'),
	(path) => path.replace('/v2/', '/v2/%2e/'),
	(path) => path.replace('/v2/', '/v2/x/%2E%2e/'),
	(path) => path.replace('/v2/', '\\v2\\'),
	(path) => path.replace('i', '%69'),
	(path) => path.replace('v', '%2576'),
	(path) => path.replace(/\/(?=[^/]+$)/, '%2f'),
	(path) => path.toUpperCase(),
	(path) => `${path};x=1`,
	(path) => path.replace('/v2', '/v2;a'),
	(path) => `${path}.json`,
	(path) => `${path}.`,
	(path) => `${path}%20`,
	(path) => `${path}%00`,
	(path) => `${path}\t`,
	(path) => `${path}?a=1`,
	(path) => `${path}?_method=PUT`,
	(path) => `${path}?amount_cents=999999`,
	(path) => `${path}#x`,
);

const amount = fc.constantFrom<unknown>(
	1,
	10_000,
	10_001,
	999_999,
	'10000',
	'1e9',
	1e300,
	-5,
	1.5,
	null,
);
const recipient = fc.constantFrom<unknown>(
	'ana@example.com',
	'ANA@Example.com',
	'eve@example.org',
	'eve@sub.example.com',
	'a@example.com,eve@example.org',
	['eve@example.org'],
	'eve@example.org@example.com',
	'',
);
const members = fc
	.tuple(
		fc.array(
			fc.oneof(
				{ weight: 4, arbitrary: fc.tuple(fc.constant('amount_cents'), amount) },
				{ weight: 4, arbitrary: fc.tuple(fc.constant('external_recipient_email'), recipient) },
				fc.tuple(fc.constantFrom('Amount_Cents', 'amountCents'), amount),
				fc.tuple(fc.constantFrom('External_Recipient_Email'), recipient),
				fc.constantFrom(...OVERRIDES),
				fc.tuple(
					fc.constantFrom('from', 'network', '__proto__', 'role'),
					fc.constantFrom<unknown>('x', 1, {}),
				),
			),
			{ maxLength: 4 },
		),
		fc.boolean(),
	)
	.map(([list, isWhole]) =>
		isWhole
			? [
					...list,
					['amount_cents', 10_000] as const,
					['external_recipient_email', 'ana@example.com'] as const,
				]
			: list,
	);

/** JSON as text, a member that is there twice included. */
function jsonText(list: ReadonlyArray<readonly [string, unknown]>): string {
	return `{${list.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

const encodedBody = fc
	.tuple(members, fc.integer({ min: 0, max: 14 }))
	.map(([list, encoding]): GivenOptions => {
		const object = Object.fromEntries(list);
		const form = new URLSearchParams(
			list.map(([name, value]): [string, string] => [name, String(value)]),
		);
		switch (encoding) {
			case 0:
			case 1:
			case 2:
				return { body: object, json: true };
			case 3:
			case 4:
			case 5:
				return { body: jsonText(list), headers: { 'content-type': 'application/json' } };
			case 6:
				return {
					body: Buffer.from(jsonText(list)),
					headers: { 'content-type': 'application/json', 'content-length': 4 },
				};
			case 7:
				return {
					body: form.toString(),
					headers: { 'content-type': 'application/x-www-form-urlencoded' },
				};
			case 8:
				return { body: form };
			case 9:
				return { form: object };
			case 10:
				return { body: {}, formData: object };
			default:
				return {};
		}
	});

/** Whether the credentials of a case are limited at all. */
export function isRestricted({ granted, maximumCents, onlyExampleCom }: Case): boolean {
	return granted.length < PERMISSIONS.length || maximumCents !== undefined || onlyExampleCom;
}

/** Requests over all methods, paths and body encodings, to a service at the given origin. */
export function casesFor(origin: string): fc.Arbitrary<Case> {
	const drawings = fc.record({
		granted: fc.oneof(
			fc.subarray<string>([...PERMISSIONS]),
			fc.constant<string[]>([...PERMISSIONS]),
		),
		maximumCents: fc.constantFrom(undefined, 10_000),
		onlyExampleCom: fc.boolean(),
		prefix: fc.constantFrom('', '/base'),
		path: fc.oneof(
			{ weight: 1, arbitrary: fc.constant('/v2/payments/external_entity/instant') },
			{ weight: 2, arbitrary: fc.constantFrom(...PATHS) },
		),
		twists: fc.array(pathTwist, { maxLength: 2, size: 'xsmall' }),
		method: fc.oneof(
			{ weight: 2, arbitrary: fc.constant('PUT') },
			{ weight: 2, arbitrary: fc.constant('POST') },
			{ weight: 3, arbitrary: fc.constantFrom(...METHOD_NAMES) },
		),
		body: encodedBody,
		headers: fc.array(fc.constantFrom(...HEADER_EXTRAS), { maxLength: 1, size: 'xsmall' }),
		qs: fc.oneof(
			{ weight: 7, arbitrary: fc.constant(undefined) },
			{
				weight: 1,
				arbitrary: fc.constantFrom(
					...OVERRIDES,
					['amount_cents', 1] as const,
					['page', 1] as const,
				),
			},
		),
		address: fc.constantFrom('url', 'uri', 'parts', 'url', 'uri', 'both', 'url', 'uri'),
	});
	return drawings.map((drawn) => {
		const { granted, maximumCents, onlyExampleCom, prefix, method, body } = drawn;
		const path = drawn.twists.reduce((text, twist) => twist(text), `${prefix}${drawn.path}`);
		const address: Readonly<Record<string, GivenOptions>> = {
			url: { url: `${origin}${path}` },
			uri: { uri: `${origin}${path}` },
			both: { url: `${origin}${path}`, uri: `${origin}/v2/auth/verify` },
			parts: { url: path, baseURL: `${origin}/` },
		};
		return {
			granted,
			maximumCents,
			onlyExampleCom,
			prefix,
			saved: {
				baseUrl: `${origin}${prefix}`,
				authentication: 'accessToken',
				accessToken: 'a.b.c',
				permissions: granted,
				maximumPayment: maximumCents === undefined ? '' : '100.00',
				paymentRecipients: onlyExampleCom ? '@example.com' : '',
			},
			given: {
				...body,
				...address[drawn.address],
				...(method === undefined ? {} : { method }),
				headers: { ...Object(body.headers), ...Object.fromEntries(drawn.headers) },
				...(drawn.qs === undefined ? {} : { qs: Object.fromEntries([drawn.qs]) }),
			},
		};
	});
}

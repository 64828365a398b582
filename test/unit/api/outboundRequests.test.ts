import { Readable } from 'node:stream';

import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { PayrollPaymentsApi } from '../../../credentials/PayrollPaymentsApi.credentials';
import { runs } from '../../support/propertyRuns';

const BASE = 'https://api.example.com';
const INVITES = `${BASE}/v2/invites`;

/** What a node may hand over: an expression can have put anything into any member. */
type Given = Readonly<Record<string, unknown>>;

const unlimited = { access: 'everything' };
const LIMITED: readonly ICredentialDataDecryptedObject[] = [
	{},
	{ access: 'readOnly' },
	{ access: 'selected', permissions: ['invitePeople', 'sendPayments'] },
	{ access: 'everything', maximumPayment: '100' },
	{ access: 'everything', paymentRecipients: '@example.com' },
	{ access: 'everything', requireApproval: true },
];

/** The request as n8n's HTTP Request node would send it with the credentials. */
async function authenticate(change: ICredentialDataDecryptedObject, given: Given) {
	const options: IHttpRequestOptions = Object.assign({ url: '' }, given);
	if (!('url' in given)) Reflect.deleteProperty(options, 'url');
	return await new PayrollPaymentsApi().authenticate(
		{ baseUrl: BASE, authentication: 'accessToken', accessToken: 'a.b.c', ...change },
		options,
	);
}

async function expectRefusal(
	change: ICredentialDataDecryptedObject,
	given: Given,
	message: string | RegExp,
) {
	await expect(authenticate(change, given)).rejects.toThrow(message);
}

describe('the connection', () => {
	const get = { method: 'GET', url: INVITES };

	it.each<Given>([
		...['http://proxy.example.org', ' ', { host: 'a.example' }, true].map((proxy) => ({ proxy })),
		...[false, 0, '', 'false'].map((rejectUnauthorized) => ({ rejectUnauthorized })),
		{ strictSSL: false },
		{ skipSslCertificateValidation: true },
		{ agentOptions: { rejectUnauthorized: false } },
		{ agentOptions: Object.create({ rejectUnauthorized: false }) },
		{ httpsAgent: { options: {} } },
		{ httpAgent: () => undefined },
		{ agents: { https: {} } },
		{ socketPath: '/var/run/docker.sock' },
		{ lookup: () => undefined },
		{ adapter: 'http' },
		{ ca: 'PEM' },
	])('is not changed by a request, whatever access there is: %j', async (change) => {
		const [member] = Object.keys(change);
		for (const access of [unlimited, {}]) {
			const message = `The request sets ${member}, which could expose the token`;
			await expectRefusal(access, { ...get, ...change }, message);
		}
	});

	it.each([
		{ proxy: undefined, agentOptions: undefined },
		{ proxy: '', rejectUnauthorized: true },
		{ proxy: null, skipSslCertificateValidation: false },
		{ agentOptions: {}, strictSSL: true },
	])('may be left as it is: %j', async (change) => {
		expect(await authenticate({}, { ...get, ...change })).toMatchObject({
			headers: { authorization: 'Bearer a.b.c' },
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
		});
	});
});

describe('the origin', () => {
	it.each<Given>([
		{ url: 'https://evil.example/v2/invites' },
		{ uri: 'https://evil.example/v2/invites' },
		{ url: 'http://api.example.com/v2/invites' },
		{ url: 'https://api.example.com:8443/v2/invites' },
		{ url: 'https://api.example.com.evil.example/' },
		{ url: 'https://api.example.com@evil.example/' },
		{ url: 'https:\\\\evil.example/v2' },
	])('is the base URL’s, whatever access there is: %j', async (change) => {
		const message = 'goes to https://api.example.com only, not to ';
		for (const access of [unlimited, {}]) await expectRefusal(access, change, message);
	});

	it.each<Given>([
		{},
		{ url: '' },
		{ url: 7 },
		{ url: '/v2/invites' },
		{ url: '//api.example.com/v2/invites' },
		{ url: { href: INVITES } },
		{ url: INVITES, uri: 'https://evil.example/' },
		{ url: '/v2/invites', baseURL: BASE },
		{ url: INVITES, baseURL: 'https://evil.example' },
		{ url: INVITES, baseURL: { toString: () => 'https://evil.example' } },
	])('is known, or the request is refused: %j', async (change) => {
		await expectRefusal(unlimited, change, 'The request has no valid URL');
	});

	it.each<readonly [Given, string]>([
		[{ url: `${INVITES}?nanoid=x#part` }, `${INVITES}?nanoid=x`],
		[{ uri: INVITES }, INVITES],
		[{ url: INVITES, uri: INVITES }, INVITES],
		[{ url: `${BASE}/v2/x/../invites` }, INVITES],
	])('and the path are sent as they were read: %j', async (change, url) => {
		const sent: Given = { ...(await authenticate({}, { method: 'GET', ...change })) };
		expect([sent.url, sent.uri, sent.baseURL]).toEqual([url, undefined, undefined]);
	});

	it.each([
		{ Host: 'evil.example' },
		{ host: 'api.example.com:8443' },
		{ ' HOST ': ['evil.example'] },
	])('is not changed by a header: %j', async (headers) => {
		await expectRefusal(unlimited, { url: INVITES, headers }, 'goes to api.example.com only');
	});

	it.each([
		{ get: { Host: 'evil.example' } },
		{ common: { 'X-HTTP-Method-Override': 'PUT' } },
		{ accept: [{}] },
		{ common: [['Host', 'evil.example']] },
	])('is not changed by headers that n8n’s HTTP client unpacks: %j', async (headers) => {
		for (const access of [unlimited, {}]) {
			await expectRefusal(access, { url: INVITES, headers }, 'isn’t text');
		}
	});

	it('may be repeated in the header', async () => {
		const headers = { Host: 'API.example.com', accept: ['a', 'b'] };
		await expect(authenticate({}, { url: INVITES, headers })).resolves.toBeDefined();
	});
});

describe('with read access or any limit, another node', () => {
	it.each<Given>([
		{ method: 'GET', qs: { nanoid: 'te-a1B2c3D4e5F6' } },
		{ method: 'get' },
		{},
		{ method: '' },
		{ body: {}, form: {}, formData: undefined, json: true },
		{ url: `${BASE}/v3/anything?page=2`, headers: { 'X-Custom': 'a' } },
		{ qs: new URLSearchParams({ nanoid: 'x' }) },
	])('may send a plain GET: %j', async (given) => {
		for (const access of LIMITED) {
			const sent = await authenticate(access, { url: INVITES, ...given });
			expect(sent.headers).toEqual({ ...Object(given.headers), authorization: 'Bearer a.b.c' });
		}
	});

	it.each<Given>([
		...['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'GET ', 7, ['GET']].map(
			(method) => ({ method, body: {} }),
		),
		...['X-HTTP-Method-Override', 'x-http-method', 'X-METHOD-OVERRIDE '].map((name) => ({
			headers: { [name]: 'PUT' },
		})),
		{ headers: { 'Transfer-Encoding': 'chunked' } },
		{ headers: { 'content-length': 100 } },
		{ qs: { _method: 'PUT' } },
		{ qs: { '': { _method: 'PUT' } } },
		{ qs: { '_method[]': ['PUT'] } },
		{ qs: { $httpMethod: 'PUT' } },
		{ qs: new URLSearchParams('_method=PUT') },
		{ qs: '_method=PUT' },
		{ url: `${INVITES}?_method=PUT` },
		{ url: `${INVITES}?%5Fm%65thod=PUT` },
		{ url: `${INVITES}?a=1&;_method=PUT` },
		{ body: { _method: 'PUT' } },
		{ body: 'x' },
		{ body: Buffer.from('x') },
		{ body: Readable.from(['x']) },
		{ body: new URLSearchParams('_method=PUT') },
		{ form: { _method: 'PUT' } },
		{ formData: { _method: 'PUT' } },
	])('may send nothing else: %j', async (given) => {
		const request = { method: 'GET', url: INVITES, ...given };
		for (const access of LIMITED) await expectRefusal(access, request, 'Other nodes may only read');
		await expect(authenticate(unlimited, request)).resolves.toBeDefined();
	});
});

describe('what the credentials list', () => {
	const prepare = 'POST /v2/payments/prepare';
	const PREPARE = `${BASE}/v2/payments/prepare`;
	const listing = (otherRequests: string, change = {}) => ({ ...change, otherRequests });
	/* With a pattern that tries every way to divide it, n8n would stand still for years. */
	const LONG = `${'a'.repeat(80)}/rows//x`;

	it.each<[lines: string, given: Given]>([
		[prepare, { method: 'POST', url: PREPARE, body: { a: 1 } }],
		[prepare, { method: 'post', uri: `${PREPARE}?dry=1`, form: { a: 1 } }],
		[`DELETE /v2/x\n${prepare}`, { method: 'POST', url: PREPARE }],
		['PATCH /v2/reports/*', { method: 'PATCH', url: `${BASE}/v2/reports/a-1/rows/`, body: 'x' }],
		['PATCH /v2/reports/*', { method: 'PATCH', url: `${BASE}/v2/reports/` }],
		['POST /v2/payments:prepare', { method: 'POST', url: `${BASE}/v2/payments:prepare` }],
		['GET /v2/search', { url: `${BASE}/v2/search`, body: { a: 1 } }],
	])('other nodes may send: %j, %j', async (lines, given) => {
		for (const access of LIMITED) {
			const sent = await authenticate(listing(lines, access), given);
			expect(sent.headers).toEqual({ authorization: 'Bearer a.b.c' });
		}
	});

	it.each<[lines: string, given: Given]>([
		[prepare, { method: 'PUT', url: PREPARE }],
		[prepare, { method: 'POST', url: PREPARE, qs: { _method: 'PUT' } }],
		...['X-HTTP-Method', 'X-Original-URL', 'x-rewrite-uri'].map((name): [string, Given] => [
			prepare,
			{ method: 'POST', url: PREPARE, headers: { [name]: '/v2/invites' } },
		]),
		[prepare, { method: ['POST'], url: PREPARE, body: 'x' }],
		...['', '/prepare/', '/prepared', '/Prepare', '/prepare/../../invites'].map(
			(path): [string, Given] => [prepare, { method: 'POST', url: `${BASE}/v2/payments${path}` }],
		),
		...[
			...['..%2Finvites', '..%5Cinvites', 'a//b', '%2e%2e/invites', 'a\\..\\..\\invites'],
			'a;b',
			LONG,
		].map((rest): [string, Given] => [
			'POST /v2/reports/*',
			{ method: 'POST', url: `${BASE}/v2/reports/${rest}`, body: 'x' },
		]),
		['PUT /v2/invites/manager/*', { method: 'PUT', url: `${BASE}/v2/invites/manager/`, body: 'x' }],
	])('they may send nothing else: %j, %j', async (lines, given) => {
		await expectRefusal(listing(lines), given, 'Other nodes may only read');
	});

	it('counts below the path of the base URL', async () => {
		const change = listing(prepare, { baseUrl: `${BASE}/api` });
		const post = (path: string) => ({ method: 'POST', url: `${BASE}${path}` });
		await expect(authenticate(change, post('/api/v2/payments/prepare'))).resolves.toBeDefined();
		await expectRefusal(change, post('/v2/payments/prepare'), 'Other nodes may only read');
		await expectRefusal(change, post('/apiv2/payments/prepare'), 'Other nodes may only read');
	});

	it.each([
		...['PUT /v2/payments/external_entity/instant', 'PUT /v2/payments/*', 'PUT /v2*', 'PUT /*'],
		...['PUT /v2/payments/external_entity/inst*', 'POST /v2/auth/verify', 'POST /v2/invites'],
		...['POST /v2/webhooks/test/wh-a1B2c3D4e5F6', 'POST /v2/webhooks/*', 'POST /v2/webh*'],
		...['POST /v2/payments/teams/te-1/external_entity/us-1/name_review', 'POST /v2/payments/*'],
		...['POST /v2/payments/teams/te-1/*', 'GET /v2/teams/te-1/users', 'POST /v2/invites/manager'],
		/* As servers read them that ignore case, doubled slashes, or one at the end. */
		...['PUT /v2/Payments/external_entity/instant', 'PUT /v2//payments/external_entity/instant/'],
	])('can’t be what our operations send: %s', async (line) => {
		const message = /in line 1: (GET|POST|PUT) \/v2\/\S+ is for the Payroll Payments node only/;
		await expectRefusal(listing(line), { url: INVITES }, message);
	});

	it.each([
		...['/v2/x', 'POST v2/x', 'POST', 'post /v2/x', 'POST /v2/*/x', 'POST /v2/x?a=1'],
		...['POST /v2/%78', 'TRACE /v2/x', 'POST https://api.example.com/v2/x', 'POST /v2/x /v2/y'],
	])('is a method and a path: %s', async (line) => {
		const message =
			'Other Nodes May Also Send in the credentials is wrong in line 1: write a method';
		await expectRefusal(listing(line), { url: INVITES }, message);
	});
});

it('whatever the options hold, they are refused or sent as a GET to the origin of the base URL', async () => {
	let passed = 0;
	const anything = fc.oneof(
		{ weight: 4, arbitrary: fc.constantFrom(undefined, null, '') },
		fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
	);
	const member = (...usual: unknown[]) =>
		fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...usual) }, anything);
	const options = fc.record(
		{
			method: member('GET', 'PUT'),
			url: member(INVITES),
			...{ uri: anything, baseURL: anything, headers: anything, body: anything, qs: anything },
			...{ form: anything, formData: anything, proxy: anything, agentOptions: anything },
			rejectUnauthorized: member(true),
		},
		{ requiredKeys: ['url'] },
	);
	await fc.assert(
		fc.asyncProperty(options, fc.constantFrom(...LIMITED), async (given, access) => {
			const sent = await authenticate(access, given).catch(() => undefined);
			if (sent === undefined) return;
			passed += 1;
			expect(new URL(sent.url).origin).toBe(BASE);
			expect(sent.method ?? 'GET').toMatch(/^(GET)?$/i);
			expect(sent.headers).toMatchObject({ authorization: 'Bearer a.b.c' });
			expect([null, undefined, '', false]).toContain(
				typeof sent.body === 'object' && Object.keys(sent.body ?? {}).length === 0
					? null
					: sent.body,
			);
		}),
		{ numRuns: runs(500) },
	);
	expect(passed).toBeGreaterThan(0);
});

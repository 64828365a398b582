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

	it.each([
		...['http://proxy.example.org:3128', ' ', { host: 'proxy.example.org' }, true].map(
			(proxy): [Given, string] => [{ proxy }, 'sets proxy,'],
		),
		...[false, 0, '', 'false'].map((rejectUnauthorized): [Given, string] => [
			{ rejectUnauthorized },
			'sets rejectUnauthorized,',
		]),
		...[{ strictSSL: false }, { skipSslCertificateValidation: true }].map(
			(change): [Given, string] => [change, 'The request sets '],
		),
		...[
			{ agentOptions: { rejectUnauthorized: false } },
			{ agentOptions: Object.create({ rejectUnauthorized: false }) },
			{ httpsAgent: { options: {} } },
			{ httpAgent: () => undefined },
			{ agents: { https: {} } },
			{ socketPath: '/var/run/docker.sock' },
			{ lookup: () => undefined },
			{ adapter: 'http' },
			{ ca: 'PEM' },
		].map((change): [Given, string] => [change, 'could expose the token']),
	])('is not changed by a request, whatever access there is: %j', async (change, message) => {
		for (const access of [unlimited, {}]) {
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

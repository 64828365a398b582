import { Readable } from 'node:stream';

import { PayrollPaymentsApi } from '../../../credentials/PayrollPaymentsApi.credentials';
import { PERMISSIONS } from '../../../nodes/PayrollPayments/api/credentialLimits';

import { asOptions, httpRequestNode, type GivenOptions } from './httpRequestShapes';

const BASE = 'https://api.example.com';
const PAYMENT = `${BASE}/v2/payments/external_entity/instant`;
const INVITES = `${BASE}/v2/invites`;

const readOnly = { permissions: [] };
const invitesOnly = { permissions: ['invitePeople'] };
const capped = { maximumPayment: '100.00', paymentRecipients: '@example.com' };

const payment = {
	from: 'te-a1B2c3D4e5F6',
	amount_cents: 10_000,
	signer: `0x${'a'.repeat(40)}`,
	typed_data: { from: 'x', to: 'y', salt: '1', expires: '2', data: { amount: '1' } },
	signature: `0x${'b'.repeat(130)}`,
	external_recipient_email: 'ana@example.com',
	currency_symbol: 'USD',
	network: 'arbitrum',
};
const tooMuch = { ...payment, amount_cents: 10_001 };

async function authenticate(change: Record<string, unknown>, given: GivenOptions) {
	return await new PayrollPaymentsApi().authenticate(
		{ baseUrl: BASE, authentication: 'accessToken', accessToken: 'a.b.c', ...change },
		asOptions(given),
	);
}

async function expectRefusal(
	change: Record<string, unknown>,
	given: GivenOptions,
	message: string | RegExp,
) {
	await expect(authenticate(change, given)).rejects.toThrow(message);
}

describe('the connection', () => {
	const get = { method: 'GET', url: INVITES };

	it.each([
		{ proxy: 'http://proxy.example.org:3128' },
		{ proxy: 'proxy.example.org' },
		{ proxy: ' ' },
		{ proxy: { host: 'proxy.example.org', port: 3128 } },
		{
			proxy: {
				protocol: 'https',
				host: 'proxy.example.org',
				port: 443,
				auth: { username: 'a', password: 'b' },
			},
		},
		{ proxy: true },
	])('is not led through a proxy of the request: %j', async (change) => {
		await expectRefusal({}, { ...get, ...change }, 'sets a proxy');
		await expectRefusal({}, { ...httpRequestNode.get(INVITES), ...change }, 'sets a proxy');
		await expectRefusal(readOnly, { ...get, ...change }, 'sets a proxy');
	});

	it.each([
		{ rejectUnauthorized: false },
		{ rejectUnauthorized: 0 },
		{ rejectUnauthorized: '' },
		{ rejectUnauthorized: 'false' },
		{ strictSSL: false },
		{ skipSslCertificateValidation: true },
		{ skipSslCertificateValidation: 'true' },
		{ skipSslCertificateValidation: 1 },
	])('keeps its certificate checks: %j', async (change) => {
		await expectRefusal({}, { ...get, ...change }, 'turns certificate checks off');
		await expectRefusal(
			{},
			{ ...httpRequestNode.get(INVITES), ...change },
			'turns certificate checks off',
		);
	});

	it.each([
		{ agentOptions: { rejectUnauthorized: false } },
		{ agentOptions: { ca: 'PEM' } },
		{ agentOptions: { cert: 'PEM', key: 'PEM', passphrase: 'x' } },
		{ agentOptions: Object.create({ rejectUnauthorized: false }) },
		{ httpsAgent: { options: {} } },
		{ httpAgent: () => undefined },
		{ agents: { https: {} } },
		{ agent: {}, httpsAgent: Object.create({ options: {} }) },
		{ socketPath: '/var/run/docker.sock' },
		{ lookup: () => undefined },
		{ ca: 'PEM' },
	])('is made with n8n’s own agents: %j', async (change) => {
		await expectRefusal({}, { ...get, ...change }, 'brings its own connection settings');
	});

	it.each([
		{ proxy: undefined, agentOptions: undefined },
		{ proxy: '', rejectUnauthorized: true },
		{ proxy: null, skipSslCertificateValidation: false },
		{ agentOptions: {}, strictSSL: true },
	])('may be left as it is: %j', async (change) => {
		await expect(authenticate({}, { ...get, ...change })).resolves.toMatchObject({
			headers: { authorization: 'Bearer a.b.c' },
		});
	});

	it('follows no redirects with either request function', async () => {
		expect(await authenticate({}, httpRequestNode.get(INVITES))).toMatchObject({
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
		});
	});
});

describe('the origin', () => {
	it.each<GivenOptions>([
		{ url: 'https://evil.example/v2/invites' },
		{ uri: 'https://evil.example/v2/invites' },
		{ url: 'http://api.example.com/v2/invites' },
		{ url: 'https://api.example.com:8443/v2/invites' },
		{ url: 'https://api.example.com.evil.example/' },
		{ url: 'https://api.example.com@evil.example/' },
		{ url: 'https:\\\\evil.example/v2' },
		{ url: '/v2/invites', baseURL: 'https://evil.example' },
		{ url: 'https:\\\\api.example.com/v2/invites', baseURL: 'https://evil.example' },
		{ url: 'https:/api.example.com/v2/invites', baseURL: 'http://evil.example' },
		{ url: ' https://api.example.com/v2/invites', baseURL: 'https://evil.example' },
		{ url: 'https://evil.example/', baseURL: BASE },
	])('is the base URL’s: %j', async (change) => {
		await expectRefusal(
			{},
			{ method: 'GET', ...change },
			/^The token of these credentials goes to https:\/\/api\.example\.com only, not to /,
		);
	});

	it.each<GivenOptions>([
		{},
		{ url: '' },
		{ url: 7 },
		{ url: '/v2/invites' },
		{ url: '//api.example.com/v2/invites' },
		{ url: { href: INVITES } },
		{ url: ['https://api.example.com'] },
		{ url: INVITES, uri: 'https://evil.example/' },
		{ url: INVITES, baseURL: { toString: () => 'https://evil.example' } },
	])('is known, or the request is refused: %j', async (change) => {
		await expectRefusal({}, { method: 'GET', ...change }, 'The request has no valid URL');
	});

	it.each<readonly [GivenOptions, string]>([
		[{ url: `${INVITES}?nanoid=x#part` }, `${INVITES}?nanoid=x`],
		[{ uri: INVITES }, INVITES],
		[{ url: INVITES, uri: INVITES }, INVITES],
		[{ url: '/v2/invites', baseURL: `${BASE}/base/` }, `${BASE}/base/v2/invites`],
		[{ url: '', baseURL: INVITES }, INVITES],
		[{ url: INVITES, baseURL: 'https://evil.example' }, INVITES],
		[{ url: `${BASE}/v2/x/../invites` }, INVITES],
		[{ url: `${BASE}\\v2\\invites` }, INVITES],
	])('and the path are sent as they were read: %j', async (change, url) => {
		const sent: GivenOptions = { ...(await authenticate({}, { method: 'GET', ...change })) };
		expect([sent.url, sent.uri, sent.baseURL]).toEqual([url, undefined, undefined]);
	});

	it.each([
		{ Host: 'evil.example' },
		{ host: 'api.example.com:8443' },
		{ ' HOST ': 'evil.example' },
		{ host: ['evil.example'] },
	])('is not changed by a header: %j', async (headers) => {
		await expectRefusal(
			{},
			{ method: 'GET', url: INVITES, headers },
			'goes to api.example.com only',
		);
	});

	it('may be repeated in the header', async () => {
		const headers = { Host: 'API.example.com' };
		await expect(authenticate({}, { method: 'GET', url: INVITES, headers })).resolves.toBeDefined();
	});

	it.each([
		{ get: { Host: 'evil.example' } },
		{ common: { 'X-HTTP-Method-Override': 'PUT' } },
		{ accept: [{}] },
	])('is not changed by headers that only axios unpacks: %j', async (headers) => {
		await expectRefusal({}, { method: 'GET', url: INVITES, headers }, "isn't text");
	});
});

describe('reading', () => {
	it.each<readonly [string, GivenOptions]>([
		['GET', httpRequestNode.get(INVITES)],
		['GET with a query', httpRequestNode.get(INVITES, { nanoid: 'te-a1B2c3D4e5F6' })],
		['GET of a page', httpRequestNode.nextPage(`${INVITES}?page=2`)],
		['GET of an unknown path', httpRequestNode.get(`${BASE}/v3/anything/../else`)],
		['GET in lower case', { method: 'get', url: INVITES }],
		['GET by default', { url: INVITES }],
		['GET with an empty method', { url: INVITES, method: '' }],
		[
			'GET with a payment method in its query',
			httpRequestNode.get(INVITES, { payment_method: 'ach', method: 'wire' }),
		],
		['GET with an empty body', { url: INVITES, body: {}, form: {}, formData: undefined }],
		['GET with headers', { url: INVITES, headers: { 'X-Custom': 'a', 'Content-Length': 0 } }],
		['GET with URLSearchParams', { url: INVITES, qs: new URLSearchParams({ nanoid: 'x' }) }],
	])('is allowed to everybody: %s', async (_name, given) => {
		const sent = await authenticate(readOnly, given);
		expect(sent).toMatchObject({ method: 'GET', headers: { authorization: 'Bearer a.b.c' } });
		expect(sent.body).toBeUndefined();
	});

	it.each<GivenOptions>([
		{ headers: { 'X-HTTP-Method-Override': 'PUT' } },
		{ headers: { 'x-http-method': 'DELETE' } },
		{ headers: { 'X-Method-Override': 'POST' } },
		{ headers: { 'X-METHOD-OVERRIDE ': 'POST' } },
		{ headers: { 'x-original-method': ['PUT'] } },
		{ headers: { 'Transfer-Encoding': 'chunked' } },
		{ headers: { 'Content-Length': 100 } },
		{ qs: { _method: 'PUT' } },
		{ qs: { _METHOD: 'put' } },
		{ qs: { '_method[]': ['PUT'] } },
		{ qs: { _method: { a: 'PUT' } } },
		{ qs: { $httpMethod: 'PUT' } },
		{ qs: { 'X-HTTP-Method-Override': 'PUT' } },
		{ qs: { _HttpMethod: 'PATCH' } },
		{ qs: { method: ['get', 'delete'] } },
		{ qs: new URLSearchParams('_method=PUT') },
		{ qs: '_method=PUT' },
		{ qs: [['_method', 'PUT']] },
		{ url: `${INVITES}?_method=PUT` },
		{ url: `${INVITES}?%5Fm%65thod=PUT` },
		{ url: `${INVITES}?a=1&;_method=PUT` },
		{ body: { _method: 'PUT' } },
		{ body: 'x' },
		{ body: ['x'] },
		{ body: Buffer.from('x') },
		{ body: Readable.from(['x']) },
		{ body: new URLSearchParams('_method=PUT') },
		{ form: { _method: 'PUT' } },
		{ formData: { _method: 'PUT' } },
	])('is no request that another method may hide in: %j', async (change) => {
		await expectRefusal(
			readOnly,
			{ method: 'GET', url: INVITES, ...change },
			"These credentials don't allow this GET request",
		);
		await expectRefusal(
			capped,
			{ method: 'GET', url: INVITES, ...change },
			'These credentials limit payments, and this GET request may be one',
		);
		await expect(
			authenticate({}, { method: 'GET', url: INVITES, ...change }),
		).resolves.toBeDefined();
	});
});

describe('a documented write', () => {
	it.each<readonly [string, GivenOptions]>([
		['JSON', httpRequestNode.json('POST', INVITES, { role: 'contractor' })],
		['JSON text', httpRequestNode.raw('POST', INVITES, '{"role":"contractor"}')],
		[
			'JSON text in another charset name',
			httpRequestNode.raw(
				'POST',
				INVITES,
				'{"role":"contractor"}',
				'application/json; charset=UTF-8',
			),
		],
		[
			'a file',
			httpRequestNode.binaryFile('POST', INVITES, Buffer.from('{ "role": "contractor" }')),
		],
		['version 2 of the node', httpRequestNode.version2('POST', INVITES, { role: 'contractor' })],
		[
			'raw in version 2 of the node',
			httpRequestNode.version2Raw('POST', INVITES, '{"role":"contractor"}'),
		],
		[
			'a letter that turns into an S in capitals',
			{ method: 'po\u017Ft', url: INVITES, body: { role: 'contractor' } },
		],
		['lower case', { method: 'post', url: INVITES, body: { role: 'contractor' }, json: true }],
	])('goes with its permission, as the JSON that was read: %s', async (_name, given) => {
		const sent = await authenticate(invitesOnly, given);
		expect(sent).toMatchObject({
			method: 'POST',
			url: INVITES,
			body: '{"role":"contractor"}',
			headers: { 'content-type': 'application/json', authorization: 'Bearer a.b.c' },
		});
		expect(Object.keys(sent.headers ?? {})).not.toContain('content-length');
		await expectRefusal(
			{ permissions: ['sendPayments'] },
			given,
			"These credentials don't allow inviting people",
		);
	});

	it('goes below the path of the base URL only', async () => {
		const base = { ...invitesOnly, baseUrl: `${BASE}/payroll` };
		const sent = await authenticate(
			base,
			httpRequestNode.json('POST', `${BASE}/payroll/v2/invites`, {}),
		);
		expect(sent.url).toBe(`${BASE}/payroll/v2/invites`);
		await expectRefusal(
			base,
			httpRequestNode.json('POST', INVITES, {}),
			"don't allow this POST request",
		);
		await expectRefusal(
			base,
			httpRequestNode.json('POST', `${BASE}/payrollv2/v2/invites`, {}),
			"don't allow this POST request",
		);
	});

	it('signing in needs no permission', async () => {
		const verify = httpRequestNode.json('POST', `${BASE}/v2/auth/verify`, { message: 'm' });
		await expect(authenticate(readOnly, verify)).resolves.toMatchObject({
			body: '{"message":"m"}',
		});
	});

	it.each<GivenOptions>([
		{ headers: { 'X-HTTP-Method-Override': 'PUT' } },
		{ headers: { 'X-Original-URL': '/v2/payments/external_entity/instant' } },
		{ headers: { 'X-Rewrite-URL': '/v2/payments/external_entity/instant' } },
		{ headers: { 'Content-Encoding': 'gzip' } },
		{ headers: { 'Transfer-Encoding': 'chunked' } },
		{ headers: { 'content-type': 'application/x-www-form-urlencoded' } },
		{ headers: { 'content-type': 'text/plain' } },
		{ headers: { 'content-type': 'application/json; charset=utf-7' } },
		{ headers: { 'Content-Type': 'text/xml', 'content-type': 'application/json' } },
		{ headers: { accept: ['a', 'b'] } },
		{ qs: { amount_cents: 1 } },
		{ url: `${INVITES}?_method=PUT` },
		{ url: `${INVITES}?a` },
		{ body: { _method: 'PUT' } },
		{ body: { _METHOD: 'PUT' } },
		{ body: [], form: { _method: 'PUT' } },
		{ body: [{}] },
		{ body: 'null' },
		{ body: '"text"' },
		{ body: '{"a":1' },
		{ body: 'a=1&b=2' },
		{ body: 7 },
		{ body: Readable.from(['{}']) },
		{ body: new URLSearchParams('a=1') },
		{ body: { toJSON: () => [] } },
		{ body: undefined, form: { a: 1 } },
		{ body: undefined, formData: { a: 1 } },
		{ body: {}, form: 'a=1' },
	])('is another request where it carries more than that: %j', async (change) => {
		const given = { method: 'POST', url: INVITES, body: {}, ...change };
		await expectRefusal(invitesOnly, given, "These credentials don't allow this POST request");
		await expectRefusal(
			capped,
			given,
			'These credentials limit payments, and this POST request may be one',
		);
		await expect(authenticate({}, given)).resolves.toBeDefined();
	});
});

describe('any other request that is not a GET', () => {
	it.each([
		['POST', '/v2/payouts'],
		['PATCH', '/v2/invites'],
		['DELETE', '/v2/invites'],
		['HEAD', '/v2/invites'],
		['OPTIONS', '/v2/invites'],
		['PROPFIND', '/v2/invites'],
		['POST ', '/v2/invites'],
		['POST', '/v2/invites/'],
		['POST', '//v2/invites'],
		['POST', '/v2//invites'],
		['POST', '/V2/INVITES'],
		['POST', '/v2/invite%73'],
		['POST', '/v2/invites%2f'],
		['POST', '/v2/invites%00'],
		['POST', '/v2/invites;x=1'],
		['POST', '/v2/invites.json'],
		['POST', '/v2/invites%2fmanager'],
		['PUT', '/v2/payments/external_entity/instant/'],
		['PUT', '/v2/payments//external_entity/instant'],
		['PUT', '/v2/payments/external_entity/instant;v=2'],
		['PUT', '/v2/payments/external_entity/%69nstant'],
		['PUT', '/v2/PAYMENTS/external_entity/instant'],
	])('%s %s needs every permission, and no limit', async (method, path) => {
		const given = { method, url: `${BASE}${path}`, body: payment };
		for (const missing of PERMISSIONS) {
			const permissions = PERMISSIONS.filter((each) => each !== missing);
			await expectRefusal({ permissions }, given, /These credentials don't allow this \S+ request/);
		}
		await expectRefusal(
			{ maximumPayment: '1000000' },
			given,
			'These credentials limit payments, and this',
		);
		await expectRefusal(
			{ paymentRecipients: '@example.com' },
			given,
			'These credentials limit payments, and this',
		);
		await expect(authenticate({}, given)).resolves.toBeDefined();
		await expect(authenticate({ permissions: PERMISSIONS }, given)).resolves.toBeDefined();
	});
});

describe('a payment', () => {
	const shapes: ReadonlyArray<readonly [string, (body: object) => GivenOptions]> = [
		['JSON', (body) => httpRequestNode.json('PUT', PAYMENT, body)],
		['JSON text', (body) => httpRequestNode.raw('PUT', PAYMENT, JSON.stringify(body))],
		[
			'a file',
			(body) => httpRequestNode.binaryFile('PUT', PAYMENT, Buffer.from(JSON.stringify(body))),
		],
		['version 2 of the node', (body) => httpRequestNode.version2('PUT', PAYMENT, body)],
		['httpRequest', (body) => ({ method: 'PUT', url: PAYMENT, body, json: true })],
		[
			'httpRequest with text',
			(body) => ({
				method: 'PUT',
				url: PAYMENT,
				body: JSON.stringify(body),
				headers: { 'Content-Type': 'application/json' },
			}),
		],
	];

	it.each(shapes)('goes within its limits, and not beyond: %s', async (_name, shape) => {
		const sent = await authenticate(capped, shape(payment));
		expect(JSON.parse(String(sent.body))).toEqual(payment);
		await expectRefusal(
			capped,
			shape(tooMuch),
			'These credentials allow payments up to $100.00, and this one is $100.01',
		);
		await expectRefusal(
			capped,
			shape({ ...payment, external_recipient_email: 'eve@example.org' }),
			"These credentials don't allow paying eve@example.org",
		);
		await expectRefusal(
			invitesOnly,
			shape(payment),
			"These credentials don't allow sending payments",
		);
	});

	it('of a member that is there twice sends only the one that was read', async () => {
		const text =
			'{"amount_cents":999999,"amount_cents":1,"external_recipient_email":"eve@example.org","external_recipient_email":"ana@example.com"}';
		const sent = await authenticate(capped, httpRequestNode.raw('PUT', PAYMENT, text));
		expect(sent.body).toBe('{"amount_cents":1,"external_recipient_email":"ana@example.com"}');
		const reversed =
			'{"amount_cents":1,"amount_cents":999999,"external_recipient_email":"ana@example.com"}';
		await expectRefusal(
			capped,
			httpRequestNode.raw('PUT', PAYMENT, reversed),
			'These credentials allow payments up to',
		);
	});

	it('is read once: a body that changes when it is read again is sent as it was read first', async () => {
		let reads = 0;
		const body = {
			get amount_cents() {
				reads += 1;
				return reads === 1 ? 1 : 999_999;
			},
			external_recipient_email: 'ana@example.com',
		};
		const sent = await authenticate(capped, { method: 'PUT', url: PAYMENT, body });
		expect(sent.body).toBe('{"amount_cents":1,"external_recipient_email":"ana@example.com"}');
	});

	it('can be sent again after a 401 from what was sent before', async () => {
		const first = await authenticate(capped, httpRequestNode.json('PUT', PAYMENT, payment));
		const second = await authenticate(capped, { ...first });
		expect(second).toEqual(first);
	});

	it.each<GivenOptions>([
		{ body: {} },
		{ body: undefined },
		{ body: null },
		{ body: '' },
		{ body: [payment] },
		{ body: { payment } },
		{ body: { ...payment, amount_cents: '10000' } },
		{ body: { ...payment, amount_cents: 100.5 } },
		{ body: { ...payment, amount_cents: -1 } },
		{ body: { ...payment, amount_cents: 0 } },
		{ body: { ...payment, amount_cents: null } },
		{ body: { ...payment, amount_cents: [1] } },
		{ body: { ...payment, amount_cents: 2 ** 53 } },
		{ body: '{"amount_cents":1e400,"external_recipient_email":"ana@example.com"}' },
		{ body: { ...payment, external_recipient_email: undefined } },
		{ body: { ...payment, external_recipient_email: '' } },
		{ body: { ...payment, external_recipient_email: ['ana@example.com'] } },
		{ body: { ...payment, currency_symbol: 'EUR' } },
		{ body: JSON.stringify(payment), headers: { 'content-type': 'text/plain' } },
		{ body: Readable.from([JSON.stringify(payment)]) },
		{
			body: new URLSearchParams({ amount_cents: '1', external_recipient_email: 'ana@example.com' }),
		},
		{ body: undefined, form: payment },
		{ body: undefined, formData: payment },
		{ body: payment, form: tooMuch },
		{ body: payment, formData: tooMuch },
	])('is refused where its amount and recipient can’t be read: %j', async (change) => {
		const given = { method: 'PUT', url: PAYMENT, body: payment, ...change };
		for (const credentials of [capped, {}, { permissions: ['sendPayments'] }]) {
			await expectRefusal(
				credentials,
				given,
				"The amount and the recipient of this payment can't be read",
			);
		}
	});

	it.each<Record<string, unknown>>([
		{ Amount_Cents: 999_999 },
		{ amountCents: 999_999 },
		{ payments: [tooMuch] },
		{ 'amount_cents ': 999_999 },
		{ constructor: 1 },
	])('under a limit carries no member that might count instead: %j', async (change) => {
		const given = httpRequestNode.json('PUT', PAYMENT, { ...payment, ...change });
		await expectRefusal(capped, given, "can't be read");
		await expect(authenticate({}, given)).resolves.toBeDefined();
	});

	it('under a limit carries no __proto__, which an object literal would hide', async () => {
		const text = JSON.stringify(payment).replace('{', '{"__proto__":{"amount_cents":999999},');
		await expectRefusal(capped, httpRequestNode.raw('PUT', PAYMENT, text), "can't be read");
	});

	it.each<GivenOptions>([
		{ qs: { amount_cents: 999_999 } },
		{ url: `${PAYMENT}?amount_cents=999999` },
		{ headers: { 'x-amount': '1' } },
	])('under a limit carries nothing beside its body: %j', async (change) => {
		const given = {
			...httpRequestNode.json('PUT', '', payment),
			uri: undefined,
			url: PAYMENT,
			...change,
		};
		await expectRefusal(
			capped,
			given,
			'These credentials limit payments, and this PUT request may be one',
		);
		await expect(authenticate({}, given)).resolves.toBeDefined();
	});
});

it('says what to do under the name that n8n shows', async () => {
	const error: unknown = await authenticate(
		readOnly,
		httpRequestNode.json('PUT', PAYMENT, payment),
	).catch((reason: unknown) => reason);
	expect(error).toMatchObject({
		message: "These credentials don't allow sending payments",
		description: expect.stringContaining(
			"“Send Payments” isn't selected under Permissions in these credentials",
		),
	});
});

it('refuses credentials whose limits can’t be read, for reading too', async () => {
	await expectRefusal(
		{ maximumPayment: undefined },
		httpRequestNode.get(INVITES),
		'Maximum Payment in the credentials has no value',
	);
	await expectRefusal(
		{ paymentRecipients: null },
		httpRequestNode.get(INVITES),
		'Payment Recipients in the credentials has no value',
	);
	await expectRefusal(
		{ permissions: 'all' },
		httpRequestNode.get(INVITES),
		'Permissions in the credentials must contain only options from its menu',
	);
});

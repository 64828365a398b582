import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Wallet } from 'ethers';
import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import { type Permission, PERMISSIONS } from '../../nodes/PayrollPayments/api/credentialLimits';
import { CATALOGUE } from '../../nodes/PayrollPayments/actions/catalogue';
import { startSandbox, type AccountName, type Sandbox } from '../../sandbox/server';
import { httpRequestNode, type GivenOptions } from '../unit/api/httpRequestShapes';
import { casesFor, faultIn, isRestricted, type Sent } from '../unit/api/requestJudge';
import { runs } from '../support/propertyRuns';

import { processedKeys, rawRequest, runNode, SavedCredentials } from '../support/actionHost';

let sandbox: Sandbox;
let team: string;
let company: string;

beforeAll(async () => {
	sandbox = await startSandbox();
});

afterAll(async () => {
	await sandbox.close();
});

beforeEach(async () => {
	await control('POST', '/sandbox/reset');
	processedKeys.clear();
	const { organisation } = sandbox.service;
	company = organisation.company.nanoid;
	team = organisation.teams[0]?.nanoid ?? '';
});

async function control(method: string, path: string): Promise<unknown> {
	const answer = await fetch(`${sandbox.url}${path}`, { method });
	if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
	return await answer.json();
}

function account(name: AccountName) {
	const found = sandbox.accounts.find((each) => each.name === name);
	if (found === undefined) throw new Error(`no account ${name}`);
	return found;
}

function credentials(change: ICredentialDataDecryptedObject = {}) {
	const { privateKey, platformId } = account('companyAdministrator');
	return new SavedCredentials({
		baseUrl: sandbox.url,
		authentication: 'walletSignIn',
		signer: 'privateKey',
		platformId,
		privateKey,
		walletAddress: '',
		signInDomain: '',
		signInChainId: '',
		sessionToken: '',
		...change,
	});
}

/** With these, whatever is signed fails with the signer's name. */
function unreachableSigner(change: ICredentialDataDecryptedObject) {
	const { privateKey } = account('companyAdministrator');
	return credentials({
		signer: 'remoteSigner',
		remoteSignerUrl: 'http://127.0.0.1:1',
		walletAddress: new Wallet(privateKey).address,
		...change,
	});
}

/** All that reached the sandbox, signing in included. */
const wire = () => sandbox.service.wireLog.read().entries;
const writes = () =>
	wire().filter(({ method, path }) => method !== 'GET' && path !== '/v2/auth/verify');

async function payment(change: INodeParameters = {}): Promise<INodeParameters> {
	const { address } = account('companyAdministrator');
	const query = new URLSearchParams({
		from: team,
		amount_cents: '12500',
		email: 'ana@example.com',
		signer: address,
	});
	const ready = Object(await control('GET', `/sandbox/payment-typed-data?${query.toString()}`));
	return {
		resource: 'payment',
		operation: 'createInstant',
		teamId: team,
		amountCents: 12500,
		recipientEmail: 'ana@example.com',
		typedData: JSON.stringify(ready.typed_data),
		signatureSource: 'wallet',
		domain: JSON.stringify(ready.domain),
		types: JSON.stringify(ready.types),
		primaryType: String(ready.primary_type),
		currency: 'USD',
		network: 'arbitrum',
		...change,
	};
}

/** Complete parameters for every operation that changes something. */
async function parametersFor(pair: string): Promise<INodeParameters> {
	const [resource = '', operation = ''] = pair.split('.');
	const base = { resource, operation };
	const administrators = { entityId: team, role: 'team_viewer', emails: 'new.admin@example.com' };
	switch (pair) {
		case 'invite.create':
			return {
				...base,
				teamId: team,
				role: 'contractor',
				inviteesSource: 'json',
				inviteesJson: '[{"email":"new@example.com"}]',
			};
		case 'administratorInvite.create':
		case 'administratorInvite.createAndExecute':
			return { ...base, ...administrators };
		case 'administratorInvite.execute': {
			const created = await runNode(credentials(), {
				...base,
				operation: 'create',
				...administrators,
			});
			const { invites, typed_data: typedData } = created.output[0]?.json ?? {};
			return {
				...base,
				inviteIds: JSON.stringify(invites).replace(/[[\]"]/g, ''),
				typedData: JSON.stringify(typedData),
				signatureSource: 'wallet',
			};
		}
		case 'nameReview.resolve':
			return {
				...base,
				teamId: team,
				userId: { __rl: true, mode: 'id', value: 'us-a1B2c3D4e5F6' },
				decision: 'approve',
				reviewVersion: '2026-03-31T09:30:00Z',
			};
		case 'payment.createInstant':
			return await payment();
		case 'webhook.sendTest':
			return { ...base, webhookId: 'wh-a1B2c3D4e5F6', eventType: 'deposit.received' };
		default:
			throw new Error(`no parameters for ${pair}`);
	}
}

const NEEDED = CATALOGUE.flatMap(({ resource, operation, permission }) =>
	permission === undefined || permission === 'none'
		? []
		: [[`${resource}.${operation}`, permission] as const],
);

describe('the action node', () => {
	it('has seven operations that need a permission', () => {
		expect(NEEDED).toHaveLength(7);
	});

	it.each(NEEDED)(
		'%s is refused without %s before anything is signed or sent',
		async (pair, permission) => {
			const parameters = await parametersFor(pair);
			sandbox.service.wireLog.clear();
			const others: Permission[] = PERMISSIONS.filter((each) => each !== permission);
			for (const permissions of [others, [], '']) {
				const { error, output } = await runNode(unreachableSigner({ permissions }), parameters);
				expect(output).toEqual([]);
				expect(error?.message).toMatch(/^These credentials don't allow [a-z ]+ \[item 0\]$/);
				expect(error?.description).toMatch(
					/^“[A-Z][A-Za-z ]+” isn't selected under Permissions in the credentials “saved”\. Ask the person who manages them\. Nothing was signed or sent\.$/,
				);
			}
			expect(wire()).toEqual([]);
		},
	);

	it.each(NEEDED)('%s goes out with %s alone', async (pair, permission) => {
		const parameters = await parametersFor(pair);
		sandbox.service.wireLog.clear();
		const { error } = await runNode(credentials({ permissions: [permission] }), parameters);
		expect(error?.message ?? '').not.toContain("don't allow");
		expect(writes().length).toBeGreaterThan(0);
	});

	it('reads with no permission at all', async () => {
		const saved = credentials({
			permissions: [],
			maximumPayment: '1',
			paymentRecipients: '@example.com',
		});
		for (const parameters of [
			{ resource: 'balance', operation: 'get', entityId: company },
			{ resource: 'invite', operation: 'getAll', entityId: company, returnAll: true },
			{ resource: 'teamUser', operation: 'getAll', teamId: team, returnAll: false, limit: 2 },
			{ resource: 'authentication', operation: 'getSignInMessage' },
		]) {
			const { error, output } = await runNode(saved, parameters);
			expect(error).toBeUndefined();
			expect(output.length).toBeGreaterThan(0);
		}
	});

	it('refuses every item of a batch with Continue On Fail, and sends none', async () => {
		const parameters = await payment();
		sandbox.service.wireLog.clear();
		const { output } = await runNode(credentials({ permissions: ['invitePeople'] }), parameters, {
			items: [{}, {}],
			node: { onError: 'continueRegularOutput' },
		});
		expect(output.map(({ json }) => json)).toEqual([
			{ error: "These credentials don't allow sending payments [item 0]" },
			{ error: "These credentials don't allow sending payments [item 1]" },
		]);
		expect(wire()).toEqual([]);
	});

	it.each<readonly [ICredentialDataDecryptedObject, INodeParameters, string]>([
		[
			{ maximumPayment: '124.99' },
			{},
			'These credentials allow payments up to $124.99, and this one is $125.00 [item 0]',
		],
		[
			{ paymentRecipients: 'ben@example.com, @example.org' },
			{},
			"These credentials don't allow paying ana@example.com [item 0]",
		],
		[
			{ maximumPayment: '125' },
			{ options: { typedAmountUnit: 'notChecked' } },
			'These credentials limit payments, so the signed amount must be checked [item 0]',
		],
	])('refuses a payment beyond %j %j before it is signed', async (limit, change, message) => {
		const parameters = await payment(change);
		sandbox.service.wireLog.clear();
		const { error } = await runNode(unreachableSigner(limit), parameters);
		expect(error?.message).toBe(message);
		expect(error?.description).toContain('in the credentials “saved”');
		expect(wire()).toEqual([]);
		const provided = {
			signatureSource: 'provided',
			signature: `0x${'1'.repeat(130)}`,
			signer: account('companyAdministrator').address,
		};
		const other = await runNode(unreachableSigner(limit), { ...parameters, ...provided });
		expect(other.error?.message).toBe(message);
		expect(wire()).toEqual([]);
	});

	it('sends a payment within its limits', async () => {
		const saved = credentials({
			permissions: ['sendPayments'],
			maximumPayment: '125.00',
			paymentRecipients: '@example.com',
		});
		const { output, error } = await runNode(saved, await payment());
		expect(error).toBeUndefined();
		expect(output[0]?.json).toEqual({ transaction: expect.stringMatching(/^tx-/) });
	});

	it.each<readonly [ICredentialDataDecryptedObject, string]>([
		[
			{ permissions: 'all' },
			'Permissions in the credentials must contain only options from its menu [item 0]',
		],
		[
			{ maximumPayment: '{{ $vars.limit }}' },
			'Maximum Payment in the credentials must be US dollars',
		],
		[
			{ paymentRecipients: '*' },
			'Payment Recipients in the credentials must contain email addresses',
		],
	])('refuses credentials whose limits are misspelled: %j', async (change, message) => {
		const { error } = await runNode(credentials(change), {
			resource: 'balance',
			operation: 'get',
			entityId: company,
		});
		expect(error?.message).toContain(message);
		expect(wire()).toEqual([]);
	});
});

const VIA = ['requestWithAuthentication', 'httpRequestWithAuthentication'] as const;

/** Runs one request of another node through n8n's own request function. */
async function send(saved: SavedCredentials, via: (typeof VIA)[number], options: GivenOptions) {
	Object.assign(rawRequest, { via, options });
	return await runNode(saved, {}, { node: { type: 'rawRequest' } });
}

describe.each(VIA)('another node over %s', (via) => {
	const paymentBody = async () => {
		const parameters = await payment();
		return {
			from: team,
			amount_cents: 12500,
			signer: account('companyAdministrator').address,
			typed_data: JSON.parse(String(parameters.typedData)),
			signature: `0x${'1'.repeat(130)}`,
			external_recipient_email: 'ana@example.com',
			currency_symbol: 'USD',
			network: 'arbitrum',
		};
	};
	const invites = () => ({
		nanoid: team,
		role: 'contractor',
		invites: [{ email: 'new@example.com' }],
	});
	/** The same options under the name that the request function has for the URL. */
	const named = (options: GivenOptions): GivenOptions =>
		via === 'requestWithAuthentication'
			? options
			: { ...options, url: options.uri, uri: undefined };

	it('reads and signs in with no permission', async () => {
		const saved = credentials({ permissions: [] });
		const { error } = await send(
			saved,
			via,
			named(httpRequestNode.get(`${sandbox.url}/v2/balance`, { nanoid: team })),
		);
		expect(error).toBeUndefined();
		expect(wire().at(-1)).toMatchObject({ method: 'GET', path: '/v2/balance', status: 200 });
	});

	it('sends a write with its permission, as JSON in every shape', async () => {
		const saved = credentials({ permissions: ['invitePeople'] });
		const url = `${sandbox.url}/v2/invites`;
		const text = JSON.stringify(invites());
		const shapes = [
			httpRequestNode.json('POST', url, invites()),
			httpRequestNode.raw('POST', url, text),
			httpRequestNode.binaryFile('POST', url, Buffer.from(` ${text}`)),
			httpRequestNode.version2('POST', url, invites()),
			httpRequestNode.version2Raw('POST', url, text),
		];
		for (const options of shapes) {
			const { error } = await send(saved, via, named(options));
			expect(error?.message ?? '').not.toContain("don't allow");
			expect(wire().at(-1)).toMatchObject({
				method: 'POST',
				path: '/v2/invites',
				body: invites(),
				headers: { 'content-type': 'application/json', 'content-length': String(text.length) },
			});
		}
		expect(writes()).toHaveLength(shapes.length);
	});

	it('sends a payment within its limits, and none beyond', async () => {
		const saved = credentials({ maximumPayment: '125.00', paymentRecipients: '@example.com' });
		const url = `${sandbox.url}/v2/payments/external_entity/instant`;
		const body = await paymentBody();
		await send(saved, via, named(httpRequestNode.json('PUT', url, body)));
		const [sent] = writes();
		expect(sent).toMatchObject({
			method: 'PUT',
			path: '/v2/payments/external_entity/instant',
			body,
		});
		sandbox.service.wireLog.clear();
		const text = JSON.stringify(body);
		const refused = [
			httpRequestNode.json('PUT', url, { ...body, amount_cents: 12501 }),
			httpRequestNode.json('PUT', url, { ...body, external_recipient_email: 'eve@example.org' }),
			httpRequestNode.raw(
				'PUT',
				url,
				text.replace('"amount_cents":12500', '"amount_cents":12500,"amount_cents":12501'),
			),
			httpRequestNode.raw('PUT', url, text, 'text/plain'),
			httpRequestNode.formUrlencoded('PUT', url, body),
			httpRequestNode.multipart('PUT', url, {
				amount_cents: '12500',
				external_recipient_email: 'ana@example.com',
			}),
			httpRequestNode.json('PUT', `${url}/`, body),
			httpRequestNode.json('PUT', `${url}?amount_cents=99999`, body),
			{ ...httpRequestNode.json('PUT', url, body), qs: { amount_cents: 99999 } },
			{ ...httpRequestNode.json('POST', url, body), headers: { 'x-http-method-override': 'PUT' } },
		];
		for (const options of refused) {
			const { error } = await send(saved, via, named(options));
			expect(error?.message).toMatch(
				/^(?:These credentials (?:allow payments up to|don't allow paying|limit payments)|The amount and the recipient of this payment can't be read)/,
			);
		}
		expect(writes()).toEqual([]);
	});

	it('shows what to do where n8n shows an error’s description', async () => {
		const url = `${sandbox.url}/v2/invites`;
		const { error } = await send(
			credentials({ permissions: [] }),
			via,
			named(httpRequestNode.json('POST', url, invites())),
		);
		expect(error?.message).toBe("These credentials don't allow inviting people");
		expect(error?.description).toContain("“Invite People” isn't selected under Permissions");
		expect(writes()).toEqual([]);
	});

	it('sends the token through no proxy and no unchecked connection of its own', async () => {
		const stranger = await openStranger();
		try {
			for (const change of [
				{ proxy: stranger.url },
				{ proxy: { host: '127.0.0.1', port: stranger.port } },
				{ rejectUnauthorized: false },
				{ skipSslCertificateValidation: true },
				{ agentOptions: { rejectUnauthorized: false } },
			]) {
				const { error } = await send(credentials(), via, {
					...named(httpRequestNode.get(`${sandbox.url}/v2/balance`, { nanoid: team })),
					...change,
				});
				expect(error?.message).toMatch(
					/sets a proxy|turns certificate checks off|its own connection settings/,
				);
			}
			expect(stranger.arrived).toEqual([]);
			expect(wire().filter(({ path }) => path === '/v2/balance')).toEqual([]);
		} finally {
			stranger.server.close();
		}
	});

	it('sends no header or base URL on that would lead the token elsewhere', async () => {
		const stranger = await openStranger();
		try {
			for (const change of [
				{ headers: { get: { 'X-HTTP-Method-Override': 'PUT', Host: 'evil.example' } } },
				{ headers: { Host: 'evil.example' } },
				{
					url: `http:\\\\${new URL(sandbox.url).host}/v2/balance`,
					uri: undefined,
					baseURL: stranger.url,
				},
				{ url: ` ${sandbox.url}/v2/balance`, uri: undefined, baseURL: stranger.url },
			]) {
				const { error } = await send(credentials(), via, {
					...named(httpRequestNode.get(`${sandbox.url}/v2/balance`, { nanoid: team })),
					...change,
				});
				expect(error).toBeDefined();
			}
			expect(stranger.arrived).toEqual([]);
			expect(wire().filter(({ path }) => path === '/v2/balance')).toEqual([]);
		} finally {
			stranger.server.close();
		}
	});
});

describe.each(VIA)('whatever another node sends over %s', (via) => {
	it('arrives at no server that may take it for a write without its permission or beyond a limit', async () => {
		const service = await openStranger();
		const passed = { reads: 0, writes: 0 };
		try {
			await fc.assert(
				fc.asyncProperty(casesFor(service.url), async (drawn) => {
					fc.pre(isRestricted(drawn));
					service.arrived.length = 0;
					const { url, uri = url } = drawn.given;
					const isLegacy = via === 'requestWithAuthentication';
					await send(new SavedCredentials({ ...drawn.saved }), via, {
						...drawn.given,
						...(isLegacy ? {} : { url: uri }),
					});
					for (const sent of service.arrived) {
						expect(faultIn(drawn, sent)).toBeUndefined();
						if (sent.method === 'GET') passed.reads += 1;
						else passed.writes += 1;
					}
				}),
				{ numRuns: runs(600) },
			);
		} finally {
			service.server.close();
		}
		expect(Math.min(passed.reads, passed.writes)).toBeGreaterThan(0);
	});
});

/** A server that takes everything: it keeps what arrives. */
async function openStranger() {
	const arrived: Sent[] = [];
	const server: Server = createServer((request: IncomingMessage, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const { method, url = '', headers } = request;
			arrived.push({
				method,
				url: `http://${headers.host ?? ''}${url}`,
				headers,
				body: Buffer.concat(chunks).toString('utf8'),
			});
			response.end('{}');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address: AddressInfo | string | null = server.address();
	if (address === null || typeof address === 'string') throw new Error('no port');
	return { url: `http://127.0.0.1:${address.port}`, port: address.port, server, arrived };
}

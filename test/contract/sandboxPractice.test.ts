import { request } from 'node:http';

import type { SettingsInput } from '../../sandbox/settings';
import { useActionSandbox } from '../support/actionSandbox';
import { dataOf, SandboxClient } from '../support/sandboxClient';

/* What services of this kind do, beyond the letter of the document or in one of several ways. */

const sandbox = useActionSandbox();
let client: SandboxClient;

beforeAll(async () => {
	client = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
});

const set = (settings: SettingsInput) => sandbox.service.change(settings);
const balance = async () => await client.get(`/v2/balance?nanoid=${sandbox.team}`);
const inviteViewer = async (emails: readonly string[] = ['a@example.com']) =>
	await client.post('/v2/invites/manager', { nanoid: sandbox.team, role: 'team_viewer', emails });

it.each([401, 403, 400, 404, 500, 200] as const)(
	'a token that has expired is refused with %d, for reads and writes; a forged one with 401',
	async (expiredTokenStatus) => {
		set({ expiredTokenStatus });
		const { address: wallet, platformId } = client.account;
		const expired = await sandbox.service.tokens.issue({ wallet, platformId }, -1);
		const old = SandboxClient.of(sandbox, 'companyAdministrator').useToken(expired);
		const read = async () => await old.get(`/v2/balance?nanoid=${sandbox.team}`);
		for (const reply of [await read(), await old.post('/v2/invites', {})])
			expect(reply).toMatchObject({ status: expiredTokenStatus, body: { success: false } });
		old.useToken('a.b.c');
		expect((await read()).status).toBe(401);
	},
);

interface Prepared {
	readonly domain: Record<string, unknown>;
	readonly types: Record<string, Array<{ name: string; type: string }>>;
	readonly typed_data: { readonly from: string; readonly data: Record<string, string> };
}

/* services.test.ts pays with the other settings of typed data. */
it('the call that prepares a payment answers as Endpoint 6 does, in numbers; it is paid once', async () => {
	const order = { recipient: 'ana@example.com', amount: '125.5', reference: 'INV-1' };
	const reply = await client.post('/v2/payments/prepare', { team: sandbox.team, ...order });
	const { domain, types, typed_data } = dataOf<Prepared>(sandbox, reply, 'preparePayment');
	expect([domain.version, domain.chainId]).toEqual(['1.0.0', 421614]);
	expect(Object.keys(types)).toEqual(['PaymentForwardRequest', 'Payment']);
	const { amount, token, recipient, ...numbers } = typed_data.data;
	expect(amount).toBe('125500000');
	for (const each of [token, recipient]) expect(each).toMatch(/^0x[0-9a-fA-F]{40}$/);
	expect(Object.values(numbers).every((text) => /^(\d+|0x)$/.test(text))).toBe(true);
	const authorization = { domain, types, message: { ...typed_data } };
	const pay = async () => await client.pay(authorization, { amount_cents: 12_550 });
	dataOf(sandbox, await pay(), 'createInstantPayment');
	const replayed = { status: 400, body: { error_code: 'PAYMENT_REPLAYED' } };
	expect(await pay()).toMatchObject(replayed);
});

/* services.test.ts sends requests with other names. */
it('answers have fields of other names, but not in typed data', async () => {
	set({ fieldNames: { platform_account_address: 'account_address', from: 'sender' } });
	const { data: balances } = Object((await balance()).body);
	expect(Object.keys(balances)).toEqual(['account_address', 'balances']);
	const { data } = Object((await inviteViewer()).body);
	expect(data.typed_data.typed_data).toHaveProperty('from');
});

describe('failures', () => {
	it('of validation list the issues beside the message', async () => {
		const body = { nanoid: 'te-1', role: 'king', emails: ['a@example.com', 'b@'], more: 1 };
		const reply = await client.post('/v2/invites/manager', body);
		expect(reply).toMatchObject({ status: 400, body: { data: 'Validation error' } });
		expect(Object(reply.body).zod).toEqual(
			expect.arrayContaining([
				{ path: ['emails', 1], message: 'Invalid email' },
				{ path: ['nanoid'], message: 'Invalid team id' },
				{ path: [], message: "Unrecognized key(s) in object: 'more'" },
			]),
		);
		set({ issuesMember: 'details' });
		const missing = await client.post('/v2/invites/manager', { nanoid: sandbox.team });
		expect(Object(missing.body).details).toContainEqual({ path: ['emails'], message: 'Required' });
		set({ issuesMember: null });
		expect(Object((await inviteViewer(['b@'])).body).data).toContain('body.emails.0');
	});

	it('come when there are too many requests', async () => {
		set({ requestsPerMinute: 2 });
		const statuses = [await balance(), await balance(), await balance()];
		expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
		expect(statuses[2]?.body).toEqual({ success: false, data: 'Rate limit exceeded' });
	});
});

describe('a page elsewhere in a person’s browser', () => {
	const statusFor = async (headers: Record<string, string>, path = '/sandbox/endpoints') =>
		await new Promise<number | undefined>((resolve, reject) => {
			const body = JSON.stringify({ url: 'http://127.0.0.1:1/inside' });
			const sent = request(sandbox.url + path, { method: 'POST', headers }, (answer) => {
				answer.resume();
				resolve(answer.statusCode);
			});
			sent.on('error', reject).end(body);
		});

	it.each<Record<string, string>>([
		{ origin: 'https://evil.example' },
		{ origin: 'null' },
		{ origin: 'http://127.0.0.1:1' },
		{ host: 'evil.example' },
		{ host: 'evil.example:4010', origin: 'http://evil.example:4010' },
		{ host: '127.0.0.1.evil.example' },
	])('can’t have the sandbox do anything: %j', async (headers) => {
		expect(await statusFor(headers)).toBe(403);
		expect(await statusFor(headers, '/v2/auth/verify')).toBe(403);
		expect(sandbox.service.deliveries.endpoints().map(({ url }) => url)).toEqual([undefined]);
	});

	it('isn’t the practice desk, or a program', async () => {
		const { port } = new URL(sandbox.url);
		expect(await statusFor({})).toBe(200);
		expect(await statusFor({ origin: sandbox.url })).toBe(200);
		expect(await statusFor({ host: `localhost:${port}` })).toBe(200);
	});
});

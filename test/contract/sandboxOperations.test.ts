import { request } from 'node:http';

import { id, Wallet } from 'ethers';
import { SiweMessage } from 'siwe';

import type { AdministratorInviteTypedData } from '../../sandbox/administratorInvites';
import type { AccountName } from '../../sandbox/server';
import type { SettingsInput } from '../../sandbox/settings';
import { useActionSandbox, type Payload } from '../support/actionSandbox';
import { dataOf, SandboxClient, type Reply } from '../support/sandboxClient';

/* What openapi.yaml can't say: roles, and what is done once. The conformance test has the formats. */

const sandbox = useActionSandbox();
const clients = new Map<AccountName, SandboxClient>();
let teamIds: string[];

const as = (name: AccountName): SandboxClient => {
	const client = clients.get(name);
	if (client === undefined) throw new Error(`${name} hasn't signed in`);
	return client;
};
const administrator = () => as('companyAdministrator');

beforeAll(async () => {
	for (const name of ['companyAdministrator', 'teamAdministrator', 'viewer'] as const)
		clients.set(name, await SandboxClient.of(sandbox, name).signIn());
	clients.set('stranger', SandboxClient.of(sandbox, 'stranger'));
});
beforeEach(() => {
	teamIds = sandbox.organisation.teams.map(({ nanoid }) => nanoid);
});
afterEach(() => {
	// After each test: every answer matched the description, and so did the log's verdicts.
	for (const { operation, status, valid } of sandbox.wire())
		if (status === 200) expect({ operation, valid }).toEqual({ operation, valid: true });
});

/** Expects a refusal with the failure envelope. */
function expectRefusal(reply: Reply, operationId: string, status = 400): void {
	expect(reply).toMatchObject({ status, body: { success: false } });
	const check = sandbox.service.description.answerCheck(operationId, status);
	expect(check(reply.body) ? [] : check.errors).toEqual([]);
}

const inviteViewer = async (client: SandboxClient, emails = ['a@example.com']) => {
	const body = { nanoid: sandbox.company, role: 'org_viewer', emails };
	return await client.post('/v2/invites/manager', body);
};
const testWebhook = async (client: SandboxClient, id = sandbox.organisation.firstWebhookId) =>
	await client.post(`/v2/webhooks/test/${id}`, { event_type: 'token.transfer' });

const invites = async (my: SandboxClient, id: string) => await my.get(`/v2/invites?nanoid=${id}`);

/** Who asks for what, and what is wrong with it. */
type Asked = readonly [string, AccountName, number, (client: SandboxClient) => Promise<Reply>];
const REFUSED: readonly Asked[] = [
	['getBalance', 'teamAdministrator', 403, (my) => my.get(`/v2/balance?nanoid=${teamIds[1]}`)],
	['listInvites', 'viewer', 403, (my) => invites(my, sandbox.team)],
	['listInvites', 'teamAdministrator', 403, (my) => invites(my, sandbox.company)],
	['createAdministratorInvites', 'teamAdministrator', 403, inviteViewer],
	['listTeamUsers', 'teamAdministrator', 403, (my) => my.get(`/v2/teams/${teamIds[1]}/users`)],
	['listTeamUsers', 'viewer', 404, (my) => my.get('/v2/teams/te-000000000000/users')],
	['sendTestDelivery', 'companyAdministrator', 404, (my) => testWebhook(my, 'wh-000000000000')],
	['sendTestDelivery', 'viewer', 403, testWebhook],
];

it.each(REFUSED)('%s: the %s is refused with %d', async (operation, name, status, ask) => {
	expectRefusal(await ask(as(name)), operation, status);
});

it('a name review is resolved by its own version, once, while its user is there', async () => {
	const [user = '', gone = ''] = sandbox.firstTeam.nameReviews.keys();
	const [version, ofAnother] = ['2026-02-01T09:30Z', '2026-02-02T09:30Z'];
	const resolved = async (of: string, review_version: string) => {
		const path = `/v2/payments/teams/${sandbox.team}/external_entity/${of}/name_review`;
		return await administrator().post(path, { review_version, action: 'approve' });
	};
	expectRefusal(await resolved(user, ofAnother), 'resolveNameReview');
	expect(await resolved(user, version)).toMatchObject({ status: 200 });
	expectRefusal(await resolved(user, version), 'resolveNameReview');
	sandbox.organisation.removeUser(gone);
	expectRefusal(await resolved(gone, ofAnother), 'resolveNameReview', 404);
});

describe('administrator invites', () => {
	interface Created {
		invites: string[];
		typed_data: AdministratorInviteTypedData;
	}
	const create = async (): Promise<Created> => {
		const emails = ['a@example.com', 'b@example.com'];
		const body = { nanoid: sandbox.team, role: 'team_viewer', emails };
		const reply = await administrator().post('/v2/invites/manager', body);
		return dataOf(sandbox, reply, 'createAdministratorInvites');
	};
	const signed = async ({ invites, typed_data: all }: Created, { wallet } = administrator()) => ({
		invites,
		signer: administrator().account.address,
		typed_data: all.typed_data,
		signature: await wallet.signTypedData(all.domain, all.types, all.typed_data),
	});
	const execute = async (body: unknown) => await administrator().put('/v2/invites/manager', body);

	it('have the typed data that was captured: widths, numbers as text, no EIP712Domain', async () => {
		const { typed_data: payload } = await create();
		expect(payload.domain).toMatchObject({ version: '1.0.0', chainId: 421614 });
		const shown = Object.entries(payload.types).map(
			([name, list]) => `${name}: ${list.map((each) => `${each.name} ${each.type}`).join(', ')}`,
		);
		expect(shown).toEqual([
			'SetRolesForwardRequest: from address, to address, salt uint64, expires uint48, data SetRole[]',
			'SetRole: role uint8, account address',
		]);
		const { salt, expires } = payload.typed_data;
		expect([salt, expires].every((text) => /^\d+$/.test(text))).toBe(true);
	});

	it.each<[settings: SettingsInput, role?: string, from?: 'platformId']>([
		[{ roleForm: 'number' }],
		[{ roleForm: 'name' }, 'team_viewer'],
		[{ roleForm: 'hash' }, id('team_viewer')],
		[{ typedDataFrom: 'platformId' }, '4', 'platformId'],
		[{ chainIdForm: 'text' }],
	])(
		'are executed once with %j, unless the signature ends in 00 or 01',
		async (settings, role = '4', from) => {
			sandbox.service.change(settings);
			const created = await create();
			const { data, from: sender } = created.typed_data.typed_data;
			expect([data[0]?.role, sender]).toEqual([role, administrator().account[from ?? 'address']]);
			const body = await signed(created);
			const odd = body.signature.replace(/1b$/, '00').replace(/1c$/, '01');
			const refused = await execute({ ...body, signature: odd });
			expect(refused).toMatchObject({ status: 400, body: { error_code: 'INVALID_SIGNATURE' } });
			const accept = { nanoid: created.invites[0], outcome: 'accepted' };
			const accepted = async () => await sandbox.control('POST', 'invites/end', accept);
			await expect(accepted).rejects.toThrow('hasn’t been executed yet');
			const done = dataOf<Created>(sandbox, await execute(body), 'executeAdministratorInvites');
			expect(done.invites).toEqual(created.invites);
			expectRefusal(await execute(body), 'executeAdministratorInvites');
			expect(await accepted()).toEqual(accept);
		},
	);

	it('are refused where anything differs from what was signed', async () => {
		const created = await create();
		const body = await signed(created);
		const { typed_data: request } = created.typed_data;
		const { signature } = await signed(created, as('teamAdministrator'));
		const signer = as('teamAdministrator').account.address;
		const changes: ReadonlyArray<readonly [object, number?]> = [
			[{ typed_data: { ...request, to: administrator().account.address } }],
			[{ typed_data: { ...request, data: request.data.slice(1) } }],
			[{ invites: created.invites.slice(1) }],
			[{ invites: ['in-000000000000'] }, 404],
			[{ signature: `0x${'1'.repeat(130)}` }],
			[{ signer }],
			[{ signature }],
			[{ signature, signer }, 403],
		];
		for (const [change, status] of changes)
			expectRefusal(await execute({ ...body, ...change }), 'executeAdministratorInvites', status);
		/* Who signed it themselves, but isn't the one it was made for. */
		const byAnother = { ...body, signature, signer };
		const reply = await as('teamAdministrator').put('/v2/invites/manager', byAnother);
		expect(reply).toMatchObject({ status: 400, body: { error_code: 'SENDER_MISMATCH' } });
	});
});

const PATH = '/v2/payments/external_entity/instant';
const signedBy = async (payload: Payload, wallet = administrator().wallet) =>
	await administrator().signedPayment(payload, wallet);
const pay = async (body: unknown) => await administrator().put(PATH, body);

describe('an instant payment', () => {
	const cents = () => sandbox.firstTeam.balances.get('USD') ?? 0n;

	it('is refused where the body differs from what was signed, or that from what was authorized', async () => {
		const payload = await sandbox.authorization();
		const body = await signedBy(payload);
		const before = cents();
		const changes: ReadonlyArray<readonly [object, number?]> = [
			[{ amount_cents: 12_501 }],
			[{ external_recipient_email: 'other@example.com' }],
			[{ from: teamIds[1] }],
			[{ typed_data: { ...payload.message, to: payload.message.from } }],
			[{ signer: as('teamAdministrator').account.address }],
			[await signedBy(payload, as('teamAdministrator').wallet), 403],
		];
		for (const [change, status] of changes)
			expectRefusal(await pay({ ...body, ...change }), 'createInstantPayment', status);
		const data = Object(payload.message.data);
		const others = [{ payAtTime: '1' }, { id: '1' }].map((each) => ({
			data: { ...data, ...each },
		}));
		for (const change of [{ salt: '9' }, { expires: '4900000000' }, ...others]) {
			const message = { ...payload.message, ...change };
			expectRefusal(await administrator().pay({ ...payload, message }), 'createInstantPayment');
		}
		expect(cents()).toBe(before);
	});

	it('is refused above the balance, and from a wallet without the role', async () => {
		const amount_cents = 1_000_000_000;
		const large = await sandbox.authorization({ amount_cents });
		expectRefusal(await administrator().pay(large, { amount_cents }), 'createInstantPayment');
		sandbox.service.change({ instantPaymentNeedsToken: false });
		for (const [client, wallet] of [
			[as('viewer'), as('viewer').wallet],
			[as('stranger'), new Wallet(id('payroll sandbox test: outsider'))],
		] as const) {
			const { message, ...payload } = await sandbox.authorization();
			const own = { ...payload, message: { ...message, from: wallet.address } };
			const reply = await client.put(PATH, await signedBy(own, wallet));
			expectRefusal(reply, 'createInstantPayment', 403);
		}
	});
});

describe('signing in', () => {
	const viewer = () => as('viewer');

	it('takes a message once', async () => {
		const message = await viewer().signInMessage();
		const signature = await viewer().wallet.signMessage(message);
		expect(await viewer().verify(message, signature)).toMatchObject({ status: 200 });
		const again = { status: 401, body: { error_code: 'NONCE_INVALID' } };
		expect(await viewer().verify(message, signature)).toMatchObject(again);
		const next = await viewer().signInMessage();
		const proof = await viewer().wallet.signMessage(next);
		for (const nonce of ['anotherNonce', new SiweMessage(next).nonce])
			expect(await viewer().verify(next, proof, nonce)).toMatchObject({ status: 401 });
	});

	type Wrong = { change?: (text: string) => string; signer?: AccountName; lifetime?: number };

	it.each<[string, string, number, Wrong]>([
		['another wallet signed', 'INVALID_SIGNATURE', 401, { signer: 'stranger' }],
		['was changed', 'MESSAGE_CHANGED', 401, { change: (text) => text.replace('ID: 1', 'ID: 5') }],
		['isn’t one', 'MESSAGE_INVALID', 400, { change: () => 'Hello' }],
		['expired before it was signed', 'INVALID_SIGNATURE', 401, { lifetime: 0.001 }],
	])('rejects a message that %s', async (_what, error_code, status, wrong) => {
		const { change = String, signer = 'viewer', lifetime } = wrong;
		sandbox.service.change({ signInMessageLifetimeSeconds: lifetime });
		const message = change(await viewer().signInMessage());
		const reply = await viewer().verify(message, await as(signer).wallet.signMessage(message));
		expect(reply).toMatchObject({ status, body: { error_code } });
	});

	it('issues messages only to wallets with a role on the platform identifier', async () => {
		const ask = async (wallet: string, platformid: string): Promise<number> =>
			(await viewer().get(`/v2/auth/siwe?${new URLSearchParams({ wallet, platformid })}`)).status;
		const { address, platformId, shortPlatformId } = viewer().account;
		expect(await ask(address.toLowerCase(), platformId.toLowerCase())).toBe(200);
		expect(await ask(address, shortPlatformId)).toBe(200);
		expect(await ask(`0x${address.slice(2).toUpperCase()}`, platformId)).toBe(200);
		const mixed = address.replace(/[A-F]/, (letter) => letter.toLowerCase());
		expect(await ask(mixed, platformId)).toBe(200);
		expect(await ask(as('stranger').account.address, platformId)).toBe(403);
		expect(await ask(address, administrator().account.platformId)).toBe(403);
		expect(await ask(address, 'PLT-0')).toBe(404);
		expect(await ask(address, '')).toBe(400);
	});
});

/* What services of this kind do, beyond the letter of the document or in one of several ways. */

const balance = async () => await administrator().get(`/v2/balance?nanoid=${sandbox.team}`);

it.each([401, 403, 400, 404, 500, 200] as const)(
	'a token that has expired is refused with %d, for reads and writes; a forged one with 401',
	async (expiredTokenStatus) => {
		sandbox.service.change({ expiredTokenStatus });
		const { address: wallet, platformId } = administrator().account;
		const expired = await sandbox.service.tokens.issue({ wallet, platformId }, -1);
		const old = SandboxClient.of(sandbox, 'companyAdministrator').useToken(expired);
		const read = async () => await old.get(`/v2/balance?nanoid=${sandbox.team}`);
		for (const reply of [await read(), await testWebhook(old)])
			expect(reply).toMatchObject({ status: expiredTokenStatus, body: { success: false } });
		old.useToken('a.b.c');
		expect((await read()).status).toBe(401);
	},
);

type Prepared = Omit<Payload, 'message'> & {
	typed_data: { salt: string; data: Record<string, string> };
};

/* services.test.ts pays with the other settings of typed data. */
it('the call that prepares a payment answers as Endpoint 6 does, in numbers; it is paid once', async () => {
	const order = { recipient: 'ana@example.com', amount: '125.5', reference: 'INV-1' };
	const asked = { team: sandbox.team, ...order };
	const reply = await administrator().post('/v2/payments/prepare', asked);
	const { domain, types, typed_data } = dataOf<Prepared>(sandbox, reply, 'preparePayment');
	expect([domain.version, domain.chainId]).toEqual(['1.0.0', 421614]);
	expect(Object.keys(types)).toEqual(['PaymentForwardRequest', 'Payment']);
	const { amount, token, recipient, ...numbers } = typed_data.data;
	expect(amount).toBe('125500000');
	for (const each of [token, recipient]) expect(each).toMatch(/^0x[0-9a-fA-F]{40}$/);
	expect(Object.values(numbers).every((text) => /^(\d+|0x)$/.test(text))).toBe(true);
	const authorization = { domain, types, message: { ...typed_data } };
	const pay = async () => await administrator().pay(authorization, { amount_cents: 12_550 });
	dataOf(sandbox, await pay(), 'createInstantPayment');
	const replayed = { status: 400, body: { error_code: 'PAYMENT_REPLAYED' } };
	expect(await pay()).toMatchObject(replayed);
	for (const salt of [`0${typed_data.salt}`, `0x${BigInt(typed_data.salt).toString(16)}`]) {
		authorization.message.salt = salt;
		expect(await pay()).toMatchObject(replayed);
	}
});

/* services.test.ts sends requests with other names. */
it('answers have fields of other names, but not in typed data', async () => {
	const fieldNames = { platform_account_address: 'account_address', from: 'sender' };
	sandbox.service.change({ fieldNames });
	const { data: balances } = Object((await balance()).body);
	expect(Object.keys(balances)).toEqual(['account_address', 'balances']);
	const { data } = Object((await inviteViewer(administrator())).body);
	expect(data.typed_data.typed_data).toHaveProperty('from');
});

it('answers what it can’t read in its own form, and logs it', async () => {
	for (const [status, path, length] of [
		[400, 'teams/%zz/users', 1],
		[414, `payments/teams/${'x'.repeat(1_001)}/external_entity/us/name_review`, 1],
		[413, 'payments/prepare', 2 ** 20],
	] as const) {
		const reply = await administrator().post(`/v2/${path}`, 'x'.repeat(length));
		expectRefusal(reply, 'preparePayment', status);
		expect(sandbox.wire().at(-1)).toMatchObject({ status, valid: false, path: `/v2/${path}` });
	}
});

it('refuses what is asked when there are too many requests', async () => {
	sandbox.service.change({ requestsPerMinute: 2 });
	const statuses = [await balance(), await balance(), await balance()];
	expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
	expect(statuses[2]?.body).toEqual({ success: false, data: 'Rate limit exceeded' });
});

describe('a page elsewhere in a person’s browser', () => {
	const statusFor = async (headers: Record<string, string>, path = '/sandbox/endpoints') =>
		await new Promise<number | undefined>((resolve, reject) => {
			const sent = request(sandbox.url + path, { method: 'POST', headers }, (answer) =>
				resolve(answer.resume().statusCode),
			);
			sent.on('error', reject).end(JSON.stringify({ url: 'http://127.0.0.1:1/inside' }));
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
		const seen = sandbox.wire().length;
		expect(await statusFor({}, '/sandbox/endpoint')).toBe(404);
		expect(sandbox.wire()).toHaveLength(seen);
	});
});

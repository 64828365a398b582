import { id, Wallet } from 'ethers';

import type { AdministratorInviteTypedData } from '../../sandbox/administratorInvites';
import type { AccountName } from '../../sandbox/server';
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
	for (const name of ['companyAdministrator', 'teamAdministrator', 'viewer'] as const) {
		clients.set(name, await SandboxClient.of(sandbox, name).signIn());
	}
	clients.set('stranger', SandboxClient.of(sandbox, 'stranger'));
});
beforeEach(() => {
	teamIds = sandbox.organisation.teams.map(({ nanoid }) => nanoid);
});
afterEach(() => {
	// After each test: every answer matched the description, and so did the log's verdicts.
	for (const { operation, status, valid } of sandbox.wire()) {
		if (status === 200) expect({ operation, valid }).toEqual({ operation, valid: true });
	}
});

/** Expects a refusal with the failure envelope. */
function expectRefusal(reply: Reply, operationId: string, status = 400): void {
	expect(reply).toMatchObject({ status, body: { success: false } });
	const check = sandbox.service.description.answerCheck(operationId, status);
	expect(check(reply.body) ? [] : check.errors).toEqual([]);
}

const forCompany = () => `/v2/invites?nanoid=${sandbox.company}`;
const review = { review_version: '2026-02-28T09:30Z', action: 'approve' };
const reviewOf = (user: string) =>
	`/v2/payments/teams/${sandbox.team}/external_entity/${user}/name_review`;
const ROLES = { role: 'org_viewer', emails: ['a@example.com'] };
const TEST = { event_type: 'token.transfer' };

/** Who asks for what, and what is wrong with it. */
type Asked = readonly [string, AccountName, number, (client: SandboxClient) => Promise<Reply>];
const REFUSED: readonly Asked[] = [
	['getBalance', 'teamAdministrator', 403, (my) => my.get(`/v2/balance?nanoid=${teamIds[1]}`)],
	['listInvites', 'viewer', 403, (my) => my.get(`/v2/invites?nanoid=${sandbox.team}`)],
	['listInvites', 'teamAdministrator', 403, (my) => my.get(forCompany())],
	[
		'createAdministratorInvites',
		'teamAdministrator',
		403,
		(my) => my.post('/v2/invites/manager', { ...ROLES, nanoid: sandbox.company }),
	],
	[
		'resolveNameReview',
		'companyAdministrator',
		404,
		(my) => my.post(reviewOf('us-000000000000'), review),
	],
	['listTeamUsers', 'teamAdministrator', 403, (my) => my.get(`/v2/teams/${teamIds[1]}/users`)],
	['listTeamUsers', 'viewer', 404, (my) => my.get('/v2/teams/te-000000000000/users')],
	[
		'sendTestDelivery',
		'companyAdministrator',
		404,
		(my) => my.post('/v2/webhooks/test/wh-000000000000', TEST),
	],
	[
		'sendTestDelivery',
		'viewer',
		403,
		(my) => my.post(`/v2/webhooks/test/${sandbox.organisation.firstWebhookId}`, TEST),
	],
];

it.each(REFUSED)('%s: the %s is refused with %d', async (operation, name, status, ask) => {
	expectRefusal(await ask(as(name)), operation, status);
});

it('a team’s invites are listed for its team_admin, and a company’s for its org_admin', async () => {
	const forTeam = `/v2/invites?nanoid=${sandbox.team}`;
	expect(await as('teamAdministrator').get(forTeam)).toMatchObject({ status: 200 });
	expect(await administrator().get(forCompany())).toMatchObject({ status: 200 });
});

it('a body that isn’t JSON is refused, and logged', async () => {
	const response = await fetch(`${sandbox.url}/v2/invites`, { method: 'POST', body: '{"a":' });
	expect(response.status).toBe(401);
	const [entry] = sandbox.wire();
	expect(entry).toMatchObject({ body: '{"a":', valid: false, operation: 'createInvites' });
});

it('a name review is resolved once', async () => {
	const [waiting = ''] = sandbox.firstTeam.nameReviews.keys();
	const resolve = async () => await administrator().post(reviewOf(waiting), review);
	const done = dataOf<{ status: string }>(sandbox, await resolve(), 'resolveNameReview');
	expect(done.status).toBe('approved');
	expectRefusal(await resolve(), 'resolveNameReview');
});

describe('administrator invites', () => {
	interface Created {
		invites: string[];
		typed_data: AdministratorInviteTypedData;
	}
	const create = async (entity: object): Promise<Created> => {
		const emails = ['a@example.com', 'b@example.com'];
		const reply = await administrator().post('/v2/invites/manager', { ...entity, emails });
		return dataOf(sandbox, reply, 'createAdministratorInvites');
	};
	const createForTeam = async () => await create({ nanoid: sandbox.team, role: 'team_viewer' });
	const signed = async ({ invites, typed_data }: Created, { wallet } = administrator()) => ({
		invites,
		signer: administrator().account.address,
		typed_data: typed_data.typed_data,
		signature: await wallet.signTypedData(
			typed_data.domain,
			typed_data.types,
			typed_data.typed_data,
		),
	});
	const execute = async (body: unknown) => await administrator().put('/v2/invites/manager', body);

	it.each([
		['name', 'team_viewer'],
		['hash', id('team_viewer')],
	] as const)('are executed once, with roles by %s', async (roleForm, role) => {
		sandbox.service.change({ roleForm });
		const created = await createForTeam();
		expect(created.typed_data.typed_data.data[0]?.role).toBe(role);
		const body = await signed(created);
		const done = dataOf<Created>(sandbox, await execute(body), 'executeAdministratorInvites');
		expect(done.invites).toEqual(created.invites);
		expectRefusal(await execute(body), 'executeAdministratorInvites');
	});

	it('are executed for a company, too', async () => {
		const created = await create({ nanoid: sandbox.company, role: 'org_viewer' });
		expect(await execute(await signed(created))).toMatchObject({ status: 200 });
	});

	it('are refused where anything differs from what was signed', async () => {
		const created = await createForTeam();
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
		for (const [change, status] of changes) {
			expectRefusal(await execute({ ...body, ...change }), 'executeAdministratorInvites', status);
		}
	});
});

describe('an instant payment', () => {
	const PATH = '/v2/payments/external_entity/instant';
	const signedBy = async (payload: Payload, wallet: Wallet) => ({
		from: sandbox.team,
		amount_cents: 12_500,
		signer: wallet.address,
		typed_data: payload.message,
		signature: await wallet.signTypedData(payload.domain, payload.types, payload.message),
		external_recipient_email: 'ana@example.com',
		currency_symbol: 'USD',
		network: 'arbitrum',
	});
	const ready = async () => await signedBy(await sandbox.authorization(), administrator().wallet);
	const pay = async (body: unknown) => await administrator().put(PATH, body);
	const cents = () => sandbox.firstTeam.balances.get('USD') ?? 0n;

	it('is made once for each signed salt', async () => {
		const before = cents();
		const body = await ready();
		expect(dataOf(sandbox, await pay(body), 'createInstantPayment')).toEqual({
			transaction: expect.stringMatching(/^tx-/),
		});
		expectRefusal(await pay(body), 'createInstantPayment');
		expect(cents()).toBe(before - 12_500n);
	});

	it('is refused where the body differs from what was signed', async () => {
		const payload = await sandbox.authorization();
		const body = await signedBy(payload, administrator().wallet);
		const before = cents();
		const changes: ReadonlyArray<readonly [object, number?]> = [
			[{ amount_cents: 12_501 }],
			[{ external_recipient_email: 'other@example.com' }],
			[{ from: teamIds[1] }],
			[{ typed_data: { ...payload.message, to: payload.message.from } }],
			[{ signer: as('teamAdministrator').account.address }],
			[await signedBy(payload, as('teamAdministrator').wallet), 403],
		];
		for (const [change, status] of changes) {
			expectRefusal(await pay({ ...body, ...change }), 'createInstantPayment', status);
		}
		expect(cents()).toBe(before);
	});

	it('is refused above the balance, and from a wallet without the role', async () => {
		const amount_cents = 1_000_000_000;
		const large = await sandbox.authorization({ amount_cents });
		const body = await signedBy(large, administrator().wallet);
		expectRefusal(await pay({ ...body, amount_cents }), 'createInstantPayment');
		sandbox.service.change({ instantPaymentNeedsToken: false });
		const outsider = new Wallet(id('payroll sandbox test: outsider'));
		for (const [client, wallet] of [
			[as('viewer'), as('viewer').wallet],
			[as('stranger'), outsider],
		] as const) {
			const { message, ...payload } = await sandbox.authorization();
			const own = { ...payload, message: { ...message, from: wallet.address } };
			const reply = await client.put(PATH, await signedBy(own, wallet));
			expectRefusal(reply, 'createInstantPayment', 403);
		}
	});

	it('needs no token if the setting says so, but one that is sent is checked', async () => {
		sandbox.service.change({ instantPaymentNeedsToken: false });
		const nobody = SandboxClient.of(sandbox, 'stranger');
		expect(await nobody.put(PATH, await ready())).toMatchObject({ status: 200 });
		const reply = await nobody.useToken('a.b.c').put(PATH, await ready());
		expectRefusal(reply, 'createInstantPayment', 401);
	});
});

describe('team users', () => {
	interface Page {
		users: Array<{ nanoid: string; email: string }>;
		pagination: { next_page: number; next_offset: number; has_more: boolean };
	}
	const list = async (query: string): Promise<Page> => {
		const reply = await as('viewer').get(`/v2/teams/${sandbox.team}/users?${query}`);
		return dataOf(sandbox, reply, 'listTeamUsers');
	};

	it('are the full list without page and offset', async () => {
		const sizes = ['', 'count=5', 'page=1', 'offset=0&count=5'].map(
			async (query) => (await list(query)).users.length,
		);
		expect(await Promise.all(sizes)).toEqual([140, 140, 100, 5]);
	});

	it.each<[string, (pagination: Page['pagination'] | undefined) => string]>([
		['page', (last) => `page=${last?.next_page ?? 1}&count=33`],
		['offset', (last) => `offset=${last?.next_offset ?? 0}&count=70`],
	])('are each listed once by %s', async (_by, next) => {
		const listed: string[] = [];
		for (let page: Page | undefined; page?.pagination.has_more !== false; ) {
			page = await list(next(page?.pagination));
			listed.push(...page.users.map(({ nanoid }) => nanoid));
		}
		expect(listed).toEqual(sandbox.firstTeam.users.map(({ nanoid }) => nanoid));
	});

	it('are filtered by email, repeated or comma-separated, and strangers are left out', async () => {
		const [one, two] = sandbox.firstTeam.users.map(({ email }) => email);
		const repeated = await list(`emails=${one}&emails=${two}&emails=nobody@example.com`);
		const listed = await list(`emails=${one},${two},nobody@example.com`);
		expect(repeated.users.map(({ email }) => email)).toEqual([one, two]);
		expect(listed.users).toEqual(repeated.users);
		expect((await list('emails=nobody@example.com')).users).toEqual([]);
	});
});

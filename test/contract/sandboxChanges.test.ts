import { useActionSandbox } from '../support/actionSandbox';
import { dataOf, SandboxClient } from '../support/sandboxClient';

const sandbox = useActionSandbox();
let client: SandboxClient;
let team: string;

beforeAll(async () => {
	client = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
	team = sandbox.team;
});

interface Balances {
	readonly balances: ReadonlyArray<{ readonly currency: string; readonly balance_cents: string }>;
}

async function balanceOf(currency: string): Promise<string | undefined> {
	const reply = await client.get(`/v2/balance?nanoid=${team}`);
	const { balances } = dataOf<Balances>(sandbox, reply, 'getBalance');
	return balances.find((each) => each.currency === currency)?.balance_cents;
}

async function users(): Promise<ReadonlyArray<Record<string, unknown>>> {
	const reply = await client.get(`/v2/teams/${team}/users`);
	return dataOf<{ users: Array<Record<string, unknown>> }>(sandbox, reply, 'listTeamUsers').users;
}

async function control(route: string, body: object): Promise<Record<string, unknown>> {
	const reply = await client.post(`/sandbox/${route}`, body);
	expect(reply.status).toBe(200);
	return JSON.parse(reply.text);
}

it('sets a balance, and leaves a currency out', async () => {
	const set = async (cents: string | null) =>
		await control('balances', { nanoid: team, currency: 'USD', balance_cents: cents });
	await set('123');
	expect(await balanceOf('USD')).toBe('123');
	await set(null);
	expect(await balanceOf('USD')).toBeUndefined();
	await set('0');
	expect(await balanceOf('USD')).toBe('0');
});

it('adds, changes, removes and restores a user', async () => {
	const { nanoid } = await control('users', { nanoid: team, email: 'new@example.com' });
	const listed = async () => (await users()).find((user) => user.nanoid === nanoid);
	expect(await listed()).toMatchObject({ email: 'new@example.com' });
	await control('users/change', { nanoid, role: 'contractor', onboarding: { step: 'later' } });
	const changed = await listed();
	expect(changed).toMatchObject({ role: 'contractor', onboarding: { step: 'later' } });
	await control('users/remove', { nanoid });
	expect(await listed()).toBeUndefined();
	await control('users/restore', { nanoid });
	expect(await listed()).toEqual(changed);
});

it('adds invites, and ends them with or without a new user', async () => {
	const invite = async (email: string) => {
		const { nanoid } = await control('invites', { nanoid: team, email });
		const reply = await client.get(`/v2/invites?nanoid=${team}`);
		expect(dataOf(sandbox, reply, 'listInvites')).toContainEqual(
			expect.objectContaining({ nanoid, email }),
		);
		return nanoid;
	};
	await control('invites/end', { nanoid: await invite('in@example.com'), outcome: 'accepted' });
	await control('invites/end', { nanoid: await invite('out@example.com'), outcome: 'expired' });
	const addresses = (await users()).map(({ email }) => email);
	expect(addresses).toContain('in@example.com');
	expect(addresses).not.toContain('out@example.com');
});

it.each([
	['balances', { currency: 'USD', balance_cents: '1' }],
	['users', {}],
	['users/change', { payable: true }],
	['users/remove', {}],
	['users/restore', {}],
	['invites', { email: 'a@example.com' }],
	['invites/end', { outcome: 'expired' }],
])('answers 404 to %s for what does not exist, and 400 to nonsense', async (route, body) => {
	const unknown = { ...body, nanoid: 'te-unknown' };
	expect((await client.post(`/sandbox/${route}`, unknown)).status).toBe(404);
	expect((await client.post(`/sandbox/${route}`, { ...unknown, more: 1 })).status).toBe(400);
});

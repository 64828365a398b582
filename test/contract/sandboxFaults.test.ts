import type { FaultInput, WireLogEntry } from '../../sandbox/server';
import { useActionSandbox } from '../support/actionSandbox';
import { dataOf, SandboxClient, type Reply } from '../support/sandboxClient';

/* test/n8n/faults and invitePeople show what each fault answers, and what is done all the same. */
describe('the sandbox: faults and the wire log', () => {
	const sandbox = useActionSandbox();
	let administrator: SandboxClient;

	beforeAll(async () => {
		administrator = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
	});

	const plan = async (fault: FaultInput) => await sandbox.fault(fault);
	const balance = async (): Promise<Reply> =>
		administrator.get(`/v2/balance?nanoid=${sandbox.team}`);
	const invite = async (): Promise<Reply> =>
		administrator.post('/v2/invites', {
			nanoid: sandbox.team,
			role: 'contractor',
			invites: [{ email: 'new@example.com' }],
		});
	const isInvited = (): boolean =>
		sandbox.firstTeam.invites.some(({ email }) => email === 'new@example.com');
	const lastEntry = (): WireLogEntry | undefined => sandbox.wire().at(-1);

	it('logs what it received before it breaks the connection', async () => {
		await plan({ kind: 'cutBefore' });
		await expect(invite()).rejects.toThrow();
		expect(lastEntry()).toMatchObject({
			operation: 'createInvites',
			outcome: 'fault: cutBefore',
			valid: true,
			body: { nanoid: sandbox.team },
		});
		expect(lastEntry()).not.toHaveProperty('status');
	});

	it('logs a client that gave up waiting', async () => {
		await plan({ kind: 'latency', delay: 60_000 });
		const impatient = fetch(`${sandbox.url}/v2/unknown`, { signal: AbortSignal.timeout(100) });
		await expect(impatient).rejects.toThrow();
		while (lastEntry()?.outcome === 'received') await new Promise(setImmediate);
		expect(lastEntry()).toMatchObject({ outcome: 'client gone' });
	});

	it('fails only matching requests, as often as planned, after the skipped ones', async () => {
		const match = { method: 'post', path: '^/v2/invites$' };
		await plan({ kind: 'status', status: 500, match, times: 2, skip: 1 });
		expect(await balance()).toMatchObject({ status: 200 });
		const statuses = [];
		for (let call = 0; call < 4; call++) statuses.push((await invite()).status);
		expect(statuses).toEqual([200, 500, 500, 200]);
	});

	it('rejects an unknown fault', async () => {
		const body = JSON.stringify({ kind: 'earthquake' });
		const reply = await fetch(`${sandbox.url}/sandbox/faults`, { method: 'POST', body });
		expect(reply.status).toBe(400);
	});

	it('logs every request in order, with a verdict and without usable tokens', async () => {
		await balance();
		await administrator.get(`/v2/balance?nanoid=${sandbox.team}&currencies=USD&currencies=EUR&x=1`);
		const response = await fetch(`${sandbox.url}/sandbox/log`);
		const log = await response.text();
		const { entries, counts } = sandbox.service.wireLog.read();
		expect(JSON.parse(log)).toEqual(JSON.parse(JSON.stringify({ entries, counts })));
		expect(counts).toEqual({ getBalance: 2 });
		expect(entries).toMatchObject([
			{ status: 200, valid: true, problems: [], outcome: 'answered' },
			{ status: 400, valid: false, query: { currencies: ['USD', 'EUR'], x: '1' } },
		]);
		expect(entries[0]?.headers.authorization).toMatch(/^Bearer #[0-9a-f]{10}$/);
		await fetch(`${sandbox.url}/sandbox/log`, { method: 'DELETE' });
		expect(sandbox.service.wireLog.read()).toEqual({ entries: [], counts: {} });
	});

	it('keeps the log within its limit, and counts all requests', async () => {
		sandbox.service.change({ logLimit: 5 });
		for (let call = 0; call < 20; call++) await balance();
		const { entries, counts } = sandbox.service.wireLog.read();
		expect(entries.length).toBeLessThanOrEqual(6);
		expect(counts).toEqual({ getBalance: 20 });
	});

	it('starts over on reset', async () => {
		await invite();
		await plan({ kind: 'status' });
		sandbox.service.change({ chainId: 1 });
		await fetch(`${sandbox.url}/sandbox/reset`, { method: 'POST' });
		expect(isInvited()).toBe(false);
		expect(sandbox.service.settings.chainId).toBe(42161);
		dataOf(sandbox, await balance(), 'getBalance');
	});
});

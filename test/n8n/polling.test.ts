import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { systemClock } from '../../nodes/PayrollPayments/api/clock';
import { useActionSandbox } from '../support/actionSandbox';
import { SavedCredentials } from '../support/actionHost';
import { startHttpServer } from '../support/httpServer';
import { PollHost } from '../support/pollHost';

const sandbox = useActionSandbox();
let credentials: SavedCredentials;

beforeEach(() => {
	credentials = sandbox.credentials();
});

/** Points the credentials to another service. */
function useService(baseUrl: string): void {
	credentials.data = { baseUrl, authentication: 'accessToken', accessToken: 'token' };
}

const organisation = () => sandbox.organisation;
const team = () => sandbox.firstTeam;

function host(event: string, parameters: INodeParameters = {}): PollHost {
	const { nanoid } = team();
	return new PollHost(credentials, { event, entityId: nanoid, teamId: nanoid, ...parameters });
}

/** A workflow that was switched on, and has polled once. */
async function switchedOn(event: string, parameters?: INodeParameters): Promise<PollHost> {
	const n8n = host(event, parameters);
	await n8n.activate('activate');
	return n8n;
}

/** The items of the next poll. */
async function next(n8n: PollHost): Promise<IDataObject[]> {
	await n8n.tick();
	expect(n8n.failures).toEqual([]);
	return n8n.take();
}

function first<Value>([value]: readonly Value[]): Value {
	if (value === undefined) throw new Error('There is nothing in the list');
	return value;
}

const set = (currency: string, cents: bigint) => team().balances.set(currency, cents);
const add = (currency: string, cents: bigint) =>
	set(currency, (team().balances.get(currency) ?? 0n) + cents);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('Balance Changed', () => {
	it('adds up changes of each currency by itself, also while it isn’t listed', async () => {
		const { unlisted } = team();
		set('GBP', 60n);
		unlisted.add('EUR');
		const n8n = await switchedOn('balanceChanged', { minimumChangeCents: 100 });
		unlisted.clear();
		unlisted.add('GBP');
		set('EUR', 60n);
		add('USD', 60n);
		expect(await next(n8n)).toEqual([]);
		unlisted.clear();
		set('GBP', 159n);
		add('USD', 40n);
		expect(await next(n8n)).toMatchObject([{ currency: 'USD', change_cents: '100' }]);
		set('EUR', 100n);
		set('GBP', 160n);
		expect(await next(n8n)).toMatchObject([
			{ currency: 'EUR', previous_balance_cents: '0', change_cents: '100' },
			{ currency: 'GBP', previous_balance_cents: '60', change_cents: '100' },
		]);
	});

	it('tells nothing at first, then each changed currency once', async () => {
		set('USD', 100_000n);
		const n8n = await switchedOn('balanceChanged');
		await n8n.tick();
		expect([n8n.failures, n8n.executions]).toEqual([[], []]);
		set('USD', 87_505n);
		set('EUR', 3n);
		const items = await next(n8n);
		expect(items).toHaveLength(2);
		expect(Object.entries(items.find(({ currency }) => currency === 'USD') ?? {})).toEqual([
			['event', 'balanceChanged'],
			['entity_id', team().nanoid],
			['currency', 'USD'],
			['balance', '875.05'],
			['balance_cents', '87505'],
			['previous_balance', '1000.00'],
			['previous_balance_cents', '100000'],
			['change', '-124.95'],
			['change_cents', '-12495'],
			['observed_at', TIME],
		]);
		expect(await next(n8n)).toEqual([]);
	});

	it('keeps cents beyond 2^53 exact that come as text, and adds up changes below the minimum over a restart', async () => {
		sandbox.service.change({ balanceCents: 'text' });
		set('USD', 9_007_199_254_740_993n);
		const n8n = await switchedOn('balanceChanged', { minimumChangeCents: 2 });
		set('USD', 9_007_199_254_740_994n);
		expect(await next(n8n)).toEqual([]);
		await n8n.restart();
		set('USD', 9_007_199_254_740_995n);
		expect(await next(n8n)).toMatchObject([
			{ balance: '90071992547409.95', change_cents: '2', change: '0.02' },
		]);
		add('USD', -1n);
		expect(await next(n8n)).toEqual([]);
		add('USD', -1n);
		expect(await next(n8n)).toMatchObject([{ change_cents: '-2' }]);
		expect(await next(n8n)).toEqual([]);
	});

	it('counts a currency that appears or vanishes as a change from or to 0', async () => {
		team().unlisted.add('USD').add('EUR');
		const n8n = await switchedOn('balanceChanged');
		team().unlisted.clear();
		set('USD', 500n);
		set('EUR', 0n);
		expect(await next(n8n)).toMatchObject([
			{ currency: 'USD', previous_balance_cents: '0', change_cents: '500' },
		]);
		team().unlisted.add('USD').add('EUR');
		expect(await next(n8n)).toMatchObject([
			{ currency: 'USD', balance: '0.00', balance_cents: '0', change_cents: '-500' },
		]);
		expect(await next(n8n)).toEqual([]);
	});

	it('takes a currency in another case for the same', async () => {
		const data = {
			platform_account_address: '0x',
			balances: [{ currency: 'usd', balance_cents: '5' }],
		};
		useService((await startHttpServer(() => ({ success: true, data }))).url);
		const n8n = await switchedOn('balanceChanged');
		data.balances = [{ currency: 'USD', balance_cents: '12' }];
		expect(await next(n8n)).toMatchObject([{ currency: 'USD', change_cents: '7' }]);
	});

	it('watches only the chosen currencies, in any order, and asks for all, whose encoding needs no guess', async () => {
		sandbox.service.change({ currenciesEncodings: ['brackets'] });
		const n8n = await switchedOn('balanceChanged', { currencies: ['USD', 'MXN'] });
		set('GBP', 1n);
		expect(await next(n8n)).toEqual([]);
		n8n.parameters = { ...n8n.parameters, currencies: ['MXN', 'USD'] };
		for (const currency of ['EUR', 'MXN', 'USD']) add(currency, 7n);
		await n8n.activate('update');
		expect(n8n.take()).toMatchObject([
			{ currency: 'MXN', change_cents: '7' },
			{ currency: 'USD', change_cents: '7' },
		]);
		const { nanoid } = team();
		expect(sandbox.requests().map(({ query }) => query)).toEqual(Array(3).fill({ nanoid }));
	});
});

describe('team users', () => {
	it('tells who was added, as the service gives it', async () => {
		const n8n = await switchedOn('teamUserAdded');
		const user = organisation().addUser(team());
		const [item = {}] = await next(n8n);
		expect(item).toEqual({ event: 'teamUserAdded', ...user, observed_at: TIME });
		expect(Object.keys(item)[0]).toBe('event');
		expect(Object.keys(item).at(-1)).toBe('observed_at');
		expect(await next(n8n)).toEqual([]);
		/* The whole list each time. */
		expect(sandbox.requests().map(({ query }) => query)).toEqual([{}, {}, {}]);
	});

	it.each([{}, { alwaysOutputData: true }])(
		'saves what a silent poll saw with an execution without items: %j',
		async (node) => {
			const n8n = host('teamUserAdded');
			n8n.changes = node;
			await n8n.activate('activate');
			await n8n.tick();
			expect(n8n.executions).toEqual([]);
			const { nanoid } = first(team().users);
			organisation().removeUser(nanoid);
			await n8n.tick();
			await n8n.tick();
			expect(n8n.executions).toEqual([[]]);
			await n8n.restart();
			organisation().restoreUser(nanoid);
			expect(await next(n8n)).toMatchObject([{ nanoid }]);
		},
	);

	it('tells what changed of a user, and from what', async () => {
		const n8n = await switchedOn('teamUserChanged');
		const user = first(team().users);
		organisation().changeUser(user.nanoid, { first_name: 'Renamed' });
		expect(await next(n8n)).toEqual([]);
		const changed = organisation().changeUser(user.nanoid, {
			role: 'some_new_role',
			payable: !user.payable,
			onboarding: { step: 'later' },
		});
		const [item = {}] = await next(n8n);
		expect(item).toEqual({
			event: 'teamUserChanged',
			...changed,
			changed: ['onboarding.step', 'payable', 'role'],
			previous: { 'onboarding.step': user.onboarding.step, payable: user.payable, role: user.role },
			observed_at: TIME,
		});
		expect(Object.keys(item).slice(-3)).toEqual(['changed', 'previous', 'observed_at']);
	});

	it('tells nothing because the service writes the fields in another order', async () => {
		const { onboarding } = first(team().users);
		const write = (moderation: object) => Object.assign(onboarding, { moderation });
		write({ by: 'a', at: { day: 1, hour: 2 } });
		const n8n = await switchedOn('teamUserChanged');
		write({ at: { hour: 2, day: 1 }, by: 'a' });
		expect(await next(n8n)).toEqual([]);
		write({ at: { hour: 3, day: 1 }, by: 'a' });
		expect(await next(n8n)).toMatchObject([
			{
				changed: ['onboarding.moderation'],
				previous: { 'onboarding.moderation': { by: 'a', at: { day: 1, hour: 2 } } },
			},
		]);
	});

	it('tells the onboarding that a user had before it became null', async () => {
		const n8n = await switchedOn('teamUserChanged');
		const user = first(team().users);
		const { step } = user.onboarding;
		Object.assign(user, { onboarding: null });
		const [{ changed, previous } = {}] = await next(n8n);
		expect(previous).toMatchObject({ 'onboarding.step': step });
		expect(changed).not.toContain('onboarding');
		/* Null is as good as none. */
		Object.assign(user, { onboarding: { step: null, later: null } });
		expect(await next(n8n)).toEqual([]);
	});

	it('keeps a __proto__ field of a record as plain data', async () => {
		const n8n = await switchedOn('teamUserAdded');
		const user = organisation().addUser(team());
		Object.defineProperty(user, '__proto__', { value: { payable: 1 }, enumerable: true });
		const [item = {}] = await next(n8n);
		expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
		expect(Object.keys(item)).toContain('__proto__');
	});
});

describe('invites', () => {
	it('tells of a new invite, as the service gives it', async () => {
		const n8n = await switchedOn('inviteAdded');
		const { invites } = team();
		const invite = { ...first(invites), nanoid: 'in-000000000001', email: 'new@example.com' };
		invites.push(invite);
		expect(await next(n8n)).toEqual([{ event: 'inviteAdded', ...invite, observed_at: TIME }]);
		expect(await next(n8n)).toEqual([]);
	});

	it('tells whether the team now lists the invited address, and nothing else', async () => {
		const n8n = await switchedOn('inviteEnded');
		const [accepted = '', rejected = ''] = team().invites.map(({ nanoid }) => nanoid);
		organisation().endInvite(accepted, true);
		organisation().endInvite(rejected, false);
		expect((await next(n8n)).map((item) => Object.entries(item))).toEqual(
			[
				[accepted, 'member'],
				[rejected, 'gone'],
			]
				.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
				.map(([nanoid, outcome]) => [
					['event', 'inviteEnded'],
					['nanoid', nanoid],
					['outcome', outcome],
					['observed_at', TIME],
				]),
		);
		expect(await next(n8n)).toEqual([]);
	});

	it.each([
		['in any case', 'KIM@example.com', 'member'],
		['not with letters that only look alike', '\u212aim@example.com', 'gone'],
	])('recognizes the address %s', async (_how, joined, outcome) => {
		const { invites } = team();
		const invite = first(invites);
		invites.splice(0, 1, { ...invite, email: 'kim@example.com' });
		const n8n = await switchedOn('inviteEnded');
		organisation().endInvite(invite.nanoid, false);
		organisation().addUser(team(), { email: joined });
		expect(await next(n8n)).toMatchObject([{ outcome }]);
	});

	it('says of a company’s invite only that it is gone', async () => {
		const { company } = organisation();
		const n8n = await switchedOn('inviteEnded', { entityId: company.nanoid });
		const [invite] = company.invites;
		organisation().endInvite(invite?.nanoid ?? '', true);
		expect(await next(n8n)).toMatchObject([{ nanoid: invite?.nanoid, outcome: 'gone' }]);
	});

	it('remembers an ended invite until the team could be read', async () => {
		const n8n = await switchedOn('inviteEnded');
		const nanoid = team().invites[0]?.nanoid ?? '';
		organisation().endInvite(nanoid, true);
		sandbox.service.faults.plan({ match: { path: 'users' }, kind: 'status', status: 403 });
		await n8n.tick();
		expect(n8n.failures).toHaveLength(1);
		expect(n8n.take()).toEqual([]);
		n8n.failures.splice(0);
		expect(await next(n8n)).toMatchObject([{ nanoid, outcome: 'member' }]);
	});
});

describe('what is remembered', () => {
	it('begins again when the workflow is switched on at the second try', async () => {
		const n8n = await switchedOn('balanceChanged');
		const { data } = credentials;
		const { parameters } = n8n;
		for (const damage of [
			async () => await sandbox.fault({ kind: 'status', status: 500, times: 'always' }),
			() => (credentials.data = { ...data, privateKey: '' }),
			() => (n8n.parameters = { ...parameters, minimumChangeCents: '={{ undefined }}' }),
		]) {
			add('USD', 5n);
			await damage();
			const told = { description: expect.stringContaining('No changes are lost') };
			await expect(n8n.activate('activate')).rejects.toEqual(expect.not.objectContaining(told));
			await sandbox.control('DELETE', 'faults');
			Object.assign(credentials, { data });
			n8n.parameters = parameters;
			/* n8n calls it an edit. */
			await n8n.activate('update');
			expect(n8n.take()).toEqual([]);
		}
		add('USD', 2n);
		expect(await next(n8n)).toMatchObject([{ change_cents: '2' }]);
	});

	it('outlasts a restart without usable credentials, as where a secret store can’t be reached', async () => {
		const n8n = await switchedOn('balanceChanged');
		add('USD', 7n);
		const { data } = credentials;
		credentials.data = { ...data, privateKey: '' };
		await n8n.restart();
		expect(n8n.failures.splice(0)).toHaveLength(1);
		credentials.data = data;
		expect(await next(n8n)).toMatchObject([{ change_cents: '7' }]);
	});

	it('ends with an edit to an ID that the service doesn’t know', async () => {
		const n8n = await switchedOn('balanceChanged');
		n8n.parameters = { ...n8n.parameters, entityId: 'te-000000000000' };
		await expect(n8n.activate('update')).rejects.toThrow('refused');
	});

	describe.each([
		['a restart', async (n8n: PollHost) => await n8n.restart()],
		['an edit', async (n8n: PollHost) => await n8n.activate('update')],
	])('outlasts %s', (_when, begin) => {
		it('during which the service fails, and the error is listed', async () => {
			const n8n = await switchedOn('balanceChanged');
			add('USD', 7n);
			await sandbox.fault({ kind: 'status', status: 500, times: 'always' });
			n8n.parameters = { ...n8n.parameters, minimumChangeCents: 1 };
			await begin(n8n);
			expect(n8n.failures.splice(0)).toMatchObject([
				{
					message: expect.stringContaining('told to fail'),
					description: expect.stringContaining('No changes are lost'),
				},
			]);
			await sandbox.control('DELETE', 'faults');
			expect(await next(n8n)).toMatchObject([{ change_cents: '7' }]);
		});

		it('after which the first check hangs, and lets n8n go on', async () => {
			const n8n = await switchedOn('balanceChanged');
			add('USD', 7n);
			await sandbox.fault({ kind: 'latency', delay: 60_000, times: 'always' });
			const limits: number[] = [];
			const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
				limits.push(milliseconds);
				const limit = new AbortController();
				setTimeout(() => limit.abort(), limits.length === 1 ? 500 : milliseconds).unref();
				return limit.signal;
			});
			try {
				await begin(n8n);
			} finally {
				timeout.mockRestore();
			}
			await sandbox.control('DELETE', 'faults');
			expect(n8n.failures.splice(0)).toMatchObject([{ message: 'The check took too long' }]);
			/* n8n 2.41.3 waits for 0.7 of 120 seconds (workflow-publication-outbox-consumer.js). */
			expect(limits[0]).toBeLessThan(84_000);
			expect(await next(n8n)).toMatchObject([{ change_cents: '7' }]);
		});
	});

	it.each<[string, () => INodeParameters, told?: object]>([
		['begins again with another entity', () => ({ entityId: organisation().company.nanoid })],
		['begins again with other currencies', () => ({ currencies: ['EUR', 'USD'] })],
		['begins again with another event', () => ({ event: 'inviteAdded' })],
		['goes on with another minimum', () => ({ minimumChangeCents: 500 }), { change_cents: '500' }],
	])('%s', async (_what, change, ...told) => {
		const n8n = await switchedOn('balanceChanged', { currencies: ['USD'] });
		add('USD', 500n);
		set('EUR', 1n);
		n8n.parameters = { ...n8n.parameters, ...change() };
		await n8n.activate('update');
		expect(n8n.take()).toMatchObject(told);
		expect(await next(n8n)).toEqual([]);
	});

	it.each([
		['n8n', false],
		['n8n’s poll scheduler', true],
	])(
		'begins again with another base URL, and saves that at once (%s)',
		async (_who, isScheduled) => {
			const n8n = await switchedOn('balanceChanged');
			n8n.isScheduled = isScheduled;
			set('USD', 1n);
			const baseUrl = sandbox.url.replace('127.0.0.1', 'localhost');
			credentials.data = { ...credentials.data, baseUrl };
			expect(await next(n8n)).toEqual([]);
			set('USD', 2n);
			await n8n.restart();
			if (isScheduled) await n8n.tick();
			expect(n8n.take()).toMatchObject([{ previous_balance_cents: '1', change_cents: '1' }]);
		},
	);

	it('holds identifiers and what is compared, and nobody’s name or address', async () => {
		for (const event of ['teamUserAdded', 'teamUserChanged', 'inviteAdded', 'inviteEnded']) {
			const { saved } = await switchedOn(event);
			const { users, invites } = team();
			const people = [
				...users.flatMap((user) => [user.email, user.last_name, user.platform_account]),
				...invites.flatMap(({ email, invitee_name: name }) => [email, name]),
			];
			expect(people.filter((text) => saved.includes(text))).toEqual([]);
			expect(saved).not.toContain('@');
		}
	});
});

describe('a poll that fails', () => {
	/* pollingMemory.test.ts has what the next poll tells. */
	it.each([
		['whole cents', ['1.5']],
		['a currency twice', ['1', '2']],
	])('says what is wrong with balances: %s', async (message, cents) => {
		const n8n = await switchedOn('balanceChanged');
		const { saved } = n8n;
		const balances = cents.map((balance_cents) => ({ currency: 'USD', balance_cents }));
		const data = { platform_account_address: '0x', balances };
		useService((await startHttpServer(() => ({ success: true, data }))).url);
		await n8n.tick();
		expect(n8n.failures[0]?.message).toContain(message);
		expect(n8n.saved).toBe(saved);
	});

	it('keeps the workflow from being switched on, and names the field', async () => {
		const event = 'balanceChanged';
		const cases: ReadonlyArray<readonly [INodeParameters, string]> = [
			[{ entityId: 'wh-000000000001' }, 'Team, Company or User ID must start with'],
			[{ event: 'inviteEnded', entityId: 'us-000000000001' }, 'Team or Company ID must start with'],
			[{ event: 'teamUserAdded', teamId: 'te-1' }, 'Team ID must have 15 characters'],
			[{ event: 'nothingChanged' }, 'Trigger On must be Balance Changed, Invite Added, Invite End'],
			[{ currencies: ['DOGE'] }, 'Currencies, entry 1 must be an entry'],
			[{ currencies: '={{ [] }}' }, 'Currencies is an expression'],
			[{ currencies: '={{ undefined }}' }, 'Currencies is an expression'],
			[
				{ minimumChangeCents: '={{ null }}' },
				'Minimum Change (Cents) is an expression that resolved to nothing',
			],
			[{ minimumChangeCents: 1.5 }, 'Minimum Change (Cents) must be a whole'],
			[{ minimumChangeCents: '' }, 'Minimum Change (Cents) must be a whole'],
			[{ minimumChangeCents: -1 }, 'Minimum Change (Cents) must be a whole'],
			[{ minimumChangeCents: '={{ $("No").item }}' }, 'Minimum Change (Cents) can’t be'],
		];
		for (const [parameters, message] of cases) {
			const n8n = host(event, parameters);
			await expect(n8n.activate('activate')).rejects.toThrow(message);
			await expect(n8n.activate('activate')).rejects.not.toThrow('[item');
			expect(JSON.parse(n8n.saved).global).toEqual({
				payrollPaymentsPolling: { poll: [expect.any(Number), ''] },
			});
		}
	});

	it('says nothing of changes where nothing is remembered for what is watched now', async () => {
		const n8n = await switchedOn('balanceChanged');
		n8n.parameters = { ...n8n.parameters, entityId: organisation().company.nanoid };
		await sandbox.fault({ kind: 'status', status: 500, times: 'always' });
		await n8n.restart();
		await n8n.tick();
		expect(n8n.failures).toHaveLength(2);
		for (const error of n8n.failures) {
			expect(error).toMatchObject({
				description: expect.not.stringContaining('No changes are lost'),
			});
		}
	});

	it('says that no change is lost, and what to do', async () => {
		const n8n = await switchedOn('balanceChanged');
		const hints: unknown[] = [];
		for (const fault of [
			{ kind: 'status', status: 429, retryAfter: 61 },
			{ kind: 'status', status: 404 },
		] as const) {
			sandbox.service.faults.plan(fault);
			await n8n.tick();
			const error = n8n.failures.at(-1);
			hints.push(error !== undefined && 'description' in error ? error.description : undefined);
		}
		const kept = 'No changes are lost: the next check that succeeds reports them.';
		expect(hints).toEqual([
			expect.stringMatching(`^${kept} Rate limit reached.*longer Poll Times`),
			expect.stringMatching(`^${kept} Check the ID`),
		]);
	});
});

it.each([
	['clock is right', 10 * 60_000],
	['clock was set back by a year', -365 * 86_400_000],
])('goes on although a poll hangs and the %s, and reports each change once', async (_name, by) => {
	let cents = 1;
	let requests = 0;
	let release = () => {};
	const held = new Promise<number>((resolve) => (release = () => resolve(200)));
	const { url } = await startHttpServer(
		() => {
			const balances = [{ currency: 'USD', balance_cents: String(cents) }];
			return { success: true, data: { platform_account_address: '0x', balances } };
		},
		() => ((requests += 1) === 2 ? held : 200),
	);
	useService(url);
	const n8n = await switchedOn('balanceChanged');
	cents = 2;
	const hanging = n8n.tick();
	expect(await next(n8n)).toEqual([]);
	const [wall, watch] = [Date.now(), systemClock.elapsed()];
	const clock = jest.spyOn(Date, 'now').mockReturnValue(wall + by);
	const stopwatch = jest.spyOn(systemClock, 'elapsed').mockReturnValue(watch + 10 * 60_000);
	try {
		expect(await next(n8n)).toMatchObject([{ change_cents: '1' }]);
	} finally {
		clock.mockRestore();
		stopwatch.mockRestore();
	}
	release();
	await hanging;
	expect(await next(n8n)).toEqual([]);
	expect(requests).toBe(4);
});

describe('Fetch Test Event', () => {
	it.each([
		['balanceChanged', () => ({ entity_id: team().nanoid, change: '0.00', currency: 'CAD' })],
		['inviteAdded', () => team().invites[0]],
		['inviteEnded', () => ({ nanoid: team().invites[0]?.nanoid, outcome: 'gone' })],
		['teamUserAdded', () => team().users[0]],
		['teamUserChanged', () => ({ ...team().users[0], changed: [], previous: {} })],
	])('%s: one record as it is now, and remembers nothing', async (event, expected) => {
		const n8n = host(event);
		expect(await n8n.fetchTestEvent()).toEqual({
			items: [expect.objectContaining({ event, ...expected(), observed_at: TIME })],
		});
		expect(n8n.saved).toBe('{}');
	});

	it('doesn’t disturb a workflow that is on', async () => {
		const n8n = await switchedOn('balanceChanged');
		set('USD', 1n);
		const { saved } = n8n;
		await n8n.fetchTestEvent();
		expect(n8n.saved).toBe(saved);
		expect(await next(n8n)).toHaveLength(1);
	});

	it('says so if there is nothing to show', async () => {
		team().invites.splice(0);
		const { error, hint } = await host('inviteAdded').fetchTestEvent();
		expect(error?.message).toBe(`The service lists nothing for ${team().nanoid} yet`);
		expect(hint).toMatch(/Publish/);
	});
});

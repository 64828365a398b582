import type { IDataObject, ILoadOptionsFunctions, INodeParameters } from 'n8n-workflow';

import { entitySearches } from '../../nodes/PayrollPayments/listSearch/searchEntities';
import { PayrollPayments } from '../../nodes/PayrollPayments/PayrollPayments.node';
import { PayrollPaymentsPollingTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsPollingTrigger.node';
import { recordsOf, searchUsers } from '../support/actionHost';
import { useActionSandbox, without } from '../support/actionSandbox';

const sandbox = useActionSandbox();

const queries = () => sandbox.requests().map(({ query }) => query);

describe('Balance: Get', () => {
	/* n8n leaves out a value that is the default. */
	const get = async (change: INodeParameters) =>
		await sandbox.run({ ...without(sandbox.balance(), 'output'), ...change });
	const set = (currency: string, cents: bigint) => sandbox.firstTeam.balances.set(currency, cents);

	it('gives one item per currency by default, 0 for a chosen one that isn’t listed', async () => {
		set('USD', 12_345n);
		sandbox.firstTeam.unlisted.add('EUR');
		const { output } = await get({ currencies: ['EUR', 'USD'] });
		expect(queries()).toMatchObject([{ currencies: ['EUR', 'USD'] }, { nanoid: sandbox.team }]);
		expect(recordsOf(output)).toMatchObject([
			{ currency: 'USD', balance: '123.45', balance_cents: '12345' },
			{ currency: 'EUR', balance: '0.00', balance_cents: '0', entity_id: sandbox.team },
		]);
		expect(Object.keys(output[0]?.json ?? {})).toEqual([
			...['currency', 'balance', 'balance_cents', 'entity_id', 'platform_account_address'],
		]);
	});

	it('takes what the service lists only without the filter', async () => {
		set('EUR', 500_000n);
		const isFiltered = () => queries().at(-1)?.currencies !== undefined;
		jest.spyOn(sandbox.firstTeam.unlisted, 'has').mockImplementation(isFiltered);
		const { output } = await get({ currencies: ['USD', 'EUR'] });
		expect(recordsOf(output)).toContainEqual(expect.objectContaining({ balance: '5000.00' }));
	});

	it('leaves out zero balances unless they are chosen or wanted', async () => {
		for (const currency of sandbox.firstTeam.balances.keys()) set(currency, 0n);
		set('USD', -5n);
		const currencies = async (change: INodeParameters) =>
			recordsOf((await get(change)).output).map(({ currency }) => currency);
		expect(await currencies({})).toEqual(['USD']);
		expect((await currencies({ includeZero: true })).length).toBeGreaterThan(1);
		expect(await currencies({ currencies: ['EUR', 'USD'] })).toEqual(['EUR', 'USD']);
		set('USD', 0n);
		const { output, stored } = await get({});
		expect(output).toEqual([]);
		expect(stored).toContain(
			'There is no balance, or each is zero. To output zero balances, turn on',
		);
	});

	it.each(['repeated', 'commaSeparated', 'brackets'])(
		'sends no empty currencies (%s)',
		async (currenciesEncoding) => {
			expect((await get({ options: { currenciesEncoding } })).error).toBeUndefined();
			expect(queries()).toEqual([{ nanoid: sandbox.team }]);
		},
	);

	it('reads all currencies where one is chosen that the filter doesn’t take', async () => {
		set('MXN', 77n);
		const { output } = await get({ currencies: ['MXN', 'USD'], output: 'asReceived' });
		expect(queries()).toEqual([{ nanoid: sandbox.team }]);
		expect(recordsOf(output)).toMatchObject([
			{ balances: [{ currency: 'MXN', balance_cents: '77' }, { currency: 'USD' }] },
		]);
	});
});

it('a currency that isn’t in the menu is refused with one that is', async () => {
	const { error } = await sandbox.run(sandbox.balance({ currencies: 'usd' }));
	expect(error?.message).toMatch(/ must be an entry of its menu, e\.g\. AED \[item 0\]$/);
});

describe('Team User: Get Many', () => {
	const users = () => sandbox.firstTeam.users;
	const find = async (change: INodeParameters) => await sandbox.run(sandbox.teamUsers(change));
	const idsOf = (output: ReadonlyArray<{ json: IDataObject }>) =>
		recordsOf(output).map(({ nanoid }) => nanoid);

	it.each(['={{ "false" }}', false])(
		'keeps to the limit where Return All is %s',
		async (returnAll) => {
			expect((await find({ returnAll, limit: 2 })).output).toHaveLength(2);
		},
	);

	it.each<[string, INodeParameters, (user: ReturnType<typeof users>[number]) => boolean]>([
		['not payable', { payable: false }, ({ payable }) => !payable],
		['onboarded', { onboarded: true }, ({ onboarding }) => onboarding.onboarded],
		['one role', { roles: 'contractor' }, ({ role }) => role === 'contractor'],
		[
			'two filters',
			{ payable: true, roles: ['contractor', 'team_admin'] },
			({ payable, role }) => payable && ['contractor', 'team_admin'].includes(role),
		],
	])('filters by %s after reading', async (_what, filters, isWanted) => {
		const { output } = await find({ filters });
		const wanted = users().filter(isWanted);
		expect(wanted.length).toBeGreaterThan(0);
		expect(idsOf(output)).toEqual(wanted.map(({ nanoid }) => nanoid));
		expect(queries()).toEqual([{}]);
		const some = await find({ filters, returnAll: false, limit: 1 });
		expect(idsOf(some.output)).toEqual(wanted.slice(0, 1).map(({ nanoid }) => nanoid));
	});

	it('filters by the words of a name, in any order and case', async () => {
		const [user] = users();
		const name = `${user?.last_name.toUpperCase()}  ${user?.first_name.slice(0, 3)}`;
		const { output } = await find({ filters: { name } });
		expect(idsOf(output)).toContain(user?.nanoid);
		expect(output.length).toBeLessThan(users().length);
	});

	it('puts out the selected fields in their order, null where a user has none', async () => {
		const outputFields = ['country', 'avatar', 'onboarding_step', 'email', 'onboarding'];
		const { output } = await find({ output: 'selected', outputFields });
		const [user] = users();
		expect(Object.entries(output[0]?.json ?? {})).toEqual([
			['country', user?.address.country],
			['avatar', user?.avatar],
			['onboarding_step', user?.onboarding.step],
			['email', user?.email],
			['onboarding', user?.onboarding],
		]);
	});
});

describe('the pickers', () => {
	const contextWith = (entities: unknown): ILoadOptionsFunctions =>
		Object.assign(Object.create(null), {
			getNode: () => ({ name: 'Payroll', type: 'payrollPayments' }),
			getCredentials: async () => ({ entities }),
		});
	const TEXT = 'te-a1B2c3D4e5F6 Engineering\n\n co-a1B2c3D4e5F6\tAcme Inc. \nus-a1B2c3D4e5F6';
	const search = async (name: keyof typeof entitySearches, text: unknown, filter?: string) =>
		(await entitySearches[name].call(contextWith(text), filter)).results;

	it('list the teams, companies and users of the credentials by name', async () => {
		const team = { name: 'Engineering (te-a1B2c3D4e5F6)', value: 'te-a1B2c3D4e5F6' };
		const company = { name: 'Acme Inc. (co-a1B2c3D4e5F6)', value: 'co-a1B2c3D4e5F6' };
		const user = { name: 'us-a1B2c3D4e5F6', value: 'us-a1B2c3D4e5F6' };
		expect(await search('searchTeams', TEXT)).toEqual([team]);
		expect(await search('searchEntities', TEXT)).toEqual([team, company]);
		expect(await search('searchUserEntities', TEXT)).toEqual([team, company, user]);
		expect(await search('searchEntities', TEXT, ' ACME')).toEqual([company]);
	});

	it.each<[keyof typeof entitySearches, string | undefined, string]>([
		['searchTeams', undefined, 'teams'],
		['searchTeams', 'co-a1B2c3D4e5F6 Acme', 'teams'],
		['searchEntities', 'us-a1B2c3D4e5F6', 'teams or companies'],
	])('%s says where to go if the credentials list %j', async (name, text, what) => {
		await expect(search(name, text)).rejects.toMatchObject({
			message: `Select By ID, because the credentials list no ${what} yet`,
			description: expect.stringContaining('one per line under Teams and Companies, e.g. te-'),
		});
	});

	it.each<[unknown, string]>([
		[7, 'must be text'],
		['te-a1B2c3D4e5F6\nte-1 Ops', 'is wrong in line 2: '],
		['te-a1B2c3D4e5F6\nte-a1B2c3D4e5F6 Ops', 'is wrong in line 2: te-a1B2c3D4e5F6 is listed again'],
	])('say what to do about %j', async (text, message) => {
		await expect(search('searchTeams', text)).rejects.toMatchObject({
			message: expect.stringContaining(`Teams and Companies in the credentials ${message}`),
			description: expect.stringContaining('Open the Payroll Payments API credentials'),
		});
	});

	it('are what every team and company field of both nodes names', () => {
		const nodes = [new PayrollPayments(), new PayrollPaymentsPollingTrigger()];
		for (const { description, methods } of nodes) {
			const fields = description.properties.filter(({ name }) => /^(entity|team)Id$/.test(name));
			expect(fields.length).toBeGreaterThan(2);
			for (const { type, modes = [], default: preset } of fields) {
				expect([type, preset]).toEqual(['resourceLocator', { mode: 'list', value: '' }]);
				expect(modes.map(({ name }) => name)).toEqual(['list', 'id']);
				const method = modes[0]?.typeOptions?.searchListMethod ?? '';
				expect(Object.keys(methods.listSearch)).toContain(method);
			}
		}
	});

	it('find all users of a large team, 500 at once', async () => {
		await sandbox.control('POST', 'settings', { growingTeamSize: 700 });
		const teamId = sandbox.service.organisation.teams[2]?.nanoid ?? '';
		const first = await searchUsers(sandbox.credentials(), { teamId });
		const rest = await searchUsers(sandbox.credentials(), { teamId }, '', first.paginationToken);
		expect([first.results.length, rest.results.length]).toEqual([500, 200]);
		expect(rest.paginationToken).toBeUndefined();
		const values = [...first.results, ...rest.results].map(({ value }) => value);
		expect(new Set(values).size).toBe(700);
	});

	it('find users of a team that was picked', async () => {
		const teamId = { __rl: true, mode: 'list', value: sandbox.team };
		const { results } = await searchUsers(sandbox.credentials(), { teamId });
		expect(results.length).toBeGreaterThan(50);
		const { output, error } = await sandbox.run(sandbox.teamUsers({ teamId }));
		expect(error).toBeUndefined();
		expect(output).toHaveLength(results.length);
		for (const { name, value } of results.slice(0, 3)) {
			const found = async (filter: string) =>
				(await searchUsers(sandbox.credentials(), { teamId }, filter)).results;
			expect(await found(name)).toEqual([{ name, value }]);
			expect(await found(String(value))).toEqual([{ name, value }]);
		}
	});

	it.each<[INodeParameters[string], string]>([
		['te-short', 'Team ID must have 15 characters, but has 8'],
		['', 'Choose a team first'],
		[{ __rl: true, mode: 'list', value: '' }, 'Choose a team first'],
	])('find no users of the team %j', async (teamId, message) => {
		await expect(searchUsers(sandbox.credentials(), { teamId })).rejects.toThrow(message);
	});
});

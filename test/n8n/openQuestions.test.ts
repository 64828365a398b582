import { Wallet } from 'ethers';
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { SettingsInput } from '../../sandbox/settings';
import type { AccountName } from '../../sandbox/server';
import { useActionSandbox } from '../support/actionSandbox';
import { runNode, SavedCredentials, searchUsers, testSaved } from '../support/actionHost';
import { startEchoService, type EchoService } from '../support/echoService';

/* What docs/api.md lists under Open questions: the node against either answer of the service. */

const sandbox = useActionSandbox();
let team: string;
let company: string;

beforeEach(() => {
	const { organisation } = sandbox.service;
	company = organisation.company.nanoid;
	team = organisation.teams[0]?.nanoid ?? '';
});

const set = (settings: SettingsInput) => sandbox.service.change(settings);

const credentials = (name?: AccountName) => sandbox.credentials({}, name);

async function tokenOf(name: AccountName): Promise<string> {
	const { address: wallet, platformId } = sandbox.account(name);
	return await sandbox.service.tokens.issue({ wallet, platformId }, 3_600);
}

const withApiKey = (apiKey: string) =>
	new SavedCredentials({ baseUrl: sandbox.url, authentication: 'legacyApiKey', apiKey });

/** What reached the sandbox, apart from signing in. */
const wire = () =>
	sandbox.service.wireLog.read().entries.filter(({ path }) => !path.startsWith('/v2/auth/'));

const run = async (parameters: INodeParameters, options: Parameters<typeof runNode>[2] = {}) =>
	await runNode(credentials(), parameters, options);

const rows = (items: ReadonlyArray<{ json: IDataObject }>) => items.map(({ json }) => json);

const BALANCE = { resource: 'balance', operation: 'get', output: 'asReceived' };
const USERS = { resource: 'teamUser', operation: 'getAll', returnAll: true, simplify: false };

describe('how currencies are encoded', () => {
	const encodings = ['repeated', 'commaSeparated', 'brackets'] as const;
	const get = async (options: IDataObject) =>
		await run({
			...BALANCE,
			entityId: team,
			currencies: ['EUR', 'USD'],
			output: 'perCurrency',
			options: { retries: 0, ...options },
		});

	it.each(encodings)('is %s, for a service that accepts nothing else', async (encoding) => {
		set({ currenciesEncodings: [encoding] });
		const { output, error } = await get({ currenciesEncoding: encoding });
		expect(error).toBeUndefined();
		expect(rows(output).map(({ currency }) => currency)).toEqual(['EUR', 'USD']);
		expect(wire()).toMatchObject([{ valid: true }]);
	});

	it.each([{}, { currenciesEncoding: '' }, { currenciesEncoding: '={{ undefined }}' }])(
		'is repeated keys by default: %j',
		async (options) => {
			expect((await get(options)).output).toHaveLength(2);
			expect(wire()[0]?.query).toEqual({ nanoid: team, currencies: ['EUR', 'USD'] });
		},
	);

	it('can be corrected where the service refuses it', async () => {
		set({ currenciesEncodings: ['brackets'] });
		const { error } = await get({});
		expect(error?.message).toMatch(/^The service refused: query\.currencies /);
	});

	it('is one of the three, or nothing is sent', async () => {
		const { error } = await get({ currenciesEncoding: 'semicolons' });
		expect(error?.message).toBe(
			'Currencies Encoding must be Brackets, Comma-Separated or Repeated (brackets, commaSeparated, repeated) [item 0]',
		);
		expect(wire()).toEqual([]);
	});
});

describe('an API key in X-Auth-Token', () => {
	it('that an operation refuses gives an error that says so', async () => {
		set({ apiKeyRefusedBy: ['listTeamUsers'] });
		const saved = withApiKey(await tokenOf('companyAdministrator'));
		const hint =
			'The API key may have expired, or the service may not accept API keys here. Replace the key, or use credentials with Wallet Sign-In or Access Token.';
		const refused = await runNode(saved, { ...USERS, teamId: team });
		expect(refused.error?.description).toBe(hint);
		await expect(searchUsers(saved, { teamId: team })).rejects.toMatchObject({ description: hint });
		expect((await runNode(saved, { ...BALANCE, entityId: team })).error).toBeUndefined();
		expect(await testSaved(saved)).toMatchObject({ status: 'OK' });
		set({ apiKeyRefusedBy: ['getBalance'] });
		const { status, message } = await testSaved(saved);
		expect([status, message.endsWith(hint)]).toEqual(['Error', true]);
	});

	it('is not blamed for a 401 of another method', async () => {
		const saved = new SavedCredentials({
			baseUrl: sandbox.url,
			authentication: 'accessToken',
			accessToken: 'not.a.token',
		});
		const { error } = await runNode(saved, { ...BALANCE, entityId: team });
		expect(error?.description).toMatch(/^Test the credentials\./);
	});
});

describe('403 before 404', () => {
	it('shows the status that the service gives', async () => {
		const missing = async () => {
			const { output } = await runNode(
				credentials('teamAdministrator'),
				{ ...BALANCE, entityId: 'te-000000000000' },
				{ node: { onError: 'continueRegularOutput' } },
			);
			return output[0]?.json.http_status;
		};
		expect(await missing()).toBe(404);
		set({ roleBeforeExistence: true });
		expect(await missing()).toBe(403);
	});

	it.each([
		[false, 404],
		[true, 403],
	])('passes the test of a token: %j answers %d', async (roleBeforeExistence, status) => {
		set({ roleBeforeExistence });
		const accessToken = await tokenOf('teamAdministrator');
		const saved = new SavedCredentials({
			baseUrl: sandbox.url,
			authentication: 'accessToken',
			accessToken,
		});
		expect(await testSaved(saved)).toMatchObject({ status: 'OK' });
		expect(wire()).toMatchObject([{ status, valid: true }]);
	});
});

describe('fields that may be missing', () => {
	it.each(['full', 'sparse'] as const)('do not stop a list: %s', async (recordFields) => {
		set({ recordFields });
		const members = sandbox.service.organisation.teams[0]?.users ?? [];
		const users = await run({ ...USERS, teamId: team });
		expect(users.error).toBeUndefined();
		expect(rows(users.output)).toEqual(
			recordFields === 'full' ? members : members.map(({ nanoid }) => ({ nanoid })),
		);
		const invites = await run({
			resource: 'invite',
			operation: 'getAll',
			entityId: company,
			returnAll: true,
		});
		const [first] = rows(invites.output);
		expect(first).toHaveProperty('email');
		expect(first !== undefined && 'company' in first).toBe(recordFields === 'full');
		const { results } = await searchUsers(credentials(), { teamId: team });
		expect(results.map(({ value }) => value)).toEqual(members.map(({ nanoid }) => nanoid));
	});

	it.each(['always', 'sometimes', 'never'] as const)('error_code: %s', async (errorCodes) => {
		set({ errorCodes });
		const { output } = await run(
			{ ...BALANCE, entityId: '={{ $json.id }}', options: { concurrency: 1 } },
			{
				items: ['te-000000000000', 'te-000000000001'].map((id) => ({ id })),
				node: { onError: 'continueRegularOutput' },
			},
		);
		const codes = { always: [true, true], sometimes: [true, false], never: [false, false] };
		expect(rows(output).map((row) => 'error_code' in row)).toEqual(codes[errorCodes]);
		for (const row of rows(output)) {
			expect(row).toMatchObject({ error: expect.stringContaining('[item'), http_status: 404 });
		}
	});
});

describe('the signature of a sign-in message', () => {
	const verify = async (signature: string) =>
		await run({
			resource: 'authentication',
			operation: 'verify',
			message: 'Nonce: abcdefgh1',
			signature,
		});
	const sent = () =>
		sandbox.service.wireLog.read().entries.filter(({ path }) => path === '/v2/auth/verify');

	it.each(['0x01', '4f1c', '0xABcd', `0x${'7a'.repeat(64)}`, `0x${'7a'.repeat(640)}`])(
		'may be any hex, for the service to judge: %s',
		async (signature) => {
			expect((await verify(` ${signature}\n`)).error?.message).toMatch(/^The service refused/);
			expect(sent()).toMatchObject([{ valid: true, body: { sig: signature } }]);
		},
	);

	it.each([' ', '0x', '0x123', '0xzz', 'not a signature', '0x12 34', `0x${'0'.repeat(130)}`])(
		'must be hex, and not zeros: %j',
		async (signature) => {
			expect((await verify(signature)).error?.message).toMatch(/^Signature (is missing|must )/);
			expect(sent()).toEqual([]);
		},
	);

	it('still signs in', async () => {
		const got = await run({ resource: 'authentication', operation: 'getSignInMessage' });
		const message = String(got.output[0]?.json.siwe);
		const wallet = new Wallet(sandbox.account('companyAdministrator').privateKey);
		const { output } = await run({
			resource: 'authentication',
			operation: 'verify',
			message,
			signature: await wallet.signMessage(message),
		});
		expect(rows(output)).toEqual([{ jwt: expect.any(String) }]);
	});
});

describe('answers that the sandbox never gives', () => {
	let service: EchoService;

	beforeAll(async () => {
		service = await startEchoService();
	});

	afterAll(async () => {
		await service.close();
	});

	const saved = () =>
		new SavedCredentials({
			baseUrl: service.url,
			authentication: 'accessToken',
			accessToken: 'sk_live_1234567890',
		});
	const answerWith = (data: unknown) => {
		service.answer(() => ({ body: { success: true, data } }));
	};

	it("balances per currency are exact, or null if they aren't whole cents", async () => {
		const cents = fc.bigInt(-(10n ** 40n), 10n ** 40n).map(String);
		const other = fc.constantFrom('', '-', '12.5', '1e3', ' 5', '5 ', '+5', '0x10', '1,000', 'NaN');
		const amounts = [
			...['0', '-0', '5', '-5', '05', '99', '100', '-12345', '9007199254740993'],
			...fc.sample(fc.oneof({ weight: 3, arbitrary: cents }, other), { numRuns: 300, seed: 11 }),
		];
		answerWith({
			platform_account_address: `0x${'ab'.repeat(20)}`,
			balances: amounts.map((balance_cents) => ({ currency: 'USD', balance_cents, extra: 1 })),
		});
		const { output } = await runNode(saved(), {
			...BALANCE,
			entityId: 'us-a1B2c3D4e5F6',
			output: 'perCurrency',
		});
		expect(output).toHaveLength(amounts.length);
		for (const [index, { balance, ...rest }] of rows(output).entries()) {
			const given = amounts[index] ?? '';
			expect(rest).toEqual({
				entity_id: 'us-a1B2c3D4e5F6',
				platform_account_address: `0x${'ab'.repeat(20)}`,
				currency: 'USD',
				balance_cents: given,
			});
			if (!/^-?[0-9]+$/.test(given)) {
				expect(balance).toBeNull();
				continue;
			}
			expect(balance).toMatch(/^-?(0|[1-9][0-9]*)\.[0-9]{2}$/);
			expect(BigInt(String(balance).replace('.', ''))).toBe(BigInt(given));
		}
	});

	it('an account without balances gives no items per currency', async () => {
		answerWith({ platform_account_address: '0x', balances: [] });
		const parameters = { ...BALANCE, entityId: 'co-a1B2c3D4e5F6' };
		expect((await runNode(saved(), { ...parameters, output: 'perCurrency' })).output).toEqual([]);
		expect((await runNode(saved(), parameters)).output).toHaveLength(1);
	});

	it('simplified users have all columns, whatever is missing', async () => {
		const text = fc.option(fc.string(), { nil: undefined });
		const onboarding = fc.record(
			{ onboarded: fc.boolean(), step: fc.string(), role: text, moderation_status: fc.string() },
			{ requiredKeys: [] },
		);
		const address = fc.record({ city: text, country: fc.string() }, { requiredKeys: [] });
		const record = fc.record(
			{
				nanoid: fc.string(),
				first_name: fc.string(),
				middle_name: fc.string(),
				last_name: fc.string(),
				email: fc.string(),
				role: fc.string(),
				onboarding: fc.option(onboarding),
				address: fc.option(address),
				payable: fc.boolean(),
				/* Fields of this name exist one level down. */
				country: fc.string(),
				onboarded: fc.boolean(),
			},
			{ requiredKeys: [] },
		);
		const some = fc.sample(record, { numRuns: 400, seed: 11 });
		const users: typeof some = [{}, ...some];
		answerWith({ users, pagination: {} });
		const parameters = { ...USERS, teamId: 'te-a1B2c3D4e5F6' };
		const { output } = await runNode(saved(), { ...parameters, simplify: true });
		expect(rows(output)).toEqual(
			users.map((user) => ({
				nanoid: user.nanoid ?? null,
				first_name: user.first_name ?? null,
				last_name: user.last_name ?? null,
				email: user.email ?? null,
				role: user.role ?? null,
				payable: user.payable ?? null,
				onboarded: user.onboarding?.onboarded ?? null,
				onboarding_step: user.onboarding?.step ?? null,
				moderation_status: user.onboarding?.moderation_status ?? null,
				country: user.address?.country ?? null,
			})),
		);
		expect(Object.keys(output[0]?.json ?? {})).toEqual([
			'nanoid',
			'first_name',
			'last_name',
			'email',
			'role',
			'payable',
			'onboarded',
			'onboarding_step',
			'moderation_status',
			'country',
		]);
	});

	it('columns of another type are null, and no column is dropped', async () => {
		answerWith({
			users: [{ nanoid: 5, email: ['a'], payable: 'yes', onboarding: [], address: 'Berlin' }],
		});
		const { output } = await runNode(saved(), {
			...USERS,
			teamId: 'te-a1B2c3D4e5F6',
			simplify: '={{ "true" }}',
		});
		expect(Object.values(output[0]?.json ?? {})).toEqual(Array(10).fill(null));
	});

	it('an error_code of null is none', async () => {
		service.answer(() => ({
			status: 404,
			body: { success: false, data: 'gone', error_code: null },
		}));
		const { output } = await runNode(
			saved(),
			{ ...BALANCE, entityId: 'co-a1B2c3D4e5F6' },
			{ node: { onError: 'continueRegularOutput' } },
		);
		expect(rows(output)).toEqual([
			{ error: 'The service refused: gone [item 0]', http_status: 404 },
		]);
	});
});

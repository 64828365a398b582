import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode, SavedCredentials, searchUsers, testSaved } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { startEchoService, type EchoService } from '../support/echoService';
import { withAccessToken } from '../support/operationForms';

/*
 * What docs/api.md lists under Open questions: the node against either answer of the service. The
 * conformance test has the names and encodings that can be chosen.
 */

const sandbox = useActionSandbox();
const CONTINUE = { node: { onError: 'continueRegularOutput' as const } };
const rows = (items: ReadonlyArray<{ json: IDataObject }>) => items.map(({ json }) => json);

const balance = (change: INodeParameters = {}): INodeParameters => ({
	resource: 'balance',
	operation: 'get',
	entityId: sandbox.team,
	output: 'asReceived',
	...change,
});
const users = (change: INodeParameters = {}): INodeParameters => ({
	resource: 'teamUser',
	operation: 'getAll',
	teamId: sandbox.team,
	returnAll: true,
	simplify: false,
	...change,
});

describe('how currencies are encoded', () => {
	it.each([{}, { currenciesEncoding: '' }, { currenciesEncoding: '={{ undefined }}' }])(
		'is repeated keys by default: %j',
		async (options) => {
			await sandbox.run(balance({ currencies: ['EUR', 'USD'], options }));
			expect(sandbox.requests()[0]?.query).toEqual({
				nanoid: sandbox.team,
				currencies: ['EUR', 'USD'],
			});
		},
	);
});

describe('an API key in X-Auth-Token', () => {
	it('that an operation refuses gives an error that says so', async () => {
		sandbox.service.change({ apiKeyRefusedBy: ['listTeamUsers'] });
		const saved = new SavedCredentials({
			baseUrl: sandbox.url,
			authentication: 'legacyApiKey',
			apiKey: await sandbox.token(),
		});
		const hint =
			'The API key may have expired, or the service may not accept API keys here. Replace the key, or use credentials with Wallet Sign-In or Access Token.';
		expect((await runNode(saved, users())).error?.description).toBe(hint);
		await expect(searchUsers(saved, { teamId: sandbox.team })).rejects.toMatchObject({
			description: hint,
		});
		expect((await runNode(saved, balance())).error).toBeUndefined();
		expect(await testSaved(saved)).toMatchObject({ status: 'OK' });
		sandbox.service.change({ apiKeyRefusedBy: ['getBalance'] });
		const { status, message } = await testSaved(saved);
		expect([status, message.endsWith(hint)]).toEqual(['Error', true]);
	});

	it('is not blamed for a 401 of another method', async () => {
		const saved = new SavedCredentials({
			baseUrl: sandbox.url,
			authentication: 'accessToken',
			accessToken: 'not.a.token',
		});
		const { error } = await runNode(saved, balance());
		expect(error?.description).toMatch(/^Test the credentials\./);
	});
});

it.each([
	[false, 404],
	[true, 403],
])(
	'403 before 404 (%j): %d is shown, and passes the test of a token',
	async (roleBeforeExistence, status) => {
		sandbox.service.change({ roleBeforeExistence });
		const accessToken = await sandbox.token('teamAdministrator');
		const saved = new SavedCredentials({
			baseUrl: sandbox.url,
			authentication: 'accessToken',
			accessToken,
		});
		const { output } = await runNode(saved, balance({ entityId: 'te-000000000000' }), CONTINUE);
		expect(output[0]?.json.http_status).toBe(status);
		sandbox.service.wireLog.clear();
		expect(await testSaved(saved)).toMatchObject({ status: 'OK' });
		expect(sandbox.wire()).toMatchObject([{ status, valid: true }]);
	},
);

it.each(['full', 'sparse'] as const)(
	'fields that may be missing do not stop a list: %s',
	async (recordFields) => {
		sandbox.service.change({ recordFields });
		const members = sandbox.firstTeam.users;
		const listed = await sandbox.run(users());
		expect(listed.error).toBeUndefined();
		expect(rows(listed.output)).toEqual(
			recordFields === 'full' ? members : members.map(({ nanoid }) => ({ nanoid })),
		);
		const { results } = await searchUsers(sandbox.credentials(), { teamId: sandbox.team });
		expect(results.map(({ value }) => value)).toEqual(members.map(({ nanoid }) => nanoid));
	},
);

describe('the signature of a sign-in message', () => {
	const verify = async (signature: string) =>
		await sandbox.run({
			resource: 'authentication',
			operation: 'verify',
			message: 'Nonce: abcdefgh1',
			signature,
		});

	it.each(['0x01', '4f1c', '0xABcd', `0x${'7a'.repeat(640)}`])(
		'may be any hex, for the service to judge: %s',
		async (signature) => {
			expect((await verify(` ${signature}\n`)).error?.message).toMatch(/^The service refused/);
			expect(sandbox.wire()).toMatchObject([{ valid: true, body: { sig: signature } }]);
		},
	);

	it.each(['0x123', '0x12 34', `0x${'0'.repeat(130)}`])(
		'must be hex, and not zeros: %j',
		async (signature) => {
			expect((await verify(signature)).error?.message).toMatch(/^Signature must /);
			expect(sandbox.wire()).toEqual([]);
		},
	);
});

describe('answers that the sandbox never gives', () => {
	let service: EchoService;

	beforeAll(async () => {
		service = await startEchoService();
	});

	afterAll(async () => {
		await service.close();
	});

	const saved = () => withAccessToken(service.url);
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
		const entityId = 'us-a1B2c3D4e5F6';
		const { output } = await runNode(saved(), balance({ entityId, output: 'perCurrency' }));
		expect(output).toHaveLength(amounts.length);
		for (const [index, { balance: decimal, ...rest }] of rows(output).entries()) {
			const given = amounts[index] ?? '';
			expect(rest).toEqual({
				entity_id: entityId,
				platform_account_address: `0x${'ab'.repeat(20)}`,
				currency: 'USD',
				balance_cents: given,
			});
			if (!/^-?[0-9]+$/.test(given)) {
				expect(decimal).toBeNull();
				continue;
			}
			expect(decimal).toMatch(/^-?(0|[1-9][0-9]*)\.[0-9]{2}$/);
			expect(BigInt(String(decimal).replace('.', ''))).toBe(BigInt(given));
		}
	});

	it('an account without balances gives no items per currency', async () => {
		answerWith({ platform_account_address: '0x', balances: [] });
		expect((await runNode(saved(), balance({ output: 'perCurrency' }))).output).toEqual([]);
		expect((await runNode(saved(), balance())).output).toHaveLength(1);
	});

	it('simplified users have all columns, null where they are missing or of another type', async () => {
		const columns = {
			nanoid: 'us-a1B2c3D4e5F6',
			first_name: 'Ana',
			last_name: 'Roe',
			email: 'ana@example.com',
			role: 'contractor',
			payable: true,
			onboarded: false,
			onboarding_step: 'documents',
			moderation_status: 'pending',
			country: 'PT',
		};
		const { onboarded, onboarding_step: step, moderation_status, country, ...top } = columns;
		const onboarding = { onboarded, step, moderation_status };
		const listed = [
			{ ...top, onboarding, address: { country, city: 'Lisbon' }, middle_name: 'B' },
			/* Fields of these names exist one level down. */
			{ country: 'DE', onboarded: true },
			{ nanoid: 5, email: ['a'], payable: 'yes', onboarding: [], address: 'Berlin' },
		];
		answerWith({ users: listed, pagination: {} });
		const { output } = await runNode(saved(), users({ simplify: '={{ "true" }}' }));
		const [full = {}, ...others] = rows(output);
		expect(Object.entries(full)).toEqual(Object.entries(columns));
		for (const row of others) {
			expect(Object.entries(row)).toEqual(Object.keys(columns).map((name) => [name, null]));
		}
	});

	it('an error_code of null is none', async () => {
		service.answer(() => ({
			status: 404,
			body: { success: false, data: 'gone', error_code: null },
		}));
		const { output } = await runNode(saved(), balance(), CONTINUE);
		expect(rows(output)).toEqual([
			{ error: 'The service refused: gone [item 0]', http_status: 404 },
		]);
	});
});

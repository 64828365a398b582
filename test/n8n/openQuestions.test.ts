import type { INodeParameters } from 'n8n-workflow';

import { CONTINUE, recordsOf, runNode, searchUsers, testSaved } from '../support/actionHost';
import { useActionSandbox } from '../support/actionSandbox';
import { useEchoService } from '../support/echoService';
import { withAccessToken } from '../support/operationForms';
import { formFor } from '../support/sandboxForms';

/*
 * What docs/api.md lists under Open questions: the node against either answer of the service. The
 * conformance test has the names and encodings that can be chosen.
 */

const sandbox = useActionSandbox();

const users = (change: INodeParameters = {}) =>
	sandbox.teamUsers({ output: 'asReceived', ...change });

it('an API key in X-Auth-Token that an operation refuses gives an error that says so', async () => {
	sandbox.service.change({ apiKeyRefusedBy: ['listTeamUsers'] });
	const apiKey = await sandbox.token();
	const saved = sandbox.credentials({ authentication: 'legacyApiKey', apiKey });
	const hint =
		'The API key may have expired, or the service may not accept API keys here. Replace the key, or use credentials with Wallet Sign-In or Access Token.';
	expect((await runNode(saved, users())).error?.description).toBe(hint);
	await expect(searchUsers(saved, { teamId: sandbox.team })).rejects.toMatchObject({
		description: hint,
	});
	expect((await runNode(saved, sandbox.balance())).error).toBeUndefined();
	expect(await testSaved(saved)).toMatchObject({ status: 'OK' });
	sandbox.service.change({ apiKeyRefusedBy: ['getBalance'] });
	const { status, message } = await testSaved(saved);
	expect([status, message.endsWith(hint)]).toEqual(['Error', true]);
	/* A change isn't kept back by it. */
	expect((await runNode(saved, await formFor(sandbox, 'invite.create'))).error).toBeUndefined();
});

it.each([
	[false, 404],
	[true, 403],
])(
	'403 before 404 (%j): %d is shown, and passes the test of a token',
	async (roleBeforeExistence, status) => {
		sandbox.service.change({ roleBeforeExistence, errorCodes: 'never' });
		const accessToken = await sandbox.token('teamAdministrator');
		const saved = sandbox.credentials({ authentication: 'accessToken', accessToken });
		const { output } = await runNode(
			saved,
			sandbox.balance({ entityId: 'te-000000000000' }),
			CONTINUE,
		);
		expect(output[0]?.json).toEqual({ error: expect.any(String), http_status: status });
		sandbox.service.wireLog.clear();
		expect(await testSaved(saved)).toMatchObject({ status: 'OK' });
		expect(sandbox.wire()).toMatchObject([{ status, valid: true }]);
	},
);

/* The conformance test lists users without optional fields. */
it('users without optional fields can be picked', async () => {
	sandbox.service.change({ recordFields: 'sparse' });
	const { results } = await searchUsers(sandbox.credentials(), { teamId: sandbox.team });
	expect(results.map(({ value }) => value)).toEqual(
		sandbox.firstTeam.users.map(({ nanoid }) => nanoid),
	);
});

it.each(['0x01', '4f1c', '0xABcd', `0x${'7a'.repeat(640)}`])(
	'the signature of a sign-in message may be any hex, for the service to judge: %s',
	async (signature) => {
		const { error } = await sandbox.run({
			...{ resource: 'authentication', operation: 'verify', signature: ` ${signature}\n` },
			message: 'Nonce: statement\nNonce: abcdefgh1',
		});
		expect(error?.message).toMatch(/^The service refused/);
		const body = { sig: signature, nonce: 'abcdefgh1' };
		expect(sandbox.wire()).toMatchObject([{ valid: true, body }]);
	},
);

it('the error of a second Verify doesn’t repeat the token of the first', async () => {
	const form = await formFor(sandbox, 'authentication.verify');
	const items = [form, { signature: '0x01' }].map(({ signature = '' }) => ({ signature }));
	const { error } = await sandbox.run({ ...form, signature: '={{ $json.signature }}' }, { items });
	expect(error?.data).toMatchObject({ completed: [{ item: 0 }] });
	expect(JSON.stringify(error?.data)).not.toContain('jwt');
});

describe('answers that the sandbox never gives', () => {
	const service = useEchoService();
	const saved = () => withAccessToken(service.url);
	const answerWith = (data: unknown) => {
		service.answer(() => ({ body: { success: true, data } }));
	};

	/* test/unit/shared/money has more of them. */
	it("balances per currency are exact, or null if they aren't whole cents", async () => {
		const cents = ['-9007199254740993', '05', '12.5'];
		const balances = cents.map((balance_cents) => ({ currency: 'USD', balance_cents, extra: 1 }));
		answerWith({ platform_account_address: '0x', balances });
		const { output } = await runNode(saved(), sandbox.balance({ output: 'perCurrency' }));
		const account = { entity_id: sandbox.team, platform_account_address: '0x' };
		expect(recordsOf(output)).toEqual(
			['-90071992547409.93', '0.05', null].map((balance, index) => ({
				...account,
				...{ currency: 'USD', balance, balance_cents: cents[index] },
			})),
		);
	});

	it('an account without balances gives no items per currency', async () => {
		answerWith({ platform_account_address: '0x', balances: [] });
		expect((await runNode(saved(), sandbox.balance({ output: 'perCurrency' }))).output).toEqual([]);
		expect((await runNode(saved(), sandbox.balance())).output).toHaveLength(1);
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
			{
				...top,
				payable: 'true',
				onboarding: { ...onboarding, onboarded: 0 },
				address: { country, city: 'Lisbon' },
				middle_name: 'B',
			},
			/* Fields of these names exist one level down. */
			{ country: 'DE', onboarded: true },
			{ nanoid: 5, email: ['a'], payable: 'yes', onboarding: [], address: 'Berlin' },
		];
		answerWith({ users: listed, pagination: {} });
		const { output } = await runNode(saved(), users({ output: '={{ "simplified" }}' }));
		const [full = {}, ...others] = recordsOf(output);
		expect(Object.entries(full)).toEqual(Object.entries(columns));
		for (const row of others) {
			expect(Object.entries(row)).toEqual(Object.keys(columns).map((name) => [name, null]));
		}
	});
});

import { Wallet } from 'ethers';
import { z } from 'zod';

import { outputOf } from '../support/executions';
import { startTestEnvironment, type TestEnvironment } from '../support/testEnvironment';
import { action, chain, node, START } from '../support/workflows';

jest.setTimeout(300_000);

let environment: TestEnvironment;

beforeAll(async () => {
	/* An n8n of its own, since the tests look for secrets in everything that it has stored. One of them
	has a Code node, which needs the runner. */
	environment = await startTestEnvironment({ N8N_RUNNERS_MODE: 'internal' });
});

afterAll(async () => {
	await environment.stop();
});

/** Runs one operation in a new workflow and returns its items. */
async function perform(
	resource: string,
	operation: string,
	parameters: Record<string, unknown> = {},
): Promise<Record<string, unknown>[]> {
	const { n8n, api } = environment;
	const name = `${resource}.${operation}`;
	const asked = action(name, { resource, operation, ...parameters });
	const { id } = await n8n.saveWorkflow(chain(name, [START, asked]), [api]);
	const execution = await n8n.runWorkflow(id);
	expect(execution.error).toBeUndefined();
	return outputOf(execution, name);
}

const inviteIds = z.array(z.string().startsWith('in-'));
const paymentStructure = z.object({
	domain: z.record(z.unknown()),
	types: z.record(z.unknown()),
	primary_type: z.string(),
	typed_data: z.record(z.unknown()),
});

interface Organisation {
	readonly webhook: string;
	readonly teams: {
		readonly nanoid: string;
		readonly name_reviews: { readonly user_nanoid: string; readonly reviewVersion: string }[];
	}[];
}

describe('every operation in a real n8n', () => {
	it('balance.get', async () => {
		const [balance] = await perform('balance', 'get', {
			entityId: environment.teamId,
			currencies: ['USD', 'EUR'],
			output: 'asReceived',
		});
		expect(balance).toMatchObject({ balances: [{ currency: 'EUR' }, { currency: 'USD' }] });
	});

	it('teamUser.getAll', async () => {
		const users = await perform('teamUser', 'getAll', { teamId: environment.teamId, limit: 7 });
		expect(users).toHaveLength(7);
		expect(users[0]).toMatchObject({ nanoid: expect.stringMatching(/^us-/) });
	});

	it('invite.create from a form, from JSON and from items, and invite.getAll', async () => {
		const { n8n, api, teamId } = environment;
		const shared = {
			resource: 'invite',
			operation: 'create',
			teamId,
			role: 'contractor',
			existingPeople: 'invite',
		};
		const rows = [
			{ email: 'row.one@example.com', first_name: 'Row', last_name: 'One' },
			{ email: 'row.two@example.com', firstName: 'Row', lastName: 'Two' },
		];
		const sheet = node(
			'Sheet',
			'n8n-nodes-base.code',
			{
				jsCode: `return ${JSON.stringify(rows)}.map((json) => ({ json }));`,
			},
			{ typeVersion: 2 },
		);
		const nodes = [
			START,
			action('Form', {
				...shared,
				inviteesSource: 'fields',
				invitees: { invitee: [{ email: 'form@example.com', firstName: 'Form' }] },
			}),
			action('Text', {
				...shared,
				inviteesSource: 'json',
				inviteesJson: '[{ "email": "json@example.com" }]',
			}),
			sheet,
			action('Items', { ...shared, inviteesSource: 'items' }),
		];
		const { id } = await n8n.saveWorkflow(chain('invite.create', nodes), [api]);
		const execution = await n8n.runWorkflow(id);
		expect(execution.error).toBeUndefined();
		const created = ['Form', 'Text', 'Items'].map((name) =>
			outputOf(execution, name).map(({ nanoids }) => inviteIds.parse(nanoids)),
		);
		expect(created.map((requests) => requests.map(({ length }) => length))).toEqual([
			[1],
			[1],
			[2],
		]);
		const pending = await perform('invite', 'getAll', { entityId: teamId, returnAll: true });
		expect(pending.map(({ email }) => email)).toEqual(
			expect.arrayContaining([
				'form@example.com',
				'json@example.com',
				'row.one@example.com',
				'row.two@example.com',
			]),
		);
	});

	it('administratorInvite.create, then execute with the wallet', async () => {
		const [created] = await perform('administratorInvite', 'create', {
			entityId: environment.teamId,
			role: 'team_viewer',
			emails: 'viewer.one@example.com, viewer.two@example.com',
		});
		const invites = inviteIds.length(2).parse(created?.invites);
		const [executed] = await perform('administratorInvite', 'complete', {
			role: 'team_viewer',
			inviteIds: invites.join(','),
			typedData: JSON.stringify(created),
			signatureSource: 'wallet',
		});
		expect(executed).toEqual({ invites, transaction: expect.stringMatching(/^tx-/) });
	});

	it('administratorInvite.send', async () => {
		const [done] = await perform('administratorInvite', 'send', {
			entityId: environment.teamId,
			role: 'team_admin',
			emails: 'administrator@example.com',
		});
		inviteIds.length(1).parse(done?.invites);
		expect(done?.transaction).toMatch(/^tx-/);
	});

	it('nameReview.update', async () => {
		const { teams } = await environment.sandbox.control<Organisation>('GET', 'organisation');
		const review = teams[0]?.name_reviews[0];
		const [resolved] = await perform('nameReview', 'update', {
			teamId: environment.teamId,
			userId: { __rl: true, mode: 'id', value: review?.user_nanoid },
			decision: 'approve',
			reviewVersion: review?.reviewVersion,
		});
		expect(resolved).toEqual({ status: expect.any(String) });
	});

	it('payment.create', async () => {
		const { sandbox, account, teamId } = environment;
		const recipientEmail = 'supplier@example.com';
		const query = new URLSearchParams({
			from: teamId,
			amount_cents: '12500',
			email: recipientEmail,
			signer: account.address,
		});
		const payment = paymentStructure.parse(
			await sandbox.control('GET', `payment-typed-data?${query}`),
		);
		const [paid] = await perform('payment', 'create', {
			teamId,
			amountUnit: 'cents',
			amountCents: 12_500,
			recipientEmail,
			typedData: JSON.stringify(payment),
			signatureSource: 'wallet',
		});
		expect(paid).toEqual({ transaction: expect.stringMatching(/^tx-/) });
	});

	it('webhook.send', async () => {
		const { webhook } = await environment.sandbox.control<Organisation>('GET', 'organisation');
		const [sent] = await perform('webhook', 'send', {
			webhookId: webhook,
			eventType: 'deposit.received',
		});
		expect(sent).toMatchObject({ version: 2, test_payload: { event_type: 'deposit.received' } });
	});

	it('authentication.getSignInMessage and a failed sign-in store no secret', async () => {
		const { n8n, database, sandbox, account, teamId } = environment;
		const [message] = await perform('authentication', 'getSignInMessage');
		expect(message).toEqual({ siwe: expect.stringContaining(account.address) });

		const { accounts } = await sandbox.control<{ accounts: (typeof account)[] }>('GET', 'accounts');
		const stranger = accounts.find(({ name }) => name === 'stranger');
		const strangers = await n8n.saveCredentials('payrollPaymentsApi', 'Stranger', {
			baseUrl: sandbox.url,
			authentication: 'walletSignIn',
			access: 'everything',
			platformId: stranger?.platformId,
			signer: 'privateKey',
			privateKey: stranger?.privateKey,
		});
		const balance = action('Balance', { resource: 'balance', operation: 'get', entityId: teamId });
		const { id } = await n8n.saveWorkflow(chain('Stranger', [START, balance]), [strangers]);
		const refused = await n8n.runWorkflow(id);
		expect(refused.status).toBe('error');

		expect(await database.placesOf(teamId)).toContain('execution_data.data');
		const keys = [account, stranger].map((one) => String(one?.privateKey).slice(2));
		/* Every token starts with this; anything shorter could occur in encrypted data by chance. */
		for (const secret of [...keys, 'eyJhbGciOi', 'sandbox-webhook-secret']) {
			expect(await database.placesOf(secret)).toEqual([]);
		}
	});

	it('authentication.verify', async () => {
		const [message] = await perform('authentication', 'getSignInMessage');
		const siwe = z.string().parse(message?.siwe);
		const signature = await new Wallet(environment.account.privateKey).signMessage(siwe);
		const [verified] = await perform('authentication', 'verify', { message: siwe, signature });
		expect(verified).toEqual({ jwt: expect.stringMatching(/^eyJhbGciOi/) });
	});

	it('sent only requests that match the OpenAPI description', async () => {
		const { entries, counts } = await environment.sandbox.control<{
			entries: { valid: boolean; problems: string[] }[];
			counts: Record<string, number>;
		}>('GET', 'log');
		expect(Object.keys(counts)).toHaveLength(11);
		expect(entries.filter(({ valid }) => !valid)).toEqual([]);
	});
});

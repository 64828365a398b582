import { id, Wallet } from 'ethers';
import { z } from 'zod';

import type { AdministratorInviteTypedData } from '../../sandbox/administratorInvites';
import type { InstantPayment } from '../../sandbox/instantPayments';
import { fieldsOf } from '../n8n/conformance/openapi';
import { useActionSandbox } from '../support/actionSandbox';
import { dataOf as readData, SandboxClient, type Reply } from '../support/sandboxClient';

/* What openapi.yaml can't say: roles, and what is done once. The conformance test has the formats. */

const signableShape = z.object({
	domain: z.record(z.unknown()),
	types: z.record(z.array(z.object({ name: z.string(), type: z.string() }))),
	typed_data: z.custom<InstantPayment['typed_data']>(),
});
type SignablePayment = z.infer<typeof signableShape>;

describe('the sandbox: the operations', () => {
	const sandbox = useActionSandbox();
	let administrator: SandboxClient;
	let teamAdministrator: SandboxClient;
	let viewer: SandboxClient;
	let companyId: string;
	let teamIds: string[];
	let teamId: string;

	beforeAll(async () => {
		administrator = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
		teamAdministrator = await SandboxClient.of(sandbox, 'teamAdministrator').signIn();
		viewer = await SandboxClient.of(sandbox, 'viewer').signIn();
	});
	beforeEach(() => {
		const { company, teams } = sandbox.service.organisation;
		companyId = company.nanoid;
		teamIds = teams.map(({ nanoid }) => nanoid);
		teamId = teamIds[0] ?? '';
	});
	afterEach(() => {
		// After each test: every answer matched the description, and so did the log's verdicts.
		for (const { operation, status, valid } of sandbox.service.wireLog.read().entries) {
			if (status === 200) expect({ operation, valid }).toEqual({ operation, valid: true });
		}
	});

	function dataOf<Data>(reply: Reply, operationId: string): Data {
		return readData<Data>(sandbox, reply, operationId);
	}

	/** Expects a refusal with the failure envelope. */
	function expectRefusal(reply: Reply, operationId: string, status: number): void {
		expect(reply).toMatchObject({ status, body: { success: false } });
		const check = sandbox.service.description.answerCheck(operationId, status);
		expect(check(reply.body) ? [] : check.errors).toEqual([]);
	}

	describe('balance', () => {
		it('rejects a team on which the caller has no role', async () => {
			const path = `/v2/balance?nanoid=${teamIds[1]}`;
			expectRefusal(await teamAdministrator.get(path), 'getBalance', 403);
		});
	});

	describe('invites', () => {
		interface Invite {
			nanoid: string;
			email: string;
			invitee_name: string;
			role: string;
		}
		const prefill = {
			...Object.fromEntries(fieldsOf('InvitePrefill').map((name) => [name, ''])),
			first_name: 'Zoë',
			last_name: 'Núñez',
		};
		const listOf = async (entityId: string): Promise<Invite[]> =>
			dataOf(await administrator.get(`/v2/invites?nanoid=${entityId}`), 'listInvites');

		it('lists only for a team’s team_admin and a company’s org_admin', async () => {
			expect((await listOf(teamId)).length).toBeGreaterThan(0);
			expect((await listOf(companyId)).length).toBeGreaterThan(0);
			const forTeam = `/v2/invites?nanoid=${teamId}`;
			expect(await teamAdministrator.get(forTeam)).toMatchObject({ status: 200 });
			expectRefusal(await viewer.get(forTeam), 'listInvites', 403);
			const forCompany = `/v2/invites?nanoid=${companyId}`;
			expectRefusal(await teamAdministrator.get(forCompany), 'listInvites', 403);
		});

		it('creates one pending invite for each invitee', async () => {
			const reply = await administrator.post('/v2/invites', {
				nanoid: teamId,
				role: 'contractor',
				anonymous: true,
				invites: [{ email: 'one@example.com' }, { email: 'zoe@example.com', prefill }],
			});
			const { nanoids } = dataOf<{ nanoids: string[] }>(reply, 'createInvites');
			const made = (await listOf(teamId)).filter(({ nanoid }) => nanoids.includes(nanoid));
			expect(made).toMatchObject([
				{ email: 'one@example.com', role: 'contractor', invitee_name: 'one' },
				{ email: 'zoe@example.com', role: 'contractor', invitee_name: 'Zoë Núñez' },
			]);
		});

		it('rejects a body that isn’t JSON, and logs it', async () => {
			const response = await fetch(`${sandbox.url}/v2/invites`, {
				method: 'POST',
				body: '{"a":',
			});
			expect(response.status).toBe(401);
			const [entry] = sandbox.service.wireLog.read().entries;
			expect(entry).toMatchObject({ body: '{"a":', valid: false, operation: 'createInvites' });
		});
	});

	describe('administrator invites', () => {
		interface Created {
			invites: string[];
			typed_data: AdministratorInviteTypedData;
		}
		const create = async (change: object = {}): Promise<Created> => {
			const body = {
				nanoid: teamId,
				role: 'team_viewer',
				emails: ['a@example.com', 'b@example.com'],
				...change,
			};
			const reply = await administrator.post('/v2/invites/manager', body);
			return dataOf(reply, 'createAdministratorInvites');
		};
		const signed = async ({ invites, typed_data }: Created, wallet = administrator.wallet) => ({
			invites,
			signer: administrator.account.address,
			typed_data: typed_data.typed_data,
			signature: await wallet.signTypedData(
				typed_data.domain,
				typed_data.types,
				typed_data.typed_data,
			),
		});
		const execute = async (body: unknown): Promise<Reply> =>
			await administrator.put('/v2/invites/manager', body);

		it.each(['name', 'hash'] as const)(
			'executes signed invites once, with roles by %s',
			async (roleForm) => {
				sandbox.service.change({ roleForm });
				const created = await create();
				expect(created.typed_data.typed_data.data[0]?.role).toBe(
					roleForm === 'hash' ? id('team_viewer') : 'team_viewer',
				);
				const body = await signed(created);
				const done = dataOf<{ invites: string[] }>(
					await execute(body),
					'executeAdministratorInvites',
				);
				expect(done.invites).toEqual(created.invites);
				expectRefusal(await execute(body), 'executeAdministratorInvites', 400);
			},
		);

		it('rejects anything that differs from what was signed', async () => {
			const created = await create();
			const body = await signed(created);
			const refused = async (change: object, status = 400): Promise<void> =>
				expectRefusal(await execute({ ...body, ...change }), 'executeAdministratorInvites', status);
			const { typed_data: request } = created.typed_data;
			await refused({ typed_data: { ...request, to: administrator.account.address } });
			await refused({ typed_data: { ...request, data: request.data.slice(1) } });
			await refused({ invites: created.invites.slice(1) });
			await refused({ invites: ['in-000000000000'] }, 404);
			await refused({ signature: `0x${'1'.repeat(130)}` });
			await refused({ signer: teamAdministrator.account.address });
			const foreign = await signed(created, teamAdministrator.wallet);
			await refused({ signature: foreign.signature });
			await refused(
				{ signature: foreign.signature, signer: teamAdministrator.account.address },
				403,
			);
		});

		it('executes company roles for the company’s administrator only', async () => {
			const created = await create({ nanoid: companyId, role: 'org_viewer' });
			expect(await execute(await signed(created))).toMatchObject({ status: 200 });
			const body = { nanoid: companyId, role: 'org_viewer', emails: ['a@example.com'] };
			const reply = await teamAdministrator.post('/v2/invites/manager', body);
			expectRefusal(reply, 'createAdministratorInvites', 403);
		});
	});

	describe('name review', () => {
		const review = async (userId: string, body: unknown): Promise<Reply> =>
			await administrator.post(
				`/v2/payments/teams/${teamId}/external_entity/${userId}/name_review`,
				body,
			);
		const waiting = (): string => {
			const [userId = ''] = sandbox.service.organisation.teams[0]?.nameReviews.keys() ?? [];
			return userId;
		};
		const review_version = '2026-02-28T09:30Z';

		it('resolves a review once', async () => {
			const body = { review_version, action: 'approve' };
			const done = dataOf<{ status: string }>(await review(waiting(), body), 'resolveNameReview');
			expect(done.status).toBe('approved');
			expectRefusal(await review(waiting(), body), 'resolveNameReview', 400);
		});

		it('rejects a user without a review', async () => {
			const body = { review_version, action: 'approve' };
			expectRefusal(await review('us-000000000000', body), 'resolveNameReview', 404);
		});
	});

	describe('instant payment', () => {
		const email = 'supplier@example.com';
		const signable = async (cents = 1_500): Promise<SignablePayment> => {
			const query = new URLSearchParams({
				from: teamId,
				amount_cents: String(cents),
				email,
				signer: administrator.account.address,
			});
			const response = await fetch(`${sandbox.url}/sandbox/payment-typed-data?${query.toString()}`);
			return signableShape.parse(await response.json());
		};
		const bodyOf = async (
			{ domain, types, typed_data }: SignablePayment,
			cents = 1_500,
			wallet = administrator.wallet,
		): Promise<InstantPayment> => ({
			from: teamId,
			amount_cents: cents,
			signer: wallet.address,
			typed_data,
			signature: await wallet.signTypedData(domain, types, typed_data),
			external_recipient_email: email,
			currency_symbol: 'USD',
			network: 'arbitrum',
		});
		const pay = async (body: unknown): Promise<Reply> =>
			await administrator.put('/v2/payments/external_entity/instant', body);
		const cents = (): bigint =>
			sandbox.service.organisation.team(teamId)?.balances.get('USD') ?? 0n;

		it('pays once for each signed salt', async () => {
			const before = cents();
			const body = await bodyOf(await signable());
			const paid = await pay(body);
			expect(dataOf<{ transaction: string }>(paid, 'createInstantPayment').transaction).toMatch(
				/^tx-/,
			);
			expect(cents()).toBe(before - 1_500n);
			expectRefusal(await pay(body), 'createInstantPayment', 400);
			expect(cents()).toBe(before - 1_500n);
		});

		it('rejects a body that differs from what was signed', async () => {
			const payment = await signable();
			const body = await bodyOf(payment);
			const before = cents();
			const refused = async (change: object, status = 400): Promise<void> =>
				expectRefusal(await pay({ ...body, ...change }), 'createInstantPayment', status);
			await refused({ amount_cents: 1_501 });
			await refused({ external_recipient_email: 'other@example.com' });
			await refused({ from: teamIds[1] });
			await refused({ typed_data: { ...body.typed_data, to: body.typed_data.from } });
			await refused({ signer: teamAdministrator.account.address });
			await refused(await bodyOf(payment, 1_500, teamAdministrator.wallet), 403);
			expect(cents()).toBe(before);
		});

		it('rejects a payment above the balance, and one by a viewer', async () => {
			const tooMuch = 1_000_000_000;
			const body = await bodyOf(await signable(tooMuch), tooMuch);
			expectRefusal(await pay(body), 'createInstantPayment', 400);
			const payment = await signable();
			const asViewer = await bodyOf(
				{
					...payment,
					typed_data: { ...payment.typed_data, from: viewer.account.address },
				},
				1_500,
				viewer.wallet,
			);
			const reply = await viewer.put('/v2/payments/external_entity/instant', asViewer);
			expectRefusal(reply, 'createInstantPayment', 403);
		});

		it('needs no token if the setting says so, but still checks one', async () => {
			sandbox.service.change({ instantPaymentNeedsToken: false });
			const nobody = SandboxClient.of(sandbox, 'stranger');
			const path = '/v2/payments/external_entity/instant';
			expect(await nobody.put(path, await bodyOf(await signable()))).toMatchObject({ status: 200 });
			const reply = await nobody.useToken('a.b.c').put(path, await bodyOf(await signable()));
			expectRefusal(reply, 'createInstantPayment', 401);
		});

		it('rejects a stranger’s signature', async () => {
			sandbox.service.change({ instantPaymentNeedsToken: false });
			const payment = await signable();
			const wallet = new Wallet(id('payroll sandbox test: outsider'));
			const body = await bodyOf(
				{ ...payment, typed_data: { ...payment.typed_data, from: wallet.address } },
				1_500,
				wallet,
			);
			const nobody = SandboxClient.of(sandbox, 'stranger');
			const reply = await nobody.put('/v2/payments/external_entity/instant', body);
			expectRefusal(reply, 'createInstantPayment', 403);
		});
	});

	describe('team users', () => {
		interface Page {
			users: Array<{ nanoid: string; email: string }>;
			pagination: { page: number; next_page: number; next_offset: number; has_more: boolean };
		}
		const list = async (query: string): Promise<Page> =>
			dataOf(await viewer.get(`/v2/teams/${teamId}/users?${query}`), 'listTeamUsers');
		const everyone = (): string[] =>
			sandbox.service.organisation.teams[0]?.users.map(({ nanoid }) => nanoid) ?? [];

		it('returns the full list without page and offset', async () => {
			expect((await list('')).users).toHaveLength(140);
			expect((await list('count=5')).users).toHaveLength(140);
			expect((await list('page=1')).users).toHaveLength(100);
			expect((await list('offset=0&count=5')).users).toHaveLength(5);
		});

		it('returns every user once, by page and by offset', async () => {
			const byPage: string[] = [];
			for (let page: Page | undefined; page?.pagination.has_more !== false; ) {
				page = await list(`page=${page?.pagination.next_page ?? 1}&count=33`);
				byPage.push(...page.users.map(({ nanoid }) => nanoid));
			}
			expect(byPage).toEqual(everyone());
			const byOffset: string[] = [];
			for (let page: Page | undefined; page?.pagination.has_more !== false; ) {
				page = await list(`offset=${page?.pagination.next_offset ?? 0}&count=70`);
				byOffset.push(...page.users.map(({ nanoid }) => nanoid));
			}
			expect(byOffset).toEqual(everyone());
		});

		it('filters by email, repeated or comma-separated, and leaves out strangers', async () => {
			const [one, two] =
				sandbox.service.organisation.teams[0]?.users.map(({ email }) => email) ?? [];
			const repeated = await list(`emails=${one}&emails=${two}&emails=nobody@example.com`);
			const listed = await list(`emails=${one},${two},nobody@example.com`);
			expect(repeated.users.map(({ email }) => email)).toEqual([one, two]);
			expect(listed.users).toEqual(repeated.users);
			expect((await list('emails=nobody@example.com')).users).toEqual([]);
		});

		it('rejects a team on which the caller has no role', async () => {
			const reply = await teamAdministrator.get(`/v2/teams/${teamIds[1]}/users`);
			expectRefusal(reply, 'listTeamUsers', 403);
			expectRefusal(await viewer.get('/v2/teams/te-000000000000/users'), 'listTeamUsers', 404);
		});
	});

	describe('test delivery', () => {
		const test = async (body: unknown, webhookId?: string): Promise<Reply> => {
			const path = webhookId ?? sandbox.service.organisation.firstWebhookId;
			return await administrator.post(`/v2/webhooks/test/${path}`, body);
		};

		it('rejects an unknown endpoint and a viewer', async () => {
			const body = { event_type: 'token.transfer' };
			expectRefusal(await test(body, 'wh-000000000000'), 'sendTestDelivery', 404);
			const path = `/v2/webhooks/test/${sandbox.service.organisation.firstWebhookId}`;
			expectRefusal(await viewer.post(path, body), 'sendTestDelivery', 403);
		});
	});
});

import { z } from 'zod';

import { fieldsOf, schema } from '../n8n/conformance/openapi';
import { useActionSandbox } from '../support/actionSandbox';
import { dataOf, SandboxClient, type Reply } from '../support/sandboxClient';

const OPTIONAL_DEPOSIT_FIELDS = fieldsOf('Deposit').filter(
	(name) => schema('Deposit').required?.includes(name) !== true,
);

const eventsShape = z.object({
	events: z.array(z.object({ deposit: z.record(z.unknown()) }).passthrough()),
});

describe('the sandbox: what the documentation leaves open', () => {
	const sandbox = useActionSandbox();
	let administrator: SandboxClient;
	let teamAdministrator: SandboxClient;
	let teamId: string;

	beforeAll(async () => {
		administrator = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
		teamAdministrator = await SandboxClient.of(sandbox, 'teamAdministrator').signIn();
	});
	beforeEach(() => {
		teamId = sandbox.team;
	});

	const lastLogged = () => sandbox.service.wireLog.read().entries.at(-1);

	it.each([
		{ currenciesEncodings: [] },
		{ currenciesEncodings: ['semicolons'] },
		{ apiKeyRefusedBy: ['verifySignIn'] },
		{ roleBeforeExistence: 'yes' },
		{ recordFields: 'some' },
		{ errorCodes: true },
	])('has no setting %j', (settings) => {
		expect(() => sandbox.service.change(settings)).toThrow(z.ZodError);
	});

	describe('the encoding of currencies', () => {
		const forms = {
			repeated: 'currencies=EUR&currencies=USD',
			commaSeparated: 'currencies=EUR,USD',
			brackets: 'currencies[]=EUR&currencies[]=USD',
		} as const;
		type Encoding = keyof typeof forms;
		const encodings: readonly Encoding[] = ['repeated', 'commaSeparated', 'brackets'];
		const ask = async (query: string): Promise<Reply> =>
			await administrator.get(`/v2/balance?nanoid=${teamId}&${query}`);

		it.each(encodings)('%s: a list in another one is refused', async (accepted) => {
			sandbox.service.change({ currenciesEncodings: [accepted] });
			for (const sent of encodings) {
				expect((await ask(forms[sent])).status).toBe(accepted === sent ? 200 : 400);
				expect(lastLogged()?.valid).toBe(accepted === sent);
			}
		});
	});

	it('checks the existence or the role first', async () => {
		const signed = {
			invites: ['in-000000000000'],
			signer: teamAdministrator.account.address,
			typed_data: {
				from: teamAdministrator.account.address,
				to: teamAdministrator.account.address,
				salt: '0x',
				expires: '1',
				data: [],
			},
			signature: `0x${'1'.repeat(130)}`,
		};
		const review = { review_version: '2026-02-28T09:30Z', action: 'approve' };
		const ask = async (): Promise<number[]> => {
			const replies = [
				await teamAdministrator.get('/v2/balance?nanoid=te-000000000000'),
				await teamAdministrator.get('/v2/balance?nanoid=us-000000000000'),
				await teamAdministrator.get('/v2/invites?nanoid=te-000000000000'),
				await teamAdministrator.post('/v2/invites', {
					nanoid: 'te-000000000000',
					role: 'contractor',
					invites: [],
				}),
				await teamAdministrator.post('/v2/invites/manager', {
					nanoid: 'co-000000000000',
					role: 'org_viewer',
					emails: ['a@example.com'],
				}),
				await teamAdministrator.put('/v2/invites/manager', signed),
				await teamAdministrator.post(
					'/v2/payments/teams/te-000000000000/external_entity/us-000000000000/name_review',
					review,
				),
				await teamAdministrator.get('/v2/teams/te-000000000000/users'),
			];
			return replies.map(({ status }) => status);
		};
		expect(await ask()).toEqual(Array(8).fill(404));
		sandbox.service.change({ roleBeforeExistence: true });
		expect(await ask()).toEqual(Array(8).fill(403));
		expect(await administrator.get('/v2/teams/te-000000000000/users')).toMatchObject({
			status: 404,
		});
	});

	describe('requests', () => {
		it.each([
			['application/json', 200],
			['Application/JSON; charset=utf-8', 200],
			['text/plain', 400],
			['application/x-www-form-urlencoded', 400],
			['application/json5', 400],
			['application/problem+json', 400],
		])('have a body of type %s: %d', async (contentType, status) => {
			const body = { nanoid: teamId, role: 'contractor', invites: [] };
			const reply = await administrator.send('POST', '/v2/invites', body, {
				'content-type': contentType,
			});
			expect(reply.status).toBe(status);
			expect(lastLogged()).toMatchObject({ body, valid: status === 200 });
		});
	});

	describe('events', () => {
		const make = async (body: object): Promise<Record<string, unknown>> => {
			const { events } = eventsShape.parse(await sandbox.control('POST', 'deposits', body));
			expect(events.map((event) => sandbox.service.description.eventProblems(event))).toEqual([[]]);
			return events[0]?.deposit ?? {};
		};

		it('have no optional field of a deposit by default, and all of them on request', async () => {
			const sparse = Object.keys(await make({}));
			expect(sparse.filter((name) => OPTIONAL_DEPOSIT_FIELDS.includes(name))).toEqual([]);
			const full = Object.keys(await make({ optionalFields: true }));
			expect(full.sort()).toEqual([...sparse, ...OPTIONAL_DEPOSIT_FIELDS].sort());
			const some = await make({ optionalFields: true, deposit: { trace: null, reference: 'R-1' } });
			expect(some).toMatchObject({ reference: 'R-1' });
			expect(some).not.toHaveProperty('trace');
		});

		it('name the request that caused them', async () => {
			const path = `/v2/webhooks/test/${sandbox.service.organisation.firstWebhookId}`;
			const reply = await administrator.post(path, { event_type: 'deposit.received' });
			const { test_payload } = dataOf<{ test_payload: object }>(sandbox, reply, 'sendTestDelivery');
			expect(test_payload).toHaveProperty('request_id', lastLogged()?.requestId);
			expect(sandbox.service.description.eventProblems(test_payload)).toEqual([]);
		});

		it('that no request caused name none', async () => {
			const made = await sandbox.control('POST', 'events', { event_type: 'invite.accepted' });
			const [event] = Object(made).events;
			expect(event).not.toHaveProperty('request_id');
		});
	});
});

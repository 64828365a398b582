import { letterOfTheDocument, type DeliveryAttempt } from '../../sandbox/server';
import type { SettingsInput } from '../../sandbox/settings';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

import { resultOf, verdictOf } from '../../sandbox/control/page/verdict';
import { useActionSandbox } from '../support/actionSandbox';
import { startHttpServer, type HttpServer, type ReceivedRequest } from '../support/httpServer';
import { dataOf, SandboxClient } from '../support/sandboxClient';
import { hmac } from '../../n8nHost/sampleEvents';

const SECRET = 'a secret of the test';

const sandbox = useActionSandbox({ retryDelays: [20, 40, 60], paymentDelay: 0 });
let administrator: SandboxClient;
let receiver: HttpServer;
const received: ReceivedRequest[] = [];
/** What the webhook endpoint answers first; then 200. */
const statuses: number[] = [];

beforeAll(async () => {
	administrator = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
});
beforeEach(async () => {
	received.length = 0;
	const note = (request: ReceivedRequest) => received.push(request);
	receiver = await startHttpServer(note, () => statuses.shift() ?? 200);
});
afterEach(async () => await receiver.stop());

const control = async (path: string, body: object) => await sandbox.control('POST', path, body);
const register = async (endpoint: object = {}) =>
	void (await control('endpoints', { url: receiver.url, secret: SECRET, ...endpoint }));
const attempts = (): readonly DeliveryAttempt[] => sandbox.service.deliveries.log();
const settled = async (count: number): Promise<void> => {
	const isSettled = (): boolean =>
		attempts().length >= count && attempts().every(({ outcome }) => outcome !== 'sending');
	while (!isSettled()) await new Promise(setImmediate);
};
const events = async (count: number): Promise<Array<Record<string, unknown>>> => {
	while (received.length < count) await new Promise(setImmediate);
	return received.map(({ body }) => JSON.parse(body));
};
const only = (): ReceivedRequest => {
	const [first, ...more] = received;
	if (!first || more.length > 0) throw new Error(`Received ${received.length}, not 1`);
	return first;
};

/* sampleDelivery.test.ts has the other schemes, with one secret. */

it.each([
	['webhook', StandardWebhook],
	['svix', SvixWebhook],
] as const)('signs Standard Webhooks with %s-… headers', async (headerPrefix, Library) => {
	const [secret, previousSecret] = [
		'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
		'C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
	];
	await register({ scheme: 'standardWebhooks', headerPrefix, secret, previousSecret });
	await control('deposits', {});
	const { headers, body } = only();
	const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
	for (const each of [secret, previousSecret])
		expect(new Library(each).verify(body, Object.fromEntries(texts))).toEqual(JSON.parse(body));
});

it('credits a complete deposit once, however often it comes, until it is reverted', async () => {
	const balances = sandbox.service.organisation.teams[0]?.balances;
	const before = balances?.get('USD') ?? 0n;
	const deposit = { destination_amount_cents: 5_000, destination_currency: 'USD' };
	await register();
	await control('deposits', { deposit, delivery: { duplicates: 3 } });
	expect(received).toHaveLength(4);
	await control('deliveries/repeat', {});
	expect(received).toHaveLength(5);
	expect(new Set(received.map(({ body }) => body)).size).toBe(1);
	for (const delivery of [{ signature: 'wrong' }, { age: 3_600 }, { bodyAfterSigning: '{}' }])
		await control('deposits', { deposit, delivery });
	const same = { ...deposit, nanoid: 'dp-theSame' };
	for (const status of ['pending', 'complete', 'complete', 'reverted', 'reverted', 'complete'])
		await control('deposits', { deposit: { ...same, status } });
	await control('deposits', { deposit, statuses: ['complete', 'reverted'] });
	expect(balances?.get('USD')).toBe(before + 5_000n);
});

/* controlPage.test.ts has them in order, and forged, unsigned and old events. */

it('sends the statuses of one deposit reversed', async () => {
	await register();
	await control('deposits', { statuses: ['pending', 'complete', 'reverted'], reorder: true });
	const deposits = (await events(3)).map(({ deposit }) => Object(deposit));
	expect(deposits.map(({ status }) => status)).toEqual(['reverted', 'complete', 'pending']);
	const changed = deposits.map(({ updated_at }) => Date.parse(updated_at));
	expect(changed).toEqual([...new Set(changed)].sort().reverse());
});

it('signs any body, and changes it after signing', async () => {
	await register();
	const isGood = async (delivery: object): Promise<boolean> => {
		received.length = 0;
		await control('deposits', { delivery });
		const { headers, body } = only();
		const [, time, signature] = /^t=(\d+),v1=(.*)$/.exec(String(headers['x-signature'])) ?? [];
		return signature === hmac(SECRET, `${time}.${body}`).toString('hex');
	};
	expect(await isGood({ bodyAfterSigning: '{}' })).toBe(false);
	expect(await isGood({ rawBody: '{"broken":' })).toBe(true);
	expect(only().body).toBe('{"broken":');
});

it('retries after each delay until it gets a 2xx, and not after a redirect', async () => {
	await register();
	statuses.push(500, 404, 204, 302);
	await control('deposits', {});
	await settled(3);
	await control('deposits', {});
	const { idempotency_key } = { ...attempts()[0] };
	expect(attempts()).toMatchObject([
		{ attempt: 1, status: 500, retryIn: 20, idempotency_key },
		{ attempt: 2, status: 404, retryIn: 40, idempotency_key },
		{ attempt: 3, status: 204, outcome: 'accepted', idempotency_key },
		{ attempt: 1, status: 302 },
	]);
	expect(attempts().at(-1)).not.toHaveProperty('retryIn');
});

it('delivers the test event of Endpoint 9, which names its request, to that endpoint only', async () => {
	await register({ nanoid: 'wh-theFirstHook' });
	await register({ nanoid: 'wh-theOtherHook' });
	const asked = { event_type: 'deposit.received' };
	const reply = await administrator.post('/v2/webhooks/test/wh-theFirstHook', asked);
	await settled(1);
	const { test_payload } = dataOf<{ test_payload: object }>(sandbox, reply, 'sendTestDelivery');
	expect(test_payload).toEqual(JSON.parse(only().body));
	expect(test_payload).toHaveProperty('request_id', sandbox.wire().at(-1)?.requestId);
	expect(attempts()).toMatchObject([{ endpoint: 'wh-theFirstHook', outcome: 'accepted' }]);
	const uncaused = await made('events', { event_type: 'invite.accepted' });
	expect(uncaused).not.toHaveProperty('request_id');
});

const made = async (route: string, body: object): Promise<Record<string, unknown>> => {
	const [event, ...others] = Object(await sandbox.control('POST', route, body)).events;
	expect([others, sandbox.service.description.eventProblems(event)]).toEqual([[], []]);
	return event;
};

const SENT = { at: '', delivery: '', endpoint: '', url: '', attempt: 1, headers: {}, body: '' };

const NOT_TAKEN = '200, but ignored: this workflow doesn’t take such an event';

it.each([
	['{"received":true,"ignored":"filter"}', NOT_TAKEN],
	['{"received":true}', '200, started the workflow'],
	['', '200, started the workflow'],
	['{"ok":true}', '200 accepted'],
])('the desk says what a workflow’s 200 with %j means', async (answer, said) => {
	const attempt = { ...SENT, outcome: 'accepted', status: 200, answer } as const;
	expect(resultOf({ ...attempt, link: 'http://127.0.0.1:1/first' })).toBe(said);
	// Without a link, it isn't known what is at the URL.
	expect(resultOf(attempt)).toBe(said.includes('started') ? '200 accepted' : said);
	expect(verdictOf(attempt).word).toBe(said.includes('ignored') ? 'ignored' : 'accepted');
});

it.each([
	[{ outcome: 'sending' }, 'sending'],
	[{ outcome: 'refused', status: 500, answer: '{}', retryIn: 6e4 }, '500 refused, again in 60 s'],
	[{ outcome: 'no answer', answer: 'cut', retryIn: 1e3 }, 'no answer (cut), again in 1 s'],
] as const)('the desk says what became of %j', async (ended, said) => {
	expect(resultOf({ ...SENT, ...ended })).toBe(said);
});

describe('what payments and invites cause', () => {
	beforeEach(async () => await register());
	afterEach(async () => {
		for (const event of await events(0))
			expect(sandbox.service.description.eventProblems(event)).toEqual([]);
	});

	const cents = () => sandbox.firstTeam.balances.get('USD') ?? 0n;

	async function pay(settings: SettingsInput = {}): Promise<string> {
		sandbox.service.change(settings);
		const { body } = await administrator.pay(await sandbox.authorization());
		return Object(body).data.transaction;
	}

	it.each([
		['sent', 12_500n],
		['failed', 0n],
		['canceled', 0n],
	] as const)('a payment is announced when made, and when it is %s', async (outcome, paid) => {
		const before = cents();
		const transaction = await pay({ paymentOutcome: outcome });
		const [group, ended] = await events(2);
		const payment = {
			...{ nanoid: expect.stringMatching(/^pa-/), amount: '125000000', amount_cents: 12_500 },
			...{ creation_transaction: transaction, process_transaction: null },
			recipients: [expect.objectContaining({ email: 'ana@example.com' })],
		};
		expect(group).toMatchObject({
			...{ event_type: 'payment.group.created', event_version: '1.0' },
			request_id: sandbox.wire().at(-1)?.requestId,
			payment_group: { nanoid: expect.stringMatching(/^pg-/), payments: [payment] },
		});
		const process_transaction = outcome === 'sent' ? transaction : null;
		const carriedOut = { ...payment, process_transaction };
		expect(ended).toMatchObject({ event_type: `payment.${outcome}`, payment: carriedOut });
		expect(before - cents()).toBe(paid);
	});

	it.each([
		['another', expect.stringMatching(/^tx-/)],
		['null', null],
	] as const)('a payment may be carried out by a transaction that is %s', async (which, other) => {
		const transaction = await pay({ processTransaction: which });
		const { payment } = Object((await events(2))[1]);
		const expected = { creation_transaction: transaction, process_transaction: other };
		expect(payment).toMatchObject(expected);
		expect(payment.process_transaction).not.toBe(transaction);
	});

	it('an invite is announced when a person accepts it, who joins with its role and name', async () => {
		const [email, role] = ['ana.silva@example.com', 'team_employee'];
		const body = { nanoid: sandbox.team, invites: [{ email }], role, anonymous: true };
		const [nanoid] = Object((await administrator.post('/v2/invites', body)).body).data.nanoids;
		await sandbox.control('POST', 'invites/end', { nanoid, outcome: 'accepted' });
		const user = sandbox.firstTeam.users.at(-1);
		expect(user).toMatchObject({ email, role, first_name: 'ana.silva', last_name: '' });
		const [invited_by, invited_to] = [expect.stringMatching(/^us-/), sandbox.team];
		const known = { nanoid, user_nanoid: user?.nanoid, email, role, anonymous: true };
		const invite = { ...known, invited_by, invited_to };
		expect(await events(1)).toMatchObject([{ event_type: 'invite.accepted', invite }]);
	});

	it('by the letter of the document, nothing is announced, and the version is the payload’s', async () => {
		sandbox.service.change(letterOfTheDocument);
		await pay();
		const [invite] = sandbox.firstTeam.invites;
		await sandbox.control('POST', 'invites/end', { nanoid: invite?.nanoid, outcome: 'accepted' });
		await sandbox.control('POST', 'events', { event_type: 'payment.sent', version: 7 });
		expect(await events(1)).toMatchObject([{ event_type: 'payment.sent', event_version: '7' }]);
		expect(sandbox.service.payments.list()).toMatchObject([{ status: 'sent' }]);
		expect((await administrator.post('/v2/payments/prepare', {})).status).toBe(404);
	});
});

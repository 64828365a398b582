import type { DeliveryAttempt } from '../../sandbox/server';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

import { resultOf, verdictOf } from '../../sandbox/control/page/verdict';
import { fieldsOf, schema } from '../n8n/conformance/openapi';
import { useActionSandbox } from '../support/actionSandbox';
import { startHttpServer, type HttpServer, type ReceivedRequest } from '../support/httpServer';
import { dataOf, SandboxClient } from '../support/sandboxClient';
import { hmac } from '../../n8nHost/sampleEvents';

const SECRET = 'a secret of the test';

const sandbox = useActionSandbox({ retryDelays: [20, 40, 60] });
let receiver: HttpServer;
const received: ReceivedRequest[] = [];
/** What the webhook endpoint answers first; then 200. */
const statuses: number[] = [];

beforeEach(async () => {
	received.length = 0;
	const note = (request: ReceivedRequest) => received.push(request);
	receiver = await startHttpServer(note, () => statuses.shift() ?? 200);
});
afterEach(async () => {
	await receiver.stop();
});

const control = async (path: string, body: object) => await sandbox.control('POST', path, body);
const register = async (endpoint: object = {}): Promise<void> => {
	await control('endpoints', { url: receiver.url, secret: SECRET, ...endpoint });
};
const attempts = (): readonly DeliveryAttempt[] => sandbox.service.deliveries.log();
const settled = async (count: number): Promise<void> => {
	const isSettled = (): boolean =>
		attempts().length >= count && attempts().every(({ outcome }) => outcome !== 'sending');
	while (!isSettled()) await new Promise(setImmediate);
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
	const given = Object.fromEntries(texts);
	for (const each of [secret, previousSecret])
		expect(new Library(each).verify(body, given)).toEqual(JSON.parse(body));
});

it('credits a complete deposit once, even if it is delivered several times or repeated', async () => {
	const balances = sandbox.service.organisation.teams[0]?.balances;
	const before = balances?.get('USD') ?? 0n;
	const deposit = { destination_amount_cents: 5_000, destination_currency: 'USD' };
	await register();
	await control('deposits', { deposit, delivery: { duplicates: 3 } });
	expect(received).toHaveLength(4);
	await control('deliveries/repeat', {});
	expect(received).toHaveLength(5);
	expect(new Set(received.map(({ body }) => body)).size).toBe(1);
	await control('deposits', { deposit: { ...deposit, status: 'pending' } });
	await control('deposits', { deposit, delivery: { signature: 'wrong' } });
	expect(balances?.get('USD')).toBe(before + 5_000n);
});

it('sends the statuses of one deposit, in order or reversed', async () => {
	await register();
	const statuses = ['pending', 'complete', 'reverted'];
	const events = (): unknown[] => received.map(({ body }): unknown => JSON.parse(body));
	await control('deposits', { statuses });
	expect(events()).toMatchObject(statuses.map((status) => ({ deposit: { status } })));
	received.length = 0;
	await control('deposits', { statuses, reorder: true });
	expect(events()).toMatchObject(
		[...statuses].reverse().map((status) => ({ deposit: { status } })),
	);
	const changed = events().map((event) => Date.parse(Object(event).deposit.updated_at));
	expect(changed).toEqual([...new Set(changed)].sort().reverse());
});

it('forges, omits and backdates signatures, and changes the body after signing', async () => {
	await register();
	const headerOf = async (delivery: object): Promise<string | undefined> => {
		received.length = 0;
		await control('deposits', { delivery });
		const header = only().headers['x-signature'];
		return header === undefined ? undefined : String(header);
	};
	const isGood = (header: string | undefined): boolean => {
		const [, time = '', signature] = /^t=(\d+),v1=(.*)$/.exec(header ?? '') ?? [];
		return signature === hmac(SECRET, `${time}.${only().body}`).toString('hex');
	};
	expect(isGood(await headerOf({}))).toBe(true);
	expect(isGood(await headerOf({ signature: 'wrong' }))).toBe(false);
	expect(isGood(await headerOf({ bodyAfterSigning: '{}' }))).toBe(false);
	expect(await headerOf({ signature: 'missing' })).toBeUndefined();
	const old = await headerOf({ age: 3_600 });
	expect(isGood(old)).toBe(true);
	expect(Number(/t=(\d+)/.exec(old ?? '')?.[1])).toBeLessThan(Date.now() / 1000 - 3_000);
	expect(isGood(await headerOf({ rawBody: '{"broken":' }))).toBe(true);
	expect(only().body).toBe('{"broken":');
});

it('retries after each delay until it gets a 2xx', async () => {
	await register();
	statuses.push(500, 302, 404, 204);
	await control('deposits', {});
	await settled(4);
	const { idempotency_key } = { ...attempts()[0] };
	expect(attempts()).toMatchObject([
		{ attempt: 1, status: 500, retryIn: 20, idempotency_key },
		{ attempt: 2, status: 302, retryIn: 40, idempotency_key },
		{ attempt: 3, status: 404, retryIn: 60, idempotency_key },
		{ attempt: 4, status: 204, outcome: 'accepted', idempotency_key },
	]);
	expect(attempts().at(-1)).not.toHaveProperty('retryIn');
});

it('gives up after the last delay, and logs that nobody answered', async () => {
	await register({ url: 'http://127.0.0.1:9/nobody' });
	await control('deposits', {});
	await settled(4);
	expect(attempts().map(({ outcome }) => outcome)).toEqual(Array(4).fill('no answer'));
	expect(attempts().at(-1)).not.toHaveProperty('retryIn');
});

it('delivers the test event of Endpoint 9, which names its request, to that endpoint only', async () => {
	await register({ nanoid: 'wh-theFirstHook' });
	await register({ nanoid: 'wh-theOtherHook' });
	const administrator = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
	const reply = await administrator.post('/v2/webhooks/test/wh-theFirstHook', {
		event_type: 'deposit.received',
	});
	await settled(1);
	const { test_payload } = dataOf<{ test_payload: object }>(sandbox, reply, 'sendTestDelivery');
	expect(test_payload).toEqual(JSON.parse(only().body));
	expect(test_payload).toHaveProperty('request_id', sandbox.wire().at(-1)?.requestId);
	expect(attempts()).toMatchObject([{ endpoint: 'wh-theFirstHook', outcome: 'accepted' }]);
	const uncaused = await made('events', { event_type: 'invite.accepted' });
	expect(uncaused).not.toHaveProperty('request_id');
});

it('sends nothing again to n8n’s test URL, which listens once', async () => {
	const url = 'http://127.0.0.1:1/webhook-test/x';
	await register({ url });
	await control('deposits', {});
	const [attempt] = attempts();
	expect(attempt).toMatchObject({ url, outcome: 'no answer' });
	expect(attempt).not.toHaveProperty('retryIn');
});

const made = async (route: string, body: object): Promise<Record<string, unknown>> => {
	const [event, ...others] = Object(await sandbox.control('POST', route, body)).events;
	expect([others, sandbox.service.description.eventProblems(event)]).toEqual([[], []]);
	return event;
};

it('makes deposits with no optional field by default, and all or some of them on request', async () => {
	const namesIn = (event: Record<string, unknown>) => Object.keys(Object(event.deposit));
	const isOptional = (name: string) => schema('Deposit').required?.includes(name) !== true;
	const sparse = namesIn(await made('deposits', {}));
	expect(sparse.filter(isOptional)).toEqual([]);
	const full = await made('deposits', { optionalFields: true });
	const optional = fieldsOf('Deposit').filter(isOptional);
	expect(namesIn(full).sort()).toEqual([...sparse, ...optional].sort());
	const deposit = { trace: null, reference: 'R-1', network: 'base' };
	const some = await made('deposits', { optionalFields: true, deposit });
	expect(some).toMatchObject({ deposit: { reference: 'R-1', network: 'base' } });
	expect(some).not.toHaveProperty('deposit.trace');
});

const SENT = { at: '', delivery: '', endpoint: '', url: '', attempt: 1, headers: {}, body: '' };

it.each([
	[
		'{"received":true,"ignored":"filter"}',
		'200, but ignored: this workflow doesn’t take such an event',
	],
	['{"received":true,"ignored":"duplicate"}', '200, but ignored: a duplicate'],
	['{"received":true}', '200, started the workflow'],
	['', '200, started the workflow'],
	['{"ok":true}', '200 accepted'],
])('the desk says what a workflow’s 200 with %j means', async (answer, said) => {
	const attempt = { ...SENT, outcome: 'accepted', status: 200, answer } as const;
	expect(resultOf({ ...attempt, link: 'http://127.0.0.1:1/first' })).toBe(said);
	// Without a link, it isn't known what is at the URL.
	const isStart = said.includes('started');
	expect(resultOf(attempt)).toBe(isStart ? '200 accepted' : said);
	expect(verdictOf(attempt).word).toBe(said.includes('ignored') ? 'ignored' : 'accepted');
});

it.each([
	[{ outcome: 'sending' }, 'sending'],
	[
		{ outcome: 'refused', status: 500, answer: '{}', retryIn: 60_000 },
		'500 refused, again in 60 s',
	],
	[
		{ outcome: 'no answer', answer: 'fetch failed', retryIn: 1_000 },
		'no answer (fetch failed), again in 1 s',
	],
] as const)('the desk says what became of %j', async (ended, said) => {
	expect(resultOf({ ...SENT, ...ended })).toBe(said);
});

import type { DeliveryAttempt } from '../../sandbox/server';
import { verify as verifyLikeGitHub } from '@octokit/webhooks-methods';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';

import { useActionSandbox } from '../support/actionSandbox';
import { startHttpServer, type HttpServer, type ReceivedRequest } from '../support/httpServer';
import { SandboxClient } from '../support/sandboxClient';
import { hmac } from '../support/sampleEvents';

const SECRET = 'a secret of the test';

describe('the sandbox: deliveries', () => {
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

	const control = async (path: string, body: unknown): Promise<number> =>
		(await fetch(`${sandbox.url}/sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) }))
			.status;
	const register = async (endpoint: object = {}): Promise<void> => {
		const body = { url: receiver.url, secret: SECRET, ...endpoint };
		expect(await control('endpoints', body)).toBe(200);
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

	/* sampleDelivery.test.ts has the schemes without a library of their own. */

	it('signs so that the libraries of Stripe and GitHub accept it', async () => {
		await register({ previousSecret: 'the old one' });
		await control('deposits', {});
		const { webhooks } = new Stripe('sk_test_1');
		const { headers, body } = only();
		for (const secret of [SECRET, 'the old one']) {
			const signature = String(headers['x-signature']);
			expect(webhooks.constructEvent(body, signature, secret)).toEqual(JSON.parse(body));
		}
		sandbox.service.deliveries.forgetEndpoints();
		received.length = 0;

		await register({ scheme: 'hex', prefixed: true });
		await control('deposits', {});
		const hex = only();
		expect(await verifyLikeGitHub(SECRET, hex.body, String(hex.headers['x-signature']))).toBe(true);
	});

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
		const given = Object.fromEntries(
			Object.entries(headers).map(([name, value]) => [name, String(value)]),
		);
		for (const each of [secret, previousSecret]) {
			expect(new Library(each).verify(body, given)).toEqual(JSON.parse(body));
		}
		received.length = 0;
		await control('deposits', { delivery: { signature: 'wrong' } });
		const forged = Object.fromEntries(
			Object.entries(only().headers).map(([name, value]) => [name, String(value)]),
		);
		expect(() => new Library(secret).verify(only().body, forged)).toThrow(/No matching signature/);
	});

	it('sends deposits as openapi.yaml describes them, with the given fields', async () => {
		await register();
		await control('deposits', { deposit: { network: 'base', reference: null } });
		const event: unknown = JSON.parse(only().body);
		expect(sandbox.service.description.eventProblems(event)).toEqual([]);
		expect(event).toMatchObject({ deposit: { network: 'base', status: 'complete' } });
		expect(event).not.toHaveProperty('deposit.reference');
	});

	it('sends invalid events if asked to', async () => {
		await register();
		await control('deposits', {
			deposit: { network: 'moonbase', status: null },
			envelope: { idempotency_key: 'the same' },
		});
		const event: unknown = JSON.parse(only().body);
		expect(sandbox.service.description.eventProblems(event)).not.toEqual([]);
		expect(event).toMatchObject({ idempotency_key: 'the same', deposit: { network: 'moonbase' } });
	});

	it('credits a complete deposit once, even if it is delivered several times', async () => {
		const balances = sandbox.service.organisation.company.balances;
		const before = balances.get('USD') ?? 0n;
		const deposit = { destination_amount_cents: 5_000, destination_currency: 'USD' };
		await register();
		await control('deposits', { deposit, delivery: { duplicates: 3 } });
		expect(received).toHaveLength(4);
		expect(new Set(received.map(({ body }) => body)).size).toBe(1);
		await control('deposits', { deposit: { ...deposit, status: 'pending' } });
		await control('deposits', { deposit, delivery: { signature: 'wrong' } });
		expect(balances.get('USD')).toBe(before + 5_000n);
	});

	it('repeats the last event with a new signature, and credits it only once', async () => {
		await register();
		await control('deposits', {});
		const balances = sandbox.service.organisation.company.balances;
		const before = balances.get('USD');
		await control('deliveries/repeat', {});
		const [first, second] = received;
		expect(second?.body).toBe(first?.body);
		expect(attempts()[1]?.idempotency_key).toBe(attempts()[0]?.idempotency_key);
		expect(balances.get('USD')).toBe(before);
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
	});

	it('sends many different events', async () => {
		await register();
		await control('events', { event_type: 'token.transfer', count: 40, concurrency: 8 });
		const keys = attempts().map(({ idempotency_key }) => idempotency_key);
		expect(new Set(keys).size).toBe(40);
		expect(received).toHaveLength(40);
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
		expect(attempts().map(({ attempt, status }) => [attempt, status])).toEqual([
			[1, 500],
			[2, 302],
			[3, 404],
			[4, 204],
		]);
		expect(attempts().map(({ retryIn }) => retryIn)).toEqual([20, 40, 60, undefined]);
		expect(attempts().at(-1)).toMatchObject({ outcome: 'accepted' });
		const keys = attempts().map(({ idempotency_key }) => idempotency_key);
		expect(new Set(keys).size).toBe(1);
	});

	it('gives up after the last delay, and logs that nobody answered', async () => {
		await register({ url: 'http://127.0.0.1:9/nobody' });
		await control('deposits', {});
		await settled(4);
		expect(attempts().map(({ outcome }) => outcome)).toEqual(Array(4).fill('no answer'));
		expect(attempts().at(-1)).not.toHaveProperty('retryIn');
	});

	it('delivers the test event of Endpoint 9 to that webhook endpoint only', async () => {
		await register({ nanoid: 'wh-theFirstHook' });
		await register({ nanoid: 'wh-theOtherHook' });
		const administrator = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
		const reply = await administrator.post('/v2/webhooks/test/wh-theFirstHook', {
			event_type: 'deposit.received',
		});
		await settled(1);
		expect(reply.body).toMatchObject({ data: { test_payload: JSON.parse(only().body) } });
		expect(attempts()).toMatchObject([{ endpoint: 'wh-theFirstHook', outcome: 'accepted' }]);
	});

	it('gives the first registered URL to the endpoint without one', async () => {
		const { firstWebhookId } = sandbox.service.organisation;
		await register();
		await register();
		const [first, second, ...more] = sandbox.service.deliveries.endpoints();
		expect(first).toMatchObject({ nanoid: firstWebhookId, url: receiver.url });
		expect(second?.nanoid).not.toBe(firstWebhookId);
		expect(more).toEqual([]);
	});

	it('rejects a malformed endpoint and a malformed event', async () => {
		expect(await control('endpoints', { url: 'nowhere' })).toBe(400);
		expect(await control('endpoints', { url: receiver.url, scheme: 'md5' })).toBe(400);
		expect(await control('events', {})).toBe(400);
		expect(await control('deposits', { amount: 5 })).toBe(400);
	});
});

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';

import type { DeliveryAttempt } from '../../sandbox/server';
import { verify as verifyLikeGitHub } from '@octokit/webhooks-methods';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';

import { useActionSandbox } from '../support/actionSandbox';
import { SandboxClient } from '../support/sandboxClient';

interface Received {
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

/** A webhook endpoint that records its requests; answers with the planned statuses, then 200. */
class Receiver {
	readonly received: Received[] = [];
	readonly statuses: number[] = [];
	url = '';
	private readonly server: Server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			this.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
			response.writeHead(this.statuses.shift() ?? 200);
			response.end('noted');
		});
	});

	async start(): Promise<void> {
		await new Promise<void>((resolve) => {
			this.server.listen(0, '127.0.0.1', resolve);
		});
		const address = this.server.address();
		if (address === null || typeof address === 'string') throw new Error('No port was bound');
		this.url = `http://127.0.0.1:${address.port}/hook`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => {
			this.server.close(resolve);
		});
	}
}

const SECRET = 'a secret of the test';

function hmac(secret: string, text: string, encoding: 'hex' | 'base64'): string {
	return createHmac('sha256', secret).update(text).digest(encoding);
}

describe('the sandbox: deliveries', () => {
	const sandbox = useActionSandbox({ retryDelays: [20, 40, 60] });
	let receiver: Receiver;
	beforeEach(async () => {
		receiver = new Receiver();
		await receiver.start();
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
	const only = (): Received => {
		const [first, ...more] = receiver.received;
		if (!first || more.length > 0) throw new Error(`Received ${receiver.received.length}, not 1`);
		return first;
	};

	it.each(['hex', 'base64'] as const)('signs the raw body as %s', async (scheme) => {
		await register({ scheme, header: 'X-Hub-Signature' });
		await control('deposits', {});
		const { headers, body } = only();
		expect(headers['x-hub-signature']).toBe(hmac(SECRET, body, scheme));
	});

	it('prefixes the signature with sha256= if asked to, or sends the shared token', async () => {
		await register({ scheme: 'hex', prefixed: true });
		await control('deposits', {});
		const { headers, body } = only();
		expect(headers['x-signature']).toBe(`sha256=${hmac(SECRET, body, 'hex')}`);
		sandbox.service.deliveries.forgetEndpoints();
		await register({ scheme: 'sharedToken', header: 'X-Token' });
		await control('deposits', {});
		expect(receiver.received[1]?.headers['x-token']).toBe(SECRET);
	});

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
		receiver.received.length = 0;

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
		receiver.received.length = 0;
		await control('deposits', { delivery: { signature: 'wrong' } });
		const forged = Object.fromEntries(
			Object.entries(only().headers).map(([name, value]) => [name, String(value)]),
		);
		expect(() => new Library(secret).verify(only().body, forged)).toThrow(/No matching signature/);
	});

	it('signs as the fields of Custom say', async () => {
		await register({
			scheme: 'custom',
			header: 'X-Proof',
			signedContent: '{method}:{id}:{timestamp}:{body}',
			timestampHeader: 'X-Sent-At',
			timestampFormat: 'iso',
			idHeader: 'X-ID',
			algorithm: 'sha512',
			encoding: 'base64',
			signaturePrefix: 'v0=',
			secretEncoding: 'hex',
			secret: 'c0ffee'.repeat(6),
		});
		await control('deposits', {});
		const { headers, body } = only();
		const time = String(headers['x-sent-at']);
		expect(time).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
		const content = `POST:${String(headers['x-id'])}:${time}:${body}`;
		const key = Buffer.from('c0ffee'.repeat(6), 'hex');
		const signature = createHmac('sha512', key).update(content).digest('base64');
		expect(headers['x-proof']).toBe(`v0=${signature}`);
	});

	it('puts Bearer in front of a shared token, and spaces into a timestamped header', async () => {
		await register({ scheme: 'sharedToken', header: 'Authorization', bearer: true });
		await register({ previousSecret: 'old', separator: ' ' });
		await control('deposits', {});
		const proofs = receiver.received.map(
			({ headers }) => headers.authorization ?? headers['x-signature'],
		);
		expect(proofs.sort()).toEqual([
			`Bearer ${SECRET}`,
			expect.stringMatching(/^t=\d+ v1=[0-9a-f]{64} v1=[0-9a-f]{64}$/),
		]);
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
		await control('deposits', { deposit: { ...deposit, status: 'pending' } });
		await control('deposits', { deposit, delivery: { signature: 'wrong' } });
		expect(balances.get('USD')).toBe(before + 5_000n);
	});

	it('sends duplicates of the same event', async () => {
		await register();
		await control('deposits', { delivery: { duplicates: 2 } });
		expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
		expect(receiver.received).toHaveLength(3);
	});

	it('repeats the last event with a new signature, and credits it only once', async () => {
		await register();
		await control('deposits', {});
		const balances = sandbox.service.organisation.company.balances;
		const before = balances.get('USD');
		await control('deliveries/repeat', {});
		const [first, second] = receiver.received;
		expect(second?.body).toBe(first?.body);
		expect(attempts()[1]?.idempotency_key).toBe(attempts()[0]?.idempotency_key);
		expect(balances.get('USD')).toBe(before);
	});

	it('sends the statuses of one deposit, in order or reversed', async () => {
		await register();
		const statuses = ['pending', 'complete', 'reverted'];
		const received = (): unknown[] =>
			receiver.received.map(({ body }): unknown => JSON.parse(body));
		await control('deposits', { statuses });
		expect(received()).toMatchObject(statuses.map((status) => ({ deposit: { status } })));
		receiver.received.length = 0;
		await control('deposits', { statuses, reorder: true });
		expect(received()).toMatchObject(
			[...statuses].reverse().map((status) => ({ deposit: { status } })),
		);
	});

	it('sends many different events', async () => {
		await register();
		await control('events', { event_type: 'token.transfer', count: 40, concurrency: 8 });
		const keys = attempts().map(({ idempotency_key }) => idempotency_key);
		expect(new Set(keys).size).toBe(40);
		expect(receiver.received).toHaveLength(40);
	});

	it('forges, omits and backdates signatures, and changes the body after signing', async () => {
		await register();
		const headerOf = async (delivery: object): Promise<string | undefined> => {
			receiver.received.length = 0;
			await control('deposits', { delivery });
			const header = only().headers['x-signature'];
			return header === undefined ? undefined : String(header);
		};
		const isGood = (header: string | undefined): boolean => {
			const [, time = '', signature] = /^t=(\d+),v1=(.*)$/.exec(header ?? '') ?? [];
			return signature === hmac(SECRET, `${time}.${only().body}`, 'hex');
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
		receiver.statuses.push(500, 302, 404, 204);
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

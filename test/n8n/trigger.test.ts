import { randomUUID } from 'node:crypto';

import { CredentialTestContext } from 'n8n-core';

import {
	deposit,
	depositEvent,
	hmac,
	otherEvent,
	timestamped,
	without,
} from '../support/sampleEvents';
import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import { store, TriggerHost, type Setup } from '../support/triggerHost';

const SECRET = 'whsec_1';
const GENUINE = { status: 200, body: { received: true } };
const FILTERED = { status: 200, body: { received: true, ignored: 'filter' } };
const DUPLICATE = { status: 200, body: { received: true, ignored: 'duplicate' } };

const hosts: TriggerHost[] = [];

async function host(setup: Partial<Setup> = {}): Promise<TriggerHost> {
	const started = await TriggerHost.start({
		nodeId: randomUUID(),
		credentials: { method: 'hmacSignature', secret: SECRET, format: 'timestamped' },
		...setup,
	});
	hosts.push(started);
	return started;
}

afterEach(async () => {
	store.isBroken = false;
	await Promise.all(hosts.splice(0).map((started) => started.stop()));
});

const seconds = () => Math.floor(Date.now() / 1000);

/** Sends an event with a timestamped signature. */
async function send(
	to: TriggerHost,
	event: Record<string, unknown> | string,
	{
		secret = SECRET,
		headers = {},
		signal,
	}: {
		secret?: string;
		headers?: Record<string, string>;
		signal?: AbortSignal;
	} = {},
) {
	const body = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
	return await to.deliver(
		body,
		{
			'content-type': 'application/json',
			'x-signature': timestamped(secret, seconds(), body),
			...headers,
		},
		signal,
	);
}

async function outputsOf(of: TriggerHost) {
	await of.idle();
	return of.executions.map(({ output }) => output.map(({ json }) => json));
}

describe('the delivery table', () => {
	it('genuine, wanted, first time: started once, exactly as received', async () => {
		const n8n = await host();
		const event = depositEvent({ extra: [1, { nested: null }] });
		expect(await send(n8n, event)).toEqual(GENUINE);
		expect(await outputsOf(n8n)).toEqual([[event]]);
	});

	it('genuine, filtered out: ignored and not remembered', async () => {
		const nodeId = randomUUID();
		const wanting = await host({ nodeId, parameters: { events: ['invite.accepted'] } });
		expect(await send(wanting, depositEvent())).toEqual(FILTERED);
		expect(await outputsOf(wanting)).toEqual([]);
		expect(store.lists.has(nodeId)).toBe(false);

		const changed = await host({ nodeId });
		expect(await send(changed, depositEvent())).toEqual(GENUINE);
		expect(await outputsOf(changed)).toEqual([[depositEvent()]]);
	});

	it('genuine, key seen before: ignored as a duplicate, whatever else has changed', async () => {
		const n8n = await host();
		await send(n8n, depositEvent());
		expect(await send(n8n, depositEvent())).toEqual(DUPLICATE);
		expect(await send(n8n, otherEvent({ idempotency_key: 'key-1' }))).toEqual(DUPLICATE);
		expect(await outputsOf(n8n)).toHaveLength(1);
	});

	it.each([
		['missing', { 'x-signature': '' }],
		['wrong', { 'x-signature': timestamped('another', seconds(), Buffer.from('{}')) }],
		[
			'too old',
			{
				'x-signature': timestamped(
					SECRET,
					seconds() - 2_000,
					Buffer.from(JSON.stringify(depositEvent())),
				),
			},
		],
		[
			'from the future',
			{
				'x-signature': timestamped(
					SECRET,
					seconds() + 2_000,
					Buffer.from(JSON.stringify(depositEvent())),
				),
			},
		],
	])('signature %s: 401 with what is wrong, no execution', async (_what, headers) => {
		const n8n = await host();
		expect(await send(n8n, depositEvent(), { headers })).toEqual({
			status: 401,
			body: { error: expect.any(String) },
		});
		expect(await outputsOf(n8n)).toEqual([]);
		expect(await send(n8n, depositEvent())).toEqual(GENUINE);
	});

	it('address not on the allowlist: 403; an IPv4-mapped one counts as IPv4', async () => {
		const parameters = { options: { ipAllowlist: '203.0.113.0/24, 2001:db8::1' } };
		const elsewhere = await host({ parameters, address: '198.51.100.7' });
		expect(await send(elsewhere, depositEvent(), { secret: 'wrong' })).toMatchObject({
			status: 403,
		});
		expect(await outputsOf(elsewhere)).toEqual([]);
		for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:0::1']) {
			expect(await send(await host({ parameters, address }), depositEvent())).toEqual(GENUINE);
		}
	});

	it.each([
		['no event_type', without(otherEvent(), 'event_type')],
		['no idempotency_key', without(otherEvent(), 'idempotency_key')],
		['another object', otherEvent({ object: 'charge' })],
	])('not an event, %s: 400 with what is wrong', async (_what, event) => {
		const n8n = await host();
		expect(await send(n8n, event)).toEqual({
			status: 400,
			body: { error: expect.stringMatching(/^Not an event: /) },
		});
		expect(await outputsOf(n8n)).toEqual([]);
	});

	it('not JSON by content type: 400', async () => {
		const n8n = await host();
		const headers = { 'content-type': 'text/plain' };
		expect(await send(n8n, depositEvent(), { headers })).toMatchObject({ status: 400 });
		expect(await outputsOf(n8n)).toEqual([]);
	});

	const withKey = (key: string) => JSON.stringify(otherEvent({ idempotency_key: key }));

	it.each([
		['bytes that aren’t UTF-8', '', Buffer.from(withKey('key-ü'), 'latin1')],
		['another charset', '; charset=latin1', Buffer.from(withKey('key-ü'), 'latin1')],
		['UTF-16', '; charset=utf-16le', Buffer.from(withKey('key'), 'utf16le')],
		['a number that JSON can’t hold', '', Buffer.from(withKey('k').replace('1774949400', '1e400'))],
		[
			'a number of too many digits',
			'',
			Buffer.from(withKey('k').replace('1774949400', '9'.repeat(20))),
		],
	])('%s: 400 with what is wrong', async (_what, charset, body) => {
		const n8n = await host();
		const headers = {
			'content-type': `application/json${charset}`,
			'x-signature': timestamped(SECRET, seconds(), body),
		};
		expect(await n8n.deliver(Buffer.from(body), headers)).toEqual({
			status: 400,
			body: { error: expect.stringMatching(/^Not an event: the body /) },
		});
		expect(await outputsOf(n8n)).toEqual([]);
	});

	it('an optional field of another type: as received, and named under emit', async () => {
		const n8n = await host({
			parameters: { options: { invalidPayload: 'emit' } },
			deviates: true,
		});
		const event = depositEvent({ deposit: deposit({ deposit_bank_account_seen: true }) });
		expect(await send(n8n, event)).toEqual(GENUINE);
		const issue = 'deposit.deposit_bank_account_seen must be number, not boolean';
		expect(await outputsOf(n8n)).toEqual([[{ ...event, validation_issues: [issue] }]]);

		const rejecting = await host({ deviates: true });
		expect(await send(rejecting, event)).toEqual(GENUINE);
	});

	it('a required field is missing: 400 with the list, and the corrected event is new', async () => {
		const n8n = await host();
		const event = without(depositEvent({ deposit: without(deposit(), 'network') }), 'created');
		expect(await send(n8n, event)).toEqual({
			status: 400,
			body: {
				error: 'The event is not valid',
				validation_issues: ['created is missing', 'deposit.network is missing'],
			},
		});
		expect(await send(n8n, depositEvent())).toEqual(GENUINE);
		expect(await outputsOf(n8n)).toEqual([[depositEvent()]]);
	});

	it('a required field is missing, emit: started once, with the list', async () => {
		const n8n = await host({ parameters: { options: { invalidPayload: 'emit' } } });
		const event = without(otherEvent(), 'event_version');
		expect(await send(n8n, event)).toEqual(GENUINE);
		expect(await send(n8n, event)).toEqual(DUPLICATE);
		expect(await outputsOf(n8n)).toEqual([
			[{ ...event, validation_issues: ['event_version is missing'] }],
		]);

		const own = { ...event, idempotency_key: 'key-4', validation_issues: 7 };
		expect(await send(n8n, own)).toEqual(GENUINE);
		expect((await outputsOf(n8n)).at(-1)).toEqual([
			{ ...own, delivery_validation_issues: ['event_version is missing'] },
		]);
	});

	it('unknown enum values: as genuine; an unknown status only if asked for', async () => {
		const n8n = await host();
		const unknown = deposit({ network: 'solana', provider_name: 'new', source_currency: 'XXX' });
		expect(await send(n8n, depositEvent({ deposit: unknown }))).toEqual(GENUINE);
		expect(await send(n8n, otherEvent({ event_type: 'payroll.closed' }))).toEqual(GENUINE);
		const settled = depositEvent({
			idempotency_key: 'key-3',
			deposit: deposit({ status: 'settled' }),
		});
		expect(await send(n8n, settled)).toEqual(FILTERED);

		const asked = await host({ parameters: { depositStatuses: ['unknown'] } });
		expect(await send(asked, settled)).toEqual(GENUINE);
	});

	it('simplified: one row', async () => {
		const n8n = await host({ parameters: { output: 'simplified' } });
		await send(n8n, depositEvent());
		expect(await send(n8n, depositEvent())).toEqual(DUPLICATE);
		const [[row] = []] = await outputsOf(n8n);
		expect(row).toMatchObject({ destination_amount: '10842.05', idempotency_key: 'key-1' });
	});
});

describe('every signature format', () => {
	const body = Buffer.from(JSON.stringify(depositEvent()));
	const prove = {
		timestamped: (secret: string) => timestamped(secret, seconds(), body),
		hex: (secret: string) => hmac(secret, body).toString('hex'),
		base64: (secret: string) => hmac(secret, body).toString('base64'),
		'sha256=hex': (secret: string) => `sha256=${hmac(secret, body).toString('hex')}`,
		'sha256=base64': (secret: string) => `sha256=${hmac(secret, body).toString('base64')}`,
		sharedToken: (secret: string) => secret,
	};

	it.each(Object.keys(prove) as (keyof typeof prove)[])('%s, and a rotated secret', async (way) => {
		const format = way.replace('sha256=', '');
		const credentials = {
			...(way === 'sharedToken' ? { method: 'sharedToken' } : { method: 'hmacSignature', format }),
			header: 'X-Payroll-Proof',
			secret: 'new',
			previousSecret: 'old',
		};
		const answers = ['new', 'old', 'other'].map(async (secret) => {
			const n8n = await host({ credentials });
			const headers = { 'content-type': 'application/json', 'x-payroll-proof': prove[way](secret) };
			return (await n8n.deliver(body, headers)).status;
		});
		expect(await Promise.all(answers)).toEqual([200, 200, 401]);
	});

	it('no signature, if the user chose no authentication', async () => {
		const n8n = await host({ parameters: { authentication: 'none' }, credentials: undefined });
		expect(await send(n8n, depositEvent(), { secret: 'any' })).toEqual(GENUINE);
	});

	it.each([
		['deleted', undefined],
		['without a secret', { method: 'hmacSignature', secret: '' }],
		['with an impossible tolerance', { secret: SECRET, toleranceSeconds: 0 }],
	])('credential %s: 500, no execution', async (_what, credentials) => {
		const n8n = await host({ credentials });
		expect(await send(n8n, depositEvent(), { secret: '' })).toEqual({
			status: 500,
			body: { error: 'The receiving workflow is not set up correctly' },
		});
		expect(n8n.crashes).toBe(0);
		expect(await outputsOf(n8n)).toEqual([]);
	});

	it('reads the credential once a second, and again for an activation or after a failure', async () => {
		const parameters = { options: { deduplicate: false } };
		const credentials = { secret: SECRET };
		const n8n = await host({ parameters, credentials });
		const clock = jest.spyOn(Date, 'now').mockReturnValue(1_774_949_400_500);
		const statusOf = async (secret: string) => {
			const body = Buffer.from(JSON.stringify(otherEvent()));
			const proof = timestamped(secret, seconds(), body);
			const headers = { 'content-type': 'application/json', 'x-signature': proof };
			return (await n8n.deliver(body, headers)).status;
		};
		const answers = async () => [await statusOf(SECRET), await statusOf('new')];
		try {
			expect(await answers()).toEqual([200, 401]);
			credentials.secret = 'new';
			expect(await answers()).toEqual([200, 401]);
			clock.mockReturnValue(1_774_949_401_000);
			expect(await answers()).toEqual([401, 200]);
			credentials.secret = SECRET;
			await n8n.hook('create');
			expect(await answers()).toEqual([200, 401]);
			/* A clock that was set back. */
			clock.mockReturnValue(1_774_949_390_000);
			credentials.secret = '';
			expect(await answers()).toEqual([500, 500]);
			credentials.secret = 'new';
			expect(await answers()).toEqual([401, 200]);
		} finally {
			clock.mockRestore();
		}
	});

	it('can add headers, without those that contain secrets', async () => {
		const n8n = await host({ parameters: { options: { includeHeaders: true } } });
		await send(n8n, otherEvent(), {
			headers: { authorization: 'Bearer x', cookie: 'x', 'x-trace': '7' },
		});
		const [[item] = []] = await outputsOf(n8n);
		expect(item).toHaveProperty('headers.x-trace', '7');
		for (const hidden of ['authorization', 'cookie', 'x-signature']) {
			expect(item).not.toHaveProperty(['headers', hidden]);
		}
	});
});

describe('deduplication', () => {
	it('200 distinct events and 200 repeats, 20 at a time: 200 runs', async () => {
		const n8n = await host();
		const events = Array.from({ length: 200 }, (_, index) =>
			otherEvent({ idempotency_key: `event ${index}` }),
		);
		const queue = [...events, ...events].sort(() => Math.random() - 0.5);
		const answers: unknown[] = [];
		const connection = async () => {
			for (let event = queue.pop(); event !== undefined; event = queue.pop()) {
				answers.push((await send(n8n, event)).body);
			}
		};
		await Promise.all(Array.from({ length: 20 }, connection));
		const outputs = await outputsOf(n8n);
		const ran = outputs.flat().map(({ idempotency_key: key }) => key);
		expect(ran).toHaveLength(200);
		expect(new Set(ran).size).toBe(200);
		expect(answers.filter((body) => JSON.stringify(body) === '{"received":true}')).toHaveLength(
			200,
		);
	}, 60_000);

	it('accepts an event again after n8n answered 500', async () => {
		const n8n = await host();
		n8n.failures = 2;
		expect((await send(n8n, depositEvent())).status).toBe(500);
		expect((await send(n8n, depositEvent())).status).toBe(500);
		expect(await send(n8n, depositEvent())).toEqual(GENUINE);
		expect(await send(n8n, depositEvent())).toEqual(DUPLICATE);
		expect(await outputsOf(n8n)).toEqual([[depositEvent()]]);
	});

	it('a concurrent delivery waits and is a duplicate if the first succeeds', async () => {
		const n8n = await host();
		let release = () => {};
		n8n.hold = new Promise<void>((resolve) => (release = resolve));
		const answers = [send(n8n, depositEvent()), send(n8n, depositEvent())];
		const early = await Promise.race([
			...answers,
			new Promise((resolve) => setTimeout(resolve, 200)),
		]);
		expect(early).toBeUndefined();
		release();
		const bodies = (await Promise.all(answers)).map(({ body }) => body);
		expect(bodies).toEqual(expect.arrayContaining([GENUINE.body, DUPLICATE.body]));
		expect(await outputsOf(n8n)).toHaveLength(1);
	});

	it('a concurrent delivery waits and runs if the first fails', async () => {
		const n8n = await host();
		let release = () => {};
		n8n.hold = new Promise<void>((resolve) => (release = resolve));
		n8n.failures = 1;
		const answers = [send(n8n, depositEvent()), send(n8n, depositEvent())];
		release();
		const statuses = (await Promise.all(answers)).map(({ status }) => status);
		expect(statuses.sort()).toEqual([200, 500]);
		expect(await outputsOf(n8n)).toHaveLength(1);
	});

	it('accepts an event again after the sender hung up, and runs it once', async () => {
		const n8n = await host();
		let release = () => {};
		n8n.hold = new Promise<void>((resolve) => (release = resolve));
		const impatience = new AbortController();
		const first = send(n8n, depositEvent(), { signal: impatience.signal });
		const gone = expect(first).rejects.toThrow(/abort/);
		await new Promise((resolve) => setTimeout(resolve, 200));
		impatience.abort();
		await gone;
		const again = send(n8n, depositEvent());
		await new Promise((resolve) => setTimeout(resolve, 200));
		release();
		expect(await again).toEqual(GENUINE);
		const outputs = await outputsOf(n8n);
		expect(outputs.filter((output) => output.length > 0)).toEqual([[depositEvent()]]);
	});

	it('after a restart, n8n’s store knows the event and the execution ends in the trigger', async () => {
		const nodeId = randomUUID();
		const before = await host({ nodeId });
		await send(before, depositEvent());
		await before.idle();
		await jest.isolateModulesAsync(async () => {
			const { PayrollPaymentsTrigger: Restarted } = await import(
				'../../nodes/PayrollPayments/PayrollPaymentsTrigger.node'
			);
			const after = await host({ nodeId, trigger: new Restarted() });
			expect(await send(after, depositEvent())).toEqual(GENUINE);
			expect(await send(after, depositEvent())).toEqual(DUPLICATE);
			expect(await outputsOf(after)).toEqual([[]]);
		});
	});

	it('remembers no more than its history, in the store too', async () => {
		const nodeId = randomUUID();
		const n8n = await host({ nodeId, parameters: { options: { deduplicationHistory: 2 } } });
		for (const key of ['a', 'b', 'c']) await send(n8n, otherEvent({ idempotency_key: key }));
		await n8n.idle();
		expect(store.lists.get(nodeId)).toHaveLength(2);
		expect(await send(n8n, otherEvent({ idempotency_key: 'c' }))).toEqual(DUPLICATE);
		expect(await send(n8n, otherEvent({ idempotency_key: 'a' }))).toEqual(GENUINE);
		expect(await outputsOf(n8n)).toHaveLength(4);
	});

	it('can be turned off', async () => {
		const nodeId = randomUUID();
		const n8n = await host({ nodeId, parameters: { options: { deduplicate: false } } });
		expect(await send(n8n, depositEvent())).toEqual(GENUINE);
		expect(await send(n8n, depositEvent())).toEqual(GENUINE);
		expect((await outputsOf(n8n)).flat()).toHaveLength(2);
		expect(store.lists.has(nodeId)).toBe(false);
	});
});

describe('executions', () => {
	it('always run their event when retried from n8n', async () => {
		const n8n = await host();
		await send(n8n, depositEvent());
		await n8n.idle();
		const [execution] = n8n.executions;
		if (execution === undefined) throw new Error('nothing ran');
		expect((await n8n.retry(execution)).output.map(({ json }) => json)).toEqual([depositEvent()]);
	});

	it('in the editor neither read nor write the production record', async () => {
		const nodeId = randomUUID();
		const editor = await host({ nodeId, mode: 'manual' });
		for (let time = 0; time < 2; time++) {
			expect(await send(editor, depositEvent())).toEqual(GENUINE);
		}
		expect((await outputsOf(editor)).flat()).toHaveLength(2);
		expect(store.lists.has(nodeId)).toBe(false);

		const production = await host({ nodeId });
		expect(await send(production, depositEvent())).toEqual(GENUINE);
		await production.idle();
		expect(await send(editor, depositEvent())).toEqual(GENUINE);
		expect((await outputsOf(editor)).flat()).toHaveLength(3);
	});

	it('with Retry On Fail don’t mistake their own record for a duplicate', async () => {
		const n8n = await host({ node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } });
		/* A truthy `error` in the first item makes n8n run the trigger again. */
		const event = otherEvent({ error: 'a field of the event' });
		expect(await send(n8n, event)).toEqual(GENUINE);
		expect(await outputsOf(n8n)).toEqual([[event]]);
	});

	it('fail visibly if the record can’t be written, and can be retried', async () => {
		const n8n = await host();
		store.isBroken = true;
		expect(await send(n8n, depositEvent())).toEqual(GENUINE);
		await n8n.idle();
		const [failed] = n8n.executions;
		expect(failed?.error).toMatch(/could not be recorded/);
		expect(failed?.hint).toMatch(/Retry this execution.*SQLITE_BUSY/s);
		expect(failed?.output).toEqual([]);
		if (failed === undefined) throw new Error('nothing ran');
		expect((await n8n.retry(failed)).output).toHaveLength(1);
	});
});

describe('setting up', () => {
	it('registers nothing, and says so in the log only', async () => {
		const n8n = await host();
		expect(await n8n.hook('checkExists')).toBe(false);
		expect(await n8n.hook('create')).toBe(true);
		expect(await n8n.hook('delete')).toBe(true);
	});

	it.each([
		[
			'an invalid allowlist',
			{ parameters: { options: { ipAllowlist: 'here' } } },
			/“here” isn't a valid/,
		],
		['a credential without a secret', { credentials: { secret: '' } }, /Secret is empty/],
		['a deleted credential', { credentials: undefined }, /does not exist/],
	])('refuses to activate with %s', async (_what, setup, message) => {
		const n8n = await host(setup);
		await expect(n8n.hook('create')).rejects.toThrow(message);
	});

	it('tests the credential without any request', async () => {
		const { credentialTest } = new PayrollPaymentsTrigger().methods;
		const test = async (data: Record<string, string | number>) =>
			await credentialTest.webhookCredentialsTest.call(new CredentialTestContext(), {
				id: '1',
				name: 'saved',
				type: 'payrollPaymentsWebhookApi',
				data,
			});
		const requests = jest.spyOn(globalThis, 'fetch');
		expect(await test({ secret: SECRET })).toMatchObject({ status: 'OK' });
		expect(await test({ secret: '' })).toEqual({ status: 'Error', message: 'Secret is empty' });
		expect(await test({ secret: ' a' })).toEqual({
			status: 'Error',
			message: 'Secret has whitespace around it',
		});
		expect(await test({ secret: 'a', header: 'X Y' })).toMatchObject({ status: 'Error' });
		expect(await test({ secret: 'a', toleranceSeconds: 90_000 })).toMatchObject({
			status: 'Error',
		});
		expect(requests).not.toHaveBeenCalled();
		requests.mockRestore();
	});
});

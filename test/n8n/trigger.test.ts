import { randomUUID } from 'node:crypto';

import { CredentialTestContext } from 'n8n-core';

import { deposit, depositEvent, otherEvent, timestamped, without } from '../support/sampleEvents';
import { PayrollPaymentsTrigger } from '../../nodes/PayrollPayments/PayrollPaymentsTrigger.node';
import {
	DUPLICATE,
	FILTERED,
	GENUINE,
	NOT_SET_UP,
	SECRET,
	store,
	useTriggerHosts,
} from '../support/triggerHost';

const host = useTriggerHosts();
const seconds = () => Math.floor(Date.now() / 1000);

describe('the delivery table', () => {
	it('genuine, wanted, first time: started once, exactly as received', async () => {
		const n8n = await host();
		const event = depositEvent({ extra: [1, { nested: null }] });
		expect(await n8n.send(event)).toEqual(GENUINE);
		expect(await n8n.outputs()).toEqual([[event]]);
	});

	it('genuine, filtered out: ignored and not remembered', async () => {
		const nodeId = randomUUID();
		const wanting = await host({ nodeId, parameters: { events: ['invite.accepted'] } });
		expect(await wanting.send(depositEvent())).toEqual(FILTERED);
		expect(await wanting.outputs()).toEqual([]);
		expect(store.lists.has(nodeId)).toBe(false);

		const changed = await host({ nodeId });
		expect(await changed.send(depositEvent())).toEqual(GENUINE);
		expect(await changed.outputs()).toEqual([[depositEvent()]]);
	});

	it('genuine, key seen before: ignored as a duplicate, whatever else has changed', async () => {
		const n8n = await host();
		await n8n.send(depositEvent());
		expect(await n8n.send(depositEvent())).toEqual(DUPLICATE);
		expect(await n8n.send(otherEvent({ idempotency_key: 'key-1' }))).toEqual(DUPLICATE);
		expect(await n8n.outputs()).toHaveLength(1);
	});

	const signedAt = (offset: number) =>
		timestamped(SECRET, seconds() + offset, Buffer.from(JSON.stringify(depositEvent())));
	it.each([
		['missing', ''],
		['wrong', timestamped('another', seconds(), Buffer.from('{}'))],
		['too old', signedAt(-2_000)],
		['from the future', signedAt(2_000)],
	])('signature %s: 401 with what is wrong, no execution', async (_what, signature) => {
		const n8n = await host();
		const headers = { 'x-signature': signature };
		expect(await n8n.send(depositEvent(), { headers })).toEqual({
			status: 401,
			body: { error: expect.any(String) },
		});
		expect(await n8n.outputs()).toEqual([]);
		expect(await n8n.send(depositEvent())).toEqual(GENUINE);
	});

	it('address not on the allowlist: 403; an IPv4-mapped one counts as IPv4', async () => {
		const parameters = { options: { ipAllowlist: '203.0.113.0/24, 2001:db8::1' } };
		const elsewhere = await host({ parameters, address: '198.51.100.7' });
		expect(await elsewhere.send(depositEvent(), { secret: 'wrong' })).toMatchObject({
			status: 403,
		});
		expect(await elsewhere.outputs()).toEqual([]);
		for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:0::1']) {
			expect(await (await host({ parameters, address })).send(depositEvent())).toEqual(GENUINE);
		}
	});

	it.each([
		['no event_type', without(otherEvent(), 'event_type')],
		['no idempotency_key', without(otherEvent(), 'idempotency_key')],
		['another object', otherEvent({ object: 'charge' })],
	])('not an event, %s: 400 with what is wrong', async (_what, event) => {
		const n8n = await host();
		expect(await n8n.send(event)).toEqual({
			status: 400,
			body: { error: expect.stringMatching(/^Not an event: /) },
		});
		expect(await n8n.outputs()).toEqual([]);
	});

	it('not JSON by content type: 400', async () => {
		const n8n = await host();
		const headers = { 'content-type': 'text/plain' };
		expect(await n8n.send(depositEvent(), { headers })).toMatchObject({ status: 400 });
		expect(await n8n.outputs()).toEqual([]);
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
		expect(await n8n.outputs()).toEqual([]);
	});

	it('an optional field of another type: as received, and named under emit', async () => {
		const n8n = await host({
			parameters: { options: { invalidPayload: 'emit' } },
			deviates: true,
		});
		const event = depositEvent({ deposit: deposit({ deposit_bank_account_seen: true }) });
		expect(await n8n.send(event)).toEqual(GENUINE);
		const issue = 'deposit.deposit_bank_account_seen must be number, not boolean';
		expect(await n8n.outputs()).toEqual([[{ ...event, validation_issues: [issue] }]]);

		const rejecting = await host({ deviates: true });
		expect(await rejecting.send(event)).toEqual(GENUINE);
	});

	it('a required field is missing: 400 with the list, and the corrected event is new', async () => {
		const n8n = await host();
		const event = without(depositEvent({ deposit: without(deposit(), 'network') }), 'created');
		expect(await n8n.send(event)).toEqual({
			status: 400,
			body: {
				error: 'The event is not valid',
				validation_issues: ['created is missing', 'deposit.network is missing'],
			},
		});
		expect(await n8n.send(depositEvent())).toEqual(GENUINE);
		expect(await n8n.outputs()).toEqual([[depositEvent()]]);
	});

	it('a required field is missing, emit: started once, with the list', async () => {
		const n8n = await host({ parameters: { options: { invalidPayload: 'emit' } } });
		const event = without(otherEvent(), 'event_version');
		expect(await n8n.send(event)).toEqual(GENUINE);
		expect(await n8n.send(event)).toEqual(DUPLICATE);
		expect(await n8n.outputs()).toEqual([
			[{ ...event, validation_issues: ['event_version is missing'] }],
		]);

		const own = { ...event, idempotency_key: 'key-4', validation_issues: 7 };
		expect(await n8n.send(own)).toEqual(GENUINE);
		expect((await n8n.outputs()).at(-1)).toEqual([
			{ ...own, delivery_validation_issues: ['event_version is missing'] },
		]);
	});

	it('unknown enum values: as genuine; an unknown status only if asked for', async () => {
		const n8n = await host();
		const unknown = deposit({ network: 'solana', provider_name: 'new', source_currency: 'XXX' });
		expect(await n8n.send(depositEvent({ deposit: unknown }))).toEqual(GENUINE);
		expect(await n8n.send(otherEvent({ event_type: 'payroll.closed' }))).toEqual(GENUINE);
		const settled = depositEvent({
			idempotency_key: 'key-3',
			deposit: deposit({ status: 'settled' }),
		});
		expect(await n8n.send(settled)).toEqual(FILTERED);

		const asked = await host({ parameters: { depositStatuses: ['unknown'] } });
		expect(await asked.send(settled)).toEqual(GENUINE);
	});
});

describe('the credentials', () => {
	/* test/unit/trigger/signatures and diagnosis.test.ts have the formats. */
	it('take a secret and the previous one, and no other', async () => {
		const parameters = { options: { deduplicate: false } };
		const n8n = await host({ parameters, credentials: { secret: 'new', previousSecret: 'old' } });
		for (const [secret, status] of [
			['new', 200],
			['old', 200],
			['other', 401],
		] as const) {
			expect((await n8n.send(depositEvent(), { secret })).status).toBe(status);
		}
	});

	it('no signature, if the user chose no authentication', async () => {
		const n8n = await host({ parameters: { authentication: 'none' }, credentials: undefined });
		expect(await n8n.send(depositEvent(), { secret: 'any' })).toEqual(GENUINE);
	});

	it.each([
		['deleted', undefined],
		['without a secret', { method: 'hmacSignature', secret: '' }],
		['with an impossible tolerance', { secret: SECRET, toleranceSeconds: 0 }],
	])('credential %s: 500, no execution', async (_what, credentials) => {
		const n8n = await host({ credentials });
		expect(await n8n.send(depositEvent(), { secret: '' })).toEqual(NOT_SET_UP);
		expect(n8n.crashes).toBe(0);
		expect(await n8n.outputs()).toEqual([]);
	});

	it('reads the credential once a second, and again for an activation or after a failure', async () => {
		const parameters = { options: { deduplicate: false } };
		const credentials = { secret: SECRET };
		const n8n = await host({ parameters, credentials });
		const clock = jest.spyOn(Date, 'now').mockReturnValue(1_774_949_400_500);
		const statusOf = async (secret: string) => (await n8n.send(otherEvent(), { secret })).status;
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
		await n8n.send(otherEvent(), {
			headers: { authorization: 'Bearer x', cookie: 'x', 'x-trace': '7' },
		});
		const [[item] = []] = await n8n.outputs();
		expect(item).toHaveProperty('headers.x-trace', '7');
		for (const hidden of ['authorization', 'cookie', 'x-signature']) {
			expect(item).not.toHaveProperty(['headers', hidden]);
		}
	});
});

describe('deduplication', () => {
	/* test/unit/trigger/deliveries.property has random bursts, test/e2e/triggerLoad a real n8n's. */

	it('accepts an event again after n8n answered 500', async () => {
		const n8n = await host();
		n8n.failures = 2;
		expect((await n8n.send(depositEvent())).status).toBe(500);
		expect((await n8n.send(depositEvent())).status).toBe(500);
		expect(await n8n.send(depositEvent())).toEqual(GENUINE);
		expect(await n8n.send(depositEvent())).toEqual(DUPLICATE);
		expect(await n8n.outputs()).toEqual([[depositEvent()]]);
	});

	it('a concurrent delivery waits and is a duplicate if the first succeeds', async () => {
		const n8n = await host();
		let release = () => {};
		n8n.hold = new Promise<void>((resolve) => (release = resolve));
		const answers = [n8n.send(depositEvent()), n8n.send(depositEvent())];
		const early = await Promise.race([
			...answers,
			new Promise((resolve) => setTimeout(resolve, 200)),
		]);
		expect(early).toBeUndefined();
		release();
		const bodies = (await Promise.all(answers)).map(({ body }) => body);
		expect(bodies).toEqual(expect.arrayContaining([GENUINE.body, DUPLICATE.body]));
		expect(await n8n.outputs()).toHaveLength(1);
	});

	it('a concurrent delivery waits and runs if the first fails', async () => {
		const n8n = await host();
		let release = () => {};
		n8n.hold = new Promise<void>((resolve) => (release = resolve));
		n8n.failures = 1;
		const answers = [n8n.send(depositEvent()), n8n.send(depositEvent())];
		release();
		const statuses = (await Promise.all(answers)).map(({ status }) => status);
		expect(statuses.sort()).toEqual([200, 500]);
		expect(await n8n.outputs()).toHaveLength(1);
	});

	it('accepts an event again after the sender hung up, and runs it once', async () => {
		const n8n = await host();
		let release = () => {};
		n8n.hold = new Promise<void>((resolve) => (release = resolve));
		const impatience = new AbortController();
		const first = n8n.send(depositEvent(), { signal: impatience.signal });
		const gone = expect(first).rejects.toThrow(/abort/);
		await new Promise((resolve) => setTimeout(resolve, 200));
		impatience.abort();
		await gone;
		const again = n8n.send(depositEvent());
		await new Promise((resolve) => setTimeout(resolve, 200));
		release();
		expect(await again).toEqual(GENUINE);
		const outputs = await n8n.outputs();
		expect(outputs.filter((output) => output.length > 0)).toEqual([[depositEvent()]]);
	});

	it('after a restart, n8n’s store knows the event and the execution ends in the trigger', async () => {
		const nodeId = randomUUID();
		const before = await host({ nodeId });
		await before.send(depositEvent());
		await before.idle();
		await jest.isolateModulesAsync(async () => {
			const { PayrollPaymentsTrigger: Restarted } = await import(
				'../../nodes/PayrollPayments/PayrollPaymentsTrigger.node'
			);
			const after = await host({ nodeId, trigger: new Restarted() });
			expect(await after.send(depositEvent())).toEqual(GENUINE);
			expect(await after.send(depositEvent())).toEqual(DUPLICATE);
			expect(await after.outputs()).toEqual([[]]);
		});
	});

	it('remembers no more than its history, in the store too', async () => {
		const nodeId = randomUUID();
		const n8n = await host({ nodeId, parameters: { options: { deduplicationHistory: 2 } } });
		for (const key of ['a', 'b', 'c']) await n8n.send(otherEvent({ idempotency_key: key }));
		await n8n.idle();
		expect(store.lists.get(nodeId)).toHaveLength(2);
		expect(await n8n.send(otherEvent({ idempotency_key: 'c' }))).toEqual(DUPLICATE);
		expect(await n8n.send(otherEvent({ idempotency_key: 'a' }))).toEqual(GENUINE);
		expect(await n8n.outputs()).toHaveLength(4);
	});

	it('can be turned off', async () => {
		const nodeId = randomUUID();
		const n8n = await host({ nodeId, parameters: { options: { deduplicate: false } } });
		expect(await n8n.send(depositEvent())).toEqual(GENUINE);
		expect(await n8n.send(depositEvent())).toEqual(GENUINE);
		expect((await n8n.outputs()).flat()).toHaveLength(2);
		expect(store.lists.has(nodeId)).toBe(false);
	});
});

describe('executions', () => {
	it('always run their event when retried from n8n', async () => {
		const n8n = await host();
		await n8n.send(depositEvent());
		await n8n.idle();
		const [execution] = n8n.executions;
		if (execution === undefined) throw new Error('nothing ran');
		expect((await n8n.retry(execution)).output.map(({ json }) => json)).toEqual([depositEvent()]);
	});

	it('in the editor neither read nor write the production record', async () => {
		const nodeId = randomUUID();
		const editor = await host({ nodeId, mode: 'manual' });
		for (let time = 0; time < 2; time++) {
			expect(await editor.send(depositEvent())).toEqual(GENUINE);
		}
		expect((await editor.outputs()).flat()).toHaveLength(2);
		expect(store.lists.has(nodeId)).toBe(false);

		const production = await host({ nodeId });
		expect(await production.send(depositEvent())).toEqual(GENUINE);
		await production.idle();
		expect(await editor.send(depositEvent())).toEqual(GENUINE);
		expect((await editor.outputs()).flat()).toHaveLength(3);
	});

	it('with Retry On Fail don’t mistake their own record for a duplicate', async () => {
		const n8n = await host({ node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } });
		/* A truthy `error` in the first item makes n8n run the trigger again. */
		const event = otherEvent({ error: 'a field of the event' });
		expect(await n8n.send(event)).toEqual(GENUINE);
		expect(await n8n.outputs()).toEqual([[event]]);
	});

	it('fail visibly if the record can’t be written, and can be retried', async () => {
		const n8n = await host();
		store.isBroken = true;
		expect(await n8n.send(depositEvent())).toEqual(GENUINE);
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
			/“here” isn’t a valid/,
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

import { randomUUID } from 'node:crypto';

import { deposit, depositEvent, otherEvent, without } from '../../n8nHost/sampleEvents';
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

describe('the delivery table', () => {
	it('genuine, with numbers as text, texts as numbers: started in both outputs, without issues', async () => {
		const amounts = { source_amount_cents: '1000001', destination_amount_cents: '1000' };
		const token = { ...Object(deposit().token), decimals: '6' };
		const changed = deposit({ ...amounts, token, provider_deposit_id: 42 });
		const event = depositEvent({ created: '1774949400', idempotency_key: 7, deposit: changed });
		const filters = { minimumAmountCents: 1_000 };
		const nodeId = randomUUID();
		const parameters = { filters, options: { invalidPayload: 'emit' } };
		const n8n = await host({ nodeId, parameters });
		expect(await n8n.send(event)).toEqual(GENUINE);
		expect(await n8n.outputs()).toEqual([[event]]);
		expect(store.lists.get(nodeId)).toHaveLength(1);
		const simplified = await host({ parameters: { filters, output: 'simplified' } });
		expect(await simplified.send(event)).toEqual(GENUINE);
		const row = { source_amount: '10000.01', created_at: '2026-03-31T09:30:00.000Z' };
		expect(await simplified.outputs()).toMatchObject([[row]]);
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

		const valid = otherEvent({ idempotency_key: 'key-3' });
		expect(await n8n.send(valid)).toEqual(GENUINE);
		expect((await n8n.outputs()).at(-1)).toEqual([valid]);
	});
});

describe('the credentials', () => {
	afterEach(() => jest.restoreAllMocks());

	/* test/unit/trigger/signatures and diagnosis.test.ts have the formats. */
	it('no signature, if the user chose no authentication', async () => {
		const n8n = await host({ parameters: { authentication: 'none' }, credentials: undefined });
		expect(await n8n.send(depositEvent(), { secret: 'any' })).toEqual(GENUINE);
	});

	it.each([
		['deleted', undefined, 'does not exist'],
		['without a secret', { method: 'hmacSignature', secret: '' }, 'Secret is empty'],
	])('%s: can’t be activated, and 500 without an execution', async (_what, credentials, fault) => {
		const n8n = await host({ credentials });
		await expect(n8n.hook('create')).rejects.toThrow(fault);
		expect(await n8n.send(depositEvent(), { secret: '' })).toEqual(NOT_SET_UP);
		expect(n8n.crashes).toBe(0);
		expect(await n8n.outputs()).toEqual([]);
	});

	it('can’t be activated for n8n’s engine 2.0, where events would run again', async () => {
		const n8n = await host({ settings: { engineType: 'v2' } });
		await expect(n8n.hook('create')).rejects.toThrow('engine 2.0');
		/* The setting can be changed afterwards. */
		expect(await n8n.send(depositEvent())).toEqual(NOT_SET_UP);
	});

	it('reads the credential once a second, and again for an activation or after a failure', async () => {
		const credentials = { secret: SECRET };
		const n8n = await host({ parameters: { options: { deduplicate: false } }, credentials });
		const clock = jest.spyOn(Date, 'now').mockReturnValue(1_774_949_400_500);
		const statusOf = async (secret: string) => (await n8n.send(otherEvent(), { secret })).status;
		const answers = async () => [await statusOf(SECRET), await statusOf('new')];
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
	});
});

describe('deduplication', () => {
	/* test/unit/trigger/deliveries.property has random bursts, test/e2e/triggerLoad a real n8n's. */

	it.each([
		['is a duplicate if the first succeeds', 0, [GENUINE, DUPLICATE]],
		['runs if the first fails', 1, [{ status: 500 }, GENUINE]],
	])('a concurrent delivery waits and %s', async (_what, failures, answers) => {
		const n8n = await host();
		let release = () => {};
		n8n.hold = new Promise<void>((resolve) => (release = resolve));
		n8n.failures = failures;
		const both = [n8n.send(depositEvent()), n8n.send(depositEvent())];
		const time = new Promise((resolve) => setTimeout(resolve, 200));
		expect(await Promise.race([...both, time])).toBeUndefined();
		release();
		expect(await Promise.all(both)).toEqual(
			expect.arrayContaining(answers.map((answer) => expect.objectContaining(answer))),
		);
		expect(await n8n.outputs()).toHaveLength(1);
	});

	it('accepts an event again after the sender hung up, and runs it once', async () => {
		const n8n = await host();
		let release = () => {};
		n8n.hold = new Promise<void>((resolve) => (release = resolve));
		const impatient = n8n.send(depositEvent(), { signal: AbortSignal.timeout(200) });
		await expect(impatient).rejects.toThrow(/abort/);
		const again = n8n.send(depositEvent());
		await new Promise((resolve) => setTimeout(resolve, 200));
		release();
		expect(await again).toEqual(GENUINE);
		const outputs = await n8n.outputs();
		expect(outputs.filter((output) => output.length > 0)).toEqual([[depositEvent()]]);
	});

	it('starts nothing for a sender that hung up while it waited', async () => {
		const n8n = await host();
		let release = () => {};
		n8n.hold = new Promise<void>((resolve) => (release = resolve));
		n8n.failures = 1;
		const first = n8n.send(depositEvent());
		const impatient = n8n.send(depositEvent(), { signal: AbortSignal.timeout(200) });
		await expect(impatient).rejects.toThrow(/abort/);
		await new Promise((resolve) => setTimeout(resolve, 200));
		release();
		expect(await first).toMatchObject({ status: 500 });
		expect(await n8n.send(depositEvent())).toEqual(GENUINE);
		expect(await n8n.outputs()).toHaveLength(1);
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
		expect(await n8n.outputs()).toEqual([[depositEvent()], [depositEvent()]]);
		expect(store.lists.has(nodeId)).toBe(false);
	});
});

describe('executions', () => {
	it('in the editor neither read nor write the production record', async () => {
		const nodeId = randomUUID();
		const production = await host({ nodeId });
		expect(await production.send(depositEvent())).toEqual(GENUINE);
		await production.idle();
		const editor = await host({ nodeId, mode: 'manual' });
		for (let time = 0; time < 2; time++) expect(await editor.send(depositEvent())).toEqual(GENUINE);
		expect(await editor.outputs()).toEqual(Array(2).fill([depositEvent()]));
		expect(store.lists.get(nodeId)).toHaveLength(1);
		expect(await production.send(depositEvent())).toEqual(DUPLICATE);
	});

	it('always run their event when retried from n8n', async () => {
		const n8n = await host();
		await n8n.send(depositEvent());
		expect((await n8n.retry()).output.map(({ json }) => json)).toEqual([depositEvent()]);
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
		expect(n8n.executions).toMatchObject([
			{
				error: expect.stringMatching(/could not be recorded/),
				hint: expect.stringMatching(/Retry this execution.*SQLITE_BUSY/s),
				output: [],
			},
		]);
		expect((await n8n.retry()).output).toHaveLength(1);
	});
});

it('shows nothing in the editor of a delivery whose event is wrong: its sender has the list', async () => {
	const n8n = await host({ mode: 'manual' });
	expect(await n8n.send(without(otherEvent(), 'event_version'))).toMatchObject({ status: 400 });
	expect(await n8n.outputs()).toEqual([]);
});

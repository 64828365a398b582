import fc from 'fast-check';

import { triggerOutput } from '../../../nodes/PayrollPayments/trigger/triggerOutput';
import { presentHeaders, simplify } from '../../../nodes/PayrollPayments/trigger/simplify';
import { deposit, depositEvent, invite, otherEvent, payment } from '../../../n8nHost/sampleEvents';
import { received } from '../../support/receivedEvent';

const row = (event: Record<string, unknown>) => simplify(received(event).event);
const rowOfAmount = (cents: unknown) =>
	row(depositEvent({ deposit: deposit({ destination_amount_cents: cents }) }));

it('turns a deposit into one flat row', () => {
	const changes = { trace: 'tx-a1B2c3D4e5F6', reference: 'ana@example.com' };
	expect(Object.entries(row(depositEvent({ deposit: deposit(changes) })))).toEqual(
		Object.entries({
			event_type: 'deposit.received',
			event_version: '2.0',
			idempotency_key: 'key-1',
			created_at: '2026-03-31T09:30:00.000Z',
			deposit_id: 'dp-a1B2c3D4e5F6',
			entity_id: 'co-a1B2c3D4e5F6',
			status: 'complete',
			source_amount: '10000.01',
			source_amount_cents: 1_000_001,
			source_currency: 'EUR',
			destination_amount: '10842.05',
			destination_amount_cents: 1_084_205,
			destination_currency: 'USD',
			network: 'arbitrum',
			token_symbol: 'USDC',
			provider: 'wirepartner',
			reference: 'ana@example.com',
			transaction_date: '2026-03-31T09:30:00Z',
			updated_at: '2026-03-31T09:31:00Z',
			funding_blockchain_txn: '0xabc',
			transaction_id: 'tx-a1B2c3D4e5F6',
			payment_id: null,
			invite_id: null,
			user_id: null,
			email: 'ana@example.com',
		}),
	);
});

/** What is found in an event with this content. */
function found(content: Record<string, unknown>) {
	const simplified = row(otherEvent({ invite: null, ...content }));
	const { transaction_id, payment_id, invite_id, user_id, email } = simplified;
	return { transaction_id, payment_id, invite_id, user_id, email };
}

const NONE = {
	...{ transaction_id: null, payment_id: null, invite_id: null, user_id: null, email: null },
};
const INVITED = { invite_id: 'in-a1B2c3D4e5F6', email: 'ana@example.com' };
const PAID = { transaction_id: 'tx-a1B2c3D4e5F6', payment_id: 'pa-a1B2c3D4e5F6' };
const PAYEE = { user_id: 'us-a1B2c3D4e5F6', email: 'ana@example.com' };

it.each<[string, Record<string, unknown>, object]>([
	['an invite that was accepted', { invite: invite() }, INVITED],
	[
		'an invite by the one who accepted it',
		{ invite: invite({ invited_by: PAYEE.user_id }) },
		{ ...INVITED, ...PAYEE },
	],
	['a payment', { payment: payment() }, { ...PAID, ...PAYEE }],
	[
		'a group of one payment, whose recipients are at the fourth level',
		{ payment_group: { nanoid: 'pg-a1B2c3D4e5F6', payments: [payment()] } },
		PAID,
	],
	[
		'a group of several payments',
		{ payment_group: { payments: [payment(), payment({ nanoid: 'pa-000000000000' })] } },
		{ transaction_id: 'tx-a1B2c3D4e5F6' },
	],
	[
		'identifiers of any length',
		{ a: 'tx-1', b: 'us-a1B2c3D4e5F6a1B2c3D4e5F6', c: 'pa-abcdefghijkl', d: 'in-X' },
		{
			...{ transaction_id: 'tx-1', user_id: 'us-a1B2c3D4e5F6a1B2c3D4e5F6' },
			...{ payment_id: 'pa-abcdefghijkl', invite_id: 'in-X' },
		},
	],
	[
		'identifiers that differ in case only, and addresses that do',
		{ a: ['us-abcdefghijkL', 'us-abcdefghijkl'], b: ['Ana@Example.com', 'ana@example.com'] },
		{ email: 'Ana@Example.com' },
	],
	['lists in lists', { a: [[{ b: [['tx-1', 'tx-1']] }]] }, { transaction_id: 'tx-1' }],
	[
		'texts that only contain them',
		{ a: ' tx-1', b: 'see pa-1', c: 'in-progress', d: 'a@b', e: 'in-progress-review' },
		{},
	],
	['names of members', { a: { 'tx-1': 1 } }, {}],
	['the fourth level', { a: { b: { c: { d: 'tx-1' } } } }, {}],
])('finds the only identifier of a kind and the only email in %s', (_what, content, columns) => {
	expect(found(content)).toEqual({ ...NONE, ...columns });
});

it('gives every other event the same columns, with null for missing values', () => {
	const simplified = row(otherEvent());
	expect(Object.keys(simplified)).toEqual(Object.keys(row(depositEvent())));
	expect(simplified).toMatchObject({ event_type: 'invite.accepted', entity_id: null });
	expect(Object.values(simplified).filter((value) => value === null)).toHaveLength(20);
});

it.each([12.5, 2 ** 53, 1e300, '12.5', '1e3', '', null, true, [100]])(
	'gives null for %j, which isn’t an exact integer',
	(cents) => {
		expect(rowOfAmount(cents).destination_amount).toBeNull();
	},
);

it('takes the entity of the deposit, not another one of the event', () => {
	const entity_nanoid = 'te-000000000000';
	expect(row(depositEvent({ entity_nanoid })).entity_id).toBe('co-a1B2c3D4e5F6');
	const unknown = depositEvent({ entity_nanoid, event_version: '3', deposit: { amount: 1 } });
	expect(row(unknown).entity_id).toBeNull();
});

it.each([
	['Reverted', 'reverted'],
	['COMPLETE', 'complete'],
	['On Hold', 'On Hold'],
])('writes a documented status as it is documented, and passes others on: %s', (status, shown) => {
	expect(row(depositEvent({ deposit: deposit({ status }) })).status).toBe(shown);
});

it('never rounds: the digits are those of the cents', () => {
	fc.assert(
		fc.property(fc.maxSafeInteger(), (cents) => {
			const { destination_amount: amount, destination_amount_cents: same } = rowOfAmount(cents);
			const text = String(amount);
			expect(same).toBe(cents);
			expect(text).toMatch(/^-?\d+\.\d\d$/);
			expect(BigInt(text.replace('.', ''))).toBe(BigInt(cents));
		}),
	);
});

it.each([
	[1_774_949_400, '2026-03-31T09:30:00.000Z'],
	[1_774_949_400.5, '2026-03-31T09:30:00.500Z'],
	[1_774_949_400_123, '2026-03-31T09:30:00.123Z'],
	[0, '1970-01-01T00:00:00.000Z'],
	[1e300, null],
	[-1e300, null],
	['2026-03-31T09:30:00', '2026-03-31T09:30:00.000Z'],
	['2026-03-31 11:30:00.5+02:00', '2026-03-31T09:30:00.500Z'],
	['2026-03-31T11:30:00,5+02', '2026-03-31T09:30:00.500Z'],
	['20260331T093000Z', '2026-03-31T09:30:00.000Z'],
	['2026-03-31 09:30:00 +0000 UTC', '2026-03-31T09:30:00.000Z'],
	['2026-03-31 09:30 PM', null],
	['2026-02-30T09:30:00Z', null],
	[[1_774_949_400], null],
])('reads created %j as %s, wherever n8n runs', (created, time) => {
	process.env.TZ = 'Asia/Tokyo';
	expect(row(otherEvent({ created })).created_at).toBe(time);
});

/* test/n8n/deliverySecrets.test.ts has the credentials' header, and secrets in others. */
it.each([
	...['x-api-key', 'apikey', 'authorization', 'proxy-authorization', 'x-auth-token', 'cookie'],
	...['x-amz-security-token', 'cf-access-jwt-assertion', 'x-goog-iap-jwt-assertion', 'set-cookie'],
	...['x-client-secret', 'X-Hub-Signature-256', 'webhook-signature'],
])('leaves out the header %s', (name) => {
	const others = { host: 'n8n.example', 'x-trace': ['a', 'b'] };
	expect(presentHeaders({ [name]: 'abc', ...others }, undefined)).toEqual(others);
});

it('has a schema that fits what it puts out, and nothing else', () => {
	const fits = (output: object) => triggerOutput.safeParse(output).success;
	const flat = row(depositEvent());
	expect(fits({ ...flat, headers: { a: '1', b: ['2'] }, validation_issues: ['x'] })).toBe(true);
	for (const wrong of [{ headers: { a: 1 } }, { validation_issues: 'x' }, { status: 7 }]) {
		expect(fits({ ...flat, ...wrong })).toBe(false);
	}
	expect(fits({ object: 'event', event_type: 'x' })).toBe(false);
});

it('puts what has another type than documented into one cell', () => {
	const changed = { reference: 20_260_331, status: { is: 'new' }, source_amount_cents: '100' };
	const flat = row(depositEvent({ deposit: deposit(changed) }));
	expect(flat).toMatchObject({ reference: '20260331', status: '{"is":"new"}' });
	expect(flat).toMatchObject({ source_amount_cents: '100', source_amount: '1.00' });
	expect(triggerOutput.safeParse(flat).success).toBe(true);
});

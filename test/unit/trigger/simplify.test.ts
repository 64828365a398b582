import fc from 'fast-check';

import {
	presentHeaders,
	simplify,
	triggerOutput,
} from '../../../nodes/PayrollPayments/trigger/simplify';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { deposit, depositEvent, otherEvent } from '../../support/sampleEvents';
import { received } from '../../support/receivedEvent';

const row = (event: Record<string, unknown>) => simplify(received(event).event);
const rowOfAmount = (cents: unknown) =>
	row(depositEvent({ deposit: deposit({ destination_amount_cents: cents }) }));

it('turns a deposit into one flat row', () => {
	expect(Object.entries(row(depositEvent()))).toEqual(
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
			reference: 'Invoice 12',
			transaction_date: '2026-03-31T09:30:00Z',
			updated_at: '2026-03-31T09:31:00Z',
			funding_blockchain_txn: '0xabc',
		}),
	);
});

it('gives every other event the same columns, with null for missing values', () => {
	const simplified = row(otherEvent());
	expect(Object.keys(simplified)).toEqual(Object.keys(row(depositEvent())));
	expect(simplified).toMatchObject({ event_type: 'invite.accepted', entity_id: null });
	expect(Object.values(simplified).filter((value) => value === null)).toHaveLength(16);
});

it.each([12.5, 2 ** 53, '1234', null, true, [100]])(
	'gives null for %j, which isn’t an exact integer',
	(cents) => {
		expect(rowOfAmount(cents).destination_amount).toBeNull();
	},
);

it('takes the entity of the deposit, not another one of the event', () => {
	const entity_nanoid = 'te-000000000000';
	expect(row(depositEvent({ entity_nanoid })).entity_id).toBe('co-a1B2c3D4e5F6');
	const without = depositEvent({ entity_nanoid, event_version: '3', deposit: { amount: 1 } });
	expect(row(without).entity_id).toBeNull();
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
])('reads created %d as %s', (created, time) => {
	expect(row(otherEvent({ created })).created_at).toBe(time);
});

it.each([
	...['x-api-key', 'apikey', 'authorization', 'proxy-authorization', 'x-auth-token', 'cookie'],
	...['x-amz-security-token', 'cf-access-jwt-assertion', 'x-goog-iap-jwt-assertion', 'set-cookie'],
	...['x-client-secret', 'X-Hub-Signature-256', 'webhook-signature'],
])('leaves out the header %s', (name) => {
	const others = { host: 'n8n.example', 'x-trace': ['a', 'b'] };
	expect(presentHeaders({ [name]: 'abc', ...others }, undefined)).toEqual(others);
});

it('leaves out the header of the credentials', () => {
	const credentials = readWebhookCredentials({ format: 'hex', header: 'X-Proof', secret: 's' });
	const headers = { 'x-proof': 'abc', host: 'n8n.example' };
	expect(presentHeaders(headers, credentials)).toEqual({ host: 'n8n.example' });
	expect(presentHeaders(headers, undefined)).toEqual(headers);
});

it('withholds secrets and tokens in the values of other headers', () => {
	const credentials = readWebhookCredentials({
		...{ method: 'sharedToken', header: 'X-Proof' },
		...{ secret: 'new secret/1', previousSecret: 'old-secret' },
	});
	const jwt = `eyJ${'hbGciOiJIUzI1NiJ9'}.${'e'.repeat(20)}.${'s'.repeat(20)}`;
	const headers = {
		'x-original': `proof: ${'new secret/1'}; user`,
		'x-query': `proof=${encodeURIComponent('new secret/1')}`,
		forwarded: [`for=1.2.3.4;by=${Buffer.from('x:old-secret').toString('base64')}`],
		'x-amzn-oidc-data': jwt,
	};
	const shown = JSON.stringify(presentHeaders(headers, credentials));
	expect(Object.keys(JSON.parse(shown))).toEqual(Object.keys(headers));
	expect(shown).not.toMatch(/secret|eyJ|b2xkLXNl/);
	expect(shown).toContain('for=1.2.3.4;by=');
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

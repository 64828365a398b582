import { createHash } from 'node:crypto';

/** A complete deposit.received event; `changes` replaces fields of the envelope. */
export function depositEvent(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return {
		object: 'event',
		created: 1_774_949_400,
		event_type: 'deposit.received',
		event_version: '2.0',
		request_id: 'request-1',
		idempotency_key: 'key-1',
		deposit: deposit(),
		...changes,
	};
}

/** A complete deposit record; `changes` replaces fields. */
export function deposit(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return {
		nanoid: 'dp-a1B2c3D4e5F6',
		entity_nanoid: 'co-a1B2c3D4e5F6',
		entity_deposit_account_id: 17,
		provider_deposit_id: 'provider-deposit-1',
		provider_name: 'wirepartner',
		source_currency: 'EUR',
		source_amount_cents: 1_000_001,
		destination_currency: 'USD',
		destination_amount_cents: 1_084_205,
		transaction_date: '2026-03-31T09:30:00Z',
		reference: 'Invoice 12',
		funding_blockchain_txn: '0xabc',
		blockchain_reference: 'block-1',
		status: 'complete',
		created_at: '2026-03-31T09:30:00Z',
		updated_at: '2026-03-31T09:31:00Z',
		token: { address: '0x1', name: 'USD Coin', symbol: 'USDC', decimals: 6 },
		network: 'arbitrum',
		...changes,
	};
}

/** An event of another type than deposit.received. */
export function otherEvent(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return {
		object: 'event',
		created: 1_774_949_400,
		event_type: 'invite.accepted',
		event_version: '2.0',
		idempotency_key: 'key-2',
		invite: { nanoid: 'in-a1B2c3D4e5F6', entity_nanoid: 'te-a1B2c3D4e5F6' },
		...changes,
	};
}

/** An invite as in `invite.accepted`; `changes` replaces fields. */
export function invite(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return {
		nanoid: 'in-a1B2c3D4e5F6',
		user_nanoid: 'us-a1B2c3D4e5F6',
		email: 'ana@example.com',
		role: 'contractor',
		status: 'accepted',
		anonymous: false,
		invited_by: 'us-000000000000',
		invited_to: 'te-a1B2c3D4e5F6',
		...changes,
	};
}

/** A payment as in `payment.sent` and `payment.group.created`; `changes` replaces fields. */
export function payment(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return {
		nanoid: 'pa-a1B2c3D4e5F6',
		onchain_id: '57824',
		group_onchain_id: '57823',
		invoice_nanoid: 'iv-a1B2c3D4e5F6',
		creation_transaction: 'tx-a1B2c3D4e5F6',
		process_transaction: null,
		created_at: '2026-03-31T09:30:00Z',
		updated_at: '2026-03-31T09:31:00Z',
		pay_at_time: 1_774_949_400,
		pay_type: 1,
		token: '0x1',
		recipients: [
			{
				nanoid: 'us-a1B2c3D4e5F6',
				email: 'ana@example.com',
				name: 'Ana Lima',
				entity_type: 'user',
			},
		],
		amount: '1000000000',
		amount_cents: 100_000,
		...changes,
	};
}

/** An event with this idempotency key. */
export const eventOf = (key: string) => otherEvent({ idempotency_key: key });

/** So many idempotency keys. */
export const keysOf = (name: string, count: number): string[] =>
	Array.from({ length: count }, (_, index) => `${name}-${index}`);

/** The object without some of its fields. */
export function without<Value>(
	object: Readonly<Record<string, Value>>,
	...names: readonly string[]
): Record<string, Value> {
	return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** HMAC from its definition (RFC 2104), independent of node:crypto's HMAC. */
export function hmacWith(
	algorithm: 'sha256' | 'sha512',
	secret: string | Uint8Array,
	...message: (string | Uint8Array)[]
): Buffer {
	const digest = (...parts: (string | Uint8Array)[]) =>
		parts.reduce((hash, part) => hash.update(part), createHash(algorithm)).digest();
	const bytes = Buffer.from(secret);
	const key = Buffer.alloc(algorithm === 'sha256' ? 64 : 128);
	(bytes.length > key.length ? digest(bytes) : bytes).copy(key);
	const pad = (value: number) => Buffer.from(key.map((byte) => byte ^ value));
	return digest(pad(0x5c), digest(pad(0x36), ...message));
}

/** HMAC-SHA256. */
export function hmac(secret: string | Uint8Array, ...message: (string | Uint8Array)[]): Buffer {
	return hmacWith('sha256', secret, ...message);
}

/** A timestamped signature header. */
export function timestamped(secret: string, seconds: number | string, body: Uint8Array): string {
	return `t=${seconds},v1=${hmac(secret, `${seconds}.`, body).toString('hex')}`;
}

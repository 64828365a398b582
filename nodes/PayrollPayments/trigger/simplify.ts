import { centsAsDecimal } from '../shared/money';
import { Redactor, withoutSecrets } from '../shared/redaction';
import { toMilliseconds } from '../shared/time';
import type { WebhookCredentials } from './webhookCredentials';
import { entityIdsOf } from './filter';
import { isObject, type JsonObject, type JsonValue } from './parseEvent';
import type { DeliveryHeaders } from './verifySignature';

/**
 * One flat row for a sheet or a message: always the same columns in the same order, what the event
 * does not have as null. Amounts stand beside their cents as decimal text.
 */
export function simplify(event: JsonObject): JsonObject {
	const deposit = isObject(event.deposit) ? event.deposit : {};
	const token = isObject(deposit.token) ? deposit.token : {};
	return {
		event_type: event.event_type ?? null,
		event_version: event.event_version ?? null,
		idempotency_key: event.idempotency_key ?? null,
		created_at: isoTime(event.created),
		deposit_id: deposit.nanoid ?? null,
		entity_id: entityIdsOf(event)[0] ?? null,
		status: deposit.status ?? null,
		source_amount: decimal(deposit.source_amount_cents),
		source_amount_cents: deposit.source_amount_cents ?? null,
		source_currency: deposit.source_currency ?? null,
		destination_amount: decimal(deposit.destination_amount_cents),
		destination_amount_cents: deposit.destination_amount_cents ?? null,
		destination_currency: deposit.destination_currency ?? null,
		network: deposit.network ?? null,
		token_symbol: token.symbol ?? null,
		provider: deposit.provider_name ?? null,
		reference: deposit.reference ?? null,
		transaction_date: deposit.transaction_date ?? null,
		funding_blockchain_txn: deposit.funding_blockchain_txn ?? null,
	};
}

/** Names of headers that may carry a secret. */
const SECRET_NAME = /auth|token|secret|signature|key|cookie|assertion/i;

/**
 * The headers of a delivery without those that may carry a secret: the credentials' own, and those
 * whose name says so. What has the form of a token, or is the credentials' secret, is withheld in
 * the others too.
 */
export function presentHeaders(
	headers: DeliveryHeaders,
	credentials: WebhookCredentials | undefined,
): JsonObject {
	const { text: redact } = new Redactor().add(...(credentials?.secrets ?? []));
	const shown = (value: string) => withoutSecrets(redact(value));
	return Object.fromEntries(
		Object.entries(headers)
			.filter(([name]) => name !== credentials?.header && !SECRET_NAME.test(name))
			.map(([name, value = '']) => [
				name,
				typeof value === 'string' ? shown(value) : value.map(shown),
			]),
	);
}

/** A Unix time as ISO 8601, or null where it is none that a date can hold. */
function isoTime(created: JsonValue | undefined): string | null {
	if (typeof created !== 'number') return null;
	const date = new Date(toMilliseconds(created));
	return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/**
 * Cents as decimal text. A number above 2^53 was rounded when the JSON was read, so it gives null
 * like any other that is no exact integer.
 */
function decimal(cents: JsonValue | undefined): string | null {
	return typeof cents === 'number' && Number.isSafeInteger(cents) ? centsAsDecimal(cents) : null;
}

import { centsAsDecimal } from '../shared/money';
import { Redactor, withoutSecrets } from '../shared/redaction';
import { toMilliseconds } from '../shared/time';
import { entityIdsOf } from './filter';
import type { SimplifiedColumn } from './output';
import { isObject, type JsonObject, type JsonValue } from './parseEvent';
import { parsePlace } from './schemes';
import type { DeliveryHeaders } from './verifySignature';
import type { WebhookCredentials } from './webhookCredentials';

/**
 * One flat row for a sheet or a message: always the same columns in the same order, with null for
 * what the event doesn't have. Amounts come as decimal text in addition to cents.
 * @param text the event as received, in which no number is rounded yet
 */
export function simplify(event: JsonObject, text = ''): Record<SimplifiedColumn, JsonValue> {
	const hasDeposit = isObject(event.deposit);
	const deposit = isObject(event.deposit) ? event.deposit : {};
	const decimal = (cents: JsonValue | undefined) => decimalOf(cents, text);
	const token = isObject(deposit.token) ? deposit.token : {};
	return {
		event_type: event.event_type ?? null,
		event_version: event.event_version ?? null,
		idempotency_key: event.idempotency_key ?? null,
		created_at: isoTime(event.created),
		deposit_id: deposit.nanoid ?? null,
		entity_id: (hasDeposit ? deposit.entity_nanoid : entityIdsOf(event)[0]) ?? null,
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
		updated_at: deposit.updated_at ?? null,
		funding_blockchain_txn: deposit.funding_blockchain_txn ?? null,
	};
}

/** Names of headers that may contain a secret. */
const SECRET_NAME = /auth|token|secret|signature|key|cookie|assertion/i;

/**
 * The headers of a delivery, without the one that the credential names and those whose names suggest
 * a secret. In the values of the others, tokens and the credential's secrets are withheld.
 */
export function presentHeaders(
	headers: DeliveryHeaders,
	credentials: WebhookCredentials | undefined,
): JsonObject {
	const { text: redact } = new Redactor().add(...(credentials?.secrets ?? []));
	const shown = (value: string) => withoutSecrets(redact(value));
	const own = parsePlace(credentials?.scheme.header ?? '')?.name;
	return Object.fromEntries(
		Object.entries(headers)
			.filter(([name]) => name !== own && !SECRET_NAME.test(name))
			.map(([name, value = '']) => [
				name,
				typeof value === 'string' ? shown(value) : value.map(shown),
			]),
	);
}

/** A Unix time as ISO 8601, or null if it's out of a date's range. */
function isoTime(created: JsonValue | undefined): string | null {
	if (typeof created !== 'number') return null;
	const date = new Date(toMilliseconds(created));
	return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/**
 * Cents as decimal text, or null if they aren't a whole number. Parsing JSON rounds a number with too
 * many digits, so the event's text is looked at where one could have been rounded.
 */
function decimalOf(cents: JsonValue | undefined, text: string): string | null {
	if (typeof cents !== 'number' || !Number.isSafeInteger(cents)) return null;
	for (const [, literal = ''] of text.matchAll(/_cents"\s*:\s*(-?\d[\d.eE+-]*)/g)) {
		if (Number(literal) === cents && !isWhole(literal)) return null;
	}
	return centsAsDecimal(cents);
}

/** Whether a number is whole as it was written, e.g. 1250, 1250.0 or 1.25e3. */
function isWhole(literal: string): boolean {
	const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:[eE](.+))?$/.exec(literal) ?? [];
	return fraction.replace(/0+$/, '').length <= Number(exponent);
}

import { z } from 'zod';

import { depositReceivedSchema, eventSchema } from '../api/schemas/events';
import { isRecord, type JsonObject, type JsonValue } from '../shared/json';
import { centsAsDecimal } from '../shared/money';
import { Redactor, withoutSecrets } from '../shared/redaction';
import { toMilliseconds } from '../shared/time';
import type { DeliveryHeaders } from './verifySignature';
import type { WebhookCredentials } from './webhookCredentials';

const text = z.string().nullable();
const cents = z.number().nullable();

/** The columns of *Simplified* in their order: their type, where they are in the event, and how. */
const COLUMNS: Readonly<
	Record<string, readonly [z.ZodTypeAny, path: string, how?: (value: JsonValue) => JsonValue]>
> = {
	event_type: [z.string(), 'event_type'],
	event_version: [text, 'event_version'],
	idempotency_key: [z.string(), 'idempotency_key'],
	created_at: [text, 'created', isoTime],
	deposit_id: [text, 'deposit.nanoid'],
	entity_id: [text, 'deposit.entity_nanoid'],
	status: [text, 'deposit.status'],
	source_amount: [text, 'deposit.source_amount_cents', decimalOf],
	source_amount_cents: [cents, 'deposit.source_amount_cents'],
	source_currency: [text, 'deposit.source_currency'],
	destination_amount: [text, 'deposit.destination_amount_cents', decimalOf],
	destination_amount_cents: [cents, 'deposit.destination_amount_cents'],
	destination_currency: [text, 'deposit.destination_currency'],
	network: [text, 'deposit.network'],
	token_symbol: [text, 'deposit.token.symbol'],
	provider: [text, 'deposit.provider_name'],
	reference: [text, 'deposit.reference'],
	transaction_date: [text, 'deposit.transaction_date'],
	updated_at: [text, 'deposit.updated_at'],
	funding_blockchain_txn: [text, 'deposit.funding_blockchain_txn'],
};

const simplifiedEvent = z.object(
	Object.fromEntries(Object.entries(COLUMNS).map(([name, [type]]) => [name, type])),
);

/** Any other event; with *Invalid Payload: Emit* also one that lacks the rest. */
const anyEvent = eventSchema.pick({ object: true, event_type: true, idempotency_key: true });

/** What the trigger starts a workflow with: an event as received, or a flat row. */
export const triggerOutput = z.union([
	depositReceivedSchema,
	simplifiedEvent.extend({
		validation_issues: z.array(z.string()).optional(),
		headers: z.record(z.union([z.string(), z.array(z.string())])).optional(),
	}),
	anyEvent,
]);

/**
 * One flat row for a sheet or a message: always the same columns in the same order, with null for
 * what the event doesn't have. Amounts come as decimal text in addition to cents.
 */
export function simplify(event: JsonObject): JsonObject {
	return Object.fromEntries(
		Object.entries(COLUMNS).map(([name, [, path, how]]) => {
			const value = path
				.split('.')
				.reduce<JsonValue>((at, field) => (isRecord(at) ? (at[field] ?? null) : null), event);
			return [name, how === undefined ? value : how(value)];
		}),
	);
}

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
	const own = new Set(credentials?.schemes.map(({ header }) => header.name));
	return Object.fromEntries(
		Object.entries(headers)
			.filter(([name]) => !own.has(name) && !SECRET_NAME.test(name))
			.map(([name, value = '']) => [
				name,
				typeof value === 'string' ? shown(value) : value.map(shown),
			]),
	);
}

/** A Unix time as ISO 8601, or null if it's out of a date's range. */
function isoTime(created: JsonValue): string | null {
	if (typeof created !== 'number') return null;
	const date = new Date(toMilliseconds(created));
	return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Cents as decimal text, or null if they aren't a whole number. */
function decimalOf(cents: JsonValue): string | null {
	const isWhole = typeof cents === 'number' && Number.isSafeInteger(cents);
	return isWhole ? centsAsDecimal(cents) : null;
}

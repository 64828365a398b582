import { z } from 'zod';

import { DEPOSIT_STATUSES } from '../contract/events';
import { emailKey, isEmail } from '../contract/formats';
import { isRecord, type JsonObject, type JsonValue } from '../shared/json';
import { centsAsDecimal, centsTextAsDecimal } from '../shared/money';
import { Redactor, withoutSecrets } from '../shared/redaction';
import { timeIn } from '../shared/time';
import type { DeliveryHeaders } from './verifySignature';
import type { WebhookCredentials } from './webhookCredentials';

const text = z.string().nullable();
const cents = z.union([z.number(), z.string()]).nullable();

/** A column's type, where its value is in the event, and how it's shown. */
type Column = readonly [z.ZodTypeAny, path: string, how?: (value: JsonValue) => JsonValue];

export const COLUMNS: Readonly<Record<string, Column>> = {
	event_type: [z.string(), 'event_type'],
	event_version: [text, 'event_version'],
	idempotency_key: [z.string(), 'idempotency_key'],
	created_at: [text, 'created', isoTime],
	deposit_id: [text, 'deposit.nanoid'],
	entity_id: [text, 'deposit.entity_nanoid'],
	status: [text, 'deposit.status', statusOf],
	source_amount: [text, 'deposit.source_amount_cents', amountOf],
	source_amount_cents: [cents, 'deposit.source_amount_cents'],
	source_currency: [text, 'deposit.source_currency'],
	destination_amount: [text, 'deposit.destination_amount_cents', amountOf],
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

/** A kind of text, and how two of them are compared. */
interface TextKind {
	matches(text: string): boolean;
	keyOf?(text: string): string;
}

/**
 * An identifier of any length. One of another length than documented, without a digit or a capital letter,
 * is rather a word, such as in-progress.
 */
const identifierWith = (prefix: string): TextKind => {
	const shape = new RegExp(`^${prefix}-(?:[\\w-]{12}|(?=.*[\\dA-Z])[\\w-]+)$`);
	return { matches: (text) => shape.test(text) };
};

/** Columns with the only text of a kind, wherever the event has it. */
export const TEXT_COLUMNS: Readonly<Record<string, TextKind>> = {
	transaction_id: identifierWith('tx'),
	payment_id: identifierWith('pa'),
	invite_id: identifierWith('in'),
	user_id: identifierWith('us'),
	email: { matches: isEmail, keyOf: emailKey },
};

/**
 * One flat row for a sheet or a message: always the same columns in the same order, with null for
 * what the event doesn't have. Amounts come as decimal text in addition to cents.
 */
export function simplify(event: JsonObject): JsonObject {
	const columns = Object.entries(COLUMNS).map(([name, [type, path, how]]) => {
		const value = path
			.split('.')
			.reduce<JsonValue>((at, field) => (isRecord(at) ? (at[field] ?? null) : null), event);
		const shown = how === undefined ? value : how(value);
		/* What a newer event has there still is one cell. */
		return [name, type.safeParse(shown).success ? shown : JSON.stringify(shown)] as const;
	});
	const texts = textsIn(event, LEVELS);
	const found = Object.entries(TEXT_COLUMNS).map(
		([name, what]) => [name, onlyOne(texts, what)] as const,
	);
	return Object.fromEntries([...columns, ...found]);
}

/** How deep identifiers are looked for. */
const LEVELS = 3;

/** The texts in an object down to a level. Lists aren't counted as levels. */
function textsIn(value: JsonValue, levels: number): string[] {
	if (typeof value === 'string') return [value];
	if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, levels));
	if (!isRecord(value) || levels === 0) return [];
	return Object.values(value).flatMap((each) => textsIn(each, levels - 1));
}

/** The only text of a kind; null if there are none or several different ones. */
function onlyOne(
	texts: readonly string[],
	{ matches, keyOf = (text) => text }: TextKind,
): string | null {
	const found = texts.filter(matches);
	const isOnly = new Set(found.map(keyOf)).size === 1;
	return isOnly ? (found[0] ?? null) : null;
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

/** A documented status in its documented spelling, since filters compare without case; any other as it is. */
function statusOf(status: JsonValue): JsonValue {
	return DEPOSIT_STATUSES.find((known) => known === String(status).toLowerCase()) ?? status;
}

/** A time as ISO 8601, or null if it's out of a date's range. */
function isoTime(created: JsonValue): string | null {
	const date = new Date(timeIn(created));
	return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Cents as decimal text, or null if they aren't a whole number. */
function amountOf(cents: JsonValue): string | null {
	if (typeof cents === 'string') return centsTextAsDecimal(cents);
	const isWhole = typeof cents === 'number' && Number.isSafeInteger(cents);
	return isWhole ? centsAsDecimal(cents) : null;
}

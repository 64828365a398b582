import type { z } from 'zod';
import { depositReceivedSchema, eventSchema } from '../api/schemas/events';
import { Refusal } from '../shared/errors';
import { DEEPEST, isDeeperThan } from '../shared/json';

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
	[field: string]: JsonValue;
}

/** A delivery that is an event. */
export interface ReceivedEvent {
	/** The event exactly as it came. */
	readonly event: JsonObject;
	readonly eventType: string;
	readonly idempotencyKey: string;
	/** What the schema finds missing or wrong, as sentences; empty for a valid event. */
	readonly issues: readonly string[];
}

/** Whether a JSON value is an object, and no array. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads an event from the body that was verified (docs/api.md, Events).
 *
 * Unknown event types, unknown values of enumerations and further fields pass. `issues` names what
 * is missing or of the wrong type: of the envelope, and of the deposit in a `deposit.received`.
 *
 * @returns a refusal where the body is no event at all: not JSON, or without what tells an event
 * apart (`object`, `event_type`, `idempotency_key`).
 */
export function parseEvent(
	rawBody: Uint8Array,
	contentType: string | readonly string[] | undefined,
): ReceivedEvent | Refusal {
	if (!isJson(contentType)) return notAnEvent('the content type must be application/json');
	const event = readJson(rawBody);
	if (event === undefined) return notAnEvent('the body is no valid JSON');
	if (!isObject(event)) return notAnEvent('the body is no JSON object');
	if (isDeeperThan(event, DEEPEST)) {
		return notAnEvent(`the body is nested deeper than ${DEEPEST} levels`);
	}

	const { object, event_type: eventType, idempotency_key: idempotencyKey } = event;
	if (object !== 'event') return notAnEvent('object must be "event"');
	if (typeof eventType !== 'string' || eventType === '') {
		return notAnEvent('event_type is missing');
	}
	if (typeof idempotencyKey !== 'string' || idempotencyKey === '') {
		return notAnEvent('idempotency_key is missing');
	}

	const schema = eventType === 'deposit.received' ? depositReceivedSchema : eventSchema;
	const issues = schema.safeParse(event).error?.issues.map(sentence) ?? [];
	return { event, eventType, idempotencyKey, issues };
}

function isJson(contentType: string | readonly string[] | undefined): boolean {
	return (
		typeof contentType === 'string' &&
		/^application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType.trim())
	);
}

function notAnEvent(why: string): Refusal {
	return new Refusal(`Not an event: ${why}`);
}

function readJson(rawBody: Uint8Array): JsonValue | undefined {
	try {
		return JSON.parse(new TextDecoder().decode(rawBody));
	} catch {
		return undefined;
	}
}

function sentence(issue: z.ZodIssue): string {
	const field = issue.path.join('.');
	if (issue.code !== 'invalid_type') return `${field}: ${issue.message}`;
	if (issue.received === 'undefined') return `${field} is missing`;
	return `${field} must be ${named(issue.expected)}, not ${named(issue.received)}`;
}

function named(type: string): string {
	const names: Readonly<Record<string, string>> = {
		array: 'a list',
		boolean: 'true or false',
		number: 'a number',
		object: 'an object',
		string: 'text',
	};
	return names[type] ?? type;
}

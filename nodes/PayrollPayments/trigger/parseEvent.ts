import type { z } from 'zod';
import { depositReceivedSchema, eventSchema } from '../api/schemas/events';
import { Refusal } from '../shared/errors';
import { DEEPEST, isDeeperThan } from '../shared/json';

/** The major version of payloads whose deposit is documented; the default. */
const DOCUMENTED_VERSION = 2;

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
	[field: string]: JsonValue;
}

/** A delivery that is an event. */
export interface ReceivedEvent {
	/** The event exactly as received. */
	readonly event: JsonObject;
	readonly eventType: string;
	readonly idempotencyKey: string;
	/** What is missing or wrong, in words; empty for a valid event. */
	readonly issues: readonly string[];
}

/** Whether a JSON value is an object and not an array. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads an event from a verified body (docs/api.md, Events).
 *
 * Unknown event types, enum values and extra fields pass. `issues` names what is missing or has the
 * wrong type in the envelope and, for `deposit.received` of version 2, in the deposit.
 *
 * @returns a refusal if the body isn't an event at all: not JSON, or without `object`, `event_type`
 * or `idempotency_key`
 */
export function parseEvent(
	rawBody: Uint8Array,
	contentType: string | readonly string[] | undefined,
): ReceivedEvent | Refusal {
	if (!isJson(contentType)) return notAnEvent('the content type must be application/json');
	const event = readJson(rawBody);
	if (event === undefined) return notAnEvent('the body is not valid JSON');
	if (!isObject(event)) return notAnEvent('the body is not a JSON object');
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

	const hasDeposit = eventType === 'deposit.received' && !isOtherVersion(event.event_version);
	const schema = hasDeposit ? depositReceivedSchema : eventSchema;
	const issues = schema.safeParse(event).error?.issues.map(describeIssue) ?? [];
	return { event, eventType, idempotencyKey, issues };
}

/**
 * Whether the version names another major version than the one whose deposit is documented
 * (docs/api.md, Versioning). One that can't be read, e.g. "latest", doesn't.
 */
function isOtherVersion(version: JsonValue | undefined): boolean {
	const major = typeof version === 'string' && /^v?(\d+)(?=[.+-]|$)/i.exec(version.trim())?.[1];
	return typeof major === 'string' && Number(major) !== DOCUMENTED_VERSION;
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

function describeIssue(issue: z.ZodIssue): string {
	const field = issue.path.join('.');
	if (issue.code !== 'invalid_type') return `${field}: ${issue.message}`;
	if (issue.received === 'undefined') return `${field} is missing`;
	return `${field} must be ${typeName(issue.expected)}, not ${typeName(issue.received)}`;
}

function typeName(type: string): string {
	const names: Readonly<Record<string, string>> = {
		array: 'a list',
		boolean: 'true or false',
		number: 'a number',
		object: 'an object',
		string: 'text',
	};
	return names[type] ?? type;
}

import type { z } from 'zod';
import {
	DOCUMENTED_EVENTS,
	essentialSchema,
	eventSchema,
	OPTIONAL_FIELDS,
} from '../api/schemas/eventSchemas';
import { DEEPEST, isDeeperThan, isRecord, parseExactly, type JsonObject } from '../shared/json';
import { asWord } from '../shared/redaction';
import { Rejected } from './rejected';

/** A delivery that is an event. */
export interface ReceivedEvent {
	/** The event exactly as received. */
	readonly event: JsonObject;
	readonly eventType: string;
	readonly idempotencyKey: string;
	/** What is missing or wrong, in words; empty for an event as documented. */
	readonly issues: readonly string[];
	/** Whether nothing but optional fields is wrong. */
	readonly isValid: boolean;
}

/**
 * Reads an event from a verified body (docs/api.md, Events).
 * Unknown event types, enum values and extra fields pass. `issues` names what is missing or has the
 * wrong type in the envelope and, for a documented version, in its object.
 * @throws {Rejected} if the body isn't an event at all
 */
export function parseEvent(
	rawBody: Uint8Array,
	contentType: string | readonly string[] | undefined,
): ReceivedEvent {
	const charset = charsetOf(contentType);
	if (charset === undefined) throw notAnEvent('the content type must be application/json');
	const text = /^utf-?8$/i.test(charset) ? decode(rawBody) : undefined;
	if (text === undefined) throw notAnEvent('the body must be in UTF-8');
	const { value: event, outOfRange } = parseExactly(text);
	if (event === undefined) throw notAnEvent('the body is not valid JSON');
	if (!isRecord(event)) throw notAnEvent('the body is not a JSON object');
	if (isDeeperThan(event, DEEPEST)) {
		throw notAnEvent(`the body is nested deeper than ${DEEPEST} levels`);
	}
	const [member] = outOfRange;
	if (member !== undefined) {
		throw notAnEvent(`the body contains a number that JSON can’t hold, in ${asWord(member)}`);
	}

	const { data: essentials, error } = essentialSchema.safeParse(event);
	if (essentials === undefined) throw notAnEvent(error.issues.map(describeIssue)[0] ?? '');
	const { event_type: eventType, idempotency_key: key } = essentials;
	const idempotencyKey = String(key);

	const described = DOCUMENTED_EVENTS.find(({ shape }) => shape.event_type.value === eventType);
	const schema = isDocumented(event.event_version) ? (described ?? eventSchema) : eventSchema;
	const issues = schema.safeParse(event).error?.issues ?? [];
	return {
		event,
		eventType,
		idempotencyKey,
		issues: issues.map(describeIssue),
		isValid: issues.every(({ path }) => OPTIONAL_FIELDS.has(path.join('.'))),
	};
}

/** Whether events of this version are documented: 1.x and 2.x. One that is neither text nor a number is wrong anyway. */
function isDocumented(version: unknown): boolean {
	const isVersion = typeof version === 'string' || typeof version === 'number';
	return !isVersion || /^v?0*[12](?:\.|$)/i.test(String(version).trim());
}

/** The charset of a body of JSON; undefined for another content type. */
function charsetOf(contentType: string | readonly string[] | undefined): string | undefined {
	if (typeof contentType !== 'string') return undefined;
	const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim());
	if (!/^application\/([\w.!#$&^-]+\+)?json$/i.test(type)) return undefined;
	const declared = parameters.find((parameter) => /^charset\s*=/i.test(parameter));
	return declared?.replace(/^charset\s*=\s*/i, '').replace(/^"(.*)"$/, '$1') ?? 'utf-8';
}

function notAnEvent(why: string): Rejected {
	return new Rejected(400, `Not an event: ${why}`);
}

/** Bytes that aren't UTF-8 would all become the same character, and two keys perhaps one. */
function decode(rawBody: Uint8Array): string | undefined {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(rawBody);
	} catch {
		return undefined;
	}
}

function describeIssue(issue: z.ZodIssue): string {
	const field = issue.path.join('.');
	if (issue.code !== 'invalid_type') return `${field} ${issue.message}`;
	if (issue.received === 'undefined') return `${field} is missing`;
	return `${field} must be ${issue.expected}, not ${issue.received}`;
}

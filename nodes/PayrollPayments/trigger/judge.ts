import { Refusal } from '../shared/errors';
import { isWanted } from './filter';
import { isAllowed } from './allowlist';
import { parseDelivery, type JsonObject, type ReceivedEvent } from './parseEvent';
import { presentHeaders, simplify } from './simplify';
import type { DeliverySettings } from './settings';
import { verifyDelivery, type DeliveryHeaders } from './verifySignature';

/** A request as it came in. */
export interface Delivery {
	/** The sender, as n8n itself sees it behind its proxies. */
	readonly address: string | undefined;
	readonly headers: DeliveryHeaders;
	/** The bytes of the body; undefined where n8n did not keep them, as with an uploaded form. */
	readonly rawBody: Uint8Array | undefined;
}

/** An answer that starts nothing. */
export interface Answer {
	readonly status: 200 | 400 | 401 | 403;
	readonly body: JsonObject;
}

/** An event to start an execution with, once. */
export interface Accepted {
	readonly idempotencyKey: string;
	/** What the execution starts with. */
	readonly item: JsonObject;
}

/**
 * Takes a delivery through its steps: allowlist, proof, content, filter.
 * @param now current time in milliseconds.
 */
export function judge(
	delivery: Delivery,
	settings: DeliverySettings,
	now: number,
): Accepted | Answer {
	if (!isAllowed(delivery.address, settings.allowlist)) {
		return { status: 403, body: { error: 'This address is not on the allowlist' } };
	}

	const { headers, rawBody = new Uint8Array() } = delivery;
	const { credentials } = settings;
	const unproven = credentials && verifyDelivery(rawBody, headers, credentials, now);
	if (unproven !== undefined) return { status: 401, body: explain(unproven) };

	const contentType = headers['content-type'];
	const received = parseDelivery(
		rawBody,
		typeof contentType === 'string' ? contentType : undefined,
	);
	if (received instanceof Refusal) return { status: 400, body: explain(received) };
	if (received.issues.length > 0 && settings.invalidPayload === 'reject') {
		return {
			status: 400,
			body: { error: 'The event is not valid', validation_issues: [...received.issues] },
		};
	}

	if (!isWanted(received, settings.filter)) {
		return { status: 200, body: { received: true, ignored: 'filter' } };
	}
	return { idempotencyKey: received.idempotencyKey, item: present(received, headers, settings) };
}

function present(
	{ event, issues }: ReceivedEvent,
	headers: DeliveryHeaders,
	{ output, includeHeaders, credentials }: DeliverySettings,
): JsonObject {
	return {
		...(output === 'simplified' ? simplify(event) : event),
		...(issues.length > 0 && { validation_issues: [...issues] }),
		...(includeHeaders && { headers: presentHeaders(headers, credentials) }),
	};
}

function explain({ message, hint }: Refusal): JsonObject {
	return hint === undefined ? { error: message } : { error: `${message}. ${hint}` };
}

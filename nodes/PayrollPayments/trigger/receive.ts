import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { messageOf, UserError } from '../shared/errors';
import type { JsonObject, JsonValue } from '../shared/json';
import { Redactor } from '../shared/redaction';
import { toMilliseconds } from '../shared/time';
import { isAllowed } from './allowlist';
import { claimsOf, eventKey, nodeKeyOf, settleWhenAnswered, type OutgoingResponse } from './claims';
import { isWanted } from './filter';
import { parseEvent, type ReceivedEvent } from './parseEvent';
import { loadSettings, type DeliverySettings } from './settings';
import { presentHeaders, simplify } from './simplify';
import { verifySignature, type Delivery, type DeliveryHeaders } from './verifySignature';

/** An answer that starts no execution. */
export interface Answer {
	readonly status: 200 | 400 | 401 | 403 | 500;
	readonly body: JsonObject;
}

/** Answers one delivery, and starts an execution if the event is genuine, wanted and new. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const delivery: Delivery = context.getRequestObject();
	const response: OutgoingResponse = context.getResponseObject();
	const answer = ({ status, body }: Answer): IWebhookResponseData => {
		response.status(status).json(body);
		return { noWebhookResponse: true };
	};

	const redactor = new Redactor();
	let settings: DeliverySettings;
	try {
		settings = await loadSettings(context, redactor);
	} catch (error) {
		/* The reason is for the log only: the sender may be anyone. */
		const reason = redactor.text(messageOf(error));
		context.logger.error(`Payroll Payments Trigger can’t check deliveries: ${reason}`);
		return answer({
			status: 500,
			body: { error: 'The receiving workflow is not set up correctly' },
		});
	}

	const received = checkDelivery(delivery, settings, Date.now());
	if ('status' in received) {
		const { status, body } = received;
		if (status !== 200) {
			const reason = redactor.text(String(body.error));
			context.logger.warn(`Payroll Payments Trigger answered ${status}: ${reason}`);
		}
		const answered = answer(received);
		if (status !== 401 || context.getMode() !== 'manual') return answered;
		/* Someone is setting up the trigger: `execute` shows them why. Production never comes here. */
		const { diagnosisOf } = await import('./diagnose');
		const { credentials } = settings;
		const item = diagnosisOf(context, String(body.error), delivery, credentials, redactor);
		return { ...answered, workflowData: [[item]] };
	}

	const { history } = settings;
	if (history !== undefined && context.getMode() !== 'manual') {
		const key = eventKey(received.idempotencyKey);
		const claim = await claimsOf(nodeKeyOf(context)).claim(key, history);
		if (claim === undefined) {
			return answer({ status: 200, body: { received: true, ignored: 'duplicate' } });
		}
		if (!settleWhenAnswered(claim, response)) return { noWebhookResponse: true };
	}

	/* n8n saves the execution before it sends this answer. `recordOnce` then runs in the execution. */
	return {
		workflowData: [[{ json: outputOf(received, delivery.headers, settings) }]],
		webhookResponse: { received: true },
	};
}

/** The checks that need nothing but the delivery: allowlist, signature, content and filter. */
export function checkDelivery(
	{ ip, headers, rawBody = new Uint8Array() }: Delivery,
	{ allowlist, credentials, filter, invalidPayload, maximumAgeSeconds }: DeliverySettings,
	now: number,
): ReceivedEvent | Answer {
	if (!isAllowed(ip, allowlist)) {
		return { status: 403, body: { error: 'This address is not on the allowlist' } };
	}

	const mismatch = credentials && verifySignature(rawBody, headers, credentials, now);
	if (mismatch !== undefined) return { status: 401, body: explain(mismatch) };

	const received = parseEvent(rawBody, headers['content-type']);
	if (received instanceof UserError) return { status: 400, body: explain(received) };
	if (!received.isValid && invalidPayload === 'reject') {
		const body = { error: 'The event is not valid', validation_issues: [...received.issues] };
		return { status: 400, body };
	}

	const tooOld = ageMismatchOf(received, maximumAgeSeconds, now);
	if (tooOld !== undefined) return { status: 401, body: explain(tooOld) };

	if (!isWanted(received, filter)) {
		return { status: 200, body: { received: true, ignored: 'filter' } };
	}
	return received;
}

/** What the execution starts with. */
export function outputOf(
	{ event, issues }: ReceivedEvent,
	headers: DeliveryHeaders,
	{ output, invalidPayload, includeHeaders, credentials }: DeliverySettings,
): JsonObject {
	const body = output === 'simplified' ? simplify(event) : event;
	/* Without replacing what the event itself calls so. */
	const added = (name: string, value: JsonValue): JsonObject => {
		const free = [name, `delivery_${name}`].find((each) => !Object.hasOwn(body, each));
		return free === undefined ? {} : { [free]: value };
	};
	return {
		...body,
		...(issues.length > 0 && invalidPayload === 'emit' && added('validation_issues', issues)),
		...(includeHeaders && added('headers', presentHeaders(headers, credentials))),
	};
}

function explain({ message, hint }: UserError): JsonObject {
	return { error: hint === undefined ? message : `${message}. ${hint}` };
}

/** Why an event is refused for its age, if it is. One whose creation time can't be read is, too. */
function ageMismatchOf(
	{ event: { created } }: ReceivedEvent,
	maximumSeconds: number,
	now: number,
): UserError | undefined {
	if (maximumSeconds === Number.POSITIVE_INFINITY) return undefined;
	const hint = 'See Maximum Age (Seconds) in the trigger’s options.';
	if (typeof created !== 'number') {
		return new UserError('The event has no creation time', { hint });
	}
	const age = Math.round((now - toMilliseconds(created)) / 1000);
	if (age <= maximumSeconds) return undefined;
	return new UserError(`The event is ${age} seconds old; at most ${maximumSeconds} are allowed`, {
		hint,
	});
}

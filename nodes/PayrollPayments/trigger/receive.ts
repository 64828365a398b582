import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { messageOf } from '../shared/errors';
import { timeIn } from '../shared/time';
import type { JsonObject, JsonValue } from '../shared/json';
import { nodeKeyOf } from '../shared/nodeKey';
import { Redactor } from '../shared/redaction';
import { refusePauses } from './acknowledge';
import { isAllowed } from './allowlist';
import { claimsOf, eventKey, settleWhenAnswered, type OutgoingResponse } from './claims';
import { itemWithError } from './editorError';
import { filters, parameters } from './fields';
import { filterAgainst } from './filter';
import { parseEvent, type ReceivedEvent } from './parseEvent';
import { Rejected, asRejection } from './rejected';
import { loadSettings, type DeliverySettings } from './settings';
import { presentHeaders, simplify } from './simplify';
import { verifySignature, type Delivery, type DeliveryHeaders } from './verifySignature';

/** Answers one delivery, and starts an execution if the event is genuine, wanted and new. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const delivery: Delivery = context.getRequestObject();
	const response: OutgoingResponse = context.getResponseObject();
	const node = context.getNode();
	const redactor = new Redactor();
	const isTest = context.getMode() === 'manual';
	const answer = (status: number, body: JsonObject): IWebhookResponseData => {
		response.status(status).json(body);
		return { noWebhookResponse: true };
	};
	/* Someone is setting up the trigger and sees why nothing started. Production never does this. */
	const show = (answered: IWebhookResponseData, what: string, hint = ''): IWebhookResponseData => {
		const item = itemWithError(node, redactor.text(what), redactor.text(hint));
		return { ...answered, workflowData: [[item]] };
	};
	let settings: DeliverySettings | undefined;
	try {
		settings = await loadSettings(context, node, redactor).catch(refuseSettings);
		const received = checkDelivery(delivery, settings, Date.now());
		const filter = filterAgainst(received, settings.filter);
		if (filter !== undefined) {
			const answered = answer(200, { received: true, ignored: 'filter' });
			if (!isTest) return answered;
			const { displayName } = { ...parameters, ...filters }[filter].form;
			const what = `This delivery was answered with 200, but ${displayName} leaves its event out`;
			return show(answered, what, `Change ${displayName}, or send an event that passes.`);
		}
		if (settings.acknowledge === 'finished') warnOfPauses(context);
		if (settings.history !== undefined && !isTest) {
			const claims = claimsOf(nodeKeyOf(context.getWorkflow(), node));
			const claim = await claims.claim(eventKey(received.idempotencyKey), settings.history);
			if (claim === undefined) return answer(200, { received: true, ignored: 'duplicate' });
			if (!settleWhenAnswered(claim, response)) return { noWebhookResponse: true };
		}
		/* n8n saves the execution before it sends this answer. `recordOnce` then runs in the execution. */
		return {
			workflowData: [[{ json: outputOf(received, delivery.headers, settings) }]],
			webhookResponse: { received: true },
		};
	} catch (error) {
		const { status, message, body, details } = asRejection(error);
		const reason = redactor.text(details.logged ?? String(body.error));
		if (status === 500) {
			context.logger.error(`Payroll Payments Trigger can’t check deliveries: ${reason}`);
		} else {
			context.logger.warn(`Payroll Payments Trigger answered ${status}: ${reason}`);
		}
		const answered = answer(status, body);
		if (!isTest || status !== 401) return answered;
		const { adviceFor } = await import('./diagnose');
		const advice = settings?.credentials && adviceFor(delivery, settings.credentials);
		const what = `This delivery was answered with 401: ${message}`;
		return show(answered, what, advice ?? details.hint);
	}
}

/** @throws {Rejected} since deliveries can't be checked */
function refuseSettings(error: unknown): never {
	throw new Rejected(500, 'The receiving workflow is not set up correctly', {
		logged: messageOf(error),
	});
}

/** n8n doesn't ask `activate` if only other nodes were changed. Events that were refused here would be lost. */
function warnOfPauses(context: IWebhookFunctions): void {
	try {
		refusePauses(context);
	} catch (error) {
		const { id, name = id } = context.getWorkflow();
		context.logger.error(
			`Payroll Payments Trigger in “${name}”: ${messageOf(error)}. n8n acknowledges events when it pauses, not when it has finished`,
		);
	}
}

/**
 * The checks that need nothing but the delivery and the settings: allowlist, signature, content and age.
 * No state is read or changed.
 * @throws {Rejected} at the first that fails
 */
export function checkDelivery(
	{ ip, headers, rawBody = new Uint8Array() }: Delivery,
	{ allowlist, credentials, invalidPayload, maximumAgeSeconds }: DeliverySettings,
	now: number,
): ReceivedEvent {
	if (!isAllowed(ip, allowlist)) {
		const message = 'This address is not on the allowlist';
		throw new Rejected(403, message, { logged: `${message}: ${ip?.slice(0, 60)}` });
	}
	if (credentials !== undefined) verifySignature(rawBody, headers, credentials, now);
	const received = parseEvent(rawBody, headers['content-type']);
	if (!received.isValid && invalidPayload === 'reject') {
		throw new Rejected(400, 'The event is not valid', { issues: received.issues });
	}
	checkAge(received, maximumAgeSeconds, now);
	return received;
}

/** How far a creation time may be ahead of this machine's clock. */
const MAX_SECONDS_AHEAD = 86_400;

/** Refuses an event for its age; also one whose creation time can't be read, or is too far ahead. */
function checkAge(
	{ event: { created } }: ReceivedEvent,
	maximumSeconds: number,
	now: number,
): void {
	if (maximumSeconds === Number.POSITIVE_INFINITY) return;
	const hint = 'See Maximum Age (Seconds) in the trigger’s options.';
	const age = Math.round((now - timeIn(created)) / 1000);
	if (!(age >= -MAX_SECONDS_AHEAD)) {
		throw new Rejected(401, 'The event has no usable creation time', { hint });
	}
	if (age <= maximumSeconds) return;
	const message = `The event is ${age} seconds old; at most ${maximumSeconds} are allowed`;
	throw new Rejected(401, message, { hint });
}

/** What the execution starts with. */
export function outputOf(
	{ event, issues }: ReceivedEvent,
	headers: DeliveryHeaders,
	{ output, invalidPayload, includeHeaders, credentials }: DeliverySettings,
): JsonObject {
	const body = output === 'simplified' ? simplify(event) : event;
	/* A member of the event with this name stays. */
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

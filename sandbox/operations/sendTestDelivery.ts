import { eventVersionOf, makeEvent } from '../events';
import { ServiceFailure } from '../failure';
import { existing, requireRole } from '../roles';
import { defineOperation } from './operation';

interface Request {
	readonly path: { readonly webhook_nanoid: string };
	/** `version` and the event type, whose field name is a setting. */
	readonly body: Readonly<Record<string, unknown>>;
}

/** Endpoint 9: sends a test event to one webhook endpoint; doesn't wait for its answer. */
export const sendTestDelivery = defineOperation<Request>(
	'sendTestDelivery',
	({ path: { webhook_nanoid }, body }, { service, caller, requestId }) => {
		const { organisation, settings, deliveries } = service;
		const mayTest = ['org_admin', 'team_admin'];
		const team = organisation.teams.find(({ nanoid }) => caller?.roles[nanoid]);
		const place = team?.nanoid ?? organisation.company.nanoid;
		const endpoint = existing(
			deliveries.endpoint(webhook_nanoid),
			new ServiceFailure(404, `${webhook_nanoid} does not exist`, 'WEBHOOK_NOT_FOUND'),
			() => requireRole(caller, place, mayTest, organisation),
			settings,
		);
		const version = typeof body.version === 'number' ? body.version : 2;
		const event = makeEvent(String(body[settings.eventTypeFieldName]), organisation, {
			eventVersion: eventVersionOf(settings, version),
			envelope: { request_id: requestId },
		});
		const delivery = deliveries.send(event, { endpoint: webhook_nanoid }, settings);
		return {
			delivery_nanoid: delivery.nanoid,
			message: endpoint.url
				? `Sending a test event to ${endpoint.url}`
				: 'The endpoint has no URL yet; register one',
			test_payload: event,
			version,
		};
	},
);

import { makeEvent } from '../events';
import { ServiceFailure } from '../failure';
import { requireRole } from '../roles';
import { defineOperation } from './operation';

interface Request {
	readonly path: { readonly webhook_nanoid: string };
	/** `version` and the event type, whose field name is a setting. */
	readonly body: Readonly<Record<string, unknown>>;
}

/** Endpoint 9: sends a test event to one webhook endpoint; doesn't wait for its answer. */
export const sendTestDelivery = defineOperation<Request>(
	'sendTestDelivery',
	({ path: { webhook_nanoid }, body }, { service, caller }) => {
		const { organisation, settings, deliveries } = service;
		const endpoint = deliveries.endpoint(webhook_nanoid);
		if (!endpoint) {
			throw new ServiceFailure(404, `${webhook_nanoid} does not exist`, 'webhook_not_found');
		}
		const mayTest = ['org_admin', 'team_admin'];
		const entityId = organisation.company.nanoid;
		const team = organisation.teams.find(({ nanoid }) => caller?.roles[nanoid]);
		requireRole(caller, team?.nanoid ?? entityId, mayTest, organisation);
		const version = typeof body.version === 'number' ? body.version : 2;
		const event = makeEvent(String(body[settings.eventTypeFieldName]), organisation, { version });
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

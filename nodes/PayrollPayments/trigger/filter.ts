import { DEPOSIT_STATUSES, isDocumented } from '../api/schemas/events';
import { isObject, type JsonObject, type JsonValue, type ReceivedEvent } from './parseEvent';

/** Which events the user wants. An empty list of entities, or in a deposit filter, means all. */
export interface EventFilter {
	/** Event types, or `*` for any, including undocumented ones. */
	readonly events: readonly string[];
	/** For deposits: documented statuses, and `unknown` for any other. */
	readonly depositStatuses: readonly string[];
	readonly entityIds: readonly string[];
	/** Of any event, as in its `event_version`. */
	readonly eventVersions: readonly string[];
	readonly sourceCurrencies: readonly string[];
	readonly destinationCurrencies: readonly string[];
	readonly networks: readonly string[];
	readonly providers: readonly string[];
	/** Minimum `destination_amount_cents`. */
	readonly minimumAmountCents: number;
}

/**
 * Whether the user wants this event. The deposit filters apply to `deposit.received` only.
 *
 * A filter ignores events that lack its field, so that no event is lost. The status is the exception:
 * a deposit without one counts as `unknown`, because its money may not have arrived.
 */
export function isWanted({ event, eventType }: ReceivedEvent, filter: EventFilter): boolean {
	if (!filter.events.includes('*') && !filter.events.includes(eventType)) return false;

	if (!passes(filter.eventVersions, event.event_version)) return false;
	const entities = entityIdsOf(event);
	if (
		filter.entityIds.length > 0 &&
		entities.length > 0 &&
		!entities.some((entity) => filter.entityIds.includes(entity))
	) {
		return false;
	}
	if (eventType !== 'deposit.received') return true;

	const deposit = isObject(event.deposit) ? event.deposit : {};
	const amount = deposit.destination_amount_cents;
	return (
		filter.depositStatuses.includes(documentedStatus(deposit.status)) &&
		passes(filter.sourceCurrencies, deposit.source_currency) &&
		passes(filter.destinationCurrencies, deposit.destination_currency) &&
		passes(filter.networks, deposit.network) &&
		passes(filter.providers, deposit.provider_name) &&
		(typeof amount !== 'number' || amount >= filter.minimumAmountCents)
	);
}

/** Every `entity_nanoid` at the top level of the event, then those one level down. */
export function entityIdsOf(event: JsonObject): string[] {
	return [event, ...Object.values(event).filter(isObject)]
		.map((holder) => holder.entity_nanoid)
		.filter((entity) => typeof entity === 'string');
}

function documentedStatus(status: JsonValue | undefined): string {
	return isDocumented(DEPOSIT_STATUSES, status) ? status : 'unknown';
}

/** Ignores case, because currency codes come in either. */
function passes(wanted: readonly string[], value: JsonValue | undefined): boolean {
	if (wanted.length === 0 || typeof value !== 'string') return true;
	return wanted.some((one) => one.toLowerCase() === value.toLowerCase());
}

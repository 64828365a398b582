import { DEPOSIT_STATUSES, isDocumented } from '../api/schemas/events';
import { isObject, type JsonObject, type JsonValue, type ReceivedEvent } from './parseEvent';

/** Which events a user asked for. An empty list of a deposit filter, or of entities, asks for all. */
export interface EventFilter {
	/** Event types, or `*` for any, those included that the service added since. */
	readonly events: readonly string[];
	/** For deposits: documented statuses, and `unknown` for any other. */
	readonly depositStatuses: readonly string[];
	readonly entityIds: readonly string[];
	readonly sourceCurrencies: readonly string[];
	readonly destinationCurrencies: readonly string[];
	readonly networks: readonly string[];
	readonly providers: readonly string[];
	/** Least `destination_amount_cents`; 0 asks for all. */
	readonly minimumAmountCents: number;
}

/**
 * Whether the user asked for this event. The deposit filters apply to `deposit.received` only.
 *
 * A field that an event does not have cannot speak against it. The status alone must be there:
 * without one that is known to be final no money has arrived.
 */
export function isWanted({ event, eventType }: ReceivedEvent, filter: EventFilter): boolean {
	if (!filter.events.includes('*') && !filter.events.includes(eventType)) return false;

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
		isAsked(filter.sourceCurrencies, deposit.source_currency) &&
		isAsked(filter.destinationCurrencies, deposit.destination_currency) &&
		isAsked(filter.networks, deposit.network) &&
		isAsked(filter.providers, deposit.provider_name) &&
		(typeof amount !== 'number' || amount >= filter.minimumAmountCents)
	);
}

/** Every `entity_nanoid` at the top of the event or one level down, the top one first. */
export function entityIdsOf(event: JsonObject): string[] {
	return [event, ...Object.values(event).filter(isObject)]
		.map((holder) => holder.entity_nanoid)
		.filter((entity) => typeof entity === 'string');
}

function documentedStatus(status: JsonValue | undefined): string {
	return isDocumented(DEPOSIT_STATUSES, status) ? status : 'unknown';
}

/** Without regard to case: currency codes are written either way. */
function isAsked(asked: readonly string[], value: JsonValue | undefined): boolean {
	if (asked.length === 0 || typeof value !== 'string') return true;
	return asked.some((one) => one.toLowerCase() === value.toLowerCase());
}

import { DEPOSIT_STATUSES } from '../contract/events';
import { isRecord, type JsonObject, type JsonValue } from '../shared/json';
import type { ReceivedEvent } from './parseEvent';
import type { DeliverySettings } from './settings';

/** Which events the user wants. A filter that isn't set lets everything pass. */
export type EventFilter = DeliverySettings['filter'];

/**
 * Whether the user wants this event. The deposit filters apply to `deposit.received` only.
 * A filter ignores events that lack its field, so that no event is lost. The status is the exception:
 * a deposit without one counts as `unknown`, because its money may not have arrived.
 */
export function isWanted({ event, eventType }: ReceivedEvent, filter: EventFilter): boolean {
	if (!filter.events.includes('*') && !filter.events.includes(eventType)) return false;

	const { entityIds, eventVersions, minimumAmountCents = Number.NEGATIVE_INFINITY } = filter;
	const version = event.event_version;
	const hasVersion = typeof version === 'string' || typeof version === 'number';
	if (hasVersion && eventVersions?.some((each) => isVersion(String(version), each)) === false) {
		return false;
	}
	const entities = entityIds === undefined ? [] : entityIdsOf(event);
	if (entities.length > 0 && !entities.some((entity) => entityIds?.includes(entity))) return false;
	if (eventType !== 'deposit.received') return true;

	const deposit = isRecord(event.deposit) ? event.deposit : {};
	const amount = deposit.destination_amount_cents;
	return (
		filter.depositStatuses.includes(documentedStatus(deposit.status)) &&
		passes(filter.sourceCurrencies, deposit.source_currency) &&
		passes(filter.destinationCurrencies, deposit.destination_currency) &&
		passes(filter.networks, deposit.network) &&
		passes(filter.providers, deposit.provider_name) &&
		(typeof amount !== 'number' || amount >= minimumAmountCents)
	);
}

/** Every `entity_nanoid` at the top level of the event or one level down. */
function entityIdsOf(event: JsonObject): string[] {
	return [event, ...Object.values(event).filter((value) => isRecord(value))]
		.map((holder) => holder.entity_nanoid)
		.filter((entity) => typeof entity === 'string');
}

function documentedStatus(status: JsonValue | undefined) {
	return DEPOSIT_STATUSES.find((known) => known === status) ?? 'unknown';
}

/** Ignores case, because currency codes come in either. */
function passes(wanted: readonly string[] | undefined, value: JsonValue | undefined): boolean {
	if (wanted === undefined || typeof value !== 'string') return true;
	return wanted.some((one) => one.toLowerCase() === value.toLowerCase());
}

/**
 * Whether an event's version is a wanted one. A wanted number without a dot is a major version; an
 * event's number without one is its first.
 */
function isVersion(version: string, wanted: string): boolean {
	const numberOf = (text: string) =>
		text
			.trim()
			.replace(/^v/i, '')
			.replace(/(?<=^|\.)0+(?=\d)/g, '')
			.toLowerCase();
	const [given, expected] = [numberOf(version), numberOf(wanted)];
	if (!expected.includes('.')) return Number.parseInt(given, 10) === Number(expected);
	return (given.includes('.') ? given : `${given}.0`) === expected;
}

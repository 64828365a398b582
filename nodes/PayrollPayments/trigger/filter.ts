import { numeric } from '../api/schemas/eventSchemas';
import { DEPOSIT_STATUSES } from '../contract/events';
import { isRecord, type JsonObject, type JsonValue } from '../shared/json';
import type { ReceivedEvent } from './parseEvent';
import type { DeliverySettings } from './settings';

/** Which events the user wants. A filter that isn't set lets everything pass. */
export type EventFilter = DeliverySettings['filter'];

/**
 * The filter that leaves an event out, if one does. Deposit filters apply to `deposit.received` only.
 * A filter ignores events that lack its field, so that no event is lost. The status is the exception:
 * a deposit without one counts as `unknown`, because its money may not have arrived.
 */
export function filterAgainst(
	{ event, eventType }: ReceivedEvent,
	filter: EventFilter,
): keyof EventFilter | undefined {
	const {
		events,
		eventVersions,
		entityIds,
		minimumAmountCents = Number.NEGATIVE_INFINITY,
	} = filter;
	if (!events.includes('*') && !events.includes(eventType)) return 'events';

	const version = event.event_version;
	const hasVersion = typeof version === 'string' || typeof version === 'number';
	if (hasVersion && eventVersions?.some((each) => isVersion(String(version), each)) === false) {
		return 'eventVersions';
	}
	const entities = entityIds === undefined ? [] : entityIdsOf(event);
	if (entities.length > 0 && !entities.some((entity) => entityIds?.includes(entity))) {
		return 'entityIds';
	}
	if (eventType !== 'deposit.received') return undefined;

	const deposit = isRecord(event.deposit) ? event.deposit : {};
	if (!filter.depositStatuses.includes(knownStatus(deposit))) return 'depositStatuses';
	const amount = numberIn(deposit.destination_amount_cents);
	if (amount !== undefined && amount < minimumAmountCents) return 'minimumAmountCents';
	return TEXT_FILTERS.find(([name, field]) => !passes(filter[name], deposit[field]))?.[0];
}

const TEXT_FILTERS = [
	['sourceCurrencies', 'source_currency'],
	['destinationCurrencies', 'destination_currency'],
	['networks', 'network'],
	['providers', 'provider_name'],
] as const;

/**
 * As in contract/identifiers.ts, but of any length from 15: examples of the service are longer than
 * documented. Longer words such as “co-working-space” aren't identifiers.
 */
const ENTITY_ID = /^(?:te|co)-(?:[\w-]{12}|(?=.*[\dA-Z])[\w-]{13,})$/;

/** The identifiers of teams and companies at the top level of the event or one level down. */
function entityIdsOf(event: JsonObject): string[] {
	return Object.values(event)
		.flatMap((value) =>
			typeof value === 'object' && value !== null ? Object.values(value) : [value],
		)
		.filter((value) => typeof value === 'string')
		.filter((text) => ENTITY_ID.test(text));
}

function numberIn(value: JsonValue | undefined): number | undefined {
	const { data } = numeric.safeParse(value);
	return data === undefined ? undefined : Number(data);
}

function knownStatus({ status }: JsonObject) {
	const text = typeof status === 'string' ? status.toLowerCase() : undefined;
	return DEPOSIT_STATUSES.find((known) => known === text) ?? 'unknown';
}

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

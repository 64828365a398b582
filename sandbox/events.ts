import { randomUUID } from 'node:crypto';

import {
	depositRecord,
	inviteRecord,
	optionalDepositFields,
	paymentGroupRecord,
	paymentRecord,
} from './eventRecords';
import type { Organisation } from './organisation';
import type { Settings } from './settings';

/** A webhook event: the envelope's fields, plus one object with the content. */
export type ServiceEvent = Readonly<Record<string, unknown>>;

/** Changes to the default event. */
export interface EventOptions {
	/** `event_version`, the version of the event's schema. */
	readonly eventVersion?: string;
	/** Whether a deposit has its optional fields, or null in them; default false. */
	readonly optionalFields?: boolean | 'nulls';
	/** Fields of the envelope to replace or add. */
	readonly envelope?: Readonly<Record<string, unknown>>;
	/** Fields of the deposit, or of another event's object, to replace or add. */
	readonly content?: Readonly<Record<string, unknown>>;
}

/** The payload's major version (Endpoint 9) isn't the version of the schema, but may be sent as it. */
export const eventVersionOf = ({ eventVersion }: Settings, major = 2): string =>
	eventVersion ?? String(major);

/**
 * Makes an event: deposit.received as documented, some others as public material shows them, the rest
 * with a small placeholder object.
 */
export function makeEvent(
	eventType: string,
	organisation: Organisation,
	{ eventVersion = '1.0', optionalFields = false, envelope = {}, content = {} }: EventOptions = {},
): ServiceEvent {
	const [name, defaults] = objectOf(eventType, organisation);
	const isDeposit = name === 'deposit' && optionalFields !== false;
	const optional = isDeposit ? optionalDepositFields(organisation) : {};
	const absent = Object.fromEntries(Object.keys(optional).map((field) => [field, null]));
	return {
		object: 'event',
		created: Math.floor(Date.now() / 1000),
		event_type: eventType,
		event_version: eventVersion,
		idempotency_key: randomUUID(),
		[name]: { ...defaults, ...(optionalFields === 'nulls' ? absent : optional), ...content },
		...envelope,
	};
}

/** The name of an event's object, and the object. */
function objectOf(eventType: string, organisation: Organisation): readonly [string, object] {
	const { randomness, teams, company } = organisation;
	const [group = 'subject'] = eventType.split('.');
	if (group === 'deposit') return ['deposit', depositRecord(organisation)];
	switch (eventType) {
		case 'payment.group.created':
			return ['payment_group', paymentGroupRecord(organisation, paymentRecord(organisation))];
		case 'payment.sent':
		case 'payment.failed':
		case 'payment.canceled':
			return ['payment', paymentRecord(organisation)];
		case 'invite.accepted':
		case 'invite.rejected':
		case 'invite.expired':
			return ['invite', inviteRecord(organisation, eventType.slice('invite.'.length))];
		case 'withdraw_account.duplicated_detected':
			return [
				'account',
				{ user_id: randomness.identifier('us'), account_status_v2: 'duplicated_detected' },
			];
		default: {
			// The payloads of the others aren't known; their object is named after their group.
			const [team = company] = teams;
			return [group, { nanoid: randomness.identifier('id'), entity_nanoid: team.nanoid }];
		}
	}
}

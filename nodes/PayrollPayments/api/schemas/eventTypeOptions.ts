import { EVENT_TYPES, type EventType } from './events';

/** Names that the words of the event type would not give. */
const SPECIAL_NAMES: Readonly<Record<string, string>> = {
	'onboarding.step_updated.basic_data': 'Onboarding: Basic Data Updated',
	'onboarding.step_updated.documents': 'Onboarding: Documents Updated',
	'onboarding.step_updated.kyc.accepted': 'Onboarding: KYC Accepted',
	'onboarding.step_updated.kyc.pending': 'Onboarding: KYC Pending',
	'onboarding.step_updated.kyc.rejected': 'Onboarding: KYC Rejected',
	'onboarding.step_updated.rsk': 'Onboarding: RSK Updated',
	'withdraw_account.duplicated_detected': 'Withdraw Account: Duplicate Detected',
};

function titleOf(words: string): string {
	return words
		.split(/[._]/)
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');
}

function nameOf(eventType: EventType): string {
	const [group = '', ...event] = eventType.split('.');
	return SPECIAL_NAMES[eventType] ?? `${titleOf(group)}: ${titleOf(event.join('.'))}`;
}

/** The event types as options of a form, e.g. "Deposit: Received", in the order of their names. */
export const eventTypeOptions = EVENT_TYPES.map((value) => ({ name: nameOf(value), value })).sort(
	(a, b) => a.name.localeCompare(b.name, 'en'),
);

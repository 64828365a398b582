/** Where the words of the event type read badly as they stand. */
const WORDED: Readonly<Record<string, string>> = {
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

function nameOf(eventType: string): string {
	const [group = '', ...event] = eventType.split('.');
	return WORDED[eventType] ?? `${titleOf(group)}: ${titleOf(event.join('.'))}`;
}

/**
 * Event types as options, "deposit.received" as "Deposit: Received", in the order of their names,
 * so that each group stands together.
 */
export function eventTypeOptions<EventType extends string>(eventTypes: readonly EventType[]) {
	return eventTypes
		.map((value) => ({ name: nameOf(value), value }))
		.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

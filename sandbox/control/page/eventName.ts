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

const titleOf = (words: string): string =>
	words
		.split(/[._]/)
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');

/** The name that n8n shows for an event type, e.g. "Deposit: Received". */
export function eventName(eventType: string): string {
	const [group = '', ...event] = eventType.split('.');
	return SPECIAL_NAMES[eventType] ?? `${titleOf(group)}: ${titleOf(event.join('.'))}`;
}

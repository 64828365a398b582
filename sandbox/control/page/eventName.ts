/** Event types that the node calls by other words than their own. */
const SENTENCES: Readonly<Record<string, string>> = {
	'deposit.bitcoin': 'Bitcoin deposit',
	'deposit.crosschain': 'Crosschain deposit',
	'deposit.crypto': 'Crypto deposit',
	'deposit.fiat': 'Fiat deposit',
	'onboarding.step_updated.basic_data': 'Onboarding basic data updated',
	'onboarding.step_updated.documents': 'Onboarding documents updated',
	'onboarding.step_updated.kyc.accepted': 'Onboarding KYC accepted',
	'onboarding.step_updated.kyc.pending': 'Onboarding KYC pending',
	'onboarding.step_updated.kyc.rejected': 'Onboarding KYC rejected',
	'onboarding.step_updated.rsk': 'Onboarding RSK updated',
	'swap.token': 'Token swap',
	'withdraw_account.duplicated_detected': 'Duplicate withdraw account detected',
};

/** The name that n8n shows for an event type, e.g. "Deposit received". */
export function eventName(eventType: string): string {
	const words = eventType.replace(/[._]/g, ' ');
	return SENTENCES[eventType] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

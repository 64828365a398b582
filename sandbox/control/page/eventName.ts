/** Event types that the node calls by other words than their own. */
const NAMES: Readonly<Record<string, string>> = {
	'deposit.bitcoin': 'Bitcoin Deposit',
	'deposit.crosschain': 'Crosschain Deposit',
	'deposit.crypto': 'Crypto Deposit',
	'deposit.fiat': 'Fiat Deposit',
	'onboarding.step_updated.basic_data': 'Onboarding Basic Data Updated',
	'onboarding.step_updated.documents': 'Onboarding Documents Updated',
	'onboarding.step_updated.kyc.accepted': 'Onboarding KYC Accepted',
	'onboarding.step_updated.kyc.pending': 'Onboarding KYC Pending',
	'onboarding.step_updated.kyc.rejected': 'Onboarding KYC Rejected',
	'onboarding.step_updated.rsk': 'Onboarding RSK Updated',
	'swap.token': 'Token Swap',
	'withdraw_account.duplicated_detected': 'Duplicate Withdraw Account Detected',
};

/** The name that n8n shows for an event type, e.g. "Deposit Received". */
export function eventName(eventType: string): string {
	const words = eventType.replace(/[._]/g, ' ');
	return NAMES[eventType] ?? words.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

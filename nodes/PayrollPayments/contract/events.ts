/** The event types that the service documents (docs/api.md, Events), in alphabetical order. */
export const EVENT_TYPES = [
	'action_item.completed',
	'action_item.created',
	'action_item.finished',
	'deposit.bitcoin',
	'deposit.crosschain',
	'deposit.crypto',
	'deposit.fiat',
	'deposit.received',
	'document.closed',
	'document.expired',
	'document.signed',
	'invite.accepted',
	'invite.expired',
	'invite.rejected',
	'invoice.canceled',
	'invoice.created',
	'onboarding.completed',
	'onboarding.step_updated.basic_data',
	'onboarding.step_updated.documents',
	'onboarding.step_updated.kyc.accepted',
	'onboarding.step_updated.kyc.pending',
	'onboarding.step_updated.kyc.rejected',
	'onboarding.step_updated.rsk',
	'payment.canceled',
	'payment.cash_requirement.created',
	'payment.cash_requirement.due',
	'payment.chargeback.created',
	'payment.chargeback.paid',
	'payment.failed',
	'payment.group.created',
	'payment.sent',
	'payment.subscription.created',
	'payment.subscription.paid',
	'swap.token',
	'team.member_added',
	'team.member_blocked',
	'team.member_removed',
	'token.transfer',
	'withdraw_account.duplicated_detected',
] as const;

/** Event types that other words than their own describe better. */
export const EVENT_NAMES: Readonly<Record<string, string>> = {
	'*': 'Any Event',
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

/** An event type in words, e.g. "Deposit Received". */
export function nameOfEvent(eventType: string): string {
	const words = eventType.replace(/[._]/g, ' ');
	return EVENT_NAMES[eventType] ?? words.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** States of a deposit (docs/api.md, Deposit status). */
export const DEPOSIT_STATUSES = ['complete', 'failed', 'pending', 'rejected', 'reverted'] as const;

import { z } from 'zod';

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
const NAMES: Readonly<Record<string, string>> = {
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
	return NAMES[eventType] ?? words.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** States of a deposit; only `complete` is final (docs/api.md, Deposit status). */
export const DEPOSIT_STATUSES = ['complete', 'failed', 'pending', 'rejected', 'reverted'] as const;

/** Networks on which a deposit may arrive (docs/api.md, Deposit record). */
export const DEPOSIT_NETWORKS = [
	'arbitrum',
	'avalanche',
	'base',
	'ethereum',
	'optimism',
	'polygon',
] as const;

/**
 * docs/api.md, Deposit record. Further fields pass, and so does null for an optional one. Enumerations
 * are any text: they may grow, and a new network must not lose a deposit.
 */
const depositSchema = z
	.object({
		nanoid: z.string(),
		entity_nanoid: z.string(),
		entity_deposit_account_id: z.number(),
		provider_deposit_id: z.string(),
		provider_entity_id: z.string().nullish(),
		provider_wallet_id: z.string().nullish(),
		provider_name: z.string(),
		source_currency: z.string(),
		source_amount_cents: z.number(),
		destination_currency: z.string(),
		destination_amount_cents: z.number(),
		transaction_date: z.string(),
		purpose_of_payment: z.string().nullish(),
		reference: z.string().nullish(),
		trace: z.string().nullish(),
		funding_blockchain_txn: z.string().nullish(),
		blockchain_reference: z.string(),
		deposit_bank_account_seen: z.number().nullish(),
		status: z.string(),
		created_at: z.string(),
		updated_at: z.string(),
		token: z
			.object({ address: z.string(), name: z.string(), symbol: z.string(), decimals: z.number() })
			.passthrough(),
		network: z.string(),
	})
	.passthrough();

/** docs/api.md, Event envelope. The event's own object beside these fields passes untouched. */
export const eventSchema = z
	.object({
		object: z.literal('event'),
		created: z.number(),
		event_type: z.string(),
		event_version: z.string(),
		request_id: z.string().nullish(),
		idempotency_key: z.string().min(1),
	})
	.passthrough();

/** A `deposit.received` event: the envelope and the deposit record. */
export const depositReceivedSchema = eventSchema.extend({
	event_type: z.literal('deposit.received'),
	deposit: depositSchema,
});

/** The fields of an event that are documented as optional, as paths. */
export const OPTIONAL_FIELDS: ReadonlySet<string> = new Set([
	...optionalIn(eventSchema),
	...optionalIn(depositSchema).map((name) => `deposit.${name}`),
]);

function optionalIn({ shape }: z.AnyZodObject): string[] {
	return Object.keys(shape).filter((name) => shape[name]?.isOptional());
}

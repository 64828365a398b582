import { addressFor } from './accounts';
import type { Organisation } from './organisation';

/*
 * The objects in events. The deposit is documented; the others are as published examples show them.
 * Kinds of identifier beyond the document (dp-, pa-, pg-) are longer than 15 characters there.
 */

/** The object of deposit.received and the other deposit events, with the fields that are never missing. */
export function depositRecord({ randomness, company, teams }: Organisation): object {
	const [account = company] = teams;
	const now = new Date().toISOString();
	const cents = 10_000 + randomness.below(5_000_000);
	return {
		nanoid: randomness.longIdentifier('dp'),
		entity_nanoid: account.nanoid,
		entity_deposit_account_id: 4217,
		provider_deposit_id: `wp_${randomness.bytes32().slice(2, 18)}`,
		provider_name: 'wirepartner',
		source_currency: 'USD',
		source_amount_cents: cents,
		destination_currency: 'USD',
		destination_amount_cents: cents - 1_500,
		transaction_date: now,
		blockchain_reference: randomness.bytes32(),
		status: 'complete',
		created_at: now,
		updated_at: now,
		token: {
			address: randomness.address(),
			name: 'USD Coin',
			symbol: 'USDC',
			decimals: 6,
		},
		network: 'arbitrum',
	};
}

/** The fields of a deposit that may be missing. */
export function optionalDepositFields({ randomness }: Organisation): object {
	return {
		provider_entity_id: `wpe_${randomness.bytes32().slice(2, 18)}`,
		provider_wallet_id: `wpw_${randomness.bytes32().slice(2, 18)}`,
		purpose_of_payment: 'Payroll funding',
		reference: `INV-${2026_0000 + randomness.below(9_999)}`,
		trace: `TRN${randomness.below(1_000_000_000)}`,
		funding_blockchain_txn: randomness.bytes32(),
		deposit_bank_account_seen: randomness.below(2),
	};
}

/** What is known of a payment; the rest is invented. */
export interface KnownPayment {
	readonly transaction?: string;
	readonly email?: string;
	readonly amountCents?: number;
	readonly onchainId?: string;
	readonly groupOnchainId?: string;
}

/** The object of payment.sent, payment.failed and payment.canceled, and an entry of a group. */
export function paymentRecord({ randomness }: Organisation, known: KnownPayment = {}) {
	const now = new Date();
	const email = known.email ?? 'contractor@example.com';
	const amountCents = known.amountCents ?? 10_000 + randomness.below(500_000);
	return {
		nanoid: randomness.longIdentifier('pa'),
		onchain_id: known.onchainId ?? randomness.smallNumber(),
		group_onchain_id: known.groupOnchainId ?? randomness.smallNumber(),
		invoice_nanoid: null,
		creation_transaction: known.transaction ?? randomness.identifier('tx'),
		process_transaction: null,
		created_at: now.toISOString(),
		updated_at: now.toISOString(),
		pay_at_time: Math.floor(now.getTime() / 1000),
		pay_type: 1,
		token: addressFor('token contract'),
		recipients: [
			{
				nanoid: randomness.identifier('us'),
				email,
				name: email.split('@')[0],
				entity_type: 'external_entity',
			},
		],
		amount: String(BigInt(amountCents) * 10_000n),
		amount_cents: amountCents,
	};
}

/** The object of payment.group.created. */
export function paymentGroupRecord(
	{ randomness }: Organisation,
	payment: ReturnType<typeof paymentRecord>,
) {
	return {
		nanoid: randomness.longIdentifier('pg'),
		onchain_id: payment.group_onchain_id,
		created_at: payment.created_at,
		updated_at: payment.updated_at,
		invoice_type: null,
		invoice_description: null,
		role_description: null,
		currency: 'USD',
		payments: [payment],
	};
}

/** The object of invite.accepted; invites that end in another way are like it. */
export function inviteRecord(
	{ randomness, accounts, teams, company }: Organisation,
	status: string,
) {
	const [team = company] = teams;
	return {
		nanoid: randomness.identifier('in'),
		user_nanoid: status === 'accepted' ? randomness.identifier('us') : null,
		email: 'new.person@example.com',
		role: 'contractor',
		status,
		anonymous: false,
		invited_by: accounts[0]?.userId ?? null,
		invited_to: team.nanoid,
	};
}

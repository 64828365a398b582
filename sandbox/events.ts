import { randomUUID } from 'node:crypto';

import type { Organisation } from './organisation';

/** A webhook event: the envelope's fields, plus one object with the content. */
export type ServiceEvent = Readonly<Record<string, unknown>>;

/** Changes to the default event. */
export interface EventOptions {
	/** Major version of the payload, 1 to 10; default 2. */
	readonly version?: number;
	/** Whether a deposit has its optional fields; default false. */
	readonly optionalFields?: boolean;
	/** Fields of the envelope to replace or add. */
	readonly envelope?: Readonly<Record<string, unknown>>;
	/** Fields of the deposit, or of another event's object, to replace or add. */
	readonly content?: Readonly<Record<string, unknown>>;
}

/** Makes an event: deposit.received as documented, others with a small placeholder object. */
export function makeEvent(
	eventType: string,
	organisation: Organisation,
	{ version = 2, optionalFields = false, envelope = {}, content = {} }: EventOptions = {},
): ServiceEvent {
	const isDeposit = eventType === 'deposit.received';
	// The payloads of other events aren't documented; their object is named after their group.
	const contentName = isDeposit ? 'deposit' : (eventType.split('.')[0] ?? 'subject');
	const defaults = isDeposit
		? { ...makeDeposit(organisation), ...(optionalFields ? makeOptionalFields(organisation) : {}) }
		: makeSubject(organisation);
	return {
		object: 'event',
		created: Math.floor(Date.now() / 1000),
		event_type: eventType,
		event_version: String(version),
		idempotency_key: randomUUID(),
		[contentName]: { ...defaults, ...content },
		...envelope,
	};
}

function makeSubject({ randomness, teams, company }: Organisation): object {
	const [team = company] = teams;
	return { nanoid: randomness.identifier('id'), entity_nanoid: team.nanoid };
}

/** The fields of a deposit that may be missing. */
function makeOptionalFields({ randomness }: Organisation): object {
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

function makeDeposit({ randomness, company }: Organisation): object {
	const now = new Date().toISOString();
	const cents = 10_000 + randomness.below(5_000_000);
	return {
		// The prefix of deposits isn't documented.
		nanoid: randomness.identifier('de'),
		entity_nanoid: company.nanoid,
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

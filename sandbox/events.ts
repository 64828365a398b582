import { randomUUID } from 'node:crypto';

import type { Organisation } from './organisation';

/** A webhook event; the object of its own beside the envelope's fields. */
export type ServiceEvent = Readonly<Record<string, unknown>>;

/** What may differ from the ordinary event. */
export interface EventWishes {
	/** Payload major version, 1 to 10; 2 unless told. */
	readonly version?: number;
	/** Fields of the envelope to replace or add. */
	readonly envelope?: Readonly<Record<string, unknown>>;
	/** Fields of the deposit (or of the event's own object) to replace or add. */
	readonly content?: Readonly<Record<string, unknown>>;
}

/** Made-up events: deposit.received as documented, others with a small object of their own. */
export function makeEvent(
	eventType: string,
	organisation: Organisation,
	{ version = 2, envelope = {}, content = {} }: EventWishes = {},
): ServiceEvent {
	const isDeposit = eventType === 'deposit.received';
	// Payload shapes of other events are not shown: their object is named after their group.
	const ownName = isDeposit ? 'deposit' : (eventType.split('.')[0] ?? 'subject');
	const own = isDeposit ? makeDeposit(organisation) : makeSubject(organisation);
	return {
		object: 'event',
		created: Math.floor(Date.now() / 1000),
		event_type: eventType,
		event_version: String(version),
		idempotency_key: randomUUID(),
		[ownName]: { ...own, ...content },
		...envelope,
	};
}

function makeSubject({ randomness, teams, company }: Organisation): object {
	const [team = company] = teams;
	return { nanoid: randomness.identifier('id'), entity_nanoid: team.nanoid };
}

function makeDeposit({ randomness, company }: Organisation): object {
	const now = new Date().toISOString();
	const cents = 10_000 + randomness.below(5_000_000);
	return {
		// The prefix of deposits is not shown.
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
		purpose_of_payment: 'Payroll funding',
		reference: `INV-${2026_0000 + randomness.below(9_999)}`,
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

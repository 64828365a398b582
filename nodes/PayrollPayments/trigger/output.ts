import { z } from 'zod';

import { depositReceivedSchema, eventSchema } from '../api/schemas/events';

/** A column that passes on what the event has, or null. */
const textColumn = z.string().nullable();
const centsColumn = z.number().nullable();

/** One flat row of the output *Simplified*: always all columns in this order. */
const simplifiedEvent = z.object({
	event_type: z.string(),
	event_version: textColumn,
	idempotency_key: z.string(),
	/** ISO 8601. */
	created_at: z.string().nullable(),
	deposit_id: textColumn,
	entity_id: textColumn,
	status: textColumn,
	/** Decimal text; null if the cents aren't a whole number. */
	source_amount: z.string().nullable(),
	source_amount_cents: centsColumn,
	source_currency: textColumn,
	destination_amount: z.string().nullable(),
	destination_amount_cents: centsColumn,
	destination_currency: textColumn,
	network: textColumn,
	token_symbol: textColumn,
	provider: textColumn,
	reference: textColumn,
	transaction_date: textColumn,
	updated_at: textColumn,
	funding_blockchain_txn: textColumn,
});

export type SimplifiedColumn = keyof typeof simplifiedEvent.shape;

const headers = z.record(z.union([z.string(), z.array(z.string())]));

/** What the options *Invalid Payload* and *Include Headers* add. */
const additions = {
	validation_issues: z.array(z.string()).optional(),
	headers: headers.optional(),
};

/** An event that lacks a required field, which *Invalid Payload: Emit* lets through. */
const invalidEvent = z
	.object({
		object: z.literal('event'),
		event_type: z.string(),
		idempotency_key: z.string(),
		validation_issues: z.array(z.string()),
	})
	.passthrough();

/** What the trigger starts a workflow with: an event as received, or a flat row. */
export const triggerOutput = z.union([
	depositReceivedSchema,
	simplifiedEvent.extend(additions),
	eventSchema,
	invalidEvent,
]);

import { z } from 'zod';

import { probableTimeIn } from '../../shared/time';

/** What is wrong with a field that may have two types, in the words of the others. */
const expecting = (documented: 'number' | 'string') => ({
	errorMap: (_issue: z.ZodIssueOptionalMessage, { data }: z.ErrorMapCtx) => ({
		message:
			data === undefined ? 'is missing' : `must be ${documented}, not ${z.getParsedType(data)}`,
	}),
});

const numberOrText = z.union([z.number(), z.string()], expecting('number'));

/** A number, which some services write as text. */
export const numeric = numberOrText.refine(
	(value) => typeof value === 'number' || /^-?\d+(?:\.\d+)?$/.test(value),
	'must be number, not string',
);

/** A Unix time, which some services write as an ISO date. */
const time = numberOrText.refine(
	(value) => typeof value === 'number' || !Number.isNaN(probableTimeIn(value)),
	'must be number, not string',
);

/** A text, which some services write as a number. */
const textOrNumber = z.union([z.string(), z.number()], expecting('string'));

/**
 * docs/api.md, Deposit record. Further fields pass, and so does null for an optional one, or for what a
 * deposit of cash, of a bank or of a chain's own coin has none of. Enumerations are any text: they may
 * grow, and a new network must not lose a deposit.
 */
const depositSchema = z
	.object({
		nanoid: z.string(),
		entity_nanoid: z.string(),
		entity_deposit_account_id: textOrNumber.nullable(),
		provider_deposit_id: textOrNumber.nullable(),
		provider_entity_id: z.string().nullish(),
		provider_wallet_id: z.string().nullish(),
		provider_name: z.string(),
		source_currency: z.string(),
		source_amount_cents: numeric,
		destination_currency: z.string(),
		destination_amount_cents: numeric,
		transaction_date: z.string(),
		purpose_of_payment: z.string().nullish(),
		reference: z.string().nullish(),
		trace: z.string().nullish(),
		funding_blockchain_txn: z.string().nullish(),
		blockchain_reference: z.string().nullable(),
		deposit_bank_account_seen: z.number().nullish(),
		status: z.string(),
		created_at: z.string(),
		updated_at: z.string().nullable(),
		token: z
			.object({
				address: z.string().nullable(),
				name: z.string().nullable(),
				symbol: z.string().nullable(),
				decimals: numeric.nullable(),
			})
			.passthrough()
			.nullable(),
		network: z.string().nullable(),
	})
	.passthrough();

/** Whether it can tell events apart: “undefined” would be the same in all of them. */
const isKey = (key: string | number) => !/^\s*(?:null|undefined)?\s*$/i.test(String(key));

/** docs/api.md, Event envelope. The event's own object beside these fields passes untouched. */
export const eventSchema = z
	.object({
		object: z.literal('event', { errorMap: () => ({ message: 'must be "event"' }) }),
		created: time,
		event_type: z.string().min(1, 'is missing'),
		event_version: textOrNumber,
		request_id: z.string().nullish(),
		idempotency_key: textOrNumber.refine(isKey, 'is missing'),
	})
	.passthrough();

/** What makes a body an event. */
export const essentialSchema = eventSchema.pick({
	object: true,
	event_type: true,
	idempotency_key: true,
});

/** The events whose object is documented: the envelope and that object. */
export const DOCUMENTED_EVENTS = [
	eventSchema.extend({ event_type: z.literal('deposit.received'), deposit: depositSchema }),
] as const;

/** The fields of an event that are documented as optional, as paths. */
export const OPTIONAL_FIELDS: ReadonlySet<string> = new Set(
	[eventSchema, ...DOCUMENTED_EVENTS].flatMap((schema) => optionalIn(schema)),
);

function optionalIn({ shape }: z.AnyZodObject, above = ''): string[] {
	return Object.keys(shape).flatMap((name) => {
		const field: z.ZodTypeAny | undefined = shape[name];
		const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
		if (inner instanceof z.ZodObject) return optionalIn(inner, `${above}${name}.`);
		return field?.isOptional() === true ? `${above}${name}` : [];
	});
}

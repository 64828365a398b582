import { z } from 'zod';

const text = z.string().nullable();

/** What a person needs to judge a payment. Null where the authorization doesn't tell. */
const paymentColumns = z.object({
	/** In dollars, e.g. "125.00". */
	amount: z.string(),
	currency: z.string(),
	network: z.string(),
	team: z.string(),
	recipient_email: z.string(),
	recipient_address: text,
	token: text,
	reference: text,
	expires: text,
	signer: z.string(),
});

export type PaymentColumns = z.infer<typeof paymentColumns>;

/** With *If Already Paid: Skip*: what became of one row. */
export const paymentOutcome = z
	.object({
		outcome: z.enum(['paid', 'already_paid', 'refused', 'unknown', 'not_sent']),
		transaction: text,
		attempt_code: z.string().optional(),
		error: z.string().optional(),
	})
	.extend(paymentColumns.partial().shape)
	.passthrough();

/** A row of a sheet that needs attention, counted from 1. */
const listedRow = z.object({
	row: z.number().int(),
	summary: z.string(),
	attempt_code: z.string().optional(),
	error: z.string().optional(),
});

/** *Check Only* with *Check Output: One for the Run*. Amounts are dollars as text. */
export const runCheck = z.object({
	check: z.enum(['passed', 'failed']),
	summary: z.string(),
	/** What Approved Check takes; null if a row was refused. */
	approval: text,
	/** Of all rows. */
	count: z.number().int(),
	total: z.string(),
	/** Of the rows that would be sent. */
	to_send_count: z.number().int(),
	to_send_total: z.string(),
	currency: z.string(),
	/** Of the paying team; null where it can't be read. Whether it funds the payments isn't documented. */
	balance: text,
	balance_after: text,
	payments: z.array(paymentColumns),
	already_paid: z.array(listedRow),
	unknown: z.array(listedRow),
	refused: z.array(listedRow),
	/** The rows of each group with the same recipient and amount. */
	duplicates: z.array(z.array(z.number().int())),
});

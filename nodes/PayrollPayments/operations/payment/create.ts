import { z } from 'zod';

import { labelOf } from '../../forms/field';
import { requireSignature } from '../../forms/serviceFields';
import { defineWrite } from '../../run/operation';
import { checkPayments } from './check';
import { fields, options, runOptions } from './paymentFields';
import { finish, notesOnFailure, paymentsIn, runColumns } from './outcome';
import { paymentColumns } from './paymentColumns';
import { describeRun } from './runCheck';
import { columnsOfForms } from './sheet';
import { columnsOfUnread } from './unreadRow';

const text = z.string().nullable();

/** What became of one row. */
const paymentOutcome = z
	.object({
		/** `paid`, `already_paid`, `refused`, `unknown` or `not_sent`. */
		outcome: z.string(),
		transaction: text,
		/** If *Retry On Fail* ran the item again after the payment was made. */
		already_sent: z.literal(true).optional(),
		/** What became of the whole run, the same in every row. */
		run_message: z.string().optional(),
	})
	.extend(paymentColumns.extend({ signer: text }).partial().shape)
	.passthrough();

/** A row of a sheet that was paid before, is unknown or was refused; counted from 1. */
const listedRow = z.object({
	row: z.number().int(),
	summary: z.string(),
	attempt_code: z.string().optional(),
	error: z.string().optional(),
});

/** *Check Only* with *Check Output: One for the Run*. Amounts are dollars as text. */
const runCheck = z.object({
	check: z.enum(['passed', 'failed']),
	summary: z.string(),
	/** A few lines for a chat. */
	message: z.string(),
	/** For a form or a mail. */
	html: z.string(),
	/** Host of the service. */
	service: z.string(),
	/** What Approved Check takes; null if a row was refused. */
	approval: text,
	/** Of all rows. */
	count: z.number().int(),
	/** Of all rows, refused ones included, as far as they can be read. */
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

/** docs/api.md, Endpoint 10. */
export const createInstantPayment = defineWrite({
	resource: 'payment',
	operation: 'create',
	name: 'Create Instant',
	action: 'Create instant payment',
	description: 'Pay an external recipient right away. This moves money and can’t be undone.',
	permission: 'sendPayments',
	stopsAtUnknown: true,
	needsKeptWorkflow: {
		reason: 'n8n doesn’t keep this workflow, so no record of the payment would last',
		hint: 'Pay in a saved workflow, outside the chat. Check Only works here, too.',
	},
	notice:
		'This moves money and can’t be undone. To see what would be sent, add Check Only under Options. With a Payment Reference, this node pays an invoice only once. Your service or finance system issues the authorization; n8n can’t create it.',
	fields,
	options,
	runOptions,
	optionsForPeople: { confirmedNotPaid: labelOf(runOptions.confirmedNotPaid) },
	output: paymentOutcome,
	otherOutputs: [runCheck],
	failureColumns: { transaction: null },
	columnsOfEarlierTry: { already_sent: true },
	checkForm: requireSignature,
	columnsOfUnread,
	columnsOfForms,
	sheet: { source: 'paymentsSource', list: 'paymentsJson' },
	check: checkPayments,
	describeRun,
	contentOf: paymentsIn,
	notesOnFailure,
	runColumns,
	finish,
});

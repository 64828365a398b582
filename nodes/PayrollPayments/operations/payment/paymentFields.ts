import { z } from 'zod';

import { paymentPayload, type PaymentPayload } from '../../signing/payloads';
import { columnNamesFor } from '../../run/sheetRows';
import type { Form } from '../../run/rows';
import type { RunContext } from '../../run/runContext';
import { shownWhen, type InputOf } from '../../forms/field';
import { choice, filledText, json, menu, menuOf, text, wholeNumber } from '../../forms/fieldTypes';
import { optionalJsonObject, signatureFields, teamId } from '../../forms/serviceFields';
import { isAttemptCode } from '../../idempotency/paymentKeys';
import { PAYMENT_CURRENCIES } from '../../contract/currencies';
import { PAYMENT_NETWORKS } from '../../contract/networks';
import { email } from '../../contract/formats';
import { faultInReference } from '../../shared/cellFaults';
import { asTyped, notText, refuseFault } from '../../shared/text';
import { paymentCents, paymentDollars } from './amounts';
import { dollarsAsCents } from '../../shared/money';
import { TYPED_AMOUNT_UNITS } from '../../signing/typedAmount';

const WHEN_NEEDED = 'Only needed if the payment authorization is not a whole EIP-712 payload';

/** An option that only a person can set. */
const BY_HAND = { empty: 'preset', expressions: 'never' } as const;

const attemptCodes = filledText
	.transform((value) =>
		value
			.split(/[\s,;]/)
			.map(asTyped)
			.filter(Boolean),
	)
	.refine((codes) => codes.every(isAttemptCode), {
		message: 'must hold attempt codes, e.g. 7F3A-91C2-1, separated by commas or spaces',
	});

const NO_DOLLARS = { errorMap: () => ({ message: 'must be dollars in digits, e.g. 34500.00' }) };

/** Dollars as whole cents; a total may be larger than one payment. */
const totalDollars = z
	.union([z.string(), z.number()], NO_DOLLARS)
	.transform((value) => dollarsAsCents(String(value).trim()))
	.pipe(z.number(NO_DOLLARS));

/** They hold for the run as a whole, and take no expressions. */
export const runOptions = {
	checkOutput: choice(
		{ label: 'Check Output', description: 'What Check Only outputs', ...BY_HAND },
		menu({
			run: { name: 'One for the Run', description: 'One item with totals and every row' },
			item: { name: 'One per Payment', description: 'One item for each payment' },
		}),
		'item',
	),
	confirmedNotPaid: text(
		{
			label: 'Confirmed Not Paid',
			description:
				'Attempt codes of payments that the service says were not made, separated by commas; sends exactly these once more',
			example: '7F3A-91C2-1',
			empty: 'unset',
			expressions: 'never',
		},
		attemptCodes,
	),
	ifAlreadyPaid: choice(
		{
			label: 'If Already Paid',
			description: 'What to do with payments that this node made before',
			...BY_HAND,
		},
		menu({
			fail: 'Refuse the run; with On Error: Continue, only these payments',
			skip: 'Leave them alone and pay the rest',
		}),
		'fail',
	),
	typedAmountUnit: choice(
		{
			label: 'Typed Amount Unit',
			description:
				'Unit of data.amount in the payment authorization. With Not Checked, any amount is signed.',
			...BY_HAND,
		},
		menuOf(['cents', 'notChecked', 'tokenSixDecimals'], (unit) => TYPED_AMOUNT_UNITS[unit].label),
		'tokenSixDecimals',
	),
};

/**
 * What a row of a sheet has of a payment, as `readCells` (sheet.ts) reads it. The texts of Payments From and
 * Payments (JSON) list these names, too. *Column Names* shows the first one at first.
 */
export const COLUMNS = [
	'recipient_email',
	'amount',
	'amount_cents',
	'reference',
	'authorization',
] as const;

export type Column = (typeof COLUMNS)[number];

export const options = {
	columnNames: columnNamesFor(COLUMNS),
	domain: optionalJsonObject({
		label: 'Domain',
		description: `EIP-712 domain that the signature is for. ${WHEN_NEEDED}.`,
		example: '{ "name": "…", "version": "1", "chainId": 42161, "verifyingContract": "0x…" }',
	}),
	types: optionalJsonObject({
		label: 'Types',
		description: `EIP-712 types of from, to, salt, expires and data. ${WHEN_NEEDED}.`,
		example: '{ "ForwardRequest": [{ "name": "from", "type": "address" }] }',
	}),
	primaryType: text(
		{
			label: 'Primary Type',
			description: `Name of the EIP-712 type that is signed. ${WHEN_NEEDED}.`,
			example: 'ForwardRequest',
			empty: 'unset',
		},
		filledText,
	),
	expectedPayments: wholeNumber(
		{
			label: 'Expected Payments',
			description:
				'How many payments the run must have, paid ones included; with any other number, nothing is sent',
			empty: 'refuse',
		},
		{ least: 1, preset: 0 },
	),
	expectedTotal: text(
		{
			label: 'Expected Total',
			description:
				'Sum of all payments of the run in US dollars, paid ones included; with any other sum, nothing is sent',
			example: '34500.00',
			empty: 'refuse',
		},
		totalDollars,
	),
};

/** A row may be empty, and anything may be in it; it is read with the others. */
const rows = z
	.array(z.record(z.unknown(), { invalid_type_error: 'must be an object' }).nullable(), {
		invalid_type_error: 'must be a JSON list',
	})
	.min(1, 'is empty. Add at least one row');

const ON_FORM = { paymentsSource: ['fields'] };

export const fields = {
	teamId: teamId(),
	paymentsSource: choice(
		{ label: 'Payments From', description: 'Where the payments come from' },
		menu({
			fields: { name: 'Form', description: 'One payment per input item, from the fields below' },
			items: {
				name: 'Input Rows',
				description:
					'One payment per input item, signed by the wallet. Columns: recipient_email, amount (dollars) or amount_cents, reference, authorization. Case, spaces, _ and - make no difference.',
			},
			json: { name: 'JSON', description: 'A list of rows in one field, with the same columns' },
		}),
		'fields',
	),
	paymentsJson: shownWhen(
		{ paymentsSource: ['json'] },
		json(
			{
				label: 'Payments (JSON)',
				description:
					'List of rows, each with recipient_email, amount, reference and authorization, as text or as an array from an expression',
				preset:
					'[{ "reference": "INV-2026-0042", "recipient_email": "ana@example.com", "amount": "125.00", "authorization": {} }]',
			},
			rows,
		),
	),
	recipientEmail: shownWhen(
		ON_FORM,
		text(
			{
				label: 'Recipient Email',
				description: 'The external recipient',
				example: 'ana@example.com',
			},
			email,
		),
	),
	/* Both amounts give whole cents. */
	amountUnit: shownWhen(
		ON_FORM,
		choice(
			{ label: 'Amount Unit', description: 'Unit that you enter the amount in' },
			menu({
				cents: 'Whole cents, e.g. 12500 for $125.00',
				dollars: 'Up to two decimals, e.g. 125.00',
			}),
			'dollars',
		),
	),
	amountCents: shownWhen(
		{ ...ON_FORM, amountUnit: ['cents'] },
		text(
			{
				label: 'Amount (Cents)',
				description: 'Amount in US cents, from 100 ($1.00) to 10000000000 ($100,000,000.00)',
				example: '12500',
				hint: 'In cents, e.g. 12500 for $125.00',
			},
			paymentCents,
		),
	),
	amountDollars: shownWhen(
		{ ...ON_FORM, amountUnit: ['dollars'] },
		text(
			{
				label: 'Amount (Dollars)',
				description: 'Amount in US dollars, from 1.00 to 100000000.00, without commas',
				example: '125.00',
			},
			paymentDollars,
		),
	),
	currency: choice(
		{ label: 'Currency', description: 'Currency of the payment' },
		menuOf(PAYMENT_CURRENCIES, (currency) => currency),
		'USD',
	),
	network: choice(
		{ label: 'Network', description: 'Network for the payment' },
		menu(PAYMENT_NETWORKS),
		'arbitrum',
	),
	paymentReference: shownWhen(
		ON_FORM,
		text(
			{
				label: 'Payment Reference',
				description:
					'Your invoice or payout number. This node pays a reference once for each team, even with a new authorization. It isn’t sent to the service.',
				example: 'INV-2026-0042',
				empty: 'unset',
			},
			z
				.union([z.string(), z.number()], { errorMap: notText })
				.refine(
					(value) => typeof value === 'string' || Number.isSafeInteger(value),
					'is a number with decimals, or with more digits than n8n keeps; make it text',
				)
				.transform((value) => String(value).trim())
				.superRefine(refuseFault(faultInReference)),
		),
	),
	typedData: shownWhen(
		ON_FORM,
		json(
			{
				label: 'Payment Authorization',
				description:
					'The EIP-712 payload to sign, or its message (from, to, salt, expires, data). The node checks its sender, chain and amount, and a team ID or email address if it has one. All else, above all the wallet that gets the money, is signed as given. With a provided signature and no Domain, Types and Primary Type, nothing is checked.',
			},
			paymentPayload,
		),
	),
	signatureSource: shownWhen(ON_FORM, signatureFields.signatureSource),
	signature: shownWhen({ ...ON_FORM, signatureSource: ['provided'] }, signatureFields.signature),
	signer: shownWhen({ ...ON_FORM, signatureSource: ['provided'] }, signatureFields.signer),
};

/** The form, which may have a list of payments, or none if its item is a row of a sheet. */
export type PaymentsInput = InputOf<typeof fields>;

/** One payment, whether from the form or from a row. */
export type PaymentInput = PaymentsInput & {
	readonly recipientEmail: string;
	readonly typedData: PaymentPayload;
	/** Whole cents, from whichever field or column has the amount. */
	readonly cents: number;
};

/** The amount in whole cents: both fields give cents, whichever unit people enter. */
export function enteredCents({
	amountCents,
	amountDollars,
}: Partial<PaymentsInput>): number | undefined {
	return amountCents ?? amountDollars;
}

export type PaymentOptions = InputOf<typeof options>;
export type PaymentForm = Form<PaymentInput, PaymentOptions>;
export type PaymentSettings = InputOf<typeof runOptions>;
export type PaymentRun = RunContext<PaymentSettings>;

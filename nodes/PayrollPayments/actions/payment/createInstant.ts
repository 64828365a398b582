import { z } from 'zod';

import { requireAllowedPayment } from '../../api/permissions';
import { centsAsDollars, paymentCents, paymentDollars } from '../../shared/money';
import { email } from '../../shared/email';
import { Refusal } from '../../shared/errors';
import { instantPaymentAnswer } from '../../api/schemas/answers';
import { paymentPayload } from '../../api/schemas/typedData';
import {
	literal,
	mustResolve,
	optional,
	refusedInTool,
	shownWhen,
	type Field,
	type InputOf,
} from '../fields/field';
import { choice, filledText, json, text } from '../fields/kinds';
import { optionalJsonObject, signatureFields, teamId } from '../fields/serviceFields';
import { isAttemptCode } from '../../idempotency/paymentLedger';
import { defineOperation } from '../defineOperation';
import { call } from '../service';

import { checkDescription, guardPayment } from './signature';

/** A number field that also accepts digits as text, as spreadsheets return them. */
const amountInCents: Field<number> = {
	form: {
		displayName: 'Amount (Cents)',
		type: 'number',
		typeOptions: { minValue: 100, maxValue: 10_000_000_000, numberPrecision: 0 },
		default: 0,
		description: 'Amount in US cents, from 100 ($1.00) to 10000000000 ($100,000,000.00)',
		hint: 'In cents, e.g. 12500 for $125.00',
	},
	schema: paymentCents,
	required: true,
};

/** The amount, in one of two units. Both fields give whole cents. */
const amountFields = {
	amountUnit: choice(
		{ label: 'Amount Unit', description: 'Unit that you enter the amount in' },
		[
			{ name: 'Cents', value: 'cents', description: 'Whole cents, e.g. 12500 for $125.00' },
			{
				name: 'Dollars',
				value: 'dollars',
				description: 'Dollars with up to two decimals, e.g. 125.00',
			},
		],
		'cents',
	),
	amountCents: shownWhen({ amountUnit: ['cents'] }, amountInCents),
	amountDollars: shownWhen(
		{ amountUnit: ['dollars'] },
		text(
			{
				label: 'Amount (Dollars)',
				description: 'Amount in US dollars, from 1.00 to 100000000.00, without commas',
				example: '125.00',
			},
			paymentDollars,
		),
	),
};

const WHEN_NEEDED =
	'Required if the wallet signs, unless Typed Data is a whole EIP-712 payload. With a provided signature, fill it in to have the signature checked.';

/** EIP-712 domain, types and primary type, needed to sign typed data or to check a signature. */
const eip712Fields = {
	domain: mustResolve(
		optionalJsonObject({
			label: 'Domain',
			description: `EIP-712 domain that the signature is for. ${WHEN_NEEDED}`,
			example: '{ "name": "…", "version": "1", "chainId": 42161, "verifyingContract": "0x…" }',
		}),
	),
	types: mustResolve(
		optionalJsonObject({
			label: 'Types',
			description: `EIP-712 types that describe the typed data, with from, to, salt, expires and data. ${WHEN_NEEDED}`,
		}),
	),
	primaryType: mustResolve(
		optional(
			text(
				{
					label: 'Primary Type',
					description: `Name of the EIP-712 type that is signed. ${WHEN_NEEDED}`,
					example: 'ForwardRequest',
				},
				filledText,
			),
		),
	),
};

const options = {
	confirmedNotPaid: refusedInTool(
		literal(
			optional(
				text(
					{
						label: 'Confirmed Not Paid',
						description:
							'Code from the error message of an attempt that the service says was not paid; sends exactly this payment once more',
						example: '7F3A-91C2-1',
					},
					filledText.refine(isAttemptCode, "isn't an attempt code, e.g. 7F3A-91C2-1"),
				),
			),
		),
	),
	typedAmountUnit: literal(
		optional(
			choice(
				{
					label: 'Typed Amount Unit',
					description: 'Unit of data.amount in Typed Data, which must equal the amount to pay',
				},
				[
					{ name: 'Cents', value: 'cents' },
					{ name: 'Not Checked', value: 'notChecked' },
					{ name: 'Token Units (Six Decimals)', value: 'tokenSixDecimals' },
				],
				'tokenSixDecimals',
			),
		),
	),
};

/** Whole cents, from the field that Amount Unit shows. */
function centsOf({ amountCents, amountDollars }: InputOf<typeof amountFields>): number {
	const cents = amountCents ?? amountDollars;
	if (cents !== undefined) return cents;
	throw new Refusal('The amount is missing', { field: 'amountUnit', hint: 'Nothing was sent.' });
}

/** docs/api.md, Endpoint 10. */
export const createInstantPayment = defineOperation({
	resource: 'payment',
	operation: 'createInstant',
	name: 'Create Instant',
	action: 'Create instant payment',
	description: "Pay an external recipient right away. This moves money and can't be undone.",
	effect: 'write',
	permission: 'sendPayments',
	notice:
		"This moves money and can't be undone. The same payment is sent only once, even if the node runs again.",
	fields: {
		teamId: teamId(),
		recipientEmail: text(
			{
				label: 'Recipient Email',
				description: 'Email address of the external recipient',
				example: 'ana@example.com',
			},
			email,
		),
		...amountFields,
		currency: choice(
			{ label: 'Currency', description: 'Currency of the payment' },
			[{ name: 'USD', value: 'USD' }],
			'USD',
		),
		network: choice(
			{ label: 'Network', description: 'Network for the payment' },
			[{ name: 'Arbitrum', value: 'arbitrum' }],
			'arbitrum',
		),
		paymentReference: mustResolve(
			optional(
				text(
					{
						label: 'Payment Reference',
						description:
							"Your invoice or payout number. The node never pays the same reference twice for a team, even with new typed data. It isn't sent to the service.",
						example: 'INV-2026-0042',
					},
					filledText.transform((value) => value.trim()),
				),
			),
		),
		typedData: json(
			{
				label: 'Typed Data',
				description:
					'Object with from, to, salt, expires and data, or a whole EIP-712 payload that also has domain, types and primaryType. The node checks that data.amount equals the amount above, that from (if it is an address) is the wallet or Signer, and that every team ID and email address is the one above. Everything else is signed as given: to, salt, expires and the other properties of data.',
			},
			paymentPayload,
		),
		...signatureFields,
		...eip712Fields,
	},
	options,
	/* `already_sent` is there if Retry On Fail ran the item again after the payment was made. */
	output: instantPaymentAnswer.extend({ already_sent: z.literal(true).optional() }),
	check: (input) => {
		checkDescription(input);
		return undefined;
	},
	writes: async (input, service, { confirmedNotPaid, typedAmountUnit = 'tokenSixDecimals' }) => {
		const { teamId: team, recipientEmail } = input;
		const amountCents = centsOf(input);
		requireAllowedPayment(service.credentials, { amountCents, recipientEmail, typedAmountUnit });
		const signer = input.signer ?? (await service.wallet()).address;
		const form = { teamId: team, amountCents, recipientEmail, typedAmountUnit };
		const payment = {
			baseUrl: service.credentials.baseUrl,
			teamId: team,
			signer,
			typedData: input.typedData.message,
			reference: input.paymentReference,
			summary: `${centsAsDollars(amountCents)} to ${recipientEmail}`,
			item: service.items[0] ?? 0,
			confirmedNotPaid,
		};
		const endpoint = { method: 'PUT', path: '/v2/payments/external_entity/instant' } as const;
		const body = {
			from: team,
			amount_cents: amountCents,
			signer,
			typed_data: payment.typedData,
			external_recipient_email: recipientEmail,
			currency_symbol: input.currency,
			network: input.network,
		};
		return [
			{
				check: async () => {
					await guardPayment(input, form, signer);
					const attempt = await service.payments().check(payment);
					const again = attempt === 1 ? '' : `, as attempt ${attempt}`;
					return {
						summary: `Pay ${payment.summary} from team ${team}, signed by ${signer}${again}`,
						request: { ...endpoint, body },
					};
				},
				send: async (sender) => {
					const ledger = sender.payments();
					const earlier = ledger.earlier(payment);
					if (earlier !== undefined) return earlier;
					const sign = await guardPayment(input, form, signer);
					const signed = { ...body, signature: await sign(sender) };
					return await ledger.pay(
						payment,
						async () =>
							await call(sender, { ...endpoint, body: signed, answer: instantPaymentAnswer }),
					);
				},
			},
		];
	},
});

import {
	centsAsDollars,
	email,
	instantPaymentAnswer,
	paymentCents,
	paymentTypedData,
	Refusal,
} from '../../contract';
import {
	literal,
	mustResolve,
	optional,
	refusedInTool,
	shownWhen,
	type Field,
} from '../../form/field';
import { choice, filledText, json, text } from '../../form/fieldKinds';
import { jsonObject, signatureFields, teamId } from '../../form/serviceFields';
import { isAttemptCode } from '../../idempotency/paymentLedger';
import { defineOperation } from '../definition';

/** The amount as a number field; the schema also takes digits, as a sheet gives them. */
function amountInCents(): Field<number> {
	return {
		form: {
			displayName: 'Amount (Cents)',
			type: 'number',
			typeOptions: { minValue: 100, maxValue: 10_000_000_000, numberPrecision: 0 },
			default: 0,
			description: 'Amount in US cents, from $1.00 to $100,000,000.00',
			hint: '12500 is $125.00',
		},
		schema: paymentCents,
		required: true,
	};
}

/** EIP-712 domain, types and primary type: a wallet needs them, whether it signs or checks. */
const eip712Fields = {
	domain: jsonObject({
		label: 'Domain',
		description: 'EIP-712 domain that the wallet signs for',
		example: '{ "name": "…", "version": "1", "chainId": 42161, "verifyingContract": "0x…" }',
	}),
	types: jsonObject({
		label: 'Types',
		description: 'EIP-712 types that describe the typed data, with from, to, salt, expires and data',
	}),
	primaryType: text(
		{
			label: 'Primary Type',
			description: 'Name of the EIP-712 type that is signed',
			example: 'ForwardRequest',
		},
		filledText,
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
							'Code of an attempt, from the error message, that the service says was not made; lets exactly this payment be sent once more',
						example: '7F3A-91C2-1',
					},
					filledText.refine(isAttemptCode, 'isn’t an attempt code, e.g. 7F3A-91C2-1'),
				),
			),
		),
	),
	typedAmountUnit: literal(optional(
		choice(
			{
				label: 'Typed Amount Unit',
				description: 'What data.amount in the typed data counts; it must be the amount of the form',
			},
			[
				{ name: 'Cents', value: 'cents' },
				{ name: 'Not Checked', value: 'notChecked' },
				{ name: 'Token Units (Six Decimals)', value: 'tokenSixDecimals' },
			],
			'tokenSixDecimals',
		),
	)),
};

const whenWalletSigns = { signatureSource: ['wallet'] };

export const createInstantPayment = defineOperation({
	resource: 'payment',
	operation: 'createInstant',
	name: 'Create Instant',
	action: 'Create instant payment',
	description: 'Pay an external recipient at once. This moves money and cannot be undone here.',
	section: 'Endpoints 10',
	effect: 'write',
	notice:
		'This moves money and cannot be undone here. The same payment is sent once only, also when the node runs again.',
	fields: {
		teamId: teamId(),
		amountCents: amountInCents(),
		recipientEmail: text(
			{
				label: 'Recipient Email',
				description: 'Email address of the external recipient',
				example: 'ana@example.com',
			},
			email,
		),
		typedData: json(
			{
				label: 'Typed Data',
				description:
					'Object with from, to, salt, expires and data, as it is signed and sent. Before the wallet signs, data.amount must be the amount above, from (if an address) the wallet, and every team or email address in it the one above. All else is signed as given: to, salt, expires, and the other members of data.',
			},
			paymentTypedData,
		),
		...signatureFields,
		domain: shownWhen(whenWalletSigns, eip712Fields.domain),
		types: shownWhen(whenWalletSigns, eip712Fields.types),
		primaryType: shownWhen(whenWalletSigns, eip712Fields.primaryType),
		currency: choice(
			{ label: 'Currency', description: 'Currency of the payment' },
			[{ name: 'USD', value: 'USD' }],
			'USD',
		),
		network: choice(
			{ label: 'Network', description: 'Network on which the payment is made' },
			[{ name: 'Arbitrum', value: 'arbitrum' }],
			'arbitrum',
		),
		paymentReference: mustResolve(
			optional(
				text(
					{
						label: 'Payment Reference',
						description:
							'Invoice or payout number of your own. It is not sent; the node never pays the same reference of a team twice, even with new typed data.',
						example: 'INV-2026-0042',
					},
					filledText.transform((value) => value.trim()),
				),
			),
		),
	},
	options,
	run: async (input, service, { confirmedNotPaid, typedAmountUnit }) => {
		const { teamId: team, amountCents, recipientEmail, typedData, domain, types } = input;
		const sign = async () => {
			if (domain === undefined || types === undefined || input.primaryType === undefined) {
				throw new Refusal('Domain, Types or Primary Type is missing', {
					field: 'domain',
					hint: 'The wallet needs all three to sign. Fill them in, or provide a signature. Nothing was sent.',
				});
			}
			const [{ instantPaymentTypedData }, wallet] = await Promise.all([
				import('../../wallet'),
				service.wallet(),
			]);
			const guarded = instantPaymentTypedData(
				{ typedData, domain, types, primaryType: input.primaryType },
				{
					walletAddress: wallet.address,
					teamId: team,
					amountCents,
					recipientEmail,
					typedAmountUnit: typedAmountUnit ?? 'tokenSixDecimals',
				},
			);
			return { signature: await wallet.signTypedData(guarded), signed: guarded.message };
		};
		const signer = input.signer ?? (await service.wallet()).address;
		const payment = {
			baseUrl: service.credentials.baseUrl,
			teamId: team,
			signer,
			typedData,
			reference: input.paymentReference,
			summary: `${centsAsDollars(amountCents)} to ${recipientEmail}`,
			item: service.item,
			confirmedNotPaid,
		};
		const earlier = service.payments.earlier(payment);
		if (earlier !== undefined) return [earlier];
		const { signature, signed } =
			input.signature === undefined
				? await sign()
				: { signature: input.signature, signed: typedData };
		const outcome = await service.payments.pay(
			payment,
			async () =>
				await service.call({
					method: 'PUT',
					path: '/v2/payments/external_entity/instant',
					body: {
						from: team,
						amount_cents: amountCents,
						signer,
						typed_data: signed,
						signature,
						external_recipient_email: recipientEmail,
						currency_symbol: input.currency,
						network: input.network,
					},
					answer: instantPaymentAnswer,
				}),
		);
		return [outcome];
	},
});

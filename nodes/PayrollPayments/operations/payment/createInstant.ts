import { requireAllowedPayment } from '../../api/permissions';
import {
	centsAsDollars,
	email,
	instantPaymentAnswer,
	paymentCents,
	paymentTypedData,
	Refusal,
} from '../../contract';
import { optional, shownWhen, type Field } from '../../form/field';
import { choice, filledText, json, text } from '../../form/fieldKinds';
import { jsonObject, signatureFields, teamId } from '../../form/serviceFields';
import { paymentKey } from '../../transport/paymentGuard';
import { defineOperation, planEach, readOptions, type InputItem } from '../definition';

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
	paymentOutcomeConfirmed: optional(
		choice(
			{
				label: 'Payment Outcome Confirmed',
				description:
					'After the service has told you that exactly this payment was not made: release its record and send it. Set it back to Unset afterwards.',
			},
			[
				{ name: 'Not Paid', value: 'notPaid' },
				{ name: 'Unset', value: 'unset' },
			],
			'unset',
		),
	),
	typedAmountUnit: optional(
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
	),
};

/** Where the options are at fault, the form refuses the item and says why. */
function isConfirmedNotPaid(item: InputItem): boolean {
	try {
		return readOptions(options, item).paymentOutcomeConfirmed === 'notPaid';
	} catch {
		return false;
	}
}

const whenWalletSigns = { signatureSource: ['wallet'] };

export const createInstantPayment = defineOperation({
	resource: 'payment',
	operation: 'createInstant',
	name: 'Create Instant',
	action: 'Create instant payment',
	description: 'Pay an external recipient at once. This moves money and cannot be undone here.',
	section: 'Endpoints 10',
	effect: 'write',
	permission: 'sendPayments',
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
	},
	options,
	run: async (input, service, { paymentOutcomeConfirmed, typedAmountUnit }) => {
		const { teamId: team, amountCents, recipientEmail, typedData, domain, types } = input;
		requireAllowedPayment(service.credentials, { amountCents, recipientEmail, typedAmountUnit });
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
			key: paymentKey({
				baseUrl: service.credentials.baseUrl,
				teamId: team,
				signer,
				typedData,
			}),
			wording: `${centsAsDollars(amountCents)} to ${recipientEmail}`,
			item: service.item,
			isConfirmedNotPaid: paymentOutcomeConfirmed === 'notPaid',
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
	/* The service was asked about one payment; the records of all others in the run must stay. */
	plan: (items, planOne) => {
		const released = items.filter(isConfirmedNotPaid);
		return planEach(items, (item) => {
			const job = planOne(item);
			if (released.length < 2 || !released.includes(item)) return job;
			throw new Refusal(
				`Payment Outcome Confirmed is “Not Paid” for ${released.length} payments, and it may be so for one`,
				{
					field: 'paymentOutcomeConfirmed',
					hint: 'Run the node with only the payment that the service says was not made. Nothing was sent.',
				},
			);
		});
	},
});

import {
	put,
	refusing,
	SIGNATURE,
	WRONG_EMAILS,
	WRONG_SIGNERS,
	type OperationCases,
} from '../cases';
import { forbiddenTexts } from '../examples';
import { bodyField, boundsOf, valuesOf } from '../openapi';
import type { World } from '../world';

const [LEAST_CENTS, MOST_CENTS] = boundsOf(bodyField('createInstantPayment', 'amount_cents'));
const AMOUNTS = [LEAST_CENTS, LEAST_CENTS + 1, 12_345, MOST_CENTS - 1, MOST_CENTS];

/** A payment that is ready to be signed. */
const paying = async (world: World, cents = 12_500, email = 'ana@example.com') =>
	await world.payment(
		{ amountCents: cents, recipientEmail: email },
		{ amount_cents: cents, email },
	);

export const createInstantPayment: OperationCases = {
	name: 'payment.create',
	calls: ['createInstantPayment'],
	/* The rest is what the node itself knows of the payment. */
	answers: (output) => output.map(({ transaction }) => ({ transaction })),
	requests: ({ teamId, amountCents, recipientEmail, typedData, signature }, world) => {
		const given = JSON.parse(String(typedData));
		return [
			put('/v2/payments/external_entity/instant', {
				from: teamId,
				amount_cents: Number(amountCents),
				signer: world.account().address,
				typed_data: given.message ?? given,
				signature: signature ?? expect.stringMatching(SIGNATURE),
				external_recipient_email: recipientEmail,
				currency_symbol: 'USD',
				network: 'arbitrum',
			}),
		];
	},
	groups: () => [
		/* test/unit/operations/amounts.test.ts has what isn't one, and those in dollars. */
		{
			what: `amounts from ${LEAST_CENTS} to ${MOST_CENTS} cents, as numbers and as digits`,
			accepted: AMOUNTS.flatMap((amount) =>
				[amount, ` ${amount} `].map((amountCents) => ({
					form: async (world: World) => ({ ...(await paying(world, amount)), amountCents }),
				})),
			),
			refused: [
				...[LEAST_CENTS - 1, MOST_CENTS + 1, 0, -LEAST_CENTS].map((amount) => ({
					label: 'Amount (Cents)',
					form: async (world: World) => await paying(world, amount),
				})),
			],
		},
		{
			what: 'USD on Arbitrum, and no other currency or network',
			accepted: [{ form: { currency: 'USD', network: 'arbitrum' } }],
			refused: [
				...refusing('Currency', 'currency', ['', 'EUR', 'USDC', 'usd']),
				...refusing('Network', 'network', [
					'',
					...valuesOf('Deposit.network').filter((network) => network !== 'arbitrum'),
					'Arbitrum',
				]),
			],
		},
		{
			what: 'a team and a recipient',
			accepted: [{ form: async (world) => await paying(world, 12_500, 'a.b+c@mail.example.org') }],
			refused: [
				...refusing('Team ID', 'teamId', forbiddenTexts('TeamId')),
				...refusing('Recipient Email', 'recipientEmail', ['', ...WRONG_EMAILS]),
			],
		},
		{
			what: 'a provided signature, unchecked',
			accepted: [
				{
					form: async (world) => {
						const payload = await world.authorization();
						const options = { domain: '', types: '', primaryType: '' };
						return world.paying(payload, { ...(await world.signed(payload)), options });
					},
				},
			],
			refused: WRONG_SIGNERS,
		},
		{
			what: 'no other typed data',
			/* test/unit/signing/payloads.test.ts has each member. */
			refused: refusing('Payment Authorization', 'typedData', [
				'',
				'{',
				'[]',
				'{}',
				'{"salt":"1"}',
			]),
		},
	],
};

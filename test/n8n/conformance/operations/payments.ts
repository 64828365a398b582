import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import {
	refusing,
	SIGNATURE,
	WRONG_ADDRESSES,
	WRONG_EMAILS,
	WRONG_SIGNATURES,
	type OperationCases,
} from '../cases';
import { forbiddenTexts } from '../examples';
import { bodyField, boundsOf, fieldsOf, schema, valuesOf } from '../openapi';
import type { World } from '../world';

const [LEAST_CENTS, MOST_CENTS] = boundsOf(bodyField('createInstantPayment', 'amount_cents'));
const AMOUNTS = [LEAST_CENTS, LEAST_CENTS + 1, 12_345, MOST_CENTS - 1, MOST_CENTS];

const DOLLARS: ReadonlyArray<readonly [string, number]> = [
	['1', LEAST_CENTS],
	['1.00', LEAST_CENTS],
	['1.01', LEAST_CENTS + 1],
	['125', 12_500],
	['125.5', 12_550],
	['125.50', 12_550],
	['99999999.99', MOST_CENTS - 1],
	['100000000.00', MOST_CENTS],
];

const DATA_FIELDS = Object.keys(schema('PaymentTypedData').properties?.data?.properties ?? {});

const typesShape = z.record(z.array(z.object({ name: z.string(), type: z.string() })));
const jsonObject = z.record(z.unknown());
const parsed = (value: unknown): Record<string, unknown> =>
	jsonObject.parse(JSON.parse(String(value)));

/** Options without what the signature covers. */
const UNDESCRIBED = { domain: '', types: '', primaryType: '' };

const parsedOptions = (options: unknown) =>
	z.object({ domain: z.string(), types: z.string(), primaryType: z.string() }).parse(options);

/** The form with a signature made outside n8n, by another library. */
async function provided(
	world: World,
	{ options, ...form }: INodeParameters,
	isChecked: boolean,
): Promise<INodeParameters> {
	const { domain, types } = parsedOptions(options);
	const signature = await world
		.wallet()
		.signTypedData(parsed(domain), typesShape.parse(parsed(types)), parsed(form.typedData));
	return {
		...form,
		options: isChecked ? options : UNDESCRIBED,
		signatureSource: 'provided',
		signer: world.account().address,
		signature,
	};
}

const messageShape = z.object({ message: z.unknown() });

export const createInstantPayment: OperationCases = {
	name: 'Payment: Create Instant',
	calls: ['createInstantPayment'],
	effect: 'write',
	resource: 'payment',
	operation: 'create',
	form: (world) => ({
		...world.payment(),
		currency: 'USD',
		network: 'arbitrum',
		signatureSource: 'wallet',
	}),
	requests: ({ teamId, amountCents, recipientEmail, typedData, signature }, world) => {
		const given = parsed(typedData);
		return [
			{
				method: 'PUT',
				path: '/v2/payments/external_entity/instant',
				query: {},
				body: {
					from: teamId,
					amount_cents: Number(amountCents),
					signer: world.account().address,
					typed_data: messageShape.parse(given).message ?? given,
					signature: signature ?? expect.stringMatching(SIGNATURE),
					external_recipient_email: recipientEmail,
					currency_symbol: 'USD',
					network: 'arbitrum',
				},
			},
		];
	},
	answers: (output) => output,
	shown: ({ teamId, amountCents, recipientEmail, typedData, options }, world) => {
		const message = parsed(typedData);
		const { recipient, token } = jsonObject.parse(message.data);
		const { domain, primaryType } = parsedOptions(options);
		return {
			signs: { domain: parsed(domain), primaryType, message },
			amount: (Number(amountCents) / 100).toFixed(2),
			currency: 'USD',
			network: 'arbitrum',
			team: teamId,
			recipient_email: recipientEmail,
			recipient_address: recipient,
			token,
			reference: null,
			expires: message.expires,
			signer: world.account().address,
		};
	},
	groups: () => [
		{
			what: `amounts from ${LEAST_CENTS} to ${MOST_CENTS} cents, as numbers and as digits`,
			guards: [
				'endpoint-10/amount_cents',
				'limits/amount_cents',
				'common-formats/amount*',
				'endpoint-10/answer*',
				'endpoint-10/send*',
				'endpoint-10/the-documentation*',
				'requests/endpoint-10-which*',
			],
			accepted: [
				...AMOUNTS.map((amount) => ({ form: (world: World) => world.payment(amount) })),
				...AMOUNTS.map((amount) => ({
					form: (world: World) => ({ ...world.payment(amount), amountCents: String(amount) }),
				})),
			],
			refused: [
				...[LEAST_CENTS - 1, MOST_CENTS + 1, 0, -LEAST_CENTS].map((amount) => ({
					label: 'Amount (Cents)',
					form: (world: World) => world.payment(amount),
				})),
				...refusing('Amount (Cents)', 'amountCents', [
					100.5,
					'',
					'1e3',
					'1,250',
					'125.00',
					'-100',
					'99',
					'10000000001',
				]),
			],
		},
		{
			what: 'amounts in dollars, to the cent',
			guards: ['endpoint-10/amount_cents', 'limits/amount_cents', 'common-formats/amount*'],
			accepted: DOLLARS.map(([amountDollars, cents]) => ({
				form: (world: World) => ({
					...world.payment(cents),
					amountUnit: 'dollars',
					amountDollars,
				}),
			})),
			refused: refusing(
				'Amount (Dollars)',
				'amountDollars',
				['', '0.99', '100000000.01', '125.505', '1,250.00', '1e3', ' 5', '-1', '$5', '125.', '.50'],
				{ amountUnit: 'dollars' },
			),
		},
		{
			what: 'USD on Arbitrum, and no other currency or network',
			guards: [
				'endpoint-10/currency_symbol',
				'endpoint-10/network',
				'limits/currency_symbol',
				'limits/network',
			],
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
			guards: ['endpoint-10/from', 'endpoint-10/external_recipient_email', 'common-formats/email'],
			accepted: [{ form: (world) => world.payment(12_500, 'a.b+c@mail.example.org') }],
			refused: [
				...refusing('Team ID', 'teamId', forbiddenTexts('TeamId')),
				...refusing('Recipient Email', 'recipientEmail', ['', ...WRONG_EMAILS]),
			],
		},
		{
			what: 'a signature of the wallet, or a provided one, checked and unchecked',
			guards: [
				'endpoint-10/signature',
				'endpoint-10/signer',
				'common-formats/ecdsa-signature',
				'common-formats/evm-address',
			],
			accepted: [
				{},
				{ form: async (world) => await provided(world, world.payment(), true) },
				{ form: async (world) => await provided(world, world.payment(LEAST_CENTS), false) },
			],
			refused: [
				...refusing('Signature', 'signature', WRONG_SIGNATURES, {
					signatureSource: 'provided',
					signer: '0x52908400098527886E0F7030069857D2E4169EE7',
				}),
				...refusing('Signer', 'signer', ['', ...WRONG_ADDRESSES], {
					signatureSource: 'provided',
					signature: `0x${'a1'.repeat(65)}`,
				}),
			],
		},
		{
			what: 'typed data alone, and in a whole EIP-712 payload',
			guards: ['endpoint-10/typed_data', 'endpoint-10/typed_data.data'],
			accepted: [
				{},
				{
					form: (world) => {
						const { typedData, options, ...others } = world.payment();
						const { domain, types, primaryType } = parsedOptions(options);
						const payload = {
							domain: parsed(domain),
							types: parsed(types),
							primaryType,
							message: parsed(typedData),
						};
						return {
							...others,
							typedData: JSON.stringify(payload),
							options: UNDESCRIBED,
						};
					},
				},
			],
			refused: [
				...[...fieldsOf('PaymentTypedData'), 'more'].map((name) => ({ name, part: [] })),
				...[...DATA_FIELDS, 'more'].map((name) => ({ name, part: ['data'] })),
			].map(({ name, part }) => ({
				label: 'Payment Authorization',
				form: (world: World) => {
					const form = world.payment();
					const typedData = parsed(form.typedData);
					const whole = part.length === 0 ? typedData : jsonObject.parse(typedData.data);
					const { [name]: known, ...others } = whole;
					const target = known === undefined ? { ...others, [name]: '1' } : others;
					const changed = part.length === 0 ? target : { ...typedData, data: target };
					return { ...form, typedData: JSON.stringify(changed) };
				},
			})),
		},
	],
};

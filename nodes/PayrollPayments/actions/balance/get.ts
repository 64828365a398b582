import { z } from 'zod';

import { BALANCE_CURRENCIES, centsTextAsDecimal } from '../../shared/money';
import { balanceAnswer } from '../../api/schemas/answers';
import type { Query } from '../../api/client';
import { optional } from '../fields/field';
import { choice, choices } from '../fields/kinds';
import { entityId } from '../fields/serviceFields';
import { defineOperation } from '../defineOperation';
import { call } from '../service';

/** One item of the output *One Item per Currency*. */
const currencyBalance = z.object({
	entity_id: z.string(),
	platform_account_address: z.string(),
	currency: z.string(),
	/** Decimal text; null if `balance_cents` isn't a whole number. */
	balance: z.string().nullable(),
	balance_cents: z.string(),
});

type CurrenciesEncoding = 'brackets' | 'commaSeparated' | 'repeated';

/** How an array goes into a query isn't documented. */
function currenciesQuery(currencies: readonly string[], encoding: CurrenciesEncoding): Query {
	if (encoding === 'brackets') return { 'currencies[]': currencies };
	return { currencies: encoding === 'commaSeparated' ? currencies.join(',') : currencies };
}

/** docs/api.md, Endpoint 3. */
export const getBalance = defineOperation({
	resource: 'balance',
	operation: 'get',
	name: 'Get',
	action: 'Get balance',
	description: 'Get the account address and balances of a team, company or user',
	effect: 'read',
	fields: {
		entityId: entityId('te', 'co', 'us'),
		currencies: optional(
			choices(
				{
					label: 'Currencies',
					description: 'Currencies to return; leave empty for all',
				},
				BALANCE_CURRENCIES.map((currency) => ({ name: currency, value: currency })),
			),
		),
		output: choice(
			{ label: 'Output', description: 'What each item contains' },
			[
				{
					name: 'As Received',
					value: 'asReceived',
					description: 'One item with the account address and all balances, in cents',
				},
				{
					name: 'One Item per Currency',
					value: 'perCurrency',
					description: 'One flat row for each currency, with the balance as a decimal and in cents',
				},
			],
			'asReceived',
		),
	},
	options: {
		currenciesEncoding: optional(
			choice(
				{
					label: 'Currencies Encoding',
					description:
						"How to send several currencies, which the service doesn't document. Change it only if the service rejects or ignores Currencies.",
				},
				[
					{
						name: 'Brackets',
						value: 'brackets',
						description: 'Sends currencies[]=EUR&currencies[]=USD',
					},
					{
						name: 'Comma-Separated',
						value: 'commaSeparated',
						description: 'Sends currencies=EUR,USD',
					},
					{
						name: 'Repeated',
						value: 'repeated',
						description: 'Sends currencies=EUR&currencies=USD',
					},
				],
				'repeated',
			),
		),
	},
	output: z.union([balanceAnswer, currencyBalance]),
	run: async ({ entityId: nanoid, currencies, output }, service, { currenciesEncoding }) => {
		const answer = await call(service, {
			method: 'GET',
			path: '/v2/balance',
			query: { nanoid, ...currenciesQuery(currencies ?? [], currenciesEncoding ?? 'repeated') },
			answer: balanceAnswer,
		});
		if (output === 'asReceived') return [answer];
		return answer.balances.map(({ currency, balance_cents }) =>
			currencyBalance.parse({
				entity_id: nanoid,
				platform_account_address: answer.platform_account_address,
				currency,
				balance: centsTextAsDecimal(balance_cents),
				balance_cents,
			}),
		);
	},
});

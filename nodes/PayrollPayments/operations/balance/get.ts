import { BALANCE_CURRENCIES, balanceAnswer } from '../../contract';
import { optional } from '../../form/field';
import { choices } from '../../form/fieldKinds';
import { entityId } from '../../form/serviceFields';
import { defineOperation } from '../definition';

export const getBalance = defineOperation({
	resource: 'balance',
	operation: 'get',
	name: 'Get',
	action: 'Get balance',
	description: 'Get the account address and the balances of a team, company or user',
	section: 'Endpoint 3',
	effect: 'read',
	fields: {
		entityId: entityId('te', 'co', 'us'),
		currencies: optional(
			choices(
				{
					label: 'Currencies',
					description: 'Currencies to return; all that the service supports where none is chosen',
				},
				BALANCE_CURRENCIES.map((currency) => ({ name: currency, value: currency })),
			),
		),
	},
	run: async ({ entityId: nanoid, currencies }, service) => [
		await service.call({
			method: 'GET',
			path: '/v2/balance',
			query: { nanoid, currencies },
			answer: balanceAnswer,
		}),
	],
});

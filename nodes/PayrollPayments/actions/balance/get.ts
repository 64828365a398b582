import { BALANCE_CURRENCIES } from '../../shared/money';
import { balanceAnswer } from '../../api/schemas/answers';
import { optional } from '../fields/field';
import { choices } from '../fields/kinds';
import { entityId } from '../fields/serviceFields';
import { defineOperation } from '../defineOperation';
import { call } from '../service';

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
	},
	run: async ({ entityId: nanoid, currencies }, service) => [
		await call(service, {
			method: 'GET',
			path: '/v2/balance',
			query: { nanoid, currencies },
			answer: balanceAnswer,
		}),
	],
});

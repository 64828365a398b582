import { accepting, get, refusing, refusingOption, repeated, type OperationCases } from '../cases';
import { forbiddenTexts } from '../examples';
import { valuesOf } from '../openapi';

const FILTER_CURRENCIES = valuesOf('BalanceFilterCurrency');

const ENCODINGS = [
	{ currenciesEncoding: 'repeated', query: { currencies: ['USD', 'EUR'] } },
	{ currenciesEncoding: 'commaSeparated', query: { currencies: 'USD,EUR' } },
	{ currenciesEncoding: 'brackets', query: { 'currencies[]': ['USD', 'EUR'] } },
] as const;

export const getBalance: OperationCases = {
	name: 'balance.get',
	calls: ['getBalance'],
	form: () => ({ output: 'asReceived' }),
	requests: ({ entityId, currencies }) => [
		get('/v2/balance', {
			nanoid: String(entityId),
			...(Array.isArray(currencies) ? { currencies: repeated(currencies.map(String)) } : {}),
		}),
	],
	groups: ({ team, company, firstTeam }) => [
		{
			what: '`te-`, `co-` and `us-` entities',
			accepted: accepting('entityId', [team, company, firstTeam.users[0]?.nanoid ?? '']),
			refused: refusing('Team, Company or User ID', 'entityId', forbiddenTexts('EntityId')),
		},
		{
			what: 'each of the 7 currencies of the filter, all of them, and none',
			accepted: [
				{},
				...accepting('currencies', [
					...FILTER_CURRENCIES.map((currency) => [currency]),
					[...FILTER_CURRENCIES],
				]),
			],
			refused: refusing('Currencies', 'currencies', [['usd'], ['USD', 'EURO']]),
		},
		/* test/n8n/reads.test.ts has the items, and currencies that the filter doesn't know. */
		{
			what: 'no other output than as received, or one item per currency',
			refused: refusing('Output', 'output', ['', 'perAccount']),
		},
		{
			what: 'currencies repeated, separated by commas, and in brackets',
			accepted: ENCODINGS.map(({ currenciesEncoding, query }) => ({
				form: { currencies: ['USD', 'EUR'], options: { currenciesEncoding } },
				prepare: ({ service }) =>
					void service.change({ currenciesEncodings: [currenciesEncoding] }),
				requests: () => [get('/v2/balance', { nanoid: team, ...query })],
			})),
			refused: refusingOption('Currencies Encoding', 'currenciesEncoding', ['pipes', 'Repeated']),
		},
	],
};

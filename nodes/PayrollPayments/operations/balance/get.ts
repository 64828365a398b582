import { z } from 'zod';

import { centsTextAsDecimal, wholeCents } from '../../shared/money';
import { isCurrency, isListed, isRequestable, type Currency } from '../../contract/currencies';
import { balanceAnswer } from '../../api/schemas/answers';
import { balanceCall } from '../../api/balanceCall';
import type { Query } from '../../api/call';
import { choice, flag, menu } from '../../forms/fieldTypes';
import { balanceCurrencies, entityId } from '../../forms/serviceFields';
import { defineRead } from '../../run/operation';
import type { RunContext } from '../../run/runContext';

/** One item of the output *One Item per Currency*. */
const currencyBalance = z.object({
	currency: z.string(),
	/** Decimal text; null if `balance_cents` isn't a whole number. */
	balance: z.string().nullable(),
	balance_cents: z.string(),
	entity_id: z.string(),
	platform_account_address: z.string().nullable(),
});

/** No filter: the service returns all currencies. */
const ALL: Query = {};

/**
 * The filter, whose encoding isn't documented. Without one the service returns all currencies, so it
 * stays away if a currency is chosen that the service lists but doesn't take in the filter.
 */
function currenciesQuery(chosen: readonly Currency[], encoding = 'repeated'): Query {
	if (chosen.length === 0 || !chosen.every(isRequestable)) return ALL;
	if (encoding === 'brackets') return { 'currencies[]': chosen };
	return { currencies: encoding === 'commaSeparated' ? chosen.join(',') : chosen };
}

/** The service's answer. If its filter may have left out a chosen currency, with what it lists without one. */
async function readBalance(
	{ read }: RunContext,
	nanoid: string,
	chosen: readonly Currency[],
	encoding?: string,
) {
	const query = currenciesQuery(chosen, encoding);
	const filtered = await read(balanceCall(nanoid, query));
	const isWhole = chosen
		.filter(isListed)
		.every((each) => filtered.balances.some(({ currency }) => isCurrency(currency, each)));
	/* Of several, the service may have read one only: how to send them isn't documented. */
	if (chosen.length < 2 || query === ALL || isWhole) return filtered;
	const all = await read(balanceCall(nanoid));
	const others = all.balances.filter(
		({ currency: code }) => !filtered.balances.some(({ currency }) => currency === code),
	);
	return { ...filtered, balances: [...filtered.balances, ...others] };
}

/** docs/api.md, Endpoint 3. */
export const getBalance = defineRead({
	resource: 'balance',
	operation: 'get',
	name: 'Get',
	action: 'Get balance',
	description: 'Get the account address and balances of a team, company or user',
	emptyNotice:
		'There is no balance, or each is zero. To output zero balances, turn on Include Zero Balances.',
	fields: {
		entityId: entityId('te', 'co', 'us'),
		currencies: balanceCurrencies(
			'Currencies to return; leave empty for all. The service documents no balance in BTC, USDC or USDT: One Item per Currency has 0 for them.',
		),
		includeZero: flag({
			label: 'Include Zero Balances',
			description:
				'Whether One Item per Currency includes currencies with a balance of zero. Those that you select under Currencies are always included.',
		}),
		output: choice(
			{ label: 'Output', description: 'What each item contains' },
			menu({
				asReceived: 'All balances in one item, in cents',
				perCurrency: { name: 'One Item per Currency', description: 'One flat row for each' },
			}),
			'perCurrency',
		),
	},
	options: {
		currenciesEncoding: choice(
			{
				label: 'Currencies Encoding',
				description:
					'How to send several currencies, which the service doesn’t document. Change it only if the service rejects or ignores Currencies.',
				empty: 'unset',
			},
			menu({
				brackets: 'As currencies[]=EUR',
				commaSeparated: { name: 'Comma-Separated', description: 'As currencies=EUR,USD' },
				repeated: 'As currencies=EUR&currencies=USD',
			}),
			'repeated',
		),
	},
	output: z.union([currencyBalance, balanceAnswer]),
	request: async (input, run, { currenciesEncoding }) => {
		const { entityId: nanoid, currencies: chosen = [], includeZero, output } = input;
		const isChosen = (code: string) => chosen.some((each) => isCurrency(code, each));
		const answer = await readBalance(run, nanoid, chosen, currenciesEncoding);
		const balances = answer.balances.filter(
			({ currency }) => chosen.length === 0 || isChosen(currency),
		);
		if (output === 'asReceived') return [{ ...answer, balances }];
		const zeros = chosen
			.filter((each) => !balances.some(({ currency }) => isCurrency(currency, each)))
			.map((currency) => ({ currency, balance_cents: '0' }));
		return [...balances, ...zeros]
			.filter(
				({ currency, balance_cents }) =>
					includeZero || isChosen(currency) || wholeCents(balance_cents) !== 0n,
			)
			.map(({ currency, balance_cents }) =>
				currencyBalance.parse({
					currency,
					balance: centsTextAsDecimal(balance_cents),
					balance_cents,
					entity_id: nanoid,
					platform_account_address: answer.platform_account_address,
				}),
			);
	},
});

import { balanceAnswer } from '../api/schemas/answers';
import { mustResolve, readFields } from '../forms/field';
import { wholeNumber } from '../forms/fieldTypes';
import { balanceCurrencies, entityId } from '../forms/serviceFields';
import { centsAsDecimal } from '../shared/money';
import { described, unreadable, type ChangeKind, type Observation } from './snapshots';

const fields = {
	entityId: described(entityId('te', 'co', 'us'), 'Whose balances to watch'),
	currencies: mustResolve(balanceCurrencies('The currencies to watch; leave empty for all')),
	minimumChangeCents: wholeNumber(
		{
			label: 'Minimum Change (Cents)',
			description:
				'The smallest change that counts, up or down, in cents, e.g. 12500 for $125.00. Smaller changes add up until they reach it.',
		},
		{ least: 0, preset: 0 },
	),
};

/** `amount` as decimal text, and `amount_cents` as the service writes cents: digits in text. */
function amount<Name extends string>(name: Name, cents: bigint) {
	return { [name]: centsAsDecimal(cents), [`${name}_cents`]: String(cents) };
}

/** Whole cents (docs/api.md, Balance entry), which may be negative. */
function centsOf(text: string): string {
	if (!/^-?\d+$/.test(text)) throw unreadable("A balance in the response isn't whole cents");
	return String(BigInt(text));
}

function magnitude(cents: bigint): bigint {
	return cents < 0n ? -cents : cents;
}

/**
 * docs/api.md, Endpoint 3, without its filter, whose encoding isn't documented. A currency that isn't
 * listed has a balance of 0.
 */
export const balanceChanged: ChangeKind = {
	name: 'Balance Changed',
	description: 'A balance of a team, company or user went up or down',
	fields,
	readWatch: (source) => {
		const { currencies = [], ...rest } = readFields(fields, source);
		return { ...rest, currencies: [...new Set(currencies)].sort() };
	},
	observe: async ({ call, watch: { entityId: nanoid, currencies = [] } }) => {
		const { balances } = await call({
			method: 'GET',
			path: '/v2/balance',
			query: { nanoid },
			answer: balanceAnswer,
		});
		const found = new Map<string, Observation>();
		for (const record of balances) {
			const { currency, balance_cents: cents } = record;
			if (currencies.length > 0 && !currencies.includes(currency)) continue;
			if (currency === '' || /\s/.test(currency) || found.has(currency)) {
				throw unreadable('The response lists a currency twice, or one without a name');
			}
			found.set(currency, { compared: centsOf(cents), record });
		}
		return found;
	},
	compare: (before, now, { minimumChangeCents = 0 }) => {
		const remembered = new Map(before);
		const changes = [...new Set([...now.keys(), ...before.keys()])]
			.map((id) => ({ id, before: before.get(id)?.compared, now: now.get(id) }))
			.filter(({ id, before: told = '0', now: seen }) => {
				const change = magnitude(BigInt(seen?.compared ?? '0') - BigInt(told));
				if (change === 0n || change < BigInt(minimumChangeCents)) return false;
				/* Changes that are too small stay compared with what was told last, so they add up. */
				if (seen === undefined) remembered.delete(id);
				else remembered.set(id, seen);
				return true;
			});
		return { changes, remembered };
	},
	describe: async (changes, { watch }) =>
		changes.map(({ id, before = '0', now }) => {
			const [previous, balance] = [BigInt(before), BigInt(now?.compared ?? '0')];
			return {
				entity_id: watch.entityId,
				currency: id,
				...amount('balance', balance),
				...amount('previous_balance', previous),
				...amount('change', balance - previous),
			};
		}),
};

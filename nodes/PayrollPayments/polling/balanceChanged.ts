import { balanceCall } from '../api/balanceCall';
import { unusableAnswer } from '../api/errors';
import { readFields } from '../forms/field';
import { wholeNumber } from '../forms/fieldTypes';
import { balanceCurrencies, entityId } from '../forms/serviceFields';
import { centsAsDecimal, wholeCents } from '../shared/money';
import { described, type ChangeKind, type Observation } from './snapshots';

const fields = {
	entityId: described(entityId('te', 'co', 'us'), 'Whose balances to watch'),
	currencies: balanceCurrencies('The currencies to watch; leave empty for all'),
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
	const cents = wholeCents(text);
	if (cents === undefined) throw unusableAnswer('A balance in the response isn’t whole cents');
	return String(cents);
}

/**
 * docs/api.md, Endpoint 3, without its filter, whose encoding isn't documented. A currency that isn't
 * listed has a balance of 0.
 */
export const balanceChanged: ChangeKind = {
	description: 'A balance of a team, company or user went up or down',
	fields,
	readWatch: (source) => {
		const { currencies = [], ...rest } = readFields(fields, source);
		return { ...rest, currencies: [...new Set(currencies)].sort() };
	},
	observe: async ({ call, watch: { entityId: nanoid, currencies = [] } }) => {
		const { balances } = await call(balanceCall(nanoid));
		const found = new Map<string, Observation>();
		for (const record of balances) {
			const { currency, balance_cents: cents } = record;
			if (currencies.length > 0 && !currencies.includes(currency)) continue;
			if (currency === '' || /\s/.test(currency) || found.has(currency)) {
				throw unusableAnswer('The response lists a currency twice, or one without a name');
			}
			found.set(currency, { compared: centsOf(cents), record });
		}
		return found;
	},
	addsUp: true,
	isChange: (before = '0', now = '0', { minimumChangeCents = 0 }) => {
		const change = BigInt(now) - BigInt(before);
		const magnitude = change < 0n ? -change : change;
		return change !== 0n && magnitude >= BigInt(minimumChangeCents);
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

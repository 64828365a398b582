import { ServiceFailure } from '../failure';
import type { Organisation } from '../organisation';
import { ANY_ROLE, requireRole } from '../roles';
import { defineOperation } from './operation';

interface Request {
	readonly query: { readonly nanoid: string; readonly currencies?: readonly string[] };
}

/** Operation 3: balances of a team, company or user. */
export const getBalance = defineOperation<Request>(
	'getBalance',
	({ query: { nanoid, currencies } }, { service, caller }) => {
		const { account, balances, place } = entity(nanoid, service.organisation);
		requireRole(caller, place, ANY_ROLE, service.organisation);
		// Of the currencies that may be asked for, an entry can name only the fiat ones.
		const shown = service.description
			.enumeration('BalanceCurrency')
			.filter((currency) => !currencies || currencies.includes(currency));
		return {
			platform_account_address: account,
			balances: shown.map((currency) => ({
				currency,
				balance_cents: String(balances.get(currency) ?? 0n),
			})),
		};
	},
);

interface Entity {
	readonly account: string;
	readonly balances: ReadonlyMap<string, bigint>;
	/** Where a role is needed: the workspace itself, or a user's team. */
	readonly place: string;
}

function entity(nanoid: string, organisation: Organisation): Entity {
	const workspace = organisation.workspace(nanoid);
	if (workspace) return { ...workspace, place: nanoid };
	const found = organisation.user(nanoid);
	if (!found) throw new ServiceFailure(404, `${nanoid} does not exist`, 'entity_not_found');
	const { user, team } = found;
	// A user's balance needs no bookkeeping: it follows from the identifier.
	const cents = [...nanoid].reduce((sum, letter) => sum * 7n + BigInt(letter.charCodeAt(0)), 0n);
	const balances = new Map([['USD', user.payable ? cents % 1_000_000n : 0n]]);
	return { account: user.platform_account, balances, place: team.nanoid };
}

import { ServiceFailure } from '../failure';
import type { Organisation } from '../organisation';
import { ANY_ROLE, existing, requireRole } from '../roles';
import { defineOperation } from './operation';

interface Request {
	readonly query: { readonly nanoid: string; readonly currencies?: readonly string[] };
}

/** Endpoint 3: balances of a team, company or user. */
export const getBalance = defineOperation<Request>(
	'getBalance',
	({ query: { nanoid, currencies } }, { service, caller }) => {
		const { organisation, settings } = service;
		const found = entity(nanoid, organisation);
		const { account, balances, unlisted } = existing(
			found,
			new ServiceFailure(404, `${nanoid} does not exist`, 'ENTITY_NOT_FOUND'),
			() => requireRole(caller, found?.place ?? nanoid, ANY_ROLE, organisation),
			settings,
		);
		// Balance entries don't know every currency that the filter accepts (docs/api.md, Balance entry).
		const shown = service.description
			.enumeration('BalanceCurrency')
			.filter((currency) => !currencies || currencies.includes(currency))
			.filter((currency) => !unlisted.has(currency));
		const cents = (currency: string): bigint => balances.get(currency) ?? 0n;
		return {
			platform_account_address: account,
			balances: shown.map((currency) => ({
				currency,
				balance_cents:
					settings.balanceCents === 'text' ? String(cents(currency)) : Number(cents(currency)),
			})),
		};
	},
);

interface Entity {
	readonly account: string;
	readonly balances: ReadonlyMap<string, bigint>;
	readonly unlisted: ReadonlySet<string>;
	/** The workspace itself or the user's team: where the caller needs a role. */
	readonly place: string;
}

function entity(nanoid: string, organisation: Organisation): Entity | undefined {
	const workspace = organisation.workspace(nanoid);
	if (workspace) return { ...workspace, place: nanoid };
	const found = organisation.user(nanoid);
	if (!found) return undefined;
	const { user, team } = found;
	// Users' balances never change, so they are derived from the identifier.
	const cents = [...nanoid].reduce((sum, letter) => sum * 7n + BigInt(letter.charCodeAt(0)), 0n);
	const balances = new Map([['USD', user.payable ? cents % 1_000_000n : 0n]]);
	return { account: user.platform_account, balances, unlisted: new Set(), place: team.nanoid };
}

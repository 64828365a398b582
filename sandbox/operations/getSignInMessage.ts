import { ServiceFailure } from '../failure';
import { defineOperation } from './operation';

interface Request {
	readonly query: { readonly wallet: string; readonly platformid: string };
}

/** Endpoint 1: a sign-in message for a wallet with a role on the platform identifier. */
export const getSignInMessage = defineOperation<Request>(
	'getSignInMessage',
	({ query: { wallet, platformid } }, { service }) => {
		const { accounts } = service.organisation;
		if (!accounts.some(({ platformId }) => platformId === platformid)) {
			throw new ServiceFailure(404, 'No such platform identifier', 'platform_not_found');
		}
		const account = service.organisation.account(wallet);
		if (account?.platformId !== platformid || account.role === null) {
			throw new ServiceFailure(
				403,
				'The wallet holds no allowed role on this platform identifier',
				'role_missing',
			);
		}
		const holder = { wallet, platformId: platformid };
		return { siwe: service.signIn.issue(holder, service.url, service.settings) };
	},
);

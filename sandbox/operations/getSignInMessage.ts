import { isPlatformOf } from '../accounts';
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
		if (!accounts.some((each) => isPlatformOf(each, platformid))) {
			throw new ServiceFailure(404, 'No such platform identifier', 'PLATFORM_NOT_FOUND');
		}
		const account = service.organisation.account(wallet);
		if (!account || !isPlatformOf(account, platformid) || account.role === null) {
			throw new ServiceFailure(
				403,
				'The wallet holds no allowed role on this platform identifier',
				'ROLE_MISSING',
			);
		}
		const holder = { wallet: account.address, platformId: platformid };
		return { siwe: service.signIn.issue(holder, service.url, service.settings) };
	},
);

import { ServiceFailure } from '../failure';
import { defineOperation } from './operation';

interface Request {
	readonly body: { readonly message: string; readonly sig: string; readonly nonce: string };
}

/** Endpoint 2: a JWT for a signed message. */
export const verifySignIn = defineOperation<Request>(
	'verifySignIn',
	async ({ body: { message, sig, nonce } }, { service }) => {
		const holder = await service.signIn.verify(message, sig, nonce, service.url);
		if (!service.organisation.account(holder.wallet)?.role) {
			throw new ServiceFailure(403, 'The wallet holds no allowed role', 'role_missing');
		}
		return { jwt: await service.tokens.issue(holder, service.settings.tokenLifetimeSeconds) };
	},
);

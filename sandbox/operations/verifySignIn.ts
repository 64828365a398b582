import { ServiceFailure } from '../failure';
import type { SignedMessage } from '../signInMessages';
import { defineOperation } from './operation';

interface Request {
	readonly body: SignedMessage;
}

/** Endpoint 2: a JWT for a signed message. */
export const verifySignIn = defineOperation<Request>(
	'verifySignIn',
	async ({ body }, { service }) => {
		const holder = await service.signIn.verify(body, service.url, service.settings);
		if (!service.organisation.account(holder.wallet)?.role) {
			throw new ServiceFailure(403, 'The wallet holds no allowed role', 'ROLE_MISSING');
		}
		return { jwt: await service.tokens.issue(holder, service.settings.tokenLifetimeSeconds) };
	},
);

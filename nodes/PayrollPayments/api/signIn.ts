import { z } from 'zod';

import { ServiceError, wrapError } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import { Redactor, type Redact } from '../shared/redaction';
import type { Wallet } from '../signing';
import { send, type Call, type Transport } from './client';
import type { WalletCredentials } from './credentials';
import { signInMessageAnswer, verifyAnswer } from './schemas/answers';

const TIMEOUT_MS = 30_000;

/** A token that can go into a header. */
const headerToken = z.object({ jwt: z.string().regex(/^[\x21-\x7e]+$/) });

/** Asks for a message to sign (docs/api.md, Endpoint 1). */
export function signInMessageCall(query: { wallet: string; platformId: string }) {
	return {
		method: 'GET',
		path: '/v2/auth/siwe',
		query: { wallet: query.wallet, platformid: query.platformId },
		answer: signInMessageAnswer,
		withoutToken: true,
	} as const;
}

/** Exchanges `message`, `sig` and `nonce` for a token (docs/api.md, Endpoint 2). */
export const VERIFICATION = {
	method: 'POST',
	path: '/v2/auth/verify',
	answer: verifyAnswer,
	withoutToken: true,
} as const;

/**
 * The wallet of the credentials. Loads the cryptography, so call it only when there is something to
 * sign.
 * @param redact removes the secrets of the credentials from what a remote signer says
 * @throws {UserError} if the key and the wallet address don't belong together
 */
export async function openWallet(
	credentials: WalletCredentials,
	exchange: HttpExchange,
	redact: Redact,
): Promise<Wallet> {
	const { privateKeyWallet, remoteSignerWallet } = await import('../signing');
	if (credentials.signer === 'privateKey') return privateKeyWallet(credentials);
	return remoteSignerWallet(
		{
			url: credentials.remoteSignerUrl,
			token: credentials.remoteSignerToken,
			dialect: credentials.remoteSignerDialect,
			walletAddress: credentials.walletAddress,
			redact,
		},
		exchange,
	);
}

function hintFor({ status, hint }: ServiceError): string | undefined {
	if (status === 401 || status === 403) {
		return 'The wallet may have no role on this Platform ID, or a role that cannot sign in. Check both in the credentials, and ask an administrator to give the wallet a viewer role.';
	}
	if (status === 400 || status === 404) {
		return 'Check the Platform ID, the wallet and the Base URL in the credentials.';
	}
	return status === 429 ? 'Rate limit reached. Try again in a minute.' : hint;
}

function signInError(error: ServiceError): Error {
	const { message, status } = error;
	const code = status === 200 || message.includes('HTTP') ? '' : ` (HTTP ${status})`;
	return wrapError(error, `Sign-in failed${code}. ${message}`, { hint: hintFor(error) });
}

/**
 * Signs in with a wallet (docs/api.md, Authentication): gets the message, checks it, signs it and
 * exchanges it for a token.
 * @param redactor removes the secrets of the credentials from what the service or a signer says
 * @returns the token (JWT)
 * @throws {UserError} if a step fails; it never contains a token or a signature
 */
export async function signIn(
	credentials: WalletCredentials,
	exchange: HttpExchange,
	redactor: Redactor = new Redactor(),
	now: () => number = Date.now,
): Promise<string> {
	const { baseUrl, platformId, signInDomain: domain, signInChainId: chainId } = credentials;
	const transport: Transport = { credentials, exchange, redactor };
	const call = async <Data>(request: Call<Data>): Promise<Data> =>
		await send(transport, request, { timeout: TIMEOUT_MS, retries: 0 }).catch((error: unknown) => {
			throw error instanceof ServiceError ? signInError(error) : error;
		});
	const wallet = await openWallet(credentials, exchange, redactor.text);
	const { siwe: message } = await call(signInMessageCall({ wallet: wallet.address, platformId }));
	// Loaded late, because signing typed data doesn't need the parser of sign-in messages.
	const { checkSignInMessage } = await import('../signing/guards/signInMessage');
	const { nonce } = checkSignInMessage(message, {
		walletAddress: wallet.address,
		domain,
		chainId,
		baseUrl,
		now: now(),
	});
	const sig = await wallet.signMessage(message);
	const { jwt } = await call({
		...VERIFICATION,
		body: { message, sig, nonce },
		answer: headerToken,
	});
	return jwt;
}

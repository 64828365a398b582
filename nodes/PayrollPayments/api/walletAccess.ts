import type { HttpExchange } from '../shared/http';
import type { WalletCredentials } from './credentials';
import type { Redact } from '../shared/redaction';
import type { Wallet } from '../signing';

/**
 * The wallet of the credentials. The cryptography is loaded here, when it is first needed.
 * @param redact takes the secrets of the credentials out of what a remote signer says
 * @throws {Refusal} where the key and the wallet address do not belong together
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

/**
 * Signs in with the wallet (docs/api.md, Authentication): fetches the message, checks it,
 * signs it and hands it in.
 * @param redact takes the secrets of the credentials out of what the service or a signer says
 * @returns the JWT
 * @throws {Refusal} that says which step failed and why
 */
export async function signInWithWallet(
	credentials: WalletCredentials,
	exchange: HttpExchange,
	redact: Redact,
): Promise<string> {
	const { signIn } = await import('./signIn');
	const { token } = await signIn(
		{
			baseUrl: credentials.baseUrl,
			platformId: credentials.platformId,
			wallet: await openWallet(credentials, exchange, redact),
			domain: credentials.signInDomain,
			chainId: credentials.signInChainId,
			redact,
		},
		exchange,
	);
	return token;
}

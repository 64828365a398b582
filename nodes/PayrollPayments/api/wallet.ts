import type { HttpExchange } from '../shared/http';
import type { Redact } from '../shared/redaction';
import type { Wallet } from '../signing';
import type { WalletCredentials } from './credentials';

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

import { privateKeyToAddress, sign } from 'viem/accounts';

import { UserError } from '../shared/errors';
import { isHex, isSameAddress, textHash, type Hex } from './signature';
import type { GuardedTypedData } from './typedData';

/** Signs for one address: 65 bytes, r, s and v (27 or 28). Its key may be in a remote signer. */
export interface Wallet {
	/** With its EIP-55 checksum. */
	readonly address: Hex;
	/** EIP-191. */
	signMessage(message: string): Promise<Hex>;
	/** EIP-712. */
	signTypedData(typedData: GuardedTypedData): Promise<Hex>;
}

/** Undefined for an invalid key. The library's own error could quote the key. */
function deriveWallet(privateKey: string): Wallet | undefined {
	if (!isHex(privateKey)) return undefined;
	const signHash = async (hash: Hex) => await sign({ hash, privateKey, to: 'hex' });
	try {
		return {
			address: privateKeyToAddress(privateKey),
			signMessage: async (message) => await signHash(textHash(message)),
			signTypedData: async ({ hash }) => await signHash(hash),
		};
	} catch {
		return undefined;
	}
}

/**
 * The wallet of a private key: 0x and 64 hex characters.
 * @throws {UserError} if the key or the address is wrong; it never contains the key
 */
export function privateKeyWallet(options: { privateKey: string; walletAddress?: string }): Wallet {
	const { privateKey, walletAddress } = options;
	const wallet = deriveWallet(privateKey);
	if (wallet === undefined) {
		throw new UserError('Private Key in the credentials isn’t a valid key', {
			hint: 'Copy the key from the wallet again.',
		});
	}
	if (walletAddress && !isSameAddress(walletAddress, wallet.address)) {
		throw new UserError(
			`The wallet address ${walletAddress} does not belong to the private key, whose address is ${wallet.address}`,
			{ hint: 'Correct the address or the key, or leave the address empty.' },
		);
	}
	return wallet;
}

import { createHash } from 'node:crypto';
import { privateKeyToAddress, sign } from 'viem/accounts';

import { UserError } from '../shared/errors';
import { LruCache } from '../shared/lruCache';
import { isSameAddress, textHash, type Hex } from './signature';
import type { Wallet } from './wallet';

const PRIVATE_KEY = /^0x[0-9a-fA-F]{64}$/;

/** Deriving an address takes as long as signing, so the latest wallets are kept. */
const wallets = new LruCache<Wallet>(16);

function isPrivateKey(value: string): value is Hex {
	return PRIVATE_KEY.test(value);
}

/** Undefined for an invalid key. The library's own error could quote the key. */
function addressOf(privateKey: Hex): Hex | undefined {
	try {
		return privateKeyToAddress(privateKey);
	} catch {
		return undefined;
	}
}

function deriveWallet(privateKey: Hex): Wallet {
	const address = addressOf(privateKey);
	if (address === undefined) {
		throw new UserError("Private Key in the credentials isn't a valid key", {
			field: 'privateKey',
			hint: 'Copy the key from the wallet again.',
		});
	}
	const signHash = async (hash: Hex) => await sign({ hash, privateKey, to: 'hex' });
	return {
		address,
		signMessage: async (message) => await signHash(textHash(message)),
		signTypedData: async ({ hash }) => await signHash(hash),
	};
}

function cachedWallet(privateKey: Hex): Wallet {
	const hash = createHash('sha256').update(privateKey.toLowerCase()).digest('hex');
	return wallets.getOrCreate(hash, () => deriveWallet(privateKey));
}

/**
 * The wallet of a private key: 0x and 64 hex characters.
 * @param options `walletAddress` is optional, and must be the key's
 * @throws {UserError} if one of them is wrong; it never contains the key
 */
export function privateKeyWallet(options: { privateKey: string; walletAddress?: string }): Wallet {
	if (!isPrivateKey(options.privateKey)) {
		throw new UserError("Private Key in the credentials isn't 0x followed by 64 hex characters", {
			field: 'privateKey',
			hint: 'Copy the key from the wallet again, without spaces. A seed phrase doesn’t work.',
		});
	}
	const wallet = cachedWallet(options.privateKey);
	if (options.walletAddress && !isSameAddress(options.walletAddress, wallet.address)) {
		throw new UserError(
			`The wallet address ${options.walletAddress} does not belong to the private key, ` +
				`whose address is ${wallet.address}`,
			{
				field: 'walletAddress',
				hint: 'Correct the address or the key, or leave the address empty.',
			},
		);
	}
	return wallet;
}

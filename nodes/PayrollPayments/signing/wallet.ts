import type { Hex } from './signature';
import type { GuardedTypedData } from './typedData';

/** Signs for one address. The key may be in n8n or in a remote signer. */
export interface Wallet {
	/** With its EIP-55 checksum. */
	readonly address: Hex;
	/** An EIP-191 signature over the text: 65 bytes, r, s and v (27 or 28). */
	signMessage(message: string): Promise<Hex>;
	/** An EIP-712 signature in the same form. */
	signTypedData(typedData: GuardedTypedData): Promise<Hex>;
}

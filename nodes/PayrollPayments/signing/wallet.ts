/** Bytes in hex, after 0x. */
export type Hex = `0x${string}`;

/** EIP-712 typed data. `types` is without EIP712Domain, which follows from `domain`. */
export interface TypedData {
	domain: Record<string, unknown>;
	types: Record<string, Array<{ name: string; type: string }>>;
	primaryType: string;
	message: Record<string, unknown>;
}

/** Signs for one address. The key may be in n8n or in a remote signer. */
export interface Wallet {
	/** With its EIP-55 checksum. */
	readonly address: Hex;
	/** An EIP-191 signature over the text: 65 bytes, r, s and v (27 or 28). */
	signMessage(message: string): Promise<Hex>;
	/** An EIP-712 signature in the same form. Doesn't check what it signs. */
	signTypedData(typedData: TypedData): Promise<Hex>;
}

/** Bytes in hex, after 0x. */
export type Hex = `0x${string}`;

/** EIP-712 typed data, as it is hashed: `types` never holds EIP712Domain, `domain` implies it. */
export interface TypedData {
	domain: Record<string, unknown>;
	types: Record<string, Array<{ name: string; type: string }>>;
	primaryType: string;
	message: Record<string, unknown>;
}

/** Something that signs for one address, wherever its key is kept. */
export interface Wallet {
	/** With its EIP-55 checksum. */
	readonly address: Hex;
	/** An EIP-191 signature over the text: 65 bytes, r, s and v (27 or 28). */
	signMessage(message: string): Promise<Hex>;
	/** An EIP-712 signature, in the same form. Signs what it is given: guard it first. */
	signTypedData(typedData: TypedData): Promise<Hex>;
}

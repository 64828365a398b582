/** How remote signers of one kind are asked to sign, over JSON-RPC. */
interface Dialect {
	readonly label: string;
	readonly methods: { readonly message: string; readonly typedData: string };
	/** @param message its bytes in hex */
	messageParams(address: string, message: string): readonly unknown[];
	/** @param typedData as eth_signTypedData_v4 takes it */
	typedDataParams(address: string, typedData: SignedData): readonly unknown[];
}

interface SignedData {
	readonly types: unknown;
	readonly primaryType: string;
	readonly domain: object;
	readonly message: unknown;
}

const inText = (address: string, typedData: SignedData) => [address, JSON.stringify(typedData)];

/** The dialects of remote signers, by their value in the credentials. */
export const DIALECTS = {
	clef: {
		label: 'Clef',
		methods: { message: 'account_signData', typedData: 'account_signTypedData' },
		messageParams: (address, message) => ['text/plain', address, message],
		// Clef 1.9 reads a chain only from text.
		typedDataParams: (address, { domain, ...rest }) => [
			address,
			{
				...rest,
				domain: 'chainId' in domain ? { ...domain, chainId: String(domain.chainId) } : domain,
			},
		],
	},
	wallet: {
		label: 'Wallet',
		methods: { message: 'personal_sign', typedData: 'eth_signTypedData_v4' },
		messageParams: (address, message) => [message, address],
		typedDataParams: inText,
	},
	web3signer: {
		label: 'Web3Signer',
		methods: { message: 'eth_sign', typedData: 'eth_signTypedData' },
		messageParams: (address, message) => [address, message],
		typedDataParams: inText,
	},
} as const satisfies Record<string, Dialect>;

export type RemoteSignerDialect = keyof typeof DIALECTS;

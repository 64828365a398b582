/** How remote signers of one kind are asked to sign, over JSON-RPC. */
interface Dialect {
	readonly label: string;
	readonly methods: { readonly message: string; readonly typedData: string };
	/** @param message its bytes in hex */
	messageParams(address: string, message: string): readonly unknown[];
	/** @param typedData as eth_signTypedData_v4 takes it */
	typedDataParams(address: string, typedData: unknown): readonly unknown[];
}

const inText = (address: string, typedData: unknown) => [address, JSON.stringify(typedData)];

/** The dialects of remote signers, by their value in the credentials. */
export const DIALECTS = {
	clef: {
		label: 'Clef',
		methods: { message: 'account_signData', typedData: 'account_signTypedData' },
		messageParams: (address, message) => ['text/plain', address, message],
		typedDataParams: (address, typedData) => [address, typedData],
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

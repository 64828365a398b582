/** The chains of each network that a payment may name. */
const CHAINS = [
	{ id: 42161, network: 'arbitrum', name: 'Arbitrum One' },
	{ id: 421614, network: 'arbitrum', name: 'Arbitrum Sepolia (test network)' },
] as const;

export type PaymentNetwork = (typeof CHAINS)[number]['network'];

/** The chain ID in a domain, which libraries write as a number or in decimal digits. */
export function readChainId(value: unknown): number | undefined {
	const isText = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value);
	const id = isText ? Number(value) : value;
	return typeof id === 'number' && Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}

/** A chain for summaries and errors: "Arbitrum Sepolia (test network), chain 421614", or "chain 5". */
export function chainLabel(id: unknown): string {
	const name = CHAINS.find((chain) => chain.id === readChainId(id))?.name;
	return name === undefined ? `chain ${String(id)}` : `${name}, chain ${String(id)}`;
}

/** The chains of a network, by their IDs. */
export function chainsOf(network: PaymentNetwork): readonly number[] {
	return CHAINS.filter((chain) => chain.network === network).map(({ id }) => id);
}

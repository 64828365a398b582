/** The chains of each network that a payment may name. */
const CHAINS = {
	arbitrum: [
		{ id: 42161, name: 'Arbitrum One' },
		{ id: 421614, name: 'Arbitrum Sepolia (test network)' },
	],
} as const;

export type PaymentNetwork = keyof typeof CHAINS;

/** The chain ID in a domain, which libraries write as a number or in decimal digits. */
export function readChainId(value: unknown): number | undefined {
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string' || !/^[1-9]\d*$/.test(text)) return undefined;
	const id = Number(text);
	return Number.isSafeInteger(id) ? id : undefined;
}

/** A chain for summaries and errors: "Arbitrum Sepolia (test network), chain 421614", or "chain 5". */
export function chainLabel(value: unknown): string {
	const id = readChainId(value);
	const known = Object.values(CHAINS)
		.flat()
		.find((chain) => chain.id === id);
	return known === undefined ? `chain ${String(value)}` : `${known.name}, chain ${known.id}`;
}

/** The chains of a network, by their IDs. */
export function chainsOf(network: PaymentNetwork): readonly number[] {
	return CHAINS[network].map(({ id }) => id);
}

import { PAYMENT_NETWORKS, type PaymentNetwork } from '../contract/networks';

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
	const known = Object.values(PAYMENT_NETWORKS)
		.flatMap(({ chains }) => chains)
		.find((chain) => chain.id === id);
	return known === undefined ? `chain ${String(value)}` : `${known.name}, chain ${known.id}`;
}

/** The chains of a network, by their IDs. */
export function chainsOf(network: PaymentNetwork): readonly number[] {
	return PAYMENT_NETWORKS[network].chains.map(({ id }) => id);
}

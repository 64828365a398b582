/** Networks on which a deposit may arrive (docs/api.md, Deposit record). */
export const DEPOSIT_NETWORKS = [
	'arbitrum',
	'avalanche',
	'base',
	'ethereum',
	'optimism',
	'polygon',
] as const;

/**
 * Networks of payments (docs/api.md, Endpoint 10), with their EIP-155 chains, which the document doesn't
 * name: what a payment signs has to be for one of these.
 */
export const PAYMENT_NETWORKS = {
	arbitrum: {
		name: 'Arbitrum',
		chains: [
			{ id: 42161, name: 'Arbitrum One' },
			{ id: 421614, name: 'Arbitrum Sepolia (test network)' },
		],
	},
} as const;

export type PaymentNetwork = keyof typeof PAYMENT_NETWORKS;

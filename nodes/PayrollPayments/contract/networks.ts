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
 * Networks of payments (docs/api.md, Endpoint 10), with their EIP-155 chain IDs, which the document
 * doesn't name: what a payment signs has to be of one of these chains.
 */
export const PAYMENT_NETWORKS = {
	arbitrum: { name: 'Arbitrum', chainId: 42_161, testChainId: 421_614 },
} as const;

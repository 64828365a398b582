/** Typed data of a made-up kind. */
export const noteFrom = (verifyingContract: string) => ({
	domain: { name: 'Payroll', version: '1', chainId: 42161, verifyingContract },
	types: {
		Note: [
			{ name: 'text', type: 'string' },
			{ name: 'sum', type: 'uint256' },
		],
	},
	primaryType: 'Note',
	message: { text: 'for March', sum: '1250000' },
});

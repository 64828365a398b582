/** The members of a type, as EIP-712 writes them: `address from, uint256 salt`. */
export const membersIn = (text: string) =>
	text.split(', ').map((member) => {
		const [type = '', name = ''] = member.split(' ');
		return { name, type };
	});

/** Typed data of a made-up kind. */
export const noteFrom = (verifyingContract: string) => ({
	domain: { name: 'Payroll', version: '1', chainId: 42161, verifyingContract },
	types: { Note: membersIn('string text, uint256 sum') },
	primaryType: 'Note',
	message: { text: 'for March', sum: '1250000' },
});

import { chainLabel } from '../../../nodes/PayrollPayments/signing/chains';

/* The guard of payments takes none but the known ones; a check's row shows any. */
it.each([
	['42161', 'Arbitrum One, chain 42161'],
	[1, 'chain 1'],
])('the chain %p is called %p', (id, label) => {
	expect(chainLabel(id)).toBe(label);
});

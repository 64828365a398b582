import { chainLabel } from '../../../nodes/PayrollPayments/signing/chains';

/* The guard of payments takes none but the known ones; a check's row shows any. */
it('known chains have names', () => {
	expect([chainLabel('42161'), chainLabel(1)]).toEqual(['Arbitrum One, chain 42161', 'chain 1']);
});

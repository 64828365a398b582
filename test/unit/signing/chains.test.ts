import { chainLabel, chainsOf, readChainId } from '../../../nodes/PayrollPayments/signing/chains';

/* typedData.test.ts has other texts and numbers. */
it.each([1e21, NaN, Infinity, 1n, undefined, {}, [1], ['1'], '1\n', 'x1'])(
	'%p is no chain ID',
	(value) => {
		expect(readChainId(value)).toBeUndefined();
	},
);

it.each([
	[42161, 'Arbitrum One, chain 42161'],
	['42161', 'Arbitrum One, chain 42161'],
	[421614, 'Arbitrum Sepolia (test network), chain 421614'],
	[1, 'chain 1'],
	['0x1', 'chain 0x1'],
	[undefined, 'chain undefined'],
])('the chain %p is called %p', (id, label) => {
	expect(chainLabel(id)).toBe(label);
});

it('a network has a main chain and a test chain', () => {
	expect(chainsOf('arbitrum')).toEqual([42161, 421614]);
});

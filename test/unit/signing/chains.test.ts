import { chainLabel, chainsOf, readChainId } from '../../../nodes/PayrollPayments/signing/chains';

it.each([
	[1, 1],
	[42161, 42161],
	['42161', 42161],
	['9007199254740991', 2 ** 53 - 1],
	...[0, -1, 1.5, 2 ** 53, 1e21, NaN, Infinity, 1n, null, undefined, true, {}, [1], ['1']].map(
		(value): [unknown, undefined] => [value, undefined],
	),
	...['', '0', '01', '-1', '1.5', '1e3', '0x1', ' 1', '1 ', '1\n', 'x1', '9007199254740992'].map(
		(value): [unknown, undefined] => [value, undefined],
	),
])('the chain ID in %p is %p', (value, id) => {
	expect(readChainId(value)).toBe(id);
});

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

import { BlockList } from 'node:net';

import fc from 'fast-check';

import { ipRange, isAllowed } from '../../../nodes/PayrollPayments/trigger/allowlist';

const allows = (entries: string[], address: string | undefined) =>
	isAllowed(
		address,
		entries.map((entry) => ipRange.parse(entry)),
	);

it.each<[string, holds: string[], lacks: string[]]>([
	['fe80::1', ['fe80::1%eth-0.1'], []],
	[' 203.0.113.7\n', ['203.0.113.7'], []],
	['::203.0.113.7', ['::203.0.113.7'], []],
	['1::203.0.113.7', ['1::cb00:7107'], []],
	/* An IPv4-mapped address counts as IPv4, in the list too; the families are apart. */
	['203.0.113.0/24', ['::ffff:203.0.113.7', '::FFFF:cb00:7107', '[::ffff:203.0.113.7]:443'], []],
	['::ffff:203.0.113.0/120', ['203.0.113.7'], []],
	['::ffff:0:0/95', ['::fffe:0:1'], []],
	['::ffff:0:0/96', ['203.0.113.7'], []],
	['::/0', ['::1'], ['::ffff:203.0.113.7', '203.0.113.7']],
	['0.0.0.0/0', ['203.0.113.7'], ['2001:db8::1']],
	/* Gateways write the port into X-Forwarded-For. */
	['203.0.113.7', [' 203.0.113.7', '203.0.113.7:51008'], ['203.0.113.8:51008', '::203.0.113.7']],
	['2001:db8::/32', ['[2001:db8::7]:443', '[2001:db8::7]'], ['[2001:db9::7]:443']],
])('%s holds %j, but not %j', (entry, holds, lacks) => {
	expect([...holds, ...lacks].filter((address) => allows([entry], address))).toEqual(holds);
});

it.each([
	...[undefined, '', 'unknown', '203.0.113', '203.0.113.7, 10.0.0.1', '0203.0.113.7', '::1::'],
	...['203.0.113.7:', '203.0.113.7:x', 'x203.0.113.7:1', '203.0.113.7:1:2', '[203.0.113.7', '[]:1'],
	...['x[::1]:443', '[::1]:443x', '[::1]443'],
])('refuses a sender without an address: %j', (address) => {
	expect(allows(['0.0.0.0/0', '::/0'], address)).toBe(false);
});

it.each([
	...['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '0x1.2.3.4', '127.1', '2130706433', '*'],
	...['1.2.3.4/33', '1.2.3.4/', '1.2.3.4/8/8', '1.2.3.4/-1', '1.2.3.4/a', '1.2.3.4/8a'],
	...['example.com', '2001:db8::/129', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7::8'],
	...['12345::', '::g', '1::2::3', ':::', '::ffff:1.2.3', '::ffff:010.2.3.4', '::ffff:0x1.2.3.4'],
	'1.2.3.4:443',
])('names an invalid entry: %s', (entry) => {
	expect(ipRange.safeParse(entry).error?.issues[0]?.message).toBe(
		`is wrong: “${entry}” isn’t a valid IP address or CIDR range`,
	);
});

it('names a long entry in short', () => {
	const { error } = ipRange.safeParse(`${'a'.repeat(60)}b`);
	expect(error?.issues[0]?.message).toMatch(/^is wrong: “a{60}” isn’t/);
});

it('agrees with Node’s own block list on any address and range', () => {
	const cases = fc.oneof(
		fc.record({
			family: fc.constant('ipv4' as const),
			network: fc.ipV4(),
			address: fc.ipV4(),
			prefix: fc.integer({ min: 0, max: 32 }),
		}),
		fc.record({
			family: fc.constant('ipv6' as const),
			network: fc.ipV6().filter((address) => !address.includes('.')),
			address: fc.ipV6().filter((address) => !address.includes('.')),
			prefix: fc.integer({ min: 0, max: 95 }),
		}),
	);
	fc.assert(
		fc.property(cases, fc.boolean(), ({ family, network, address, prefix }, same) => {
			const list = new BlockList();
			list.addSubnet(network, prefix, family);
			const sender = same ? network : address;
			expect(allows([`${network}/${prefix}`], sender)).toBe(list.check(sender, family));
		}),
	);
});

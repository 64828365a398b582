/**
 * Typed data (EIP-712) that others wrote, as facts. `eip-712`, a development dependency, brings more
 * in its package.
 *
 * `EIP-712`: https://eips.ethereum.org/EIPS/eip-712 and its Example.js (CC0).
 * `viem`: https://github.com/wevm/viem at commit 0912a29, test/src/constants.ts,
 * src/utils/signature/hashTypedData.test.ts and src/accounts/utils/signTypedData.test.ts (MIT).
 * `eth-sig-util`: https://github.com/MetaMask/eth-sig-util at commit 0832d49,
 * src/sign-typed-data.test.ts and its snapshots, version 4 (ISC).
 */
import { id } from 'ethers';

import type { UncheckedTypedData } from '../../../nodes/PayrollPayments/signing/typedData';

export interface TypedDataVector {
	readonly source: 'EIP-712' | 'viem' | 'eth-sig-util';
	readonly name: string;
	readonly typedData: UncheckedTypedData;
	/** What the source hashes it to; undefined if it refuses it. */
	readonly hash?: string;
	readonly signed?: { readonly privateKey: string; readonly signature: string };
	/** The error of the node, if it refuses it. */
	readonly refusal?: RegExp;
	/** Why the node refuses what the source accepts. */
	readonly stricter?: string;
}

/** The first account of Hardhat and Anvil, with which viem's tests sign. */
const HARDHAT = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

const MAIL_TYPES = {
	Person: [
		{ name: 'name', type: 'string' },
		{ name: 'wallet', type: 'address' },
	],
	Mail: [
		{ name: 'from', type: 'Person' },
		{ name: 'to', type: 'Person' },
		{ name: 'contents', type: 'string' },
	],
};
const MAIL = {
	from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
	to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
	contents: 'Hello, Bob!',
};
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

const complexPerson = (first: string, last: string, wallet: string, age: string) => ({
	name: { first, last },
	wallet,
	age,
	foo: '123123123123123123',
});
/** viem's, with integers as text, as the node wants them. */
const COMPLEX = {
	types: {
		Name: [
			{ name: 'first', type: 'string' },
			{ name: 'last', type: 'string' },
		],
		Person: [
			{ name: 'name', type: 'Name' },
			{ name: 'wallet', type: 'address' },
			{ name: 'favoriteColors', type: 'string[3]' },
			{ name: 'foo', type: 'uint256' },
			{ name: 'age', type: 'uint8' },
			{ name: 'isCool', type: 'bool' },
		],
		Mail: [
			{ name: 'timestamp', type: 'uint256' },
			{ name: 'from', type: 'Person' },
			{ name: 'to', type: 'Person' },
			{ name: 'contents', type: 'string' },
			{ name: 'hash', type: 'bytes' },
		],
	},
	primaryType: 'Mail',
	message: {
		timestamp: '1234567890',
		contents: 'Hello, Bob! 🖤',
		hash: '0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef',
		from: {
			...complexPerson('Cow', 'Burns', MAIL.from.wallet, '69'),
			favoriteColors: ['red', 'green', 'blue'],
			isCool: false,
		},
		to: {
			...complexPerson('Bob', 'Builder', MAIL.to.wallet, '70'),
			favoriteColors: ['orange', 'yellow', 'green'],
			isCool: true,
		},
	},
};
const COMPLEX_DOMAIN = {
	name: 'Ether Mail 🥵',
	version: '1.1.1',
	chainId: 1,
	verifyingContract: ZERO_ADDRESS,
};
const FIXED_LENGTH = {
	refusal: /^The type "string\[3\]" is missing/,
	stricter: 'lists of a fixed length aren’t supported; the service’s types have none',
};
const ONLY_DOMAIN = {
	refusal: /^The primary type "EIP712Domain" is not among the types/,
	stricter: 'there is no message, so nothing that the service could take back',
};

/** “Hello!” of eth-sig-util and viem, with every member of a domain. */
const FULL_DOMAIN = {
	name: 'example.metamask.io',
	version: '1',
	chainId: 1,
	verifyingContract: ZERO_ADDRESS,
	salt: `0x010203${'0'.repeat(58)}`,
};
const FULL_DOMAIN_TYPE = [
	{ name: 'name', type: 'string' },
	{ name: 'version', type: 'string' },
	{ name: 'chainId', type: 'uint256' },
	{ name: 'verifyingContract', type: 'address' },
	{ name: 'salt', type: 'bytes32' },
];
const onlyDomain = (type: object[], domain: object): UncheckedTypedData => ({
	domain,
	types: { EIP712Domain: type },
	primaryType: 'EIP712Domain',
	message: {},
});

const complexFor = (domain: unknown): UncheckedTypedData => ({ ...COMPLEX, domain });
const signedByViem = (signature: string) => ({ privateKey: HARDHAT, signature });

/** The example of EIP-712 itself, signed by “cow”. */
export const EIP712_MAIL = {
	source: 'EIP-712',
	name: 'Mail',
	typedData: {
		domain: {
			name: 'Ether Mail',
			version: '1',
			chainId: 1,
			verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
		},
		types: MAIL_TYPES,
		primaryType: 'Mail',
		message: MAIL,
	},
	hash: '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2',
	signed: {
		privateKey: id('cow'),
		signature:
			'0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c',
	},
} satisfies TypedDataVector;

export const TYPED_DATA_VECTORS: readonly TypedDataVector[] = [
	EIP712_MAIL,
	{
		source: 'viem',
		name: 'default',
		typedData: {
			domain: { name: 'Ether Mail', version: '1', chainId: 1, verifyingContract: ZERO_ADDRESS },
			types: MAIL_TYPES,
			primaryType: 'Mail',
			message: MAIL,
		},
		hash: '0x448f54762ef8ecccdc4d19bb7d467161383cd4b271617a8cee05c790eb745d74',
		signed: signedByViem(
			'0x32f3d5975ba38d6c2fba9b95d5cbed1febaa68003d3d588d51f2de522ad54117760cfc249470a75232552e43991f53953a3d74edf6944553c6bef2469bb9e5921b',
		),
	},
	{
		source: 'viem',
		name: 'complex',
		typedData: complexFor(COMPLEX_DOMAIN),
		hash: '0x9a74cb859ad30835ffb2da406423233c212cf6dd78e6c2c98b0c9289568954ae',
		signed: signedByViem(
			'0xc4d8bcda762d35ea79d9542b23200f46c2c1899db15bf929bbacaf609581db0831538374a01206517edd934e474212a0f1e2d62e9a01cd64f1cf94ea2e0988491c',
		),
		...FIXED_LENGTH,
	},
	{
		source: 'viem',
		name: 'no domain',
		typedData: complexFor({}),
		hash: '0x14ed1dbbfecbe5de3919f7ea47daafdf3a29dfbb60dd88d85509f79773d503a5',
		signed: signedByViem(
			'0x47d36c0110609e0c61169b221edfcd988455a67a0af965285c9c32bcc5df791f180b8e9a539e6a12e7af164f1de5879b09e4c1ef3032980bc7aea167198255eb1c',
		),
		...FIXED_LENGTH,
	},
	{
		source: 'viem',
		name: 'domain: empty name',
		typedData: complexFor({ name: '' }),
		hash: '0xc3f4f9ebd774352940f60aebbc83fcee20d0b17eb42bd1b20c91a748001ecb53',
		...FIXED_LENGTH,
	},
	{
		source: 'viem',
		name: 'domain: bigint value for chainId',
		typedData: complexFor({
			chainId: 14018334920824264832118464179726739019961432051877733167310318607178n,
		}),
		hash: '0xb7cb45cf19c056d355e5d807ba0eac8cd5b4a7193f7ed978f4f9339f76cdf4d9',
		...FIXED_LENGTH,
	},
	...(
		[
			[
				'chainId',
				{ chainId: 1 },
				'0x6e100a352ec6ad1b70802290e18aeed190704973570f3b8ed42cb9808e2ea6bf4a90a229a244495b41890987806fcbd2d5d23fc0dbe5f5256c2613c039d76db81c',
			],
			[
				'name',
				{ name: 'Ether!' },
				'0xb2b9704a23b0e5a5e728623113ab57e93a9de055b53c15d5d0f1a6485932efc503d77c0cfc2eca82cd9b4ecd2b39355457e4dd390ccb6d5c4457a2631b53baa21b',
			],
			[
				'verifyingContract',
				{ verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC' },
				'0xa74d8aa1ff14231fedeaf7a929e86ac55d80256bee24e1f8ebba9bd092a9351651b6669da7f5d0a7209243f8dee1026b018ed03dd5ce01b7ecb75a8880deeeb01b',
			],
			[
				'salt',
				{ salt: '0x123512315aaaa1231313b1231b23b13b123aa12312211b1b1b111bbbb1affafa' },
				'0x4b193383278fd3dcaa084952ea282cb9c8889c26c6caaa3f48aca7bde78c6e72028bd98c0328e40d067dbbab53733f99f241d8cf91a32580883f65264c2b72581b',
			],
		] as const
	).map(([member, domain, signature]) => ({
		source: 'viem' as const,
		name: `domain: ${member}`,
		typedData: complexFor(domain),
		signed: signedByViem(signature),
		...FIXED_LENGTH,
	})),
	{
		source: 'viem',
		name: 'minimal valid typed message (also eth-sig-util’s)',
		typedData: onlyDomain([], {}),
		hash: '0x8d4a3f4082945b7879e2b55f181c31a77c8c0a464b70669458abbaaf99de4c38',
		signed: signedByViem(
			'0xda87197eb020923476a6d0149ca90bc1c894251cc30b38e0dd2cdd48567e12386d3ed40a509397410a4fd2d66e1300a39ac42f828f8a5a2cb948b35c22cf29e81c',
		),
		...ONLY_DOMAIN,
	},
	{
		source: 'eth-sig-util',
		name: 'domain separator that uses all fields (also viem’s)',
		typedData: onlyDomain(FULL_DOMAIN_TYPE, FULL_DOMAIN),
		hash: '0x54ffed5209a17ac210ef3823740b3852ee9cd518b84ee39f0a3fa7f2f9b4205b',
		...ONLY_DOMAIN,
	},
	{
		source: 'eth-sig-util',
		name: 'extra domain separator fields',
		typedData: onlyDomain([...FULL_DOMAIN_TYPE, { name: 'extraField', type: 'string' }], {
			...FULL_DOMAIN,
			extraField: 'stuff',
		}),
		hash: '0x2323c742c20093ee44c2a0abef2b950062a3d70b3453ef4995a072dba9e47d7d',
		...ONLY_DOMAIN,
	},
	{
		source: 'eth-sig-util',
		name: 'only custom domain separator fields (also viem’s)',
		typedData: onlyDomain(
			[
				{ name: 'customName', type: 'string' },
				{ name: 'customVersion', type: 'string' },
				{ name: 'customChainId', type: 'uint256' },
				{ name: 'customVerifyingContract', type: 'address' },
				{ name: 'customSalt', type: 'bytes32' },
				{ name: 'extraField', type: 'string' },
			],
			{
				customName: 'example.metamask.io',
				customVersion: '1',
				customChainId: '1',
				customVerifyingContract: ZERO_ADDRESS,
				customSalt: FULL_DOMAIN.salt,
				extraField: 'stuff',
			},
		),
		hash: '0x3efa3ef0305f56ba5bba62000500e29fe82c5314bca2f958c64e31b2498560f8',
		...ONLY_DOMAIN,
	},
	{
		source: 'eth-sig-util',
		name: 'data (also viem’s)',
		typedData: {
			domain: FULL_DOMAIN,
			types: { EIP712Domain: FULL_DOMAIN_TYPE, Message: [{ name: 'data', type: 'string' }] },
			primaryType: 'Message',
			message: { data: 'Hello!' },
		},
		hash: '0xd2669f23b7849020ad41bcbff5b51372793f91320e0f901641945568ed7322be',
	},
	{
		source: 'viem',
		name: 'wrong domain value',
		// viem's is complex, too, but nothing complex gets as far as its domain here.
		typedData: { domain: 'wrong', types: MAIL_TYPES, primaryType: 'Mail', message: MAIL },
		refusal: /^The domain is not an object/,
	},
	{
		source: 'viem',
		name: 'invalid integer alias',
		typedData: {
			domain: { name: 'Domain' },
			types: { Message: [{ name: 'amount', type: 'uint' }] },
			primaryType: 'Message',
			message: { amount: '1' },
		},
		refusal: /^The type "uint" is missing/,
	},
	{
		source: 'viem',
		name: 'a struct that is called bytes32 (issue 2888)',
		typedData: {
			domain: { name: 'Domain' },
			types: { Message: [{ name: 'contents', type: 'bytes32' }], bytes32: [], address: [] },
			primaryType: 'Message',
			message: { contents: `0x${'11'.repeat(32)}` },
		},
		refusal: /^The types aren’t valid EIP-712 types at "bytes32"/,
	},
	{
		source: 'viem',
		name: 'bytes with half a byte (issue 4095)',
		typedData: {
			domain: { name: 'Domain' },
			types: { Message: [{ name: 'contents', type: 'bytes' }] },
			primaryType: 'Message',
			message: { contents: '0xdeadbeeff' },
		},
		// viem hashes the struct; its test has no hash of the whole.
		refusal: /^message\.contents is "0xdeadbeeff", which isn't a valid bytes/,
		stricter: 'libraries pad half a byte on different sides',
	},
	...Object.entries({
		address: ['0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB0'],
		int8: ['256'],
		uint: [-1],
		uint8: [-1],
		uint256: [-1],
		bytes1: ['a', 'test'],
		bytes32: ['a', 'test'],
	}).flatMap(([type, values]) =>
		values.map(
			(value): TypedDataVector => ({
				source: 'eth-sig-util',
				name: `encodeData can’t encode ${type} ${JSON.stringify(value)}`,
				typedData: {
					domain: { name: 'Domain' },
					types: { Message: [{ name: 'data', type }] },
					primaryType: 'Message',
					message: { data: value },
				},
				refusal:
					type === 'uint'
						? /^The type "uint" is missing/
						: new RegExp(`^message\\.data is .*, which isn't a valid ${type}`),
			}),
		),
	),
];

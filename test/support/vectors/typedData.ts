/**
 * Typed data (EIP-712) that others wrote, as facts.
 *
 * `EIP-712`: https://eips.ethereum.org/EIPS/eip-712 and its Example.js (CC0).
 * `viem`: https://github.com/wevm/viem at commit 0912a29, test/src/constants.ts,
 * src/utils/signature/hashTypedData.test.ts and src/accounts/utils/signTypedData.test.ts (MIT).
 * `eth-sig-util`: https://github.com/MetaMask/eth-sig-util at commit 0832d49,
 * src/sign-typed-data.test.ts and its snapshots, version 4 (ISC).
 */
import { id } from 'ethers';

import type { UncheckedTypedData } from '../../../nodes/PayrollPayments/signing/typedData';

interface TypedDataVector {
	readonly source: 'EIP-712' | 'viem' | 'eth-sig-util';
	readonly name: string;
	readonly typedData: UncheckedTypedData;
}

/** What its source hashes, and maybe signs. */
interface AcceptedVector extends TypedDataVector {
	readonly hash: string;
	readonly signed?: { readonly privateKey: string; readonly signature: string };
}

interface RefusedVector extends TypedDataVector {
	/** The error of the node. */
	readonly refusal: RegExp;
	/** Why the node refuses what the source accepts. */
	readonly stricter?: string;
}

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
	domain: {
		name: 'Ether Mail',
		version: '1',
		chainId: 1,
		verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
	},
	types: MAIL_TYPES,
	primaryType: 'Mail',
	message: {
		from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
		to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
		contents: 'Hello, Bob!',
	},
};
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** The example of EIP-712 itself, signed by “cow”. */
const EIP712_MAIL = {
	source: 'EIP-712',
	name: 'Mail',
	typedData: MAIL,
	hash: '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2',
	signed: {
		privateKey: id('cow'),
		signature:
			'0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c',
	},
} satisfies AcceptedVector;

export const ACCEPTED_TYPED_DATA: readonly AcceptedVector[] = [
	EIP712_MAIL,
	{
		source: 'viem',
		name: 'default',
		typedData: { ...MAIL, domain: { ...MAIL.domain, verifyingContract: ZERO_ADDRESS } },
		hash: '0x448f54762ef8ecccdc4d19bb7d467161383cd4b271617a8cee05c790eb745d74',
		signed: {
			// The first account of Hardhat and Anvil.
			privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
			signature:
				'0x32f3d5975ba38d6c2fba9b95d5cbed1febaa68003d3d588d51f2de522ad54117760cfc249470a75232552e43991f53953a3d74edf6944553c6bef2469bb9e5921b',
		},
	},
	{
		source: 'eth-sig-util',
		name: 'data (also viem’s), with every member of a domain',
		typedData: {
			domain: {
				name: 'example.metamask.io',
				version: '1',
				chainId: 1,
				verifyingContract: ZERO_ADDRESS,
				salt: `0x010203${'0'.repeat(58)}`,
			},
			types: {
				EIP712Domain: [
					{ name: 'name', type: 'string' },
					{ name: 'version', type: 'string' },
					{ name: 'chainId', type: 'uint256' },
					{ name: 'verifyingContract', type: 'address' },
					{ name: 'salt', type: 'bytes32' },
				],
				Message: [{ name: 'data', type: 'string' }],
			},
			primaryType: 'Message',
			message: { data: 'Hello!' },
		},
		hash: '0xd2669f23b7849020ad41bcbff5b51372793f91320e0f901641945568ed7322be',
	},
];

/** A message whose one member is of this type. */
const messageOf = (type: string, value: unknown, others: object = {}): UncheckedTypedData => ({
	domain: { name: 'Domain' },
	types: { Message: [{ name: 'data', type }], ...others },
	primaryType: 'Message',
	message: { data: value },
});

export const REFUSED_TYPED_DATA: readonly RefusedVector[] = [
	{
		source: 'viem',
		name: 'complex: its favorite colors',
		typedData: messageOf('string[3]', ['red', 'green', 'blue']),
		refusal: /^The type "string\[3\]" is missing/,
		stricter: 'lists of a fixed length aren’t supported; the service’s types have none',
	},
	{
		source: 'viem',
		name: 'minimal valid typed message (also eth-sig-util’s)',
		typedData: {
			domain: {},
			types: { EIP712Domain: [] },
			primaryType: 'EIP712Domain',
			message: {},
		},
		refusal: /^The primary type "EIP712Domain" is not among the types/,
		stricter: 'there is no message, so nothing that the service could take back',
	},
	{
		source: 'viem',
		name: 'wrong domain value',
		typedData: { ...MAIL, domain: 'wrong' },
		refusal: /^The domain is not an object/,
	},
	{
		source: 'viem',
		name: 'invalid integer alias',
		typedData: messageOf('uint', '1'),
		refusal: /^The type "uint" is missing/,
	},
	{
		source: 'viem',
		name: 'a struct that is called bytes32 (issue 2888)',
		typedData: messageOf('bytes32', `0x${'11'.repeat(32)}`, { bytes32: [], address: [] }),
		refusal: /^The types aren’t valid EIP-712 types at "bytes32"/,
	},
	{
		source: 'viem',
		name: 'bytes with half a byte (issue 4095)',
		typedData: messageOf('bytes', '0xdeadbeeff'),
		refusal: /^message\.data is "0xdeadbeeff", which isn't a valid bytes/,
		stricter: 'libraries pad half a byte on different sides',
	},
	{
		source: 'eth-sig-util',
		name: 'encodeData can’t encode address',
		typedData: messageOf('address', ['0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB0']),
		refusal: /^message\.data is .*, which isn't a valid address/,
	},
];

/**
 * Signatures of texts (EIP-191), that others wrote, as facts.
 *
 * `viem`: https://github.com/wevm/viem at commit 0912a29, src/accounts/utils/signMessage.test.ts and
 * src/utils/signature/hashMessage.test.ts (MIT).
 * `eth-sig-util`: https://github.com/MetaMask/eth-sig-util at commit 0832d49,
 * src/personal-sign.test.ts (ISC); its two messages that aren't text are left out, because the node
 * signs text only.
 * `web3.js`: the example of web3.eth.accounts.sign in its documentation (LGPL-3.0).
 * `EIP-55`: https://eips.ethereum.org/EIPS/eip-55 (CC0).
 */

const HARDHAT = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export const SIGNED_TEXTS = [
	{
		source: 'viem',
		text: 'hello world',
		hash: '0xd9eba16ed0ecae432b71fe008c98cc872bb4cc214d3220a36f365326cf807d68',
		privateKey: HARDHAT,
		signature:
			'0xa461f509887bd19e312c0c58467ce8ff8e300d3c1a90b608a760c5b80318eaf15fe57c96f9175d6cd4daad4663763baa7e78836e067d0163e9a2ccf2ff753f5b1b',
	},
	{
		source: 'viem',
		text: '🥵',
		privateKey: HARDHAT,
		signature:
			'0x05c99bbbe9fac3ad61721a815d19d6771ad39f3e8dffa7ae7561358f20431d8e7f9e1d487c77355790c79c6eb0b0d63690f690615ef99ee3e4f25eef0317d0701b',
	},
	{
		source: 'eth-sig-util',
		text: 'Hello, world!',
		privateKey: '0x4af1bceebf7f3634ec3cff8a2c38e51178d5d4ce585c52d6043e5e2cc3418bb0',
		address: '0x29c76e6ad8f28bb1004902578fb108c507be341b',
		signature:
			'0x90a938f7457df6e8f741264c32697fc52f9a8f867c52dd70713d9d2d472f2e415d9c94148991bbe1f4a1818d1dff09165782749c877f5cf1eff4ef126e55714d1c',
	},
	{
		source: 'eth-sig-util',
		text: 'hello world',
		privateKey: `0x${'69'.repeat(32)}`,
		address: '0xbe93f9bacbcffc8ee6663f2647917ed7a20a57bb',
		signature:
			'0xce909e8ea6851bc36c007a0072d0524b07a3ff8d4e623aca4c71ca8e57250c4d0a3fc38fa8fbaaa81ead4b9f6bd03356b6f8bf18bccad167d78891636e1d69561b',
	},
	{
		source: 'web3.js',
		text: 'Some data',
		hash: '0x1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655',
		privateKey: '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318',
		address: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
		signature:
			'0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c',
	},
] as const;

export const TEXT_HASHES = [
	['🤗', '0x716ce69c5d2d629c168bc02e24a961456bdc5a362d366119305aea73978a0332'],
	['0xdeadbeef', '0xefedd0a9a0294228c3977d7fbb68c7d40279f8b408cf3e24ef1823b179709e58'],
] as const;

/** EIP-55's test cases. */
export const CHECKSUMMED_ADDRESSES = [
	'0x52908400098527886E0F7030069857D2E4169EE7',
	'0x8617E340B3D01FA5F11F306F4090FD50E238070D',
	'0xde709f2102306220921060314715629080e2fb77',
	'0x27b1fdb04752bbc536007a920d24acb045561c26',
	'0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
	'0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
	'0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
	'0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
] as const;

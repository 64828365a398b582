/**
 * Addresses of keys, and signatures of texts (EIP-191), that others wrote, as facts.
 *
 * `viem`: https://github.com/wevm/viem at commit 0912a29, test/src/constants.ts and
 * src/accounts/utils/signMessage.test.ts and src/utils/signature/hashMessage.test.ts (MIT).
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

/** viem's accounts, which are Hardhat's and Anvil's. */
export const KEYS = [
	[HARDHAT, '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'],
	[
		'0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
		'0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
	],
	[
		'0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
		'0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
	],
	[
		'0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
		'0x90f79bf6eb2c4f870365e785982e1f101e93b906',
	],
	[
		'0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
		'0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
	],
	[
		'0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
		'0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
	],
	[
		'0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
		'0x976ea74026e726554db657fa54763abd0c3a0aa9',
	],
	[
		'0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
		'0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
	],
	[
		'0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
		'0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
	],
	[
		'0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
		'0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
	],
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

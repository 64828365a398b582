import { id } from 'ethers';

import { checkSigner, privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { checkSignInMessage } from '../../../nodes/PayrollPayments/signing/guards/signInMessage';
import { signerOf, textHash } from '../../../nodes/PayrollPayments/signing/signature';
import { parseTypedData } from '../../../nodes/PayrollPayments/signing/typedData';
import { membersIn } from './note';

/*
 * What others printed, as facts. Everything beyond is judged by their libraries: siwe and ethers check
 * random messages, texts and typed data in the files beside this one.
 */

/** The examples of https://eips.ethereum.org/EIPS/eip-4361 (CC0). */
it.each(['example.com', 'example.com:3388', 'https://example.com'])(
	'EIP-4361’s message for %s is signed',
	(domain) => {
		const walletAddress = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
		const text = `${domain} wants you to sign in with your Ethereum account:
${walletAddress}

I accept the ExampleOrg Terms of Service: https://example.com/tos

URI: https://example.com/login
Version: 1
Chain ID: 1
Nonce: 32891756
Issued At: 2021-09-30T16:25:24Z
Resources:
- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/
- https://example.com/my-web2-claim.json`;
		const now = Date.parse('2021-09-30T16:30:00Z');
		const expectation = { walletAddress, baseUrl: 'https://example.com', now };
		expect(checkSignInMessage(text, expectation).address).toBe(walletAddress);
	},
);

/** The example of web3.eth.accounts.sign in the documentation of web3.js (LGPL-3.0). */
it('web3.js’s text is signed to the same bytes', async () => {
	const privateKey = '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
	const signature =
		'0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c';
	const wallet = privateKeyWallet({ privateKey });
	expect(wallet.address).toBe('0x2c7536E3605D9C16a7a3D7b1898e529396a65c23');
	expect(await wallet.signMessage('Some data')).toBe(signature);
	expect(await signerOf(textHash('Some data'), signature)).toBe(wallet.address);
});

/** viem's test of hashMessage (MIT): what looks like bytes is text, too. */
it.each([
	['🤗', '0x716ce69c5d2d629c168bc02e24a961456bdc5a362d366119305aea73978a0332'],
	['0xdeadbeef', '0xefedd0a9a0294228c3977d7fbb68c7d40279f8b408cf3e24ef1823b179709e58'],
])('viem’s text %s has its hash', (text, hash) => {
	expect(textHash(text)).toBe(hash);
});

/** The test cases of https://eips.ethereum.org/EIPS/eip-55 (CC0). */
it.each([
	'0x52908400098527886E0F7030069857D2E4169EE7',
	'0x8617E340B3D01FA5F11F306F4090FD50E238070D',
	'0xde709f2102306220921060314715629080e2fb77',
	'0x27b1fdb04752bbc536007a920d24acb045561c26',
	'0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
	'0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
	'0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
	'0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
])('EIP-55’s address %s is signed', (address) => {
	const eip712 = { domain: { name: 'EIP-55' }, types: { Mail: membersIn('address to') } };
	const input = { ...eip712, primaryType: 'Mail', message: { to: address } };
	expect(parseTypedData(input, '').message).toEqual({ to: address });
});

/** The example of https://eips.ethereum.org/EIPS/eip-712 (CC0), signed by “cow”. */
it('EIP-712’s mail is signed to the same bytes', async () => {
	const signature =
		'0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c';
	const mail = {
		domain: {
			name: 'Ether Mail',
			version: '1',
			chainId: 1,
			verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
		},
		types: {
			Person: membersIn('string name, address wallet'),
			Mail: membersIn('Person from, Person to, string contents'),
		},
		primaryType: 'Mail',
		message: {
			from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
			to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
			contents: 'Hello, Bob!',
		},
	};
	const typedData = parseTypedData(mail, 'message.');
	expect(typedData.hash).toBe('0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2');
	const wallet = privateKeyWallet({ privateKey: id('cow') });
	expect(await wallet.signTypedData(typedData)).toBe(signature);
	await checkSigner(typedData, { signer: wallet.address, signature });
});

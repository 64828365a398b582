import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { checkSigner, privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { checkSignInMessage } from '../../../nodes/PayrollPayments/signing/guards/signInMessage';
import {
	isSameAddress,
	readAddress,
	readSignature,
	signerOf,
	textHash,
} from '../../../nodes/PayrollPayments/signing/signature';
import {
	readTypedData,
	type UncheckedTypedData,
} from '../../../nodes/PayrollPayments/signing/typedData';
import { CHECKSUMMED_ADDRESSES, SIGNED_TEXTS, TEXT_HASHES } from '../../support/vectors/messages';
import {
	ACCEPTED_MESSAGES,
	REFUSED_MESSAGES,
	SIGNED_MESSAGES,
} from '../../support/vectors/signInMessages';
import { ACCEPTED_TYPED_DATA, REFUSED_TYPED_DATA } from '../../support/vectors/typedData';

const baseUrl = 'https://payroll.example';
const guarded = (input: UncheckedTypedData) => readTypedData(input, 'message.');
const addressIn = (text: string) => text.split('\n')[1] ?? '';
const now = Date.parse('2022-06-30T15:00:00Z');

describe('sign-in messages of others', () => {
	const check = (text: string) =>
		checkSignInMessage(text, { walletAddress: addressIn(text), baseUrl, now });

	it.each(ACCEPTED_MESSAGES)('are read alike: $source, $name', ({ text, stricter }) => {
		if (stricter === undefined) expect(check(text).address).toBe(addressIn(text));
		else expect(() => check(text)).toThrow(UserError);
	});

	it.each(REFUSED_MESSAGES)('aren’t signed: $source, $name', ({ text }) => {
		// For any wallet, so that it isn't the address that differs.
		const [walletAddress = ''] = /0x[0-9a-f]{40}/i.exec(text) ?? [];
		expect(() => checkSignInMessage(text, { walletAddress, baseUrl, now })).toThrow(
			/isn't a valid EIP-4361 message/,
		);
	});

	it.each(SIGNED_MESSAGES)(
		'with a signature: siwe, $name: $outcome',
		async ({ text, address, signature, time, domain, outcome }) => {
			const expectation = { walletAddress: address, baseUrl, domain, now: Date.parse(time) };
			const sign = () => checkSignInMessage(text, expectation).address;
			if (outcome === 'notSigned') {
				expect(sign).toThrow(UserError);
				return;
			}
			expect(sign()).toBe(address);
			const readable = readSignature(signature);
			const signer = readable && (await signerOf(textHash(text), readable));
			expect(signer === address).toBe(outcome === 'verified');
		},
	);
});

describe('texts of others', () => {
	it.each(SIGNED_TEXTS)('are signed to the same bytes: $source, $text', async (vector) => {
		const wallet = privateKeyWallet({ privateKey: vector.privateKey });
		expect(await wallet.signMessage(vector.text)).toBe(vector.signature);
		if ('hash' in vector) expect(textHash(vector.text)).toBe(vector.hash);
		if ('address' in vector) expect(isSameAddress(wallet.address, vector.address)).toBe(true);
		expect(await signerOf(textHash(vector.text), vector.signature)).toBe(wallet.address);
	});

	it.each(TEXT_HASHES)('have the same hash: viem, %s', (text, hash) => {
		expect(textHash(text)).toBe(hash);
	});

	it.each(CHECKSUMMED_ADDRESSES)('have EIP-55’s spelling of %s', (address) => {
		expect(readAddress(address.toLowerCase())).toBe(address);
		expect(readAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address);
	});
});

describe('typed data of others', () => {
	it.each(ACCEPTED_TYPED_DATA)(
		'is signed to the same bytes: $source, $name',
		async ({ typedData, hash, signed }) => {
			expect(guarded(typedData).hash).toBe(hash);
			if (signed === undefined) return;
			const { privateKey, signature } = signed;
			const wallet = privateKeyWallet({ privateKey });
			expect(await wallet.signTypedData(guarded(typedData))).toBe(signature);
			await checkSigner(guarded(typedData), { signer: wallet.address, signature });
		},
	);

	it.each(REFUSED_TYPED_DATA)('isn’t signed: $source, $name', ({ typedData, refusal }) => {
		expect(() => guarded(typedData)).toThrow(refusal);
	});
});

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { concat, keccak256, recoverAddress, TypedDataEncoder, Wallet as Judge } from 'ethers';
import { z } from 'zod';

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
import {
	CHECKSUMMED_ADDRESSES,
	KEYS,
	SIGNED_TEXTS,
	TEXT_HASHES,
} from '../../support/vectors/messages';
import {
	ACCEPTED_MESSAGES,
	REFUSED_MESSAGES,
	SIGNED_MESSAGES,
} from '../../support/vectors/signInMessages';
import { TYPED_DATA_VECTORS, type TypedDataVector } from '../../support/vectors/typedData';

const baseUrl = 'https://payroll.example';
const guarded = (input: UncheckedTypedData) => readTypedData(input, 'message.');
const addressIn = (text: string) => text.split('\n')[1] ?? '';
const now = Date.parse('2022-06-30T15:00:00Z');

describe('sign-in messages of others', () => {
	const check = (text: string) =>
		checkSignInMessage(text, { walletAddress: addressIn(text), baseUrl, now });

	it.each(ACCEPTED_MESSAGES.filter(({ stricter }) => stricter === undefined))(
		'are signed: $source, $name',
		({ text }) => {
			expect(check(text).address).toBe(addressIn(text));
		},
	);

	it.each(ACCEPTED_MESSAGES.filter(({ stricter }) => stricter !== undefined))(
		'aren’t signed: $source, $name, because $stricter',
		({ text }) => {
			expect(() => check(text)).toThrow(UserError);
		},
	);

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

	it.each(KEYS)('are signed by the same address: %s', (privateKey, address) => {
		expect(privateKeyWallet({ privateKey }).address.toLowerCase()).toBe(address);
	});

	it.each(CHECKSUMMED_ADDRESSES)('have EIP-55’s spelling of %s', (address) => {
		expect(readAddress(address.toLowerCase())).toBe(address);
		expect(readAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address);
	});
});

const anyTypedData = z.object({
	domain: z.record(z.unknown()),
	types: z.record(z.array(z.object({ name: z.string(), type: z.string() }))),
	primaryType: z.string(),
	message: z.record(z.unknown()),
});

/** ethers' hash, also of typed data that is nothing but a domain. */
function judgedHash(typedData: unknown): string {
	const { domain, types, primaryType, message } = anyTypedData.parse(typedData);
	const { EIP712Domain = [], ...others } = types;
	if (primaryType !== 'EIP712Domain') return TypedDataEncoder.hash(domain, others, message);
	const struct = TypedDataEncoder.hashStruct(primaryType, { EIP712Domain }, domain);
	return keccak256(concat(['0x1901', struct]));
}

describe('typed data of others', () => {
	const isAccepted = ({ refusal }: TypedDataVector) => refusal === undefined;

	it.each(TYPED_DATA_VECTORS.filter(isAccepted))(
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

	it.each(TYPED_DATA_VECTORS.filter(({ hash, signed }) => hash ?? signed))(
		'is written down as its source has it: $source, $name',
		async ({ typedData, hash, signed }) => {
			const computed = judgedHash(typedData);
			expect(hash ?? computed).toBe(computed);
			if (signed === undefined) return;
			const { privateKey, signature } = signed;
			expect(recoverAddress(computed, signature)).toBe(new Judge(privateKey).address);
		},
	);

	const refused = TYPED_DATA_VECTORS.filter((vector) => !isAccepted(vector));

	it.each(refused.filter(({ stricter }) => stricter !== undefined))(
		'isn’t signed: $source, $name, because $stricter',
		({ typedData, refusal }) => {
			expect(() => guarded(typedData).hash).toThrow(refusal);
		},
	);

	it.each(refused.filter(({ stricter }) => stricter === undefined))(
		'isn’t signed: $source, $name',
		({ typedData, refusal }) => {
			expect(() => guarded(typedData).hash).toThrow(refusal);
		},
	);
});

describe('typed data of the package eip-712', () => {
	const folder = path.join(
		path.dirname(require.resolve('eip-712/package.json')),
		'src/__fixtures__',
	);
	const read = (name: string): Record<string, unknown> =>
		z
			.record(z.unknown())
			.parse(JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')));
	const hashOf = (name: string) => {
		const { domain, types, primaryType, message } = read(name);
		return guarded({ domain, types, primaryType, message }).hash;
	};
	const names = readdirSync(folder).map((file) => path.basename(file, '.json'));
	/** What its eip-712.test.ts expects. */
	const HASHES: Readonly<Record<string, string>> = {
		'typed-data-1': '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2',
	};
	/** What the node refuses for a stricter reason: lists of a fixed length, and bytes without 0x. */
	const STRICTER: Readonly<Record<string, RegExp>> = {
		'typed-data-2': /transaction\.data is "", which isn't a valid bytes/,
		'typed-data-3': /The type "string\[3\]" is missing/,
		'typed-data-4': /The type "string\[3\]" is missing/,
		'typed-data-5': /The type "string\[3\]" is missing/,
	};
	const INVALID: Readonly<Record<string, RegExp>> = {
		'invalid-array-length': /The type "string\[3\]" is missing/,
		'invalid-array-type': /The type "string\[3\]" is missing/,
		'invalid-missing-data': /message\.to is missing/,
		'invalid-missing-type': /The primary type "Mail" is not among the types/,
		'invalid-schema': /domain.foo would be sent, but not signed/,
		'invalid-type': /The type "-string" is missing/,
	};

	it('has no others', () => {
		const known = Object.keys({ ...HASHES, ...STRICTER, ...INVALID });
		// “types” is a list of types without data.
		expect(names.sort()).toEqual([...known, 'types'].sort());
	});

	it.each(Object.entries(HASHES))('is signed to the same bytes: %s', (name, hash) => {
		expect(hashOf(name)).toBe(hash);
	});

	it.each(Object.entries(STRICTER))('isn’t signed: %s', (name, words) => {
		expect(() => hashOf(name)).toThrow(words);
	});

	it.each(Object.entries(INVALID))('isn’t signed: %s', (name, words) => {
		expect(() => hashOf(name)).toThrow(words);
	});
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

import { z } from 'zod';

import { installEthersTestcases } from '../../scripts/lib/installations.mjs';
import { UserError } from '../../nodes/PayrollPayments/shared/errors';
import { checkSigner, privateKeyWallet } from '../../nodes/PayrollPayments/signing';
import { readAddress } from '../../nodes/PayrollPayments/signing/signature';
import { readTypedData } from '../../nodes/PayrollPayments/signing/typedData';

jest.setTimeout(600_000);

/** Test cases of `@ethersproject/testcases` (MIT), which ethers 5 is tested with. */
let folder: string;

beforeAll(async () => {
	folder = await installEthersTestcases();
});

function read<Case>(name: string, shape: z.ZodType<Case, z.ZodTypeDef, unknown>): Case[] {
	const text = gunzipSync(readFileSync(path.join(folder, `${name}.json.gz`))).toString('utf8');
	return z.array(shape).parse(JSON.parse(text));
}

const typedDataCase = z.object({
	name: z.string(),
	domain: z.record(z.unknown()),
	types: z.record(z.array(z.object({ name: z.string(), type: z.string() }))),
	primaryType: z.string(),
	data: z.record(z.unknown()),
	digest: z.string(),
	privateKey: z.string().optional(),
	signature: z.string().optional(),
});
type TypedDataCase = z.infer<typeof typedDataCase>;

/** Why the node refuses a case that ethers signs, and its words for that. */
const STRICTER: ReadonlyArray<
	readonly [why: string, isCase: (one: TypedDataCase) => boolean, words: RegExp]
> = [
	[
		'lists of a fixed length, and lists of lists, aren’t supported; the service’s types have none',
		({ types }) =>
			Object.values(types)
				.flat()
				.some(({ type }) => /\[\d+\]|\[\]\[\]/.test(type)),
		/^The type ".+\[\d*\]" is missing/,
	],
	[
		'without a domain, a signature would hold everywhere',
		({ domain }) => Object.keys(domain).length === 0,
		/^The domain is empty/,
	],
];

const guardedOf = ({ domain, types, primaryType, data: message }: TypedDataCase) =>
	readTypedData({ domain, types, primaryType, message }, 'message.');

describe('the typed data of ethers', () => {
	it('is hashed to the same bytes, or refused for a stricter reason', async () => {
		const cases = read('eip712', typedDataCase);
		expect(cases).toHaveLength(1025);
		const counts = new Map<string, number>();
		for (const one of cases) {
			const reason = STRICTER.find(([, isCase]) => isCase(one));
			if (reason === undefined) {
				expect([one.name, guardedOf(one).hash]).toEqual([one.name, one.digest]);
			} else {
				const hash = () => guardedOf(one).hash;
				expect(hash).toThrow(UserError);
				expect(hash).toThrow(reason[2]);
			}
			const outcome = reason?.[0] ?? 'hashed to the same bytes';
			counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
		}
		expect(Object.fromEntries(counts)).toEqual({
			'hashed to the same bytes': 697,
			[STRICTER[0]?.[0] ?? '']: 311,
			[STRICTER[1]?.[0] ?? '']: 17,
		});
	});

	it('is signed to the same bytes', async () => {
		const signed = read('eip712', typedDataCase).filter(({ signature }) => signature);
		expect(signed).toHaveLength(1);
		for (const one of signed) {
			const { privateKey = '', signature = '' } = one;
			const wallet = privateKeyWallet({ privateKey });
			const typedData = guardedOf(one);
			expect(await wallet.signTypedData(typedData)).toBe(signature);
			await checkSigner(typedData, { signer: wallet.address, signature });
		}
	});
});

describe('the accounts of ethers', () => {
	const accountCase = z.object({
		address: z.string(),
		checksumAddress: z.string(),
		privateKey: z.string().optional(),
	});

	it('have the same checksums, and the same addresses for their keys', () => {
		const cases = read('accounts', accountCase);
		expect(cases).toHaveLength(1038);
		const keys = cases.flatMap(({ privateKey, checksumAddress }) =>
			privateKey === undefined ? [] : [{ privateKey, checksumAddress }],
		);
		expect(keys).toHaveLength(1031);
		for (const { address, checksumAddress } of cases) {
			expect(readAddress(address.toLowerCase())).toBe(checksumAddress);
		}
		for (const { privateKey, checksumAddress } of keys) {
			expect(privateKeyWallet({ privateKey }).address).toBe(checksumAddress);
		}
	});
});

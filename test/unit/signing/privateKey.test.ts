import { id, verifyMessage, verifyTypedData, Wallet as Judge } from 'ethers';
import * as fc from 'fast-check';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { readTypedData } from '../../../nodes/PayrollPayments/signing/typedData';
import { wellFormedCharacter } from '../../support/unicodeCharacters';
import { runs } from '../../support/propertyRuns';

const key = id('payroll tests: wallet');
const judge = new Judge(key);

function refusalOf(act: () => unknown): UserError {
	try {
		act();
	} catch (error) {
		if (error instanceof UserError) return error;
		throw error;
	}
	throw new Error('nothing was refused');
}

describe('the wallet of a private key', () => {
	it('has the address that ethers derives, with its checksum', () => {
		for (const label of ['one', 'two', 'three']) {
			const privateKey = id(label);
			expect(privateKeyWallet({ privateKey }).address).toBe(new Judge(privateKey).address);
		}
	});

	it('signs any text as ethers does', async () => {
		const wallet = privateKeyWallet({ privateKey: key });
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: wellFormedCharacter }), async (text) => {
				const signature = await wallet.signMessage(text);
				expect(signature).toBe(await judge.signMessage(text));
				expect(verifyMessage(text, signature)).toBe(judge.address);
			}),
			{ numRuns: runs(20) },
		);
	});

	it('signs no text that libraries encode differently', async () => {
		const wallet = privateKeyWallet({ privateKey: key });
		await expect(wallet.signMessage('half \ud800 of a character')).rejects.toMatchObject({
			message: 'The message contains half of a character',
			hint: 'Copy the whole message again from its source. Nothing was signed.',
		});
	});

	it('signs typed data as ethers does', async () => {
		const wallet = privateKeyWallet({ privateKey: key });
		const domain = { name: 'Payroll', version: '1', chainId: 42161 };
		const types = {
			Note: [
				{ name: 'text', type: 'string' },
				{ name: 'sum', type: 'uint256' },
			],
		};
		const message = { text: 'for March', sum: '1250000' };
		const typedData = readTypedData({ domain, types, primaryType: 'Note', message }, '');
		const signature = await wallet.signTypedData(typedData);
		expect(signature).toBe(await judge.signTypedData(domain, types, message));
		expect(verifyTypedData(domain, types, message, signature)).toBe(judge.address);
	});

	it('is the same object for the same key, however the key is spelt', () => {
		const wallet = privateKeyWallet({ privateKey: key });
		expect(privateKeyWallet({ privateKey: `0x${key.slice(2).toUpperCase()}` })).toBe(wallet);
		expect(privateKeyWallet({ privateKey: id('another') })).not.toBe(wallet);
	});

	it('keeps the latest wallets only', () => {
		const wallet = privateKeyWallet({ privateKey: key });
		for (let index = 0; index < 16; index++) privateKeyWallet({ privateKey: id(`many ${index}`) });
		expect(privateKeyWallet({ privateKey: key })).not.toBe(wallet);
	});

	it('takes its own address in any case', () => {
		for (const walletAddress of [judge.address, judge.address.toLowerCase(), '']) {
			expect(privateKeyWallet({ privateKey: key, walletAddress }).address).toBe(judge.address);
		}
	});

	it('refuses another address, and names the field', () => {
		const walletAddress = new Judge(id('another')).address;
		const refusal = refusalOf(() => privateKeyWallet({ privateKey: key, walletAddress }));
		expect(refusal.field).toBe('walletAddress');
		expect(refusal.message).toBe(
			`The wallet address ${walletAddress} does not belong to the private key, whose address is ${judge.address}`,
		);
		expect(refusal.hint).toBe('Correct the address or the key, or leave the address empty.');
	});

	const INVALID = [
		"Private Key in the credentials isn't a valid key",
		'Copy the key from the wallet again.',
	];

	it.each<[string, string]>([
		['nothing', ''],
		['no 0x', key.slice(2)],
		['too short', key.slice(0, -1)],
		['too long', `${key}0`],
		['white space', ` ${key}`],
		['text before it', `key=${key}`],
		['a line break at its end', `${key}\n`],
		['letters beyond f', `${key.slice(0, -1)}g`],
		['a seed phrase', 'test test test test test test test test test test test junk'],
		['zero', `0x${'0'.repeat(64)}`],
		['beyond the curve', `0x${'f'.repeat(64)}`],
	])('refuses a key with %s, says what to do, and does not repeat it', (_what, privateKey) => {
		const { field, message, hint } = refusalOf(() => privateKeyWallet({ privateKey }));
		expect([field, message, hint]).toEqual(['privateKey', ...INVALID]);
	});

	it('does not show its key', () => {
		const wallet = privateKeyWallet({ privateKey: key });
		expect(JSON.stringify(wallet)).not.toContain(key.slice(2));
		expect(Object.values(wallet)).not.toContain(key);
	});
});

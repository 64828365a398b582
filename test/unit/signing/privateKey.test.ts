import { id, verifyMessage, Wallet as Judge } from 'ethers';
import * as fc from 'fast-check';

import { privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { runs } from '../../support/propertyRuns';
import { refusalOf } from '../../support/refusals';
import { wellFormedCharacter } from '../../support/unicodeCharacters';

const key = id('payroll tests: wallet');
const judge = new Judge(key);
const wallet = privateKeyWallet({ privateKey: key });

describe('the wallet of a private key', () => {
	it('signs any text as ethers does', async () => {
		/* What looks like bytes is text, too. */
		const anyText = fc.oneof(fc.constant('0xdeadbeef'), fc.string({ unit: wellFormedCharacter }));
		await fc.assert(
			fc.asyncProperty(anyText, async (text) => {
				const signature = await wallet.signMessage(text);
				expect(signature).toBe(await judge.signMessage(text));
				expect(verifyMessage(text, signature)).toBe(judge.address);
			}),
			{ numRuns: runs(20) },
		);
	});

	it('signs no text that libraries encode differently', async () => {
		await expect(wallet.signMessage('half \ud800 of a character')).rejects.toMatchObject({
			message: 'The message contains an incomplete Unicode character',
			hint: 'Copy the whole message again from its source.',
		});
	});

	it('has the address that ethers derives, and takes it in any case', () => {
		for (const walletAddress of [judge.address, judge.address.toLowerCase(), '']) {
			for (const privateKey of [key, `0x${key.slice(2).toUpperCase()}`]) {
				expect(privateKeyWallet({ privateKey, walletAddress }).address).toBe(judge.address);
			}
		}
	});

	it('refuses another address, and names both', () => {
		const walletAddress = new Judge(id('another')).address;
		expect(refusalOf(() => privateKeyWallet({ privateKey: key, walletAddress }))).toMatchObject({
			message: `The wallet address ${walletAddress} does not belong to the private key, whose address is ${judge.address}`,
			hint: 'Correct the address or the key, or leave the address empty.',
		});
	});

	it.each<[string, string]>([
		['nothing', ''],
		['no 0x', key.slice(2)],
		['something else for 0x', `xx${key.slice(2)}`],
		['too short', key.slice(0, -1)],
		['too long', `${key}0`],
		['text before it', `key=${key}`],
		['a line break at its end', `${key}\n`],
		['letters beyond f', `${key.slice(0, -1)}g`],
		['zero', `0x${'0'.repeat(64)}`],
		['beyond the curve', `0x${'f'.repeat(64)}`],
	])('refuses a key with %s, says what to do, and does not repeat it', (_what, privateKey) => {
		expect(refusalOf(() => privateKeyWallet({ privateKey }))).toMatchObject({
			message: 'Private Key in the credentials isn’t a valid key',
			hint: 'Copy the key from the wallet again.',
		});
	});

	it('does not show its key', () => {
		expect(JSON.stringify(wallet)).not.toContain(key.slice(2));
		expect(Object.values(wallet)).not.toContain(key);
	});
});

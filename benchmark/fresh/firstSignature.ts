/* Loads a wallet and signs one message; prints when the signature was there, and the signature. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

import type { privateKeyWallet } from '../../nodes/PayrollPayments/signing';

const [, program = '', file = ''] = process.argv;
const load = createRequire(program);
const privateKey = `0x${createHash('sha256').update('benchmark: first signature').digest('hex')}`;

const begun = performance.now();
const wallet: { privateKeyWallet: typeof privateKeyWallet } = load(file);
const loaded = performance.now() - begun;
void wallet
	.privateKeyWallet({ privateKey })
	.signMessage('example.com wants you to sign in')
	.then((signature) => {
		console.log(JSON.stringify({ loaded, milliseconds: performance.now() - begun, signature }));
	});

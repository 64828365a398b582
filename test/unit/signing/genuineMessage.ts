import { id, Wallet as Judge } from 'ethers';
import type { SiweMessage } from 'siwe';

import type { SignInMessage } from '../../../nodes/PayrollPayments/signing/guards/eip4361';

export const privateKey = id('payroll tests: wallet');
export const { address } = new Judge(privateKey);
export const other = new Judge(id('payroll tests: another wallet'));
const baseUrl = 'https://api.payroll.example';
export const now = Date.parse('2026-11-21T12:00:00Z');
export const expectation = { walletAddress: address, baseUrl, now, redact: String };

/** The lines of a message that is right in every respect. */
export const LINES = [
	'app.payroll.example wants you to sign in with your Ethereum account:',
	address,
	'',
	'Sign in to Payroll. By signing you accept our terms: https://payroll.example/terms',
	'',
	'URI: https://app.payroll.example/login',
	'Version: 1',
	'Chain ID: 42161',
	'Nonce: k3Fq81ZbY2aa',
	'Issued At: 2026-11-21T11:59:30.000Z',
	'Expiration Time: 2026-11-21T12:10:00.000Z',
	'Not Before: 2026-11-21T11:59:30.000Z',
	'Request ID: request-7',
	'Resources:',
	'- https://payroll.example/terms',
	'- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/',
];
export const MESSAGE = LINES.join('\n');

/** What a message means, in words that both parsers have. */
export function meaning(message: SignInMessage | SiweMessage): Record<string, unknown> {
	const { scheme, domain, address: signer, statement, uri, version, chainId } = message;
	const { nonce, issuedAt, expirationTime, notBefore, requestId, resources } = message;
	return {
		...{ scheme, domain, address: signer, statement, uri, version, chainId },
		...{ nonce, issuedAt, expirationTime, notBefore, requestId, resources },
	};
}

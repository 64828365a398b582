import { getAddress } from 'ethers';
import { generateNonce, SiweMessage } from 'siwe';

import { addressFor } from './accounts';
import { ServiceFailure } from './failure';
import type { Settings } from './settings';
import { isCanonical } from './signatures';
import { Tampering } from './tampering';
import type { TokenHolder } from './tokens';

/** Ways in which a hostile or broken service can tamper with a sign-in message. */
export const SIGN_IN_TRICKS = [
	'anotherWallet',
	'anotherDomain',
	'anotherUri',
	'anotherChain',
	'expired',
	'notYetValid',
	'issuedInTheFuture',
	'withoutIssuedAt',
	'withoutNonce',
	'shortNonce',
	'lineBreaks',
	'version2',
	'trailingText',
	'lowerCaseAddress',
	'notAMessage',
	'empty',
] as const;
export type SignInTrick = (typeof SIGN_IN_TRICKS)[number];

/** The body of Endpoint 2. */
export interface SignedMessage {
	readonly message: string;
	readonly sig: string;
	readonly nonce: string;
}

/** Issues EIP-4361 messages and verifies their signatures; each nonce works once. */
export class SignInMessages {
	readonly tampering = new Tampering<SignInTrick>();
	/** By nonce, until it's used. */
	private readonly issued = new Map<string, { holder: TokenHolder; text: string }>();

	/** A message for the wallet; `url` is the API's. */
	issue(holder: TokenHolder, url: string, settings: Settings): string {
		const nonce = generateNonce();
		const now = Date.now();
		const message = new SiweMessage({
			domain: domainOf(settings, url),
			address: holder.wallet,
			statement: 'Sign in to Payroll and Payments. Signing costs nothing and moves no funds.',
			uri: settings.signInDomain === null ? url : `https://${settings.signInDomain}`,
			version: '1',
			chainId: settings.signInChainId,
			nonce,
			issuedAt: new Date(now).toISOString(),
			expirationTime: new Date(now + settings.signInMessageLifetimeSeconds * 1000).toISOString(),
		}).prepareMessage();
		const trick = this.tampering.take();
		const text = trick ? tamper(message, trick) : message;
		this.issued.set(nonce, { holder, text });
		return text;
	}

	/** Returns who signed; throws {@link ServiceFailure} 400 or 401. */
	async verify(
		{ message: text, sig: signature, nonce }: SignedMessage,
		url: string,
		settings: Settings,
	): Promise<TokenHolder> {
		const message = readMessage(text);
		const issued = this.issued.get(message.nonce);
		// Any attempt uses up the nonce, even a failed one.
		this.issued.delete(message.nonce);
		if (!issued || message.nonce !== nonce) {
			throw new ServiceFailure(
				401,
				'The nonce was not issued or was already used',
				'NONCE_INVALID',
			);
		}
		const { holder } = issued;
		if (text !== issued.text) {
			throw new ServiceFailure(
				401,
				'The message is not the one that was issued',
				'MESSAGE_CHANGED',
			);
		}
		const domain = domainOf(settings, url);
		const result = await message.verify({ signature, nonce, domain }, { suppressExceptions: true });
		if (!result.success || !isCanonical(signature)) {
			const reason = result.error ? String(result.error.type) : 'Verification failed.';
			throw new ServiceFailure(401, `Sign-in refused: ${reason}`, 'INVALID_SIGNATURE');
		}
		if (getAddress(message.address) !== holder.wallet) {
			throw new ServiceFailure(401, 'The message was issued to another wallet', 'WALLET_MISMATCH');
		}
		return holder;
	}

	/** Forgets all messages that haven't been signed yet. */
	clear(): void {
		this.issued.clear();
		this.tampering.clear();
	}
}

function domainOf({ signInDomain }: Settings, url: string): string {
	return signInDomain ?? new URL(url).host;
}

function readMessage(text: string): SiweMessage {
	try {
		return new SiweMessage(text);
	} catch {
		throw new ServiceFailure(400, 'The message is not a valid sign-in message', 'MESSAGE_INVALID');
	}
}

const FAR_FUTURE = '2999-01-01T00:00:00.000Z';

function tamper(message: string, trick: SignInTrick): string {
	const line = (name: string, value: string): string =>
		message.replace(new RegExp(`^${name}: .*$`, 'm'), `${name}: ${value}`);
	const withoutLine = (name: string): string =>
		message.replace(new RegExp(`\\n${name}: .*$`, 'm'), '');
	switch (trick) {
		case 'anotherWallet':
			return message.replace(ADDRESS, addressFor('another wallet'));
		case 'anotherDomain':
			return message.replace(/^\S+ wants/, 'evil.example.com wants');
		case 'anotherUri':
			return line('URI', 'https://evil.example.com/login');
		case 'anotherChain':
			return line('Chain ID', '11155111');
		case 'expired':
			return line('Expiration Time', '2020-01-01T00:00:00.000Z');
		case 'notYetValid':
			return `${message}\nNot Before: 2998-01-01T00:00:00.000Z`.replace(
				/^Expiration Time: .*$/m,
				`Expiration Time: ${FAR_FUTURE}`,
			);
		case 'issuedInTheFuture':
			return line('Issued At', '2998-01-01T00:00:00.000Z').replace(
				/^Expiration Time: .*$/m,
				`Expiration Time: ${FAR_FUTURE}`,
			);
		case 'withoutIssuedAt':
			return withoutLine('Issued At');
		case 'withoutNonce':
			return withoutLine('Nonce');
		case 'shortNonce':
			return line('Nonce', 'abc1234');
		case 'lineBreaks':
			return message.replace(
				'Sign in to',
				'Sign in.\n\nURI: https://evil.example.com\nVersion: 1\n\nGrant access to',
			);
		case 'version2':
			return line('Version', '2');
		case 'trailingText':
			return `${message}\nI also agree to transfer all funds.`;
		case 'lowerCaseAddress':
			return message.replace(ADDRESS, (address) => address.toLowerCase());
		case 'notAMessage':
			return 'I hereby transfer all funds to the bearer of this message.';
		case 'empty':
			return '';
	}
}

const ADDRESS = /0x[0-9a-fA-F]{40}/;

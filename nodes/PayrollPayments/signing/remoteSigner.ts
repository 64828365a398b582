import { getAddress, stringToHex } from 'viem/utils';

import { z } from 'zod';
import { throwIfStopped, UserError } from '../shared/errors';
import { parseJson } from '../shared/json';
import type { HttpAnswer, HttpExchange } from '../shared/http';
import { quoted, safeExcerpt, type Redact } from '../shared/redaction';
import { DIALECTS, type RemoteSignerDialect } from './dialects';
import { isSameAddress, readSignature, signerOf, textHash, type Hex } from './signature';
import type { Wallet } from './wallet';

/** Characters of the answer that are read, and of the signer's message and code that are shown. */
const LONGEST = { answer: 100_000, message: 80, code: 30 };
/** JSON-RPC's “Method not found”, EIP-1474's “Method not supported”, EIP-1193's “Unsupported Method”. */
const UNSUPPORTED_METHOD = ['-32601', '-32004', '4200'];
/** The same under other codes: go-ethereum's words, which Ganache shares, and Anvil's. */
const UNSUPPORTED_MESSAGE = /does not exist\/is not available$|^not implemented$/i;
/** EIP-1193's and WalletConnect's “User Rejected Request”. */
const DECLINED = ['4001', '5000'];
/** The same under other codes, e.g. Clef's “Request denied”. */
const DECLINED_MESSAGE = /\b(?:rejected|denied|declined)\b/i;

const resultSchema = z.object({
	jsonrpc: z.literal('2.0'),
	id: z.number(),
	result: z.unknown(),
});
/** An error. Its `id` isn't compared, because it is null if the signer couldn't read the request's. */
const errorSchema = z.object({
	error: z.union([
		z.string().transform((message) => ({ message, code: '' })),
		z.object({
			message: z.string().default(''),
			code: z.union([z.number(), z.string()]).default(''),
		}),
	]),
});

/** The error for what the signer itself reports. */
function signerError(
	error: z.output<typeof errorSchema>['error'],
	method: string,
	redact: Redact,
): UserError {
	const code = String(error.code);
	const shown = (text: string, longest: number) => safeExcerpt(text, redact, longest);
	const message = error.message === '' ? [] : quoted(shown(error.message, LONGEST.message));
	const what = [message, code === '' ? [] : `(${shown(code, LONGEST.code)})`].flat().join(' ');
	if (UNSUPPORTED_METHOD.includes(code) || UNSUPPORTED_MESSAGE.test(error.message)) {
		return new UserError(`The remote signer doesn’t support ${method}`, {
			mayBeSigned: false,
			hint: 'Select the signer’s type under Remote Signer Dialect in the credentials.',
		});
	}
	if (DECLINED.includes(code) || DECLINED_MESSAGE.test(error.message)) {
		return new UserError(`The signature was declined in the wallet: ${what}`, {
			hint: 'A person or a rule of the signer declined it. If it was a sign-in, wait half a minute before the next one; if this error stays, five minutes.',
		});
	}
	return new UserError(`The remote signer refused to sign: ${what}`, {
		hint: 'Check the signer’s log, and Remote Signer Token and Remote Signer Dialect in the credentials. The signer must have the unlocked key of Wallet Address and, for typed data, be on the chain that the data names.',
	});
}

/** The result in a JSON-RPC response (https://www.jsonrpc.org/specification). */
function readResult(
	{ status, body }: HttpAnswer,
	{ id, method }: { readonly id: number; readonly method: string },
	redact: Redact,
): unknown {
	const json = body.length > LONGEST.answer ? undefined : parseJson(body);
	// Some signers send their JSON-RPC errors with a 4xx or 5xx status.
	const error = status === 401 ? undefined : errorSchema.safeParse(json).data?.error;
	if (error !== undefined) throw signerError(error, method, redact);
	if (status === 401 || status === 403) {
		throw new UserError(`The remote signer rejected the request (HTTP ${status})`, {
			mayBeSigned: false,
			hint: 'Check Remote Signer Token in the credentials, and that the signer accepts the host in Remote Signer URL: --http-host-allowlist for Web3Signer, --http.vhosts for Clef.',
		});
	}
	if (status >= 500) {
		throw new UserError(`The remote signer failed (HTTP ${status})`, {
			mayBeSigned: true,
			hint: 'Check the signer’s log and Remote Signer Dialect in the credentials: Web3Signer passes other dialects’ methods on to a node. If a proxy answered, check that the signer behind it is running, and that the proxy waits as long as a person may take to confirm.',
		});
	}
	const signed = resultSchema.safeParse(json);
	if (status !== 200 || signed.data?.id !== id) {
		throw new UserError(`The remote signer’s response isn’t JSON-RPC (HTTP ${status})`, {
			mayBeSigned: status === 200,
			hint: 'Check Remote Signer URL, including the path of its JSON-RPC endpoint. Redirects aren’t followed.',
		});
	}
	return signed.data.result;
}

interface RemoteSignerOptions {
	readonly url: string;
	readonly token?: string;
	readonly dialect: RemoteSignerDialect;
	readonly walletAddress: string;
	/** How long it may take to sign: it may ask a person. */
	readonly confirmationSeconds: number;
	/** Aborted once the execution was stopped, which ends the wait for the signer. */
	readonly signal?: AbortSignal;
	/** Removes the secrets of the credentials from what the signer says. */
	readonly redact: Redact;
}

/**
 * A wallet whose key a JSON-RPC signer holds. Every signature is verified against `walletAddress`
 * before it is used.
 */
export function remoteSignerWallet(options: RemoteSignerOptions, exchange: HttpExchange): Wallet {
	const { url, token, dialect, confirmationSeconds, redact, signal } = options;
	const address = getAddress(options.walletAddress);
	let calls = 0;

	async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
		throwIfStopped(signal);
		const id = ++calls;
		const answer = await exchange({
			method: 'POST',
			url,
			headers: token ? { authorization: `Bearer ${token}` } : {},
			body: { jsonrpc: '2.0', id, method, params },
			timeout: confirmationSeconds * 1000,
			signal,
		}).catch((error: unknown) => {
			throwIfStopped(signal);
			if (!(error instanceof UserError)) throw error;
			throw new UserError(`The remote signer did not respond: ${error.message}`, {
				mayBeSigned: error.context.wasSent !== false,
				hint: 'Check that the signer is running and that n8n can reach it. If it asks a person, confirm in time, or raise Wait for Confirmation (Seconds) in the credentials.',
			});
		});
		return readResult(answer, { id, method }, redact);
	}

	async function sign(hash: Hex, method: string, params: readonly unknown[]): Promise<Hex> {
		const signature = readSignature(await ask(method, params));
		const signer = signature && (await signerOf(hash, signature));
		if (!signature || !signer) {
			throw new UserError('The remote signer returned an invalid signature', {
				mayBeSigned: true,
				hint: 'It must be 65 bytes, r, s and v. Check Remote Signer Dialect in the credentials.',
			});
		}
		if (isSameAddress(signer, address)) return signature;
		throw new UserError(
			`The remote signer’s signature isn’t from the wallet ${address}, so it was not used`,
			{
				hint: 'Check Wallet Address and Remote Signer Dialect in the credentials.',
				mayBeSigned: true,
			},
		);
	}

	const { methods, messageParams, typedDataParams } = DIALECTS[dialect];
	return {
		address,
		signMessage: async (message) =>
			await sign(textHash(message), methods.message, messageParams(address, stringToHex(message))),
		signTypedData: async ({ hash, allTypes: types, primaryType, domain, message }) =>
			await sign(
				hash,
				methods.typedData,
				typedDataParams(address, { types, primaryType, domain, message }),
			),
	};
}

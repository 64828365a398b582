import { stringToHex } from 'viem/utils';

import { z } from 'zod';
import { UserError } from '../shared/errors';
import { hostOf, isPrivate, parseUrl } from '../shared/hosts';
import { parseJson } from '../shared/json';
import type { HttpAnswer, HttpExchange } from '../shared/http';
import { safeExcerpt, type Redact } from '../shared/redaction';
import { DIALECTS, type RemoteSignerDialect } from './dialects';
import {
	isSameAddress,
	readAddress,
	readSignature,
	signerOf,
	textHash,
	type Hex,
} from './signature';
import { quoted } from './typedData';
import type { Wallet } from './wallet';

const TIMEOUT = 30_000;
const LONGEST_ANSWER = 100_000;
/** Characters of the signer's message that are shown. */
const LONGEST_MESSAGE = 80;
/** JSON-RPC's “Method not found”, EIP-1474's “Method not supported”, EIP-1193's “Unsupported Method”. */
const UNSUPPORTED_METHOD = [-32601, -32004, 4200];
/** The same under other codes: go-ethereum's words, which Ganache shares, and Anvil's. */
const UNSUPPORTED_MESSAGE = /does not exist\/is not available$|^not implemented$/i;
const INTERNAL_ERROR = -32603;
/** What Web3Signer and Clef answer to a Host header that isn't on their list. */
const FOREIGN_HOST = /\b(?:host not authorized|invalid host specified)\b/i;

const resultSchema = z.object({
	jsonrpc: z.literal('2.0'),
	id: z.number(),
	result: z.unknown(),
});
/** Whatever its id, which is null if the signer couldn't read the request's. */
const errorSchema = z.object({
	jsonrpc: z.literal('2.0'),
	error: z.object({ code: z.number(), message: z.string() }),
});

function refuse(what: string, hint: string, field = 'remoteSignerUrl'): never {
	throw new UserError(what, { field, hint });
}

function checkUrl(value: string): void {
	const url =
		parseUrl(value) ??
		refuse(
			"Remote Signer URL in the credentials isn't a valid URL",
			'Enter a URL such as https://signer.example.',
		);
	if (url.username !== '' || url.password !== '') {
		refuse(
			'Remote Signer URL in the credentials contains a password',
			'Remove it and use Remote Signer Token instead.',
		);
	}
	if (url.protocol === 'https:' || (url.protocol === 'http:' && isPrivate(hostOf(url)))) return;
	refuse(
		"Remote Signer URL in the credentials doesn't use https",
		'Use https. Plain http is allowed for loopback and private addresses only (127.0.0.1, 10.…, 192.168.…).',
	);
}

function throwSignerError(
	error: { code: number; message: string },
	method: string,
	redact: Redact,
): never {
	const { code, message } = error;
	if (UNSUPPORTED_METHOD.includes(code) || UNSUPPORTED_MESSAGE.test(message)) {
		return refuse(
			`The remote signer doesn’t support ${method}`,
			'Select the signer’s type under Remote Signer Dialect in the credentials.',
			'remoteSignerDialect',
		);
	}
	const said = `${quoted(safeExcerpt(message, redact, LONGEST_MESSAGE))} (${code})`;
	if (code === INTERNAL_ERROR) {
		return refuse(
			`The remote signer failed to sign: ${said}`,
			'Check the signer’s log and Remote Signer Dialect in the credentials. A wallet such as MetaMask must be unlocked and, for typed data, on the chain that the data names.',
		);
	}
	return refuse(
		`The remote signer refused to sign: ${said}`,
		'Check the signer’s log. It must have the unlocked key of Wallet Address.',
	);
}

/** Web3Signer answers 504 if it hands a method on to a node that doesn't answer. */
function throwGatewayError(status: number, method: string, dialect: RemoteSignerDialect): never {
	const what = `The remote signer passed ${method} on, but got no answer (HTTP ${status})`;
	const hint =
		'If a proxy answered, check that the signer behind it is running and doesn’t wait for manual confirmation.';
	if (dialect === 'web3signer') return refuse(what, hint);
	return refuse(
		what,
		`If the signer is Web3Signer, select that under Remote Signer Dialect in the credentials: it passes other dialects’ methods on to a node. ${hint}`,
		'remoteSignerDialect',
	);
}

/** The request that an answer belongs to. */
interface Question {
	readonly url: string;
	readonly dialect: RemoteSignerDialect;
	readonly id: number;
	readonly method: string;
}

function throwForbidden(status: number, body: string, url: string): never {
	if (FOREIGN_HOST.test(body)) {
		return refuse(
			`The remote signer doesn’t accept requests for the host ${hostOf(new URL(url))} (HTTP ${status})`,
			'Let the signer accept the host in Remote Signer URL: --http-host-allowlist for Web3Signer, --http.vhosts for Clef.',
		);
	}
	return refuse(
		`The remote signer rejected the request (HTTP ${status})`,
		'Check Remote Signer Token in the credentials.',
		'remoteSignerToken',
	);
}

/** The result in a JSON-RPC response (https://www.jsonrpc.org/specification). */
function readResult(answer: HttpAnswer, question: Question, redact: Redact): unknown {
	const { url, dialect, id, method } = question;
	const { status, body } = answer;
	const json = body.length > LONGEST_ANSWER ? undefined : parseJson(body);
	if (status === 502 || status === 504) return throwGatewayError(status, method, dialect);
	if (status === 401) return throwForbidden(status, body, url);
	// Some signers send their JSON-RPC errors with a 4xx or 5xx status.
	const failed = errorSchema.safeParse(json);
	if (failed.success) return throwSignerError(failed.data.error, method, redact);
	if (status === 403) return throwForbidden(status, body, url);
	if (status >= 300 && status < 400) {
		return refuse(
			'The remote signer answered with a redirect, which the node doesn’t follow',
			'Set Remote Signer URL to the address it redirects to.',
		);
	}
	if (status >= 500) {
		return refuse(`The remote signer failed (HTTP ${status})`, 'Check the signer’s log.');
	}
	const signed = resultSchema.safeParse(json);
	if (status !== 200 || !signed.success || signed.data.id !== id) {
		return refuse(
			`The remote signer’s response isn’t JSON-RPC (HTTP ${status})`,
			'Check Remote Signer URL, including the path of its JSON-RPC endpoint.',
		);
	}
	return signed.data.result;
}

/**
 * A wallet whose key a JSON-RPC signer holds. Every signature is verified against `walletAddress`
 * before it is used.
 *
 * @param options `timeout` is in milliseconds; `redact` removes the secrets of the credentials from
 * what the signer says
 * @throws {UserError} if a field is wrong, and from signing, if the signer refuses; it never contains
 * the token
 */
export function remoteSignerWallet(
	options: {
		url: string;
		token?: string;
		dialect: RemoteSignerDialect;
		walletAddress: string;
		timeout?: number;
		redact?: Redact;
	},
	exchange: HttpExchange,
): Wallet {
	const { url, token, dialect, timeout = TIMEOUT, redact = (text) => text } = options;
	checkUrl(url);
	const address =
		readAddress(options.walletAddress) ??
		refuse(
			'Wallet Address in the credentials is missing or invalid',
			'Enter the address of the remote signer’s key: 0x followed by 40 hex characters.',
			'walletAddress',
		);
	let calls = 0;

	async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
		const id = ++calls;
		const answer = await exchange({
			method: 'POST',
			url,
			headers: token ? { authorization: `Bearer ${token}` } : {},
			body: { jsonrpc: '2.0', id, method, params },
			timeout,
		}).catch((error: unknown) => {
			if (!(error instanceof UserError)) throw error;
			return refuse(
				`The remote signer did not respond, so nothing was signed: ${error.message}`,
				'Check that the signer is running, that n8n can reach it, and that it doesn’t wait for manual confirmation.',
			);
		});
		return readResult(answer, { url, dialect, id, method }, redact);
	}

	async function sign(hash: Hex, method: string, params: readonly unknown[]): Promise<Hex> {
		const refuseSignature = (): never =>
			refuse(
				'The remote signer returned an invalid signature',
				'Check Remote Signer Dialect in the credentials.',
				'remoteSignerDialect',
			);
		const signature = readSignature(await ask(method, params)) ?? refuseSignature();
		const signer = (await signerOf(hash, signature)) ?? refuseSignature();
		if (!isSameAddress(signer, address)) {
			return refuse(
				`The remote signer’s signature isn’t from the wallet ${address}, so it was not used`,
				'Check Wallet Address and Remote Signer Dialect in the credentials.',
				'walletAddress',
			);
		}
		return signature;
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

import { stringToHex } from 'viem/utils';

import { z } from 'zod';
import { Refusal } from '../shared/errors';
import { hostOf, isPrivate, parseUrl } from '../shared/hosts';
import { parseJson } from '../shared/json';
import type { HttpAnswer, HttpExchange } from '../shared/http';
import { safeExcerpt, type Redact } from '../shared/redaction';
import { isSameAddress, readAddress, readSignature, signerOf, textHash } from './signature';
import { domainType, quoted, readTypedData, typedDataHash } from './typedData';
import type { Hex, TypedData, Wallet } from './wallet';

export type RemoteSignerDialect = 'wallet' | 'web3signer' | 'clef';

interface Call {
	readonly method: string;
	readonly params: readonly unknown[];
}

/** How a dialect asks for the two signatures. */
interface Dialect {
	message(address: Hex, message: string): Call;
	/** `typedData` has the form of eth_signTypedData_v4. */
	typedData(address: Hex, typedData: unknown): Call;
}

const DIALECTS: Readonly<Record<RemoteSignerDialect, Dialect>> = {
	wallet: {
		message: (address, message) => ({
			method: 'personal_sign',
			params: [stringToHex(message), address],
		}),
		typedData: (address, typedData) => ({
			method: 'eth_signTypedData_v4',
			params: [address, JSON.stringify(typedData)],
		}),
	},
	web3signer: {
		message: (address, message) => ({
			method: 'eth_sign',
			params: [address, stringToHex(message)],
		}),
		typedData: (address, typedData) => ({
			method: 'eth_signTypedData',
			params: [address, JSON.stringify(typedData)],
		}),
	},
	clef: {
		message: (address, message) => ({
			method: 'account_signData',
			params: ['text/plain', address, stringToHex(message)],
		}),
		typedData: (address, typedData) => ({
			method: 'account_signTypedData',
			params: [address, typedData],
		}),
	},
};

const TIMEOUT = 30_000;
const LONGEST_ANSWER = 100_000;
/** Characters of the signer's message that are repeated. */
const LONGEST_MESSAGE = 80;
const METHOD_NOT_FOUND = -32601;

const answerSchema = z.object({
	jsonrpc: z.literal('2.0'),
	id: z.number(),
	result: z.unknown(),
	error: z.object({ code: z.number(), message: z.string() }).nullish(),
});

function refuse(what: string, hint: string, field = 'remoteSignerUrl'): never {
	throw new Refusal(what, { field, hint });
}

function checkUrl(value: string): void {
	const url =
		parseUrl(value) ??
		refuse('The remote signer’s URL is not a URL.', 'Give it as in https://signer.example.');
	if (url.username !== '' || url.password !== '') {
		refuse('The remote signer’s URL holds a password.', 'Put it into the token’s own field.');
	}
	if (url.protocol === 'https:' || (url.protocol === 'http:' && isPrivate(hostOf(url)))) return;
	refuse(
		'The remote signer is not reached over https.',
		'Plain http is for loopback and private addresses only (127.0.0.1, 10.…, 192.168.…); use https.',
	);
}

function refusalOf(
	error: { code: number; message: string },
	method: string,
	redact: Redact,
): never {
	if (error.code === METHOD_NOT_FOUND) {
		return refuse(
			`The remote signer does not know ${method}.`,
			'Choose the dialect that the signer speaks.',
			'remoteSignerDialect',
		);
	}
	return refuse(
		`The remote signer refused to sign: ${quoted(safeExcerpt(error.message, redact, LONGEST_MESSAGE))} (${error.code}).`,
		'Look into the signer’s own log; it must hold the key of the wallet address, unlocked.',
	);
}

/** The result of a JSON-RPC answer (https://www.jsonrpc.org/specification), or a refusal. */
function readResult(answer: HttpAnswer, id: number, method: string, redact: Redact): unknown {
	const { status, body } = answer;
	const rpc = answerSchema.safeParse(body.length > LONGEST_ANSWER ? undefined : parseJson(body));
	// Some signers send their JSON-RPC errors with a 4xx or 5xx status.
	if (rpc.success && rpc.data.error) return refusalOf(rpc.data.error, method, redact);
	if (status === 401 || status === 403) {
		return refuse(
			`The remote signer turned the request away (HTTP ${status}).`,
			'Check its token.',
			'remoteSignerToken',
		);
	}
	if (status >= 300 && status < 400) {
		return refuse(
			'The remote signer answered with a redirect, which is not followed.',
			'Correct its URL to the address that answers by itself.',
		);
	}
	if (status >= 500) {
		return refuse(
			`The remote signer has a fault of its own (HTTP ${status}).`,
			'Look into the signer’s own log.',
		);
	}
	if (status !== 200 || !rpc.success || rpc.data.id !== id) {
		return refuse(
			`The remote signer’s answer is not JSON-RPC (HTTP ${status}).`,
			'Check its URL, with the path on which it takes JSON-RPC.',
		);
	}
	return rpc.data.result;
}

/**
 * A wallet whose key a JSON-RPC signer holds. Every signature that it returns is checked: whoever
 * it recovers to must be `walletAddress`, or it is not used.
 *
 * `timeout` is in milliseconds, `redact` takes the secrets of the credentials out of what the signer
 * says. Raises a {@link Refusal} that names the field at fault; signing raises one for every refusal
 * of the signer, never with the token.
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
			'The remote signer needs a wallet address.',
			'Give the address whose key it holds: 0x and 40 hex characters.',
			'walletAddress',
		);
	let calls = 0;

	async function ask({ method, params }: Call): Promise<unknown> {
		const id = ++calls;
		const answer = await exchange({
			method: 'POST',
			url,
			headers: token ? { authorization: `Bearer ${token}` } : {},
			body: { jsonrpc: '2.0', id, method, params },
			timeout,
		}).catch((error: unknown) => {
			if (!(error instanceof Refusal)) throw error;
			return refuse(
				`The remote signer did not answer, so nothing was signed: ${error.message}`,
				'Check that it runs, that n8n can reach it, and that nobody has to confirm by hand.',
			);
		});
		return readResult(answer, id, method, redact);
	}

	async function sign(call: Call, hash: Hex): Promise<Hex> {
		const signature = readSignature(await ask(call));
		const signer = signature && (await signerOf(hash, signature));
		if (signature === undefined || signer === undefined) {
			return refuse(
				'The remote signer returned something that is no signature.',
				'Check that the dialect is the signer’s.',
				'remoteSignerDialect',
			);
		}
		if (!isSameAddress(signer, address)) {
			return refuse(
				`The remote signer’s signature is not of the wallet ${address}, so it was not used.`,
				'Check the wallet address, and that the dialect is the signer’s.',
				'walletAddress',
			);
		}
		return signature;
	}

	/** Remote signers want the domain's type written out. */
	function written(typedData: TypedData): unknown {
		const { domain, types, primaryType, message } = readTypedData(typedData, 'message');
		return {
			types: { EIP712Domain: domainType(domain), ...types },
			primaryType,
			domain,
			message,
		};
	}

	const { message: askForMessage, typedData: askForTypedData } = DIALECTS[dialect];
	return {
		address,
		signMessage: async (message) => await sign(askForMessage(address, message), textHash(message)),
		signTypedData: async (typedData) =>
			await sign(askForTypedData(address, written(typedData)), typedDataHash(typedData)),
	};
}

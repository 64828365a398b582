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

/** The two signing requests in a signer's dialect. */
interface Dialect {
	message(address: Hex, message: string): Call;
	/** @param typedData as eth_signTypedData_v4 takes it */
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
/** Characters of the signer's message that are shown. */
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
		refuse(
			"Remote Signer URL in the credentials isn't a valid URL.",
			'Enter a URL such as https://signer.example.',
		);
	if (url.username !== '' || url.password !== '') {
		refuse(
			'Remote Signer URL in the credentials contains a password.',
			'Remove it and use Remote Signer Token instead.',
		);
	}
	if (url.protocol === 'https:' || (url.protocol === 'http:' && isPrivate(hostOf(url)))) return;
	refuse(
		"Remote Signer URL in the credentials doesn't use https.",
		'Use https. Plain http is allowed for loopback and private addresses only (127.0.0.1, 10.…, 192.168.…).',
	);
}

function throwSignerError(
	error: { code: number; message: string },
	method: string,
	redact: Redact,
): never {
	if (error.code === METHOD_NOT_FOUND) {
		return refuse(
			`The remote signer doesn’t support ${method}.`,
			'Select the signer’s type under Remote Signer Dialect in the credentials.',
			'remoteSignerDialect',
		);
	}
	return refuse(
		`The remote signer refused to sign: ${quoted(safeExcerpt(error.message, redact, LONGEST_MESSAGE))} (${error.code}).`,
		'Check the signer’s log. It must have the unlocked key of Wallet Address.',
	);
}

/** The result in a JSON-RPC response (https://www.jsonrpc.org/specification). */
function readResult(answer: HttpAnswer, id: number, method: string, redact: Redact): unknown {
	const { status, body } = answer;
	const rpc = answerSchema.safeParse(body.length > LONGEST_ANSWER ? undefined : parseJson(body));
	// Some signers send their JSON-RPC errors with a 4xx or 5xx status.
	if (rpc.success && rpc.data.error) return throwSignerError(rpc.data.error, method, redact);
	if (status === 401 || status === 403) {
		return refuse(
			`The remote signer rejected the request (HTTP ${status}).`,
			'Check Remote Signer Token in the credentials.',
			'remoteSignerToken',
		);
	}
	if (status >= 300 && status < 400) {
		return refuse(
			'The remote signer answered with a redirect, which the node doesn’t follow.',
			'Set Remote Signer URL to the address it redirects to.',
		);
	}
	if (status >= 500) {
		return refuse(`The remote signer failed (HTTP ${status}).`, 'Check the signer’s log.');
	}
	if (status !== 200 || !rpc.success || rpc.data.id !== id) {
		return refuse(
			`The remote signer’s response isn’t JSON-RPC (HTTP ${status}).`,
			'Check Remote Signer URL, including the path of its JSON-RPC endpoint.',
		);
	}
	return rpc.data.result;
}

/**
 * A wallet whose key a JSON-RPC signer holds. Every signature is verified against `walletAddress`
 * before it is used.
 *
 * @param options `timeout` is in milliseconds; `redact` removes the secrets of the credentials from
 * what the signer says
 * @throws {Refusal} if a field is wrong, and from signing, if the signer refuses; it never contains
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
			'Wallet Address in the credentials is missing or invalid.',
			'Enter the address of the remote signer’s key: 0x followed by 40 hex characters.',
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
				`The remote signer did not respond, so nothing was signed: ${error.message}`,
				'Check that the signer is running, that n8n can reach it, and that it doesn’t wait for manual confirmation.',
			);
		});
		return readResult(answer, id, method, redact);
	}

	async function sign(call: Call, hash: Hex): Promise<Hex> {
		const signature = readSignature(await ask(call));
		const signer = signature && (await signerOf(hash, signature));
		if (signature === undefined || signer === undefined) {
			return refuse(
				'The remote signer returned an invalid signature.',
				'Check Remote Signer Dialect in the credentials.',
				'remoteSignerDialect',
			);
		}
		if (!isSameAddress(signer, address)) {
			return refuse(
				`The remote signer’s signature isn’t from the wallet ${address}, so it was not used.`,
				'Check Wallet Address and Remote Signer Dialect in the credentials.',
				'walletAddress',
			);
		}
		return signature;
	}

	/** Remote signers need the domain's type, too. */
	function withDomainType(typedData: TypedData): unknown {
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
			await sign(askForTypedData(address, withDomainType(typedData)), typedDataHash(typedData)),
	};
}

import { getAddress, stringToHex } from 'viem/utils';

import { z } from 'zod';
import { UserError } from '../shared/errors';
import { parseJson } from '../shared/json';
import type { HttpAnswer, HttpExchange } from '../shared/http';
import { quoted, safeExcerpt, type Redact } from '../shared/redaction';
import { DIALECTS, type RemoteSignerDialect } from './dialects';
import { isSameAddress, readSignature, signerOf, textHash, type Hex } from './signature';
import type { Wallet } from './wallet';

const TIMEOUT_MS = 30_000;
/** Characters of the response that are read, and of the signer's message that are shown. */
const LONGEST = { answer: 100_000, message: 80 };
/** JSON-RPC's “Method not found”, EIP-1474's “Method not supported”, EIP-1193's “Unsupported Method”. */
const UNSUPPORTED_METHOD = [-32601, -32004, 4200];
/** The same under other codes: go-ethereum's words, which Ganache shares, and Anvil's. */
const UNSUPPORTED_MESSAGE = /does not exist\/is not available$|^not implemented$/i;

const jsonrpc = z.literal('2.0');
const resultSchema = z.object({ jsonrpc, id: z.number(), result: z.unknown() });
/** Whatever its id, which is null if the signer couldn't read the request's. */
const errorSchema = z.object({
	jsonrpc,
	error: z.object({ code: z.number(), message: z.string() }),
});

function refuse(what: string, hint: string): never {
	throw new UserError(what, { hint });
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
	if (error !== undefined) {
		const { code, message } = error;
		if (UNSUPPORTED_METHOD.includes(code) || UNSUPPORTED_MESSAGE.test(message)) {
			return refuse(
				`The remote signer doesn’t support ${method}`,
				'Select the signer’s type under Remote Signer Dialect in the credentials.',
			);
		}
		return refuse(
			`The remote signer refused to sign: ${quoted(safeExcerpt(message, redact, LONGEST.message))} (${code})`,
			'Check the signer’s log and Remote Signer Dialect in the credentials. The signer must have the unlocked key of Wallet Address and, for typed data, be on the chain that the data names.',
		);
	}
	if (status === 401 || status === 403) {
		return refuse(
			`The remote signer rejected the request (HTTP ${status})`,
			'Check Remote Signer Token in the credentials, and that the signer accepts the host in Remote Signer URL: --http-host-allowlist for Web3Signer, --http.vhosts for Clef.',
		);
	}
	if (status >= 500) {
		return refuse(
			`The remote signer failed (HTTP ${status})`,
			'Check the signer’s log and Remote Signer Dialect in the credentials: Web3Signer passes other dialects’ methods on to a node. If a proxy answered, check that the signer behind it is running and doesn’t wait for manual confirmation.',
		);
	}
	const signed = resultSchema.safeParse(json);
	if (status !== 200 || signed.data?.id !== id) {
		return refuse(
			`The remote signer’s response isn’t JSON-RPC (HTTP ${status})`,
			'Check Remote Signer URL, including the path of its JSON-RPC endpoint. Redirects aren’t followed.',
		);
	}
	return signed.data.result;
}

/**
 * A wallet whose key a JSON-RPC signer holds. Every signature is verified against `walletAddress`
 * before it is used.
 * @param options `redact` removes the secrets of the credentials from what the signer says
 */
export function remoteSignerWallet(
	options: {
		url: string;
		token?: string;
		dialect: RemoteSignerDialect;
		walletAddress: string;
		redact?: Redact;
	},
	exchange: HttpExchange,
): Wallet {
	const { url, token, dialect, redact = (text) => text } = options;
	const address = getAddress(options.walletAddress);
	let calls = 0;

	async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
		const id = ++calls;
		const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
		const body = { jsonrpc: '2.0', id, method, params };
		const request = { method: 'POST', url, headers, body, timeout: TIMEOUT_MS } as const;
		const answer = await exchange(request).catch((error: unknown) => {
			if (!(error instanceof UserError)) throw error;
			return refuse(
				`The remote signer did not respond, so nothing was signed: ${error.message}`,
				'Check that the signer is running, that n8n can reach it, and that it doesn’t wait for manual confirmation.',
			);
		});
		return readResult(answer, { id, method }, redact);
	}

	async function sign(hash: Hex, method: string, params: readonly unknown[]): Promise<Hex> {
		const signature = readSignature(await ask(method, params));
		const signer = signature && (await signerOf(hash, signature));
		if (!signature || !signer) {
			return refuse(
				'The remote signer returned an invalid signature',
				'Check Remote Signer Dialect in the credentials.',
			);
		}
		if (isSameAddress(signer, address)) return signature;
		return refuse(
			`The remote signer’s signature isn’t from the wallet ${address}, so it was not used`,
			'Check Wallet Address and Remote Signer Dialect in the credentials.',
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

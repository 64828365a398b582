import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { getBytes, isHexString, toUtf8String, TypedDataEncoder, Wallet } from 'ethers';
import { z } from 'zod';

import { makeAccounts } from './accounts';
import { Confirmations, type Decision, type Shown, type WaitingRequest } from './confirmations';
import { foreignSource } from './origins';
import { SIGNER_PAGE_POLICY, signerPage } from './signerPage';

/** The methods that a signer offers, and the form of their parameters. */
export type SignerDialect = 'wallet' | 'web3signer' | 'clef';

/** How a signing request fails. */
type SignerFault =
	| 'http401'
	/** The connection breaks. */
	| 'cut';

/** How to start a remote signer. */
export interface RemoteSignerOptions {
	/** 0, the default, takes any free port on 127.0.0.1. */
	readonly port?: number;
	/** All three by default. */
	readonly dialects?: readonly SignerDialect[];
	/** If given, requests need it as a bearer token. */
	readonly token?: string;
	/** Its keys; by default those of the sandbox's accounts. */
	readonly privateKeys?: readonly string[];
	/** Whether each request waits until a person confirms or declines it. */
	readonly asksPerson?: boolean;
	/** Whether signatures end in 00 or 01, as those of some hardware wallets. */
	readonly vFromZero?: boolean;
}

/** One request that a signer received. */
interface SignerLogEntry {
	readonly at: string;
	readonly method: string;
	readonly params: unknown;
	/** Whether the bearer token was valid or not needed. */
	readonly authorized: boolean;
	readonly outcome: 'signed' | 'refused' | 'declined' | 'abandoned' | SignerFault;
}

/** A running signer. */
export interface RemoteSigner {
	readonly url: string;
	readonly log: readonly SignerLogEntry[];
	/** Makes the next requests fail, in order. */
	fail(...faults: readonly SignerFault[]): void;
	/** The requests that wait for a person. GET /requests has them, too, and the page at / shows them. */
	waiting(): readonly WaitingRequest[];
	/** What the person does, as POST /requests/ID/confirm and POST /requests/ID/decline do. */
	decide(requestId: number, decision: Exclude<Decision, 'abandoned'>): boolean;
	close(): Promise<void>;
}

/** Starts a JSON-RPC signer that behaves like Web3Signer, Clef or a wallet. */
export async function startRemoteSigner(options: RemoteSignerOptions = {}): Promise<RemoteSigner> {
	const keys = options.privateKeys ?? makeAccounts('', []).map(({ privateKey }) => privateKey);
	const wallets = keys.map((key) => new Wallet(key));
	const dialects = options.dialects ?? ['wallet', 'web3signer', 'clef'];
	const faults: SignerFault[] = [];
	const log: SignerLogEntry[] = [];
	const confirmations = new Confirmations();

	const server = createServer((request, response) => {
		const what = foreignSource(request.headers);
		if (what !== undefined)
			return send(response, 403, { error: `The signer doesn’t answer ${what}` });
		if (request.url === '/' && request.method === 'GET') return page(response);
		if (request.url?.startsWith('/requests')) return control(request, response);
		void answer(request, response).catch(() => response.destroy());
	});
	function page(response: ServerResponse): void {
		response.writeHead(200, {
			'content-type': 'text/html; charset=utf-8',
			'content-security-policy': SIGNER_PAGE_POLICY,
		});
		response.end(signerPage(confirmations.list()));
	}
	function control({ method, url = '', headers }: IncomingMessage, response: ServerResponse): void {
		if (method === 'GET') return send(response, 200, confirmations.list());
		const [, requestId, verb] = /^\/requests\/(\d+)\/(confirm|decline)$/.exec(url) ?? [];
		const decision = verb === 'confirm' ? 'confirmed' : 'declined';
		const isKnown = method === 'POST' && confirmations.decide(Number(requestId), decision);
		if (headers.accept?.includes('text/html') === true) {
			response.writeHead(303, { location: '/' }).end();
			return;
		}
		send(response, isKnown ? 200 : 404, { decision: isKnown ? decision : null });
	}
	/** @throws {SignerRefusal} unless the person confirms, if one is asked */
	async function confirm(
		method: string,
		request: SigningRequest,
		response: ServerResponse,
	): Promise<void> {
		if (options.asksPerson !== true) return;
		const gone = new AbortController();
		response.once('close', () => gone.abort());
		const decision = await confirmations.ask(method, shownFor(request), gone.signal);
		if (decision === 'confirmed') return;
		const isClef = METHODS[method]?.dialect === 'clef';
		const code = isClef ? -32000 : 4001;
		throw new SignerRefusal(
			code,
			isClef ? 'request denied' : 'User rejected the request.',
			decision,
		);
	}
	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const call = callShape.parse(JSON.parse(await read(request)));
		const authorized =
			options.token === undefined || request.headers.authorization === `Bearer ${options.token}`;
		const note = (outcome: SignerLogEntry['outcome']): void => {
			const { method, params } = call;
			log.push({ at: new Date().toISOString(), method, params, authorized, outcome });
		};
		if (!authorized) {
			note('refused');
			return answerUnauthorized(response);
		}
		const fault = faults.shift();
		if (fault !== undefined) {
			note(fault);
			if (fault === 'http401') return answerUnauthorized(response);
			response.destroy();
			return;
		}
		try {
			const asked = readRequest(call.method, call.params, dialects);
			const wallet = walletFor(asked, wallets);
			await confirm(call.method, asked, response);
			const signature = await sign(wallet, asked);
			const result = options.vFromZero === true ? withVFromZero(signature) : signature;
			note('signed');
			send(response, 200, { jsonrpc: '2.0', id: call.id, result });
		} catch (error) {
			const { code, outcome } =
				error instanceof SignerRefusal ? error : { code: -32602, outcome: 'refused' as const };
			note(outcome);
			const message = error instanceof Error ? error.message : 'Invalid params';
			send(response, 200, { jsonrpc: '2.0', id: call.id, error: { code, message } });
		}
	}
	const url = await listen(server, options.port ?? 0);
	return {
		url,
		log,
		fail: (...more) => {
			faults.push(...more);
		},
		waiting: () => confirmations.list(),
		decide: (requestId, decision) => confirmations.decide(requestId, decision),
		close: async () => {
			server.closeAllConnections();
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
			});
		},
	};
}

const callShape = z.object({
	jsonrpc: z.literal('2.0'),
	id: z.union([z.number(), z.string()]),
	method: z.string(),
	params: z.array(z.unknown()).default([]),
});
const addressShape = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'not an address');
const hexShape = z.string().refine((text) => isHexString(text), 'message must be 0x and hex');
const memberShape = z.object({ name: z.string(), type: z.string() });
const typedDataShape = z.object({
	types: z.record(z.array(memberShape)),
	primaryType: z.string(),
	domain: z.record(z.unknown()),
	message: z.record(z.unknown()),
});
type TypedData = z.infer<typeof typedDataShape>;

class SignerRefusal extends Error {
	constructor(
		readonly code: number,
		message: string,
		readonly outcome: 'refused' | 'declined' | 'abandoned' = 'refused',
	) {
		super(message);
	}
}

interface SigningRequest {
	readonly address: string;
	/** Bytes to sign with the EIP-191 prefix, or EIP-712 typed data. */
	readonly subject: { readonly message: string } | { readonly typedData: TypedData };
}

/**
 * The parameters of each dialect's methods.
 * - wallet (EIP-1193): personal_sign takes the message, then the address, the reverse of eth_sign.
 *   eth_signTypedData_v4 takes the address and the typed data as JSON text.
 * - web3signer: eth_sign takes the address first and adds the EIP-191 prefix itself.
 *   eth_signTypedData takes the typed data as JSON text; it answers an object with "Internal error".
 * - clef: account_signData takes a content type first. text/plain means EIP-191 with hex data.
 *   account_signTypedData takes the typed data as an object.
 */
const METHODS: Readonly<
	Record<string, { dialect: SignerDialect; read(params: unknown[]): SigningRequest }>
> = {
	personal_sign: {
		dialect: 'wallet',
		read: (params) => {
			const [message, address] = z.tuple([hexShape, addressShape]).parse(params);
			return { address, subject: { message } };
		},
	},
	eth_signTypedData_v4: { dialect: 'wallet', read: readTypedDataText },
	eth_sign: {
		dialect: 'web3signer',
		read: (params) => {
			const [address, message] = z.tuple([addressShape, hexShape]).parse(params);
			return { address, subject: { message } };
		},
	},
	eth_signTypedData: { dialect: 'web3signer', read: readTypedDataText },
	account_signData: {
		dialect: 'clef',
		read: (params) => {
			const shape = z.tuple([z.literal('text/plain'), addressShape, hexShape]);
			const [, address, message] = shape.parse(params);
			return { address, subject: { message } };
		},
	},
	account_signTypedData: {
		dialect: 'clef',
		read: (params) => {
			const [address, typedData] = z.tuple([addressShape, typedDataShape]).parse(params);
			return { address, subject: { typedData } };
		},
	},
};

function readTypedDataText(params: unknown[]): SigningRequest {
	const [address, text] = z.tuple([addressShape, z.string()]).parse(params);
	return { address, subject: { typedData: typedDataShape.parse(JSON.parse(text)) } };
}

function readRequest(
	methodName: string,
	params: unknown[],
	dialects: readonly SignerDialect[],
): SigningRequest {
	const method = METHODS[methodName];
	if (method && dialects.includes(method.dialect)) return method.read(params);
	throw new SignerRefusal(-32601, `The method ${methodName} does not exist/is not available`);
}

function walletFor({ address }: SigningRequest, wallets: readonly Wallet[]): Wallet {
	const wallet = wallets.find((each) => each.address.toLowerCase() === address.toLowerCase());
	if (wallet) return wallet;
	throw new SignerRefusal(-32000, `No key for ${address}`);
}

async function sign(wallet: Wallet, { subject }: SigningRequest): Promise<string> {
	if ('message' in subject) return await wallet.signMessage(getBytes(subject.message));
	return await signTypedData(wallet, subject.typedData);
}

function withVFromZero(signature: string): string {
	return signature.replace(/1b$/, '00').replace(/1c$/, '01');
}

function shownFor({ address, subject }: SigningRequest): Shown {
	if ('message' in subject) return { address, text: toUtf8String(subject.message) };
	const { domain, primaryType, message } = subject.typedData;
	return { address, domain, primaryType, message };
}

async function signTypedData(wallet: Wallet, typedData: TypedData): Promise<string> {
	const { EIP712Domain: domainMembers, ...types } = typedData.types;
	// Signers hash the domain by this type, whatever fields the domain has.
	if (!domainMembers) throw new SignerRefusal(-32602, 'types.EIP712Domain is missing');
	const named = domainMembers.map(({ name }) => name).sort();
	if (named.join() !== Object.keys(typedData.domain).sort().join()) {
		throw new SignerRefusal(-32602, 'domain and types.EIP712Domain disagree');
	}
	if (TypedDataEncoder.getPrimaryType(types) !== typedData.primaryType) {
		throw new SignerRefusal(-32602, 'primaryType is not the root type');
	}
	return await wallet.signTypedData(typedData.domain, types, typedData.message);
}

function answerUnauthorized(response: ServerResponse): void {
	send(response, 401, { error: 'Unauthorized' });
}

function send(response: ServerResponse, status: number, content: object): void {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(content));
}

async function read(request: IncomingMessage): Promise<string> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of request) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks).toString('utf8');
}

async function listen(server: Server, port: number): Promise<string> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', resolve);
	});
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('No port was bound');
	return `http://127.0.0.1:${address.port}`;
}

import type { SignerDialect } from '../../sandbox/remoteSigner';

/** How a signer that others wrote fails, and what the user should read then. */
export interface SignerAnswer {
	readonly from: string;
	/** Wallet by default. */
	readonly dialect?: SignerDialect;
	/** 200 by default. */
	readonly status?: number;
	/** @param id of the request; some answers repeat it */
	readonly body: (id: number) => object | string;
	readonly message: string;
	readonly hint: string;
	readonly field: string;
}

const error =
	(code: number, message: string, more: object = {}) =>
	(id: number): object => ({ jsonrpc: '2.0', id, error: { code, message, ...more } });

const DIALECT_HINT = 'Select the signer’s type under Remote Signer Dialect in the credentials.';
const REFUSED_HINT =
	'Check the signer’s log and Remote Signer Dialect in the credentials. The signer must have the unlocked key of Wallet Address and, for typed data, be on the chain that the data names.';
const REJECTED_HINT =
	'Check Remote Signer Token in the credentials, and that the signer accepts the host in Remote Signer URL: --http-host-allowlist for Web3Signer, --http.vhosts for Clef.';
const FAILED_HINT =
	'Check the signer’s log and Remote Signer Dialect in the credentials: Web3Signer passes other dialects’ methods on to a node. If a proxy answered, check that the signer behind it is running and doesn’t wait for manual confirmation.';
const URL_HINT =
	'Check Remote Signer URL, including the path of its JSON-RPC endpoint. Redirects aren’t followed.';
const PAGE = '<!DOCTYPE html><html><body><h1>Welcome to nginx!</h1></body></html>';

/** The first request of a wallet that signs in, in each dialect. */
const UNSUPPORTED: ReadonlyArray<Pick<SignerAnswer, 'from' | 'dialect' | 'body' | 'message'>> = [
	{
		// As hardhat 3.18.0 and 2.29.1 answer; the code is EIP-1474's “Method not supported”.
		from: 'Hardhat, asked for a method of Clef',
		dialect: 'clef',
		body: error(-32004, 'Method account_signData is not supported', {
			data: { message: 'Method account_signData is not supported' },
		}),
		message: 'The remote signer doesn’t support account_signData',
	},
	{
		// As Anvil 1.7.1 answers.
		from: 'Anvil, asked for a method of Clef',
		dialect: 'clef',
		body: error(-32601, 'Method not found'),
		message: 'The remote signer doesn’t support account_signData',
	},
	{
		// As Ganache 7.9.2 answers.
		from: 'Ganache, asked for a method of wallets',
		body: error(-32700, 'The method personal_sign does not exist/is not available'),
		message: 'The remote signer doesn’t support personal_sign',
	},
	{
		from: 'Anvil, asked for a method of Web3Signer',
		dialect: 'web3signer',
		body: error(-32603, 'Not implemented'),
		message: 'The remote signer doesn’t support eth_sign',
	},
	{
		// EIP-1193's “Unsupported Method”.
		from: 'a wallet, asked for a method that it turned off',
		dialect: 'web3signer',
		body: error(4200, 'The requested method is not supported by this Ethereum provider.'),
		message: 'The remote signer doesn’t support eth_sign',
	},
];

export const SIGNER_ANSWERS: readonly SignerAnswer[] = [
	...UNSUPPORTED.map((answer) => ({
		...answer,
		hint: DIALECT_HINT,
		field: 'remoteSignerDialect',
	})),
	{
		from: 'Hardhat without the wallet’s key',
		body: error(-32000, 'Unknown account 0x000000000000000000000000000000000000dEaD'),
		message:
			'The remote signer refused to sign: "Unknown account 0x000000000000000000000000000000000000dEaD" (-32000)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'Anvil without the wallet’s key',
		body: error(-32602, 'No Signer available'),
		message: 'The remote signer refused to sign: "No Signer available" (-32602)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		// MetaMask/metamask-mobile, issue 6740.
		from: 'MetaMask with an internal error',
		body: error(-32603, 'Internal error'),
		message: 'The remote signer refused to sign: "Internal error" (-32603)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		// MetaMask/metamask-extension, issue 11296.
		from: 'MetaMask on another chain',
		body: error(-32603, 'Provided chainId "42161" must match the active chainId "1"'),
		message: String.raw`The remote signer refused to sign: "Provided chainId \"42161\" must match the active chainId \"1\"" (-32603)`,
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		// Web3Signer's ForwardedMessageResponder.java: no node listens, so it answers 504.
		from: 'Web3Signer, asked for a method of wallets',
		status: 504,
		body: error(-32000, 'Failed to connect to downstream node'),
		message: 'The remote signer refused to sign: "Failed to connect to downstream node" (-32000)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'Web3Signer behind a node that is slow',
		dialect: 'clef',
		status: 504,
		body: error(-32000, 'Connection to downstream node timed out'),
		message:
			'The remote signer refused to sign: "Connection to downstream node timed out" (-32000)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'a proxy in front of Web3Signer',
		dialect: 'web3signer',
		status: 502,
		body: () => PAGE,
		message: 'The remote signer failed (HTTP 502)',
		hint: FAILED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		// Web3Signer's HostAllowListHandler.java.
		from: 'Web3Signer, asked at a host that isn’t on its list',
		dialect: 'web3signer',
		status: 403,
		body: () => '{"message":"Host not authorized."}',
		message: 'The remote signer rejected the request (HTTP 403)',
		hint: REJECTED_HINT,
		field: 'remoteSignerToken',
	},
	{
		// go-ethereum's node/rpcstack.go, which Clef shares.
		from: 'Clef, asked at a host that isn’t on its list',
		dialect: 'clef',
		status: 403,
		body: () => 'invalid host specified\n',
		message: 'The remote signer rejected the request (HTTP 403)',
		hint: REJECTED_HINT,
		field: 'remoteSignerToken',
	},
	{
		// JSON-RPC 2.0, section 5: the id is null if the request's id couldn't be read.
		from: 'a signer that couldn’t read the request’s id',
		body: () => ({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } }),
		message: 'The remote signer refused to sign: "Invalid request" (-32600)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'a signer that couldn’t read the request’s id, with HTTP 400',
		status: 400,
		body: () => ({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }),
		message: 'The remote signer refused to sign: "Parse error" (-32700)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'a signer whose errors come with HTTP 400',
		status: 400,
		body: error(-32602, 'Invalid params'),
		message: 'The remote signer refused to sign: "Invalid params" (-32602)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'a signer whose errors come with HTTP 404',
		status: 404,
		body: error(-32601, 'Method not found'),
		message: 'The remote signer doesn’t support personal_sign',
		hint: DIALECT_HINT,
		field: 'remoteSignerDialect',
	},
	{
		from: 'a signer whose errors come with HTTP 500',
		status: 500,
		body: error(-32000, 'authentication needed: password or unlock'),
		message:
			'The remote signer refused to sign: "authentication needed: password or unlock" (-32000)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'a signer that wants a token',
		status: 401,
		body: error(-32001, 'Unauthorized'),
		message: 'The remote signer rejected the request (HTTP 401)',
		hint: REJECTED_HINT,
		field: 'remoteSignerToken',
	},
	{
		from: 'a policy that refuses with HTTP 403',
		status: 403,
		body: error(-32000, 'denied by rule 7'),
		message: 'The remote signer refused to sign: "denied by rule 7" (-32000)',
		hint: REFUSED_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'a web page',
		body: () => PAGE,
		message: 'The remote signer’s response isn’t JSON-RPC (HTTP 200)',
		hint: URL_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'a web page that wasn’t found',
		status: 404,
		body: () => PAGE,
		message: 'The remote signer’s response isn’t JSON-RPC (HTTP 404)',
		hint: URL_HINT,
		field: 'remoteSignerUrl',
	},
	{
		from: 'a web page about a failure',
		status: 500,
		body: () => PAGE,
		message: 'The remote signer failed (HTTP 500)',
		hint: FAILED_HINT,
		field: 'remoteSignerUrl',
	},
];

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
	/** Unless it surely didn't sign, and asked nobody. */
	readonly mayBeSigned?: false;
}

const error =
	(code: number | string, message: string, more: object = {}) =>
	(id: number | null): object => ({ jsonrpc: '2.0', id, error: { code, message, ...more } });

const DIALECT_HINT = 'Select the signer’s type under Remote Signer Dialect in the credentials.';
const REFUSED_HINT =
	'Check the signer’s log, and Remote Signer Token and Remote Signer Dialect in the credentials. The signer must have the unlocked key of Wallet Address and, for typed data, be on the chain that the data names.';
const DECLINED_HINT =
	'A person or a rule of the signer declined it. If it was a sign-in, wait half a minute before the next one; if this error stays, five minutes.';
const REJECTED_HINT =
	'Check Remote Signer Token in the credentials, and that the signer accepts the host in Remote Signer URL: --http-host-allowlist for Web3Signer, --http.vhosts for Clef.';
const FAILED_HINT =
	'Check the signer’s log and Remote Signer Dialect in the credentials: Web3Signer passes other dialects’ methods on to a node. If a proxy answered, check that the signer behind it is running, and that the proxy waits as long as a person may take to confirm.';
const URL_HINT =
	'Check Remote Signer URL, including the path of its JSON-RPC endpoint. Redirects aren’t followed.';
const PAGE = '<!DOCTYPE html><html><body><h1>Welcome to nginx!</h1></body></html>';

const METHODS = { wallet: 'personal_sign', web3signer: 'eth_sign', clef: 'account_signData' };
const TOKEN = `eyJ${'a'.repeat(20)}`;
const NO_CLEF = 'Method account_signData is not supported';

type More = Partial<SignerAnswer>;
/** Code and message of a JSON-RPC error. */
type Failure = readonly [from: string, code: number | string, said: string, more?: More];

/** Signers that don't know the method that their dialect signs a sign-in with. */
const UNSUPPORTED: readonly Failure[] = [
	// As hardhat 3.18.0 and 2.29.1 answer; the code is EIP-1474's “Method not supported”.
	[
		'Hardhat, asked for a method of Clef',
		-32004,
		NO_CLEF,
		{ dialect: 'clef', body: error(-32004, NO_CLEF, { data: { message: NO_CLEF } }) },
	],
	// As Anvil 1.7.1 answers.
	['Anvil, asked for a method of Clef', -32601, 'Method not found', { dialect: 'clef' }],
	['Anvil, asked for a method of Web3Signer', -32603, 'Not implemented', { dialect: 'web3signer' }],
	// As Ganache 7.9.2 answers.
	['Ganache', -32700, 'The method personal_sign does not exist/is not available'],
	// EIP-1193's “Unsupported Method”.
	['a wallet', 4200, 'The requested method is not supported by this Ethereum provider.'],
	['a signer whose errors come with HTTP 404', -32601, 'Method not found', { status: 404 }],
];

/** Signers that say why they don't sign. */
const REFUSED: readonly Failure[] = [
	['Hardhat without the key', -32000, 'Unknown account 0x000000000000000000000000000000000000dEaD'],
	['Anvil without the key', -32602, 'No Signer available'],
	// MetaMask/metamask-extension, issue 11296.
	['MetaMask on chain 1', -32603, 'Provided chainId "42161" must match the active chainId "1"'],
	// Web3Signer's ForwardedMessageResponder.java: no node listens, so it answers 504.
	['Web3Signer without a node', -32000, 'Failed to connect to downstream node', { status: 504 }],
	// JSON-RPC 2.0, section 5: the id is null if the request's id couldn't be read.
	['a signer', -32600, 'Invalid request', { body: () => error(-32600, 'Invalid request')(null) }],
	['a signer whose errors come with HTTP 400', -32602, 'Invalid params', { status: 400 }],
	['a signer with HTTP 500', -32000, 'authentication needed: password or unlock', { status: 500 }],
	['a custody service whose codes are words', 'INSUFFICIENT_QUORUM', 'Two approvers are missing'],
	// These only contain what says that a method is missing.
	['a signer', -32000, 'The key does not exist/is not available yet'],
	['a signer', -32603, 'Unlocking is not implemented'],
	['a signer', -32603, 'Not implemented yet'],
];

/** Signers whose person, or whose rule, said no. */
const DECLINED: readonly Failure[] = [
	// EIP-1193's “User Rejected Request”.
	['MetaMask', 4001, 'MetaMask Message Signature: User denied message signature.'],
	['a wallet that says it in other words', 4001, 'No'],
	// WalletConnect's specification of errors.
	['a wallet behind WalletConnect', 5000, 'User disapproved'],
	// go-ethereum's signer/core/api.go.
	['Clef', -32000, 'request denied', { dialect: 'clef' }],
	['a custody service whose codes are words', 'USER_REJECTED', 'Transaction was rejected by user'],
	['a wallet whose codes are texts', '4001', 'Cancelled'],
	['a wallet in other words', -32603, 'Signature request declined'],
	['a policy that refuses with HTTP 403', -32000, 'denied by rule 7', { status: 403 }],
];

/** Errors that aren't in JSON-RPC's form, and how the user sees them. */
const UNUSUAL: ReadonlyArray<readonly [from: string, body: object, shown: string, more?: More]> = [
	['a signer whose error is a text', { error: 'wallet is locked' }, '"wallet is locked"'],
	['a signer with HTTP 500', { id: null, error: 'locked' }, '"locked"', { status: 500 }],
	['a signer whose error has no code', { error: { message: 'no key' } }, '"no key"'],
	['a signer that shows a token', { error: { message: 'no', code: TOKEN } }, '"no" ([…])'],
	['a signer with endless words', { error: 'x'.repeat(50_000) }, `"${'x'.repeat(80)}…"`],
	[
		'a signer with endless codes',
		{ error: { message: 'no key', code: 'z'.repeat(1000) } },
		`"no key" (${'z'.repeat(30)}…)`,
	],
];

type Refusal = readonly [from: string, status: number, body: string, more?: More];

/** Somebody who doesn't let the request through to a signer. */
const REJECTED: readonly Refusal[] = [
	// Web3Signer's HostAllowListHandler.java.
	['Web3Signer', 403, '{"message":"Host not authorized."}', { dialect: 'web3signer' }],
	// go-ethereum's node/rpcstack.go, which Clef shares.
	['Clef', 403, 'invalid host specified\n', { dialect: 'clef' }],
	['a signer that wants a token', 401, '', { body: error(-32001, 'Unauthorized') }],
	['a gateway that wants a token', 401, '{"error":"Unauthorized"}'],
];

const PAGES: ReadonlyArray<readonly [from: string, status: number, dialect?: SignerDialect]> = [
	['a proxy in front of Web3Signer', 502, 'web3signer'],
	['a web page', 200],
	['a web page that wasn’t found', 404],
	['a web page about a failure', 500],
];

export const SIGNER_ANSWERS: readonly SignerAnswer[] = [
	...UNSUPPORTED.map(([from, code, said, more]) => ({
		from,
		body: error(code, said),
		message: `The remote signer doesn’t support ${METHODS[more?.dialect ?? 'wallet']}`,
		hint: DIALECT_HINT,
		mayBeSigned: false as const,
		...more,
	})),
	...REFUSED.map(([from, code, said, more]) => ({
		from,
		body: error(code, said),
		message: `The remote signer refused to sign: ${JSON.stringify(said)} (${code})`,
		hint: REFUSED_HINT,
		...more,
	})),
	...DECLINED.map(([from, code, said, more]) => ({
		from,
		body: error(code, said),
		message: `The signature was declined in the wallet: ${JSON.stringify(said)} (${code})`,
		hint: DECLINED_HINT,
		...more,
	})),
	{
		from: 'a wallet that gives no reason',
		body: () => ({ id: 1, jsonrpc: '2.0', error: { code: 4001 } }),
		message: 'The signature was declined in the wallet: (4001)',
		hint: DECLINED_HINT,
	},
	...UNUSUAL.map(([from, body, shown, more]) => ({
		from,
		body: () => body,
		message: `The remote signer refused to sign: ${shown}`,
		hint: REFUSED_HINT,
		...more,
	})),
	...REJECTED.map(([from, status, said, more]) => ({
		...{ from, status, body: () => said },
		message: `The remote signer rejected the request (HTTP ${status})`,
		hint: REJECTED_HINT,
		mayBeSigned: false as const,
		...more,
	})),
	...PAGES.map(([from, status, dialect]) => ({
		...{ from, status, dialect, body: () => PAGE },
		message: `The remote signer${status < 500 ? '’s response isn’t JSON-RPC' : ' failed'} (HTTP ${status})`,
		hint: status < 500 ? URL_HINT : FAILED_HINT,
		...(status > 200 && status < 500 && { mayBeSigned: false as const }),
	})),
];

import { createServer, type Server } from 'node:http';
import { getBytes, id, toUtf8String, Wallet as Judge } from 'ethers';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import type { HttpExchange } from '../../../nodes/PayrollPayments/shared/http';
import { remoteSignerWallet } from '../../../nodes/PayrollPayments/signing';
import {
	DIALECTS,
	type RemoteSignerDialect,
} from '../../../nodes/PayrollPayments/signing/dialects';
import { readTypedData } from '../../../nodes/PayrollPayments/signing/typedData';
import { SIGNER_ANSWERS } from '../../support/signerAnswers';

const judge = new Judge(id('payroll tests: remote wallet'));
const stranger = new Judge(id('stranger'));
const token = 'signer-token-4711';
const TEXT = 'Sign in to Payroll: naïve – 給与';
const NOTE = {
	domain: { name: 'Payroll', version: '1', chainId: 42161, verifyingContract: judge.address },
	types: {
		Note: [
			{ name: 'text', type: 'string' },
			{ name: 'sum', type: 'uint256' },
		],
	},
	primaryType: 'Note',
	message: { text: 'for March', sum: '1250000' },
};
const guardedNote = readTypedData(NOTE, 'message.');

/** fetch, as the exchange that the node has; redirects are answered, not followed. */
const exchange: HttpExchange = async ({ method, url, headers, body, timeout = 5000 }) => {
	try {
		const response = await fetch(url, {
			method,
			headers: { 'content-type': 'application/json', ...headers },
			body: JSON.stringify(body),
			redirect: 'manual',
			signal: AbortSignal.timeout(timeout),
		});
		return { status: response.status, headers: {}, body: await response.text() };
	} catch {
		throw new UserError('The remote signer did not answer');
	}
};

interface Call {
	jsonrpc: string;
	id: number;
	method: string;
	params: unknown[];
}
type Reply = { status?: number; body: unknown };

const calls: Array<Call & { authorization?: string }> = [];
let reply: (call: Call) => Promise<Reply> | Reply;
let server: Server;
let url: string;

beforeAll(async () => {
	server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const call: Call = JSON.parse(Buffer.concat(chunks).toString('utf8'));
			calls.push({ ...call, authorization: request.headers.authorization });
			void Promise.resolve(reply(call)).then(({ status = 200, body }) => {
				response.writeHead(status, { location: 'http://127.0.0.1:1/' });
				response.end(typeof body === 'string' ? body : JSON.stringify(body));
			});
		});
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	const address = server.address();
	url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});

afterAll(async () => {
	server.closeAllConnections();
	await new Promise((closed) => server.close(closed));
});

beforeEach(() => {
	calls.length = 0;
});

const result = (call: Call, value: unknown): Reply => ({
	body: { jsonrpc: '2.0', id: call.id, result: value },
});

const failure = (call: Call, error: { code: number; message: string }): Reply => ({
	body: { jsonrpc: '2.0', id: call.id, error },
});

/** Signs typed data in the form of eth_signTypedData_v4 with ethers. */
async function signTyped(signer: Judge, value: unknown): Promise<string> {
	const { domain, types, message } = Object(value);
	const { EIP712Domain: domainType, ...others } = types;
	// Signers hash the domain by its written type, so that type must be there and complete.
	expect(domainType.map((member: { name: string }) => member.name)).toEqual(Object.keys(domain));
	return await signer.signTypedData(domain, others, message);
}

/** Each dialect as its own program documents it, written down here a second time. */
const SIGNERS: Record<
	RemoteSignerDialect,
	(signer: Judge, call: Call) => Promise<string> | undefined
> = {
	wallet: (signer, { method, params: [first, second] }) => {
		if (method === 'personal_sign' && second === judge.address) {
			return signer.signMessage(getBytes(String(first)));
		}
		if (method === 'eth_signTypedData_v4' && first === judge.address) {
			return signTyped(signer, JSON.parse(String(second)));
		}
		return undefined;
	},
	web3signer: (signer, { method, params: [address, data] }) => {
		if (address !== judge.address) return undefined;
		if (method === 'eth_sign') return signer.signMessage(getBytes(String(data)));
		if (method === 'eth_signTypedData') return signTyped(signer, JSON.parse(String(data)));
		return undefined;
	},
	clef: (signer, { method, params }) => {
		if (
			method === 'account_signData' &&
			params[0] === 'text/plain' &&
			params[1] === judge.address
		) {
			return signer.signMessage(getBytes(String(params[2])));
		}
		if (method === 'account_signTypedData' && params[0] === judge.address) {
			return signTyped(signer, params[1]);
		}
		return undefined;
	},
};

const signing =
	(dialect: RemoteSignerDialect, signer: Judge = judge) =>
	async (call: Call): Promise<Reply> => {
		const signature = await SIGNERS[dialect](signer, call);
		if (signature !== undefined) return result(call, signature);
		const error = { code: -32601, message: 'Method not found' };
		return { body: { jsonrpc: '2.0', id: call.id, error } };
	};

const walletWith = (more: object = {}) =>
	remoteSignerWallet({ url, dialect: 'wallet', walletAddress: judge.address, ...more }, exchange);

async function refusalOf(act: () => Promise<unknown>): Promise<UserError> {
	try {
		await act();
	} catch (error) {
		if (error instanceof UserError) return error;
		throw error;
	}
	throw new Error('nothing was refused');
}

const dialects: RemoteSignerDialect[] = ['wallet', 'web3signer', 'clef'];

it('has these dialects', () => {
	expect(
		Object.entries(DIALECTS).map(([value, { label, methods }]) => [
			value,
			label,
			methods.message,
			methods.typedData,
		]),
	).toEqual([
		['clef', 'Clef', 'account_signData', 'account_signTypedData'],
		['wallet', 'Wallet', 'personal_sign', 'eth_signTypedData_v4'],
		['web3signer', 'Web3Signer', 'eth_sign', 'eth_signTypedData'],
	]);
});

describe.each(dialects)('a signer of dialect %s', (dialect) => {
	it('signs messages and typed data as ethers does with the same key', async () => {
		reply = signing(dialect);
		const wallet = walletWith({ dialect, walletAddress: judge.address.toLowerCase() });
		expect(wallet.address).toBe(judge.address);
		expect(await wallet.signMessage(TEXT)).toBe(await judge.signMessage(TEXT));
		expect(await wallet.signTypedData(guardedNote)).toBe(
			await judge.signTypedData(NOTE.domain, NOTE.types, NOTE.message),
		);
	});

	it('is told the text and the data that are signed, and no more', async () => {
		reply = signing(dialect);
		const wallet = walletWith({ dialect });
		await wallet.signMessage(TEXT);
		const data = calls[0]?.params.find((one) => typeof one === 'string' && /^0x.{44,}$/.test(one));
		expect(toUtf8String(String(data))).toBe(TEXT);
		await wallet.signTypedData(guardedNote);
		const typed = calls[1]?.params.find((one) => one !== judge.address);
		expect(typeof typed === 'string' ? JSON.parse(typed) : typed).toMatchObject(NOTE);
	});

	it('is not believed when another key signed', async () => {
		reply = signing(dialect, stranger);
		const wallet = walletWith({ dialect });
		for (const act of [() => wallet.signMessage(TEXT), () => wallet.signTypedData(guardedNote)]) {
			const { field, message } = await refusalOf(act);
			expect(field).toBe('walletAddress');
			expect(message).toContain(judge.address);
		}
	});

	const others = dialects.filter((one) => one !== dialect);

	it.each(others)('is named when the signer speaks %s', async (spoken) => {
		reply = signing(spoken);
		const { field, message } = await refusalOf(() => walletWith({ dialect }).signMessage(TEXT));
		expect(field).toBe('remoteSignerDialect');
		expect(message).toContain(calls[0]?.method);
	});
});

describe('a remote signer', () => {
	it('gets its token as a bearer header, and none where none is set', async () => {
		reply = signing('wallet');
		await walletWith({ token }).signMessage(TEXT);
		await walletWith().signMessage(TEXT);
		expect(calls.map(({ authorization }) => authorization)).toEqual([`Bearer ${token}`, undefined]);
	});

	it('gets JSON-RPC 2.0 calls, numbered from 1', async () => {
		reply = signing('wallet');
		const wallet = walletWith();
		await wallet.signMessage(TEXT);
		await wallet.signMessage(TEXT);
		expect(calls).toMatchObject([
			{ jsonrpc: '2.0', id: 1, method: 'personal_sign' },
			{ jsonrpc: '2.0', id: 2, method: 'personal_sign' },
		]);
	});

	it('may give v as 0 or 1: the signature is put as verifiers want it', async () => {
		const signature = await judge.signMessage(TEXT);
		const v = signature.endsWith('1b') ? '00' : '01';
		reply = (call) => result(call, `0x${`${signature.slice(2, -2)}${v}`.toUpperCase()}`);
		expect(await walletWith().signMessage(TEXT)).toBe(signature);
	});

	it('is not believed when it signed something else', async () => {
		reply = async (call) => result(call, await judge.signMessage('something else'));
		expect((await refusalOf(() => walletWith().signMessage(TEXT))).message).toContain('not used');
		const other = { ...NOTE.message, sum: '1250001' };
		reply = async (call) => result(call, await judge.signTypedData(NOTE.domain, NOTE.types, other));
		expect((await refusalOf(() => walletWith().signTypedData(guardedNote))).message).toContain(
			'not used',
		);
	});

	it.each<[string, (call: Call) => Reply, RegExp, string]>([
		[
			'a refusal by its owner',
			(call) => failure(call, { code: 4001, message: 'User rejected the request' }),
			/refused to sign.*User rejected.*4001/,
			'remoteSignerUrl',
		],
		[
			'a refusal with HTTP 500',
			(call) => ({ status: 500, ...failure(call, { code: -32000, message: 'locked' }) }),
			/refused to sign.*locked/,
			'remoteSignerUrl',
		],
		[
			'an endless refusal',
			(call) => failure(call, { code: 1, message: 'x'.repeat(50_000) }),
			/refused to sign/,
			'remoteSignerUrl',
		],
		['401', () => ({ status: 401, body: '' }), /rejected the request.*401/, 'remoteSignerToken'],
		[
			'403',
			() => ({ status: 403, body: 'Forbidden' }),
			/rejected the request.*403/,
			'remoteSignerToken',
		],
		['a redirect', () => ({ status: 307, body: '' }), /isn’t JSON-RPC.*307/, 'remoteSignerUrl'],
		[
			'500',
			() => ({ status: 500, body: { error: 'Internal error' } }),
			/signer failed.*500/,
			'remoteSignerUrl',
		],
		['a web page', () => ({ body: '<html>' }), /isn’t JSON-RPC.*200/, 'remoteSignerUrl'],
		['300', () => ({ status: 300, body: '' }), /isn’t JSON-RPC/, 'remoteSignerUrl'],
		['399', () => ({ status: 399, body: '' }), /isn’t JSON-RPC/, 'remoteSignerUrl'],
		['400', () => ({ status: 400, body: '{}' }), /isn’t JSON-RPC.*400/, 'remoteSignerUrl'],
		['404', () => ({ status: 404, body: '{}' }), /isn’t JSON-RPC.*404/, 'remoteSignerUrl'],
		[
			'a longer error than "does not exist/is not available"',
			(call) =>
				failure(call, { code: -32000, message: 'The key does not exist/is not available yet' }),
			/refused to sign: "The key does not exist/,
			'remoteSignerUrl',
		],
		[
			'a longer error than "Not implemented"',
			(call) => failure(call, { code: -32603, message: 'Not implemented yet' }),
			/refused to sign: "Not implemented yet"/,
			'remoteSignerUrl',
		],
		[
			'an error that ends with "not implemented"',
			(call) => failure(call, { code: -32603, message: 'Unlocking is not implemented' }),
			/refused to sign: "Unlocking is not implemented"/,
			'remoteSignerUrl',
		],
		['nothing', () => ({ body: '' }), /isn’t JSON-RPC/, 'remoteSignerUrl'],
		['10 MB', () => ({ body: 'x'.repeat(10_000_000) }), /isn’t JSON-RPC/, 'remoteSignerUrl'],
		[
			'the answer to another call',
			(call) => result({ ...call, id: call.id + 1 }, '0x'),
			/isn’t JSON-RPC/,
			'remoteSignerUrl',
		],
		[
			'no result',
			({ id: callId }) => ({ body: { jsonrpc: '2.0', id: callId } }),
			/invalid signature/,
			'remoteSignerDialect',
		],
		['null', (call) => result(call, null), /invalid signature/, 'remoteSignerDialect'],
		[
			'an object',
			(call) => result(call, { signature: '0x' }),
			/invalid signature/,
			'remoteSignerDialect',
		],
		[
			'a signature cut short',
			(call) => result(call, `0x${'1'.repeat(128)}`),
			/invalid signature/,
			'remoteSignerDialect',
		],
		[
			'zeros',
			(call) => result(call, `0x${'0'.repeat(130)}`),
			/invalid signature/,
			'remoteSignerDialect',
		],
		[
			'what no key could sign',
			(call) => result(call, `0x${'f'.repeat(64)}${'1'.repeat(64)}1b`),
			/invalid signature/,
			'remoteSignerDialect',
		],
	])(
		'is refused in plain words when it answers with %s',
		async (_what, replyWith, words, field) => {
			reply = replyWith;
			const refusal = await refusalOf(() => walletWith({ token }).signMessage(TEXT));
			expect(refusal.message).toMatch(words);
			expect(refusal.field).toBe(field);
			expect(refusal.hint).toBeTruthy();
			expect(`${refusal.message}${refusal.hint}`).not.toContain(token);
			expect(refusal.message.length).toBeLessThan(300);
		},
	);

	it.each(SIGNER_ANSWERS)(
		'gets the right hint for the answer of $from',
		async ({ dialect = 'wallet', status, body, message, hint, field }) => {
			reply = ({ id: callId }) => ({ status, body: body(callId) });
			const refusal = await refusalOf(() => walletWith({ dialect, token }).signMessage(TEXT));
			expect(refusal).toMatchObject({ message, hint, field });
			expect(calls).toHaveLength(1);
		},
	);

	it('isn’t believed when its signature has no id, or another’s', async () => {
		const signature = await judge.signMessage(TEXT);
		for (const otherId of [null, undefined, '1', 0]) {
			reply = () => ({ body: { jsonrpc: '2.0', id: otherId, result: signature } });
			expect((await refusalOf(() => walletWith().signMessage(TEXT))).message).toContain(
				'isn’t JSON-RPC',
			);
		}
	});

	it.each([201, 202, 206, 400, 404])('isn’t believed with HTTP %d', async (status) => {
		const signature = await judge.signMessage(TEXT);
		reply = (call) => ({ ...result(call, signature), status });
		expect((await refusalOf(() => walletWith().signMessage(TEXT))).message).toBe(
			`The remote signer’s response isn’t JSON-RPC (HTTP ${status})`,
		);
	});

	it('is read to 100,000 characters, and no further', async () => {
		const signature = await judge.signMessage(TEXT);
		const replyWith = (length: number) => {
			reply = (call) => ({ body: JSON.stringify(result(call, signature).body).padEnd(length) });
		};
		replyWith(100_000);
		expect(await walletWith().signMessage(TEXT)).toBe(signature);
		replyWith(100_001);
		expect((await refusalOf(() => walletWith().signMessage(TEXT))).message).toBe(
			'The remote signer’s response isn’t JSON-RPC (HTTP 200)',
		);
	});

	it('says what to do where another wallet signed', async () => {
		reply = signing('wallet', stranger);
		expect(await refusalOf(() => walletWith().signMessage(TEXT))).toMatchObject({
			message: `The remote signer’s signature isn’t from the wallet ${judge.address}, so it was not used`,
			hint: 'Check Wallet Address and Remote Signer Dialect in the credentials.',
			field: 'walletAddress',
		});
	});

	it('does not hide an error that isn’t about the response', async () => {
		const error = new TypeError('a defect');
		const wallet = remoteSignerWallet(
			{ url, dialect: 'wallet', walletAddress: judge.address },
			() => Promise.reject(error),
		);
		await expect(wallet.signMessage(TEXT)).rejects.toBe(error);
	});

	it('is given up after half a minute, and not asked twice', async () => {
		const asked: Array<number | undefined> = [];
		const wallet = remoteSignerWallet(
			{ url, dialect: 'wallet', walletAddress: judge.address },
			async (request) => {
				asked.push(request.timeout);
				throw new UserError('No response within its time');
			},
		);
		expect(await refusalOf(() => wallet.signMessage(TEXT))).toMatchObject({
			message:
				'The remote signer did not respond, so nothing was signed: No response within its time',
			field: 'remoteSignerUrl',
			hint: 'Check that the signer is running, that n8n can reach it, and that it doesn’t wait for manual confirmation.',
		});
		expect(asked).toEqual([30_000]);
	});

	it('is asked for no text that libraries hash differently', async () => {
		reply = signing('wallet');
		await refusalOf(() => walletWith().signMessage('half \ud800'));
		expect(calls).toEqual([]);
	});
});

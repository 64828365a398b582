import { getBytes, id, Wallet as Judge } from 'ethers';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import type { HttpExchange } from '../../../nodes/PayrollPayments/shared/http';
import { remoteSignerWallet } from '../../../nodes/PayrollPayments/signing';
import type { RemoteSignerDialect } from '../../../nodes/PayrollPayments/signing/dialects';
import { parseTypedData } from '../../../nodes/PayrollPayments/signing/typedData';
import { refusalFrom } from '../../support/refusals';
import { SIGNER_ANSWERS } from '../../support/signerAnswers';
import { noteFrom } from './note';

const judge = new Judge(id('payroll tests: remote wallet'));
const stranger = new Judge(id('stranger'));
const token = 'signer-token-4711';
const TEXT = 'Sign in to Payroll: naïve – 給与';
const NOTE = noteFrom(judge.address);
const guardedNote = parseTypedData(NOTE, 'message.');

const url = 'http://signer.internal:8550';

interface Call {
	jsonrpc: string;
	id: number;
	method: string;
	params: unknown[];
}
type Reply = { status?: number; body: unknown };

const calls: Array<Call & { authorization?: string }> = [];
let reply: (call: Call) => Promise<Reply> | Reply;

beforeEach(() => {
	calls.length = 0;
});

const exchange: HttpExchange = async ({ method, url: to, headers, body: sent }) => {
	expect([method, to]).toEqual(['POST', url]);
	const call: Call = JSON.parse(JSON.stringify(sent));
	calls.push({ ...call, ...headers });
	const { status = 200, body } = await reply(call);
	return { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) };
};

const result = (call: Call, value: unknown): Reply => ({
	body: { jsonrpc: '2.0', id: call.id, result: value },
});

const signText = async (signer: Judge, address: unknown, text: unknown) => {
	expect(address).toBe(judge.address);
	return await signer.signMessage(getBytes(String(text)));
};

/** Signs typed data in the form of eth_signTypedData_v4 with ethers. */
const signTyped = async (signer: Judge, address: unknown, data: unknown) => {
	expect(address).toBe(judge.address);
	const { domain, types, primaryType, message } = Object(data);
	const { EIP712Domain: domainType, ...others } = types;
	expect(primaryType).toBe(NOTE.primaryType);
	// Signers hash the domain by its written type, so that type must be there and complete.
	expect(domainType.map((member: { name: string }) => member.name)).toEqual(Object.keys(domain));
	return await signer.signTypedData(domain, others, message);
};

type Method = (signer: Judge, params: unknown[]) => Promise<string>;

const signTypedText: Method = async (signer, [address, data]) =>
	await signTyped(signer, address, JSON.parse(String(data)));

/** Each dialect as its own program documents it, written down here a second time. */
const SIGNERS: Record<RemoteSignerDialect, Readonly<Record<string, Method>>> = {
	wallet: {
		personal_sign: async (signer, [text, address]) => await signText(signer, address, text),
		eth_signTypedData_v4: signTypedText,
	},
	web3signer: {
		eth_sign: async (signer, [address, text]) => await signText(signer, address, text),
		eth_signTypedData: signTypedText,
	},
	clef: {
		account_signData: async (signer, [type, address, text]) => {
			expect(type).toBe('text/plain');
			return await signText(signer, address, text);
		},
		account_signTypedData: async (signer, [address, data]) => {
			// Clef 1.9 can't read a number here (“cannot unmarshal number into Go struct field”).
			expect(Object(data).domain.chainId).toEqual(expect.any(String));
			return await signTyped(signer, address, data);
		},
	},
};

const signing =
	(dialect: RemoteSignerDialect, signer: Judge = judge) =>
	async (call: Call): Promise<Reply> =>
		result(call, await SIGNERS[dialect][call.method]?.(signer, call.params));

const walletWith = (more: object = {}, through = exchange) =>
	remoteSignerWallet(
		{
			...{ url, dialect: 'wallet', walletAddress: judge.address, confirmationSeconds: 30 },
			redact: (text) => text,
			...more,
		},
		through,
	);

/** How the node refuses to use what the signer answers. */
const refusal = (more: object = {}) => refusalFrom(walletWith(more).signMessage(TEXT));

const dialects: RemoteSignerDialect[] = ['wallet', 'web3signer', 'clef'];

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

	it('is not believed when another key signed', async () => {
		reply = signing(dialect, stranger);
		const wallet = walletWith({ dialect });
		for (const attempt of [wallet.signMessage(TEXT), wallet.signTypedData(guardedNote)]) {
			expect(await refusalFrom(attempt)).toMatchObject({
				message: `The remote signer’s signature isn’t from the wallet ${judge.address}, so it was not used`,
				hint: 'Check Wallet Address and Remote Signer Dialect in the credentials.',
				context: { mayBeSigned: true },
			});
		}
	});
});

describe('a remote signer', () => {
	it('gets JSON-RPC 2.0 calls, numbered from 1, with its token as a bearer header if set', async () => {
		reply = signing('wallet');
		const wallet = walletWith({ token });
		await wallet.signMessage(TEXT);
		await wallet.signMessage(TEXT);
		await walletWith().signMessage(TEXT);
		const authorization = `Bearer ${token}`;
		expect(calls).toMatchObject([
			{ jsonrpc: '2.0', id: 1, method: 'personal_sign', authorization },
			{ jsonrpc: '2.0', id: 2, method: 'personal_sign', authorization },
			{ jsonrpc: '2.0', id: 1, method: 'personal_sign' },
		]);
		expect(calls[2]).not.toHaveProperty('authorization');
	});

	it('may give v as 0 or 1: the signature is put as verifiers want it', async () => {
		const seen = new Set<string>();
		for (const text of Array.from({ length: 16 }, (_, index) => `${TEXT} ${index}`)) {
			const signature = await judge.signMessage(text);
			const v = signature.endsWith('1b') ? '00' : '01';
			seen.add(v);
			reply = (call) => result(call, `0x${`${signature.slice(2, -2)}${v}`.toUpperCase()}`);
			expect(await walletWith().signMessage(text)).toBe(signature);
		}
		expect(seen.size).toBe(2);
	});

	it.each<[string, unknown]>([
		['missing', undefined],
		['null', null],
		['an object', { signature: '0x' }],
		['cut short', `0x${'1'.repeat(128)}`],
		['of zeros', `0x${'0'.repeat(130)}`],
		['a contract wallet’s', `0x${'1'.repeat(256)}`],
		['none that a key could make', `0x${'f'.repeat(64)}${'1'.repeat(64)}1b`],
	])('is refused when its signature is %s', async (_what, signature) => {
		reply = (call) => result(call, signature);
		expect(await refusal()).toMatchObject({
			message: 'The remote signer returned an invalid signature',
			hint: 'It must be 65 bytes, r, s and v. Check Remote Signer Dialect in the credentials.',
			context: { mayBeSigned: true },
		});
	});

	it.each(SIGNER_ANSWERS)(
		'gets the right hint for the answer of $from',
		async ({ dialect = 'wallet', status, body, message, hint, mayBeSigned = true }) => {
			reply = ({ id: callId }) => ({ status, body: body(callId) });
			const refused = await refusal({ dialect, token });
			expect(refused).toMatchObject({ message, hint });
			expect(refused.context.mayBeSigned !== false).toBe(mayBeSigned);
			expect(calls).toHaveLength(1);
		},
	);

	it('isn’t believed when its signature has no id, another’s or another status', async () => {
		const signature = await judge.signMessage(TEXT);
		for (const otherId of [null, undefined, '1', 0, 2]) {
			reply = () => ({ body: { jsonrpc: '2.0', id: otherId, result: signature } });
			const { message, context } = await refusal();
			expect(message).toContain('isn’t JSON-RPC (HTTP 200)');
			expect(context.mayBeSigned).toBe(true);
		}
		for (const status of [201, 202, 206, 300, 307, 400, 404, 499]) {
			reply = (call) => ({ ...result(call, signature), status });
			const { message, context } = await refusal();
			expect(message).toContain(`isn’t JSON-RPC (HTTP ${status})`);
			expect(context.mayBeSigned).toBe(false);
		}
	});

	it('may have signed although it failed, unless it was not reached', async () => {
		reply = () => ({ status: 502, body: '' });
		expect((await refusal()).context.mayBeSigned).toBe(true);
		for (const wasSent of [undefined, true, false]) {
			const error = new UserError('No response', { wasSent });
			const wallet = walletWith({}, () => Promise.reject(error));
			const { context } = await refusalFrom(wallet.signMessage(TEXT));
			expect(context.mayBeSigned).toBe(wasSent !== false);
		}
	});

	it('is read to 100,000 characters, and no further', async () => {
		const signature = await judge.signMessage(TEXT);
		let length = 100_000;
		reply = (call) => ({ body: JSON.stringify(result(call, signature).body).padEnd(length) });
		expect(await walletWith().signMessage(TEXT)).toBe(signature);
		length += 1;
		const { message } = await refusal();
		expect(message).toBe('The remote signer’s response isn’t JSON-RPC (HTTP 200)');
	});

	it('does not hide an error that isn’t about the response', async () => {
		const error = new TypeError('a defect');
		const wallet = walletWith({}, () => Promise.reject(error));
		await expect(wallet.signMessage(TEXT)).rejects.toBe(error);
	});

	it.each([
		[30, 30_000],
		[900, 900_000],
	])(
		'is given up after its time, and not asked twice: %p',
		async (confirmationSeconds, timeout) => {
			const asked: Array<number | undefined> = [];
			const wallet = walletWith({ confirmationSeconds }, async (request) => {
				asked.push(request.timeout);
				throw new UserError('No response within its time');
			});
			expect(await refusalFrom(wallet.signMessage(TEXT))).toMatchObject({
				message: 'The remote signer did not respond: No response within its time',
				hint: 'Check that the signer is running and that n8n can reach it. If it asks a person, confirm in time, or raise Wait for Confirmation (Seconds) in the credentials.',
			});
			expect(asked).toEqual([timeout]);
		},
	);

	it('is not waited for once the execution is stopped', async () => {
		const execution = new AbortController();
		/* n8n's request functions end the request, and say so in words of their own. */
		const wallet = walletWith({ signal: execution.signal }, async (request) => {
			expect(request.signal).toBe(execution.signal);
			execution.abort();
			throw new UserError('The request was canceled');
		});
		expect(await refusalFrom(wallet.signMessage(TEXT))).toMatchObject({
			message: 'The execution was stopped, so this was not sent',
			context: { outcome: 'notSent' },
		});
	});

	it('is asked neither once the execution was stopped, nor for a text that libraries hash differently', async () => {
		const { context } = await refusal({ signal: AbortSignal.abort() });
		expect(context.outcome).toBe('notSent');
		reply = signing('wallet');
		await refusalFrom(walletWith().signMessage('half \ud800'));
		expect(calls).toEqual([]);
	});
});

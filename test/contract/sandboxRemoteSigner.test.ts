import { hexlify, id, toUtf8Bytes, verifyMessage, verifyTypedData, Wallet } from 'ethers';

import { startRemoteSigner, type RemoteSigner } from '../../sandbox/remoteSigner';

const wallet = new Wallet(id('payroll sandbox test: signer'));
const { address } = wallet;
const message = 'Sign in, please: ¡señal!';
const hexMessage = hexlify(toUtf8Bytes(message));
const domain = { name: 'Test', version: '1', chainId: 42161, verifyingContract: address };
const types = { Grant: [{ name: 'account', type: 'address' }] };
const typedData = {
	domain,
	primaryType: 'Grant',
	types: {
		EIP712Domain: [
			{ name: 'name', type: 'string' },
			{ name: 'version', type: 'string' },
			{ name: 'chainId', type: 'uint256' },
			{ name: 'verifyingContract', type: 'address' },
		],
		...types,
	},
	message: { account: address },
};
const text = JSON.stringify(typedData);

describe('the sandbox: a remote signer', () => {
	let signer: RemoteSigner;

	afterEach(async () => {
		await signer.close();
	});

	async function start(options: Parameters<typeof startRemoteSigner>[0] = {}): Promise<void> {
		signer = await startRemoteSigner({ privateKeys: [wallet.privateKey], ...options });
	}

	async function post(
		method: string,
		params: readonly unknown[],
		token?: string,
	): Promise<Response> {
		return await fetch(signer.url, {
			method: 'POST',
			headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
			body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
			signal: AbortSignal.timeout(500),
		});
	}

	async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
		return await (await post(method, params)).json();
	}

	async function signatureBy(method: string, params: readonly unknown[]): Promise<string> {
		const answer = await ask(method, params);
		expect(answer).toMatchObject({ jsonrpc: '2.0', id: 7, result: expect.any(String) });
		const result: unknown = Reflect.get(Object(answer), 'result');
		return String(result);
	}

	const ofMessage = (signature: string) => verifyMessage(message, signature);
	const ofTypedData = (signature: string) =>
		verifyTypedData(domain, types, typedData.message, signature);
	it.each([
		['personal_sign', [hexMessage, address], ofMessage],
		['eth_sign', [address, hexMessage], ofMessage],
		['account_signData', ['text/plain', address, hexMessage], ofMessage],
		['eth_signTypedData_v4', [address, text], ofTypedData],
		['eth_signTypedData', [address, text], ofTypedData],
		['account_signTypedData', [address, typedData], ofTypedData],
	] as const)('signs by %s', async (method, params, signerOf) => {
		await start();
		expect(signerOf(await signatureBy(method, params))).toBe(address);
		expect(signer.log).toMatchObject([{ method, params, outcome: 'signed' }]);
	});

	it.each<[string, string, unknown[]]>([
		['the parameters in reverse order', 'personal_sign', [address, hexMessage]],
		['a message that is not hex', 'eth_sign', [address, message]],
		['no content type', 'account_signData', [address, hexMessage]],
		['an object for text', 'eth_signTypedData', [address, typedData]],
		['text for an object', 'account_signTypedData', [address, text]],
		['an unknown wallet', 'personal_sign', [hexMessage, `0x${'1'.repeat(40)}`]],
		['an unknown method', 'eth_sendTransaction', [{}]],
		[
			'typed data without the domain’s type',
			'account_signTypedData',
			[address, { ...typedData, types }],
		],
		[
			'a domain that its type does not name',
			'account_signTypedData',
			[address, { ...typedData, domain: { ...domain, salt: id('x') } }],
		],
	])('refuses %s', async (_what, method, params) => {
		await start();
		expect(await ask(method, params)).toMatchObject({ error: { code: expect.any(Number) } });
		expect(signer.log).toMatchObject([{ outcome: 'refused' }]);
	});

	it('requires its token', async () => {
		await start({ token: 'let me in' });
		const params = [hexMessage, address];
		expect((await post('personal_sign', params)).status).toBe(401);
		expect((await post('personal_sign', params, 'wrong')).status).toBe(401);
		expect((await post('personal_sign', params, 'let me in')).status).toBe(200);
		expect(signer.log.map(({ authorized }) => authorized)).toEqual([false, false, true]);
	});

	it('fails as planned, in order, and then signs again', async () => {
		await start({ faults: ['refuse', 'malformedSignature'] });
		signer.fail('emptyAnswer', 'wrongKey', 'notJson', 'http401', 'http500', 'cut', 'timeout');
		const params = [hexMessage, address];
		expect(await ask('personal_sign', params)).toMatchObject({ error: { code: 4001 } });
		expect(await ask('personal_sign', params)).toMatchObject({ result: '0x1234' });
		expect(await ask('personal_sign', params)).toEqual({ jsonrpc: '2.0', id: 7 });
		const foreign = await signatureBy('personal_sign', params);
		expect(verifyMessage(message, foreign)).not.toBe(address);
		await expect(ask('personal_sign', params)).rejects.toThrow('not valid JSON');
		expect((await post('personal_sign', params)).status).toBe(401);
		expect((await post('personal_sign', params)).status).toBe(500);
		await expect(post('personal_sign', params)).rejects.toThrow('fetch failed');
		await expect(post('personal_sign', params)).rejects.toThrow('timeout');
		expect(verifyMessage(message, await signatureBy('personal_sign', params))).toBe(address);
	});
});

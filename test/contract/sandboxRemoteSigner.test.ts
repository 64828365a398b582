import { hexlify, id, toUtf8Bytes, verifyMessage, Wallet } from 'ethers';

import { startRemoteSigner, type RemoteSigner } from '../../sandbox/remoteSigner';
import { waitFor } from '../../n8nHost/waiting';

const wallet = new Wallet(id('payroll sandbox test: signer'));
const { address } = wallet;
const message = 'Sign in, please: ¡señal!';
const hexMessage = hexlify(toUtf8Bytes(message));
const domain = { name: 'Test', version: '1', chainId: 42161, verifyingContract: address };
const types = { Grant: [{ name: 'account', type: 'address' }] };
const EIP712Domain = [
	{ name: 'name', type: 'string' },
	{ name: 'version', type: 'string' },
	{ name: 'chainId', type: 'uint256' },
	{ name: 'verifyingContract', type: 'address' },
];
const signed = { types: { EIP712Domain, ...types }, message: { account: address } };
const typedData = { domain, primaryType: 'Grant', ...signed };
const salted = { ...typedData, domain: { ...domain, salt: id('x') } };
const text = JSON.stringify(typedData);

/* test/n8n/conformance has what it signs in each dialect. */
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
	more: RequestInit = {},
): Promise<Response> {
	const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
	return await fetch(signer.url, { method: 'POST', body, ...more });
}

async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
	return await (await post(method, params)).json();
}

/** Who signed the message that was asked for. */
async function signerOf(params: readonly unknown[]): Promise<string> {
	const answer = await ask('personal_sign', params);
	expect(answer).toMatchObject({ jsonrpc: '2.0', id: 7, result: expect.any(String) });
	return verifyMessage(message, String(Object(answer).result));
}

it.each<[string, string, unknown[]]>([
	['the parameters in reverse order', 'personal_sign', [address, hexMessage]],
	['a message that is not hex', 'eth_sign', [address, message]],
	['no content type', 'account_signData', [address, hexMessage]],
	['an object for text', 'eth_signTypedData', [address, typedData]],
	['text for an object', 'account_signTypedData', [address, text]],
	['an unknown wallet', 'personal_sign', [hexMessage, `0x${'1'.repeat(40)}`]],
	['an unknown method', 'eth_sendTransaction', [{}]],
	['no type of the domain', 'account_signTypedData', [address, { ...typedData, types }]],
	['a domain unlike its type', 'account_signTypedData', [address, salted]],
])('refuses %s', async (_what, method, params) => {
	await start();
	expect(await ask(method, params)).toMatchObject({ error: { code: expect.any(Number) } });
	expect(signer.log).toMatchObject([{ outcome: 'refused' }]);
});

it('requires its token', async () => {
	await start({ token: 'let me in' });
	const params = [hexMessage, address];
	const statusWith = async (authorization: string) =>
		(await post('personal_sign', params, { headers: { authorization } })).status;
	expect((await post('personal_sign', params)).status).toBe(401);
	expect(await statusWith('Bearer wrong')).toBe(401);
	expect(await statusWith('Bearer let me in')).toBe(200);
	expect(signer.log).toMatchObject([
		{ authorized: false, outcome: 'refused' },
		{ authorized: false, outcome: 'refused' },
		{ authorized: true, outcome: 'signed', method: 'personal_sign', params },
	]);
});

it('fails as planned, in order, and then signs again', async () => {
	await start({ faults: ['refuse', 'malformedSignature'] });
	signer.fail('emptyAnswer', 'wrongKey', 'notJson', 'http401', 'http500', 'cut', 'timeout');
	const params = [hexMessage, address];
	expect(await ask('personal_sign', params)).toMatchObject({ error: { code: 4001 } });
	expect(await ask('personal_sign', params)).toMatchObject({ result: '0x1234' });
	expect(await ask('personal_sign', params)).toEqual({ jsonrpc: '2.0', id: 7 });
	expect(await signerOf(params)).not.toBe(address);
	await expect(ask('personal_sign', params)).rejects.toThrow('not valid JSON');
	expect((await post('personal_sign', params)).status).toBe(401);
	expect((await post('personal_sign', params)).status).toBe(500);
	await expect(post('personal_sign', params)).rejects.toThrow('fetch failed');
	const impatient = { signal: AbortSignal.timeout(500) };
	await expect(post('personal_sign', params, impatient)).rejects.toThrow('timeout');
	expect(await signerOf(params)).toBe(address);
});

it('answers with errors that are texts where it is asked to', async () => {
	await start({ textErrors: true, dialects: ['clef'] });
	expect(await ask('personal_sign', [hexMessage, address])).toEqual({
		...{ jsonrpc: '2.0', id: 7 },
		error: 'The method personal_sign does not exist/is not available',
	});
});

/* start.test.ts lists and confirms requests over HTTP. */
describe('a person who is asked', () => {
	const firstWaiting = async () =>
		await waitFor('the person is asked', async () => signer.waiting()[0], { interval: 10 });

	beforeEach(async () => {
		await start({ asksPerson: true });
	});

	it.each([
		['eth_signTypedData_v4', text, 4001, 'User rejected the request.'],
		['account_signTypedData', typedData, -32000, 'request denied'],
	])('sees the typed data of %s, and declines it', async (method, given, code, said) => {
		const answer = ask(method, [address, given]);
		const { id: requestId, ...shown } = await firstWaiting();
		const { primaryType } = typedData;
		expect(shown).toEqual({ method, address, domain, primaryType, message: signed.message });
		const decline = `${signer.url}/requests/${requestId}/decline`;
		const declined = async () => (await fetch(decline, { method: 'POST' })).status;
		expect([await declined(), await declined()]).toEqual([200, 404]);
		expect(await answer).toEqual({ jsonrpc: '2.0', id: 7, error: { code, message: said } });
		expect(signer.log).toMatchObject([{ outcome: 'declined' }]);
	});

	it('sees it on a page as text, and decides there with a button', async () => {
		const hostile = { ...typedData, domain: { ...domain, name: '<b>Test' } };
		const answer = ask('account_signTypedData', [address, hostile]);
		const { id: requestId } = await firstWaiting();
		const page = await fetch(signer.url);
		expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
		const html = await page.text();
		const texts = ['Arbitrum One, chain 42161', '&lt;b&gt;Test', 'Sign Grant', 'account'];
		for (const shown of [address, ...texts]) expect(html).toContain(shown);
		expect(html).not.toContain('<b>');
		const button = `${signer.url}/requests/${requestId}/confirm`;
		const asBrowser = (origin: string) => ({ accept: 'text/html', origin });
		const foreign = { method: 'POST', headers: asBrowser('https://elsewhere.example') };
		expect((await fetch(button, foreign)).status).toBe(403);
		const own = { method: 'POST', headers: asBrowser(signer.url) };
		expect(await (await fetch(button, own)).text()).toContain('Nothing to sign.');
		expect(await answer).toMatchObject({ result: expect.stringMatching(/^0x/) });
	});
});

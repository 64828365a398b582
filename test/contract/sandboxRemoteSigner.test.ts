import { hexlify, id, toUtf8Bytes, Wallet } from 'ethers';

import { startRemoteSigner, type RemoteSigner } from '../../sandbox/remoteSigner';
import { waitFor } from '../../n8nHost/waiting';

const wallet = new Wallet(id('payroll sandbox test: signer'));
const { address } = wallet;
const message = 'Sign in, please: ¡señal!';
const hexMessage = hexlify(toUtf8Bytes(message));
const domain = { name: 'Test', version: '1', chainId: 42161, verifyingContract: address };
const types = { Grant: [{ name: 'account', type: 'address' }] };
const domainTypes = { name: 'string', version: 'string', chainId: 'uint256' };
const EIP712Domain = Object.entries({ ...domainTypes, verifyingContract: 'address' }).map(
	([name, type]) => ({ name, type }),
);
const signed = { types: { EIP712Domain, ...types }, message: { account: address } };
const typedData = { domain, primaryType: 'Grant', ...signed };
const salted = { ...typedData, domain: { ...domain, salt: id('x') } };
const text = JSON.stringify(typedData);

/* test/n8n/conformance has what it signs in each dialect. */
let signer: RemoteSigner;

afterEach(async () => await signer.close());

async function start(options: Parameters<typeof startRemoteSigner>[0] = {}): Promise<void> {
	signer = await startRemoteSigner({ privateKeys: [wallet.privateKey], ...options });
}

const post = async (method: string, params: readonly unknown[], more: RequestInit = {}) => {
	const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
	return await fetch(signer.url, { method: 'POST', body, ...more });
};
const ask = async (...asked: Parameters<typeof post>): Promise<unknown> =>
	await (await post(...asked)).json();

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
	const refused = { authorized: false, outcome: 'refused' };
	const done = { authorized: true, outcome: 'signed', method: 'personal_sign', params };
	expect(signer.log).toMatchObject([refused, refused, done]);
});

/* start.test.ts lists and confirms requests over HTTP; signingGuard.test.ts has what they show. */
describe('a person who is asked', () => {
	const firstWaiting = async () =>
		await waitFor('the person is asked', async () => signer.waiting()[0], { interval: 10 });

	beforeEach(async () => await start({ asksPerson: true }));

	it('declines once, which is answered as Clef does', async () => {
		const answer = ask('account_signTypedData', [address, typedData]);
		const { id: requestId } = await firstWaiting();
		const decline = `${signer.url}/requests/${requestId}/decline`;
		const declined = async () => (await fetch(decline, { method: 'POST' })).status;
		expect([await declined(), await declined()]).toEqual([200, 404]);
		const error = { code: -32000, message: 'request denied' };
		expect(await answer).toEqual({ jsonrpc: '2.0', id: 7, error });
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

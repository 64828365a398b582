import { decodeJwt } from 'jose';
import { SiweMessage } from 'siwe';

import type { AccountName } from '../../sandbox/server';
import { useActionSandbox } from '../support/actionSandbox';
import { jwtOf, SandboxClient } from '../support/sandboxClient';

describe('the sandbox: signing in', () => {
	const sandbox = useActionSandbox();
	let viewer: SandboxClient;
	const anyBalance = (): string =>
		`/v2/balance?nanoid=${sandbox.service.organisation.company.nanoid}`;

	beforeAll(async () => {
		viewer = SandboxClient.of(sandbox, 'viewer');
	});
	beforeEach(() => {
		viewer.useToken(undefined);
	});

	it('issues a message for its own domain and the wallet, with a fresh nonce', async () => {
		const message = new SiweMessage(await viewer.signInMessage());
		expect(message.domain).toBe(new URL(sandbox.url).host);
		expect(message.address).toBe(viewer.account.address);
		expect(message.chainId).toBe(42161);
		expect(Date.parse(message.expirationTime ?? '')).toBeGreaterThan(Date.now());
		expect(new SiweMessage(await viewer.signInMessage()).nonce).not.toBe(message.nonce);
	});

	it('issues a token for the protected operations', async () => {
		const message = await viewer.signInMessage();
		const reply = await viewer.verify(message, await viewer.wallet.signMessage(message));
		const jwt = jwtOf(sandbox, reply);
		expect(decodeJwt(jwt).sub).toBe(viewer.account.address);
		expect(await viewer.get(anyBalance())).toMatchObject({ status: 401 });
		expect(await viewer.useToken(jwt).get(anyBalance())).toMatchObject({ status: 200 });
	});

	it('takes a message once', async () => {
		const message = await viewer.signInMessage();
		const signature = await viewer.wallet.signMessage(message);
		expect(await viewer.verify(message, signature)).toMatchObject({ status: 200 });
		expect(await viewer.verify(message, signature)).toMatchObject({
			status: 401,
			body: { error_code: 'nonce_invalid' },
		});
		const other = new SiweMessage(await viewer.signInMessage()).nonce;
		expect(await viewer.verify(message, signature, other)).toMatchObject({ status: 401 });
	});

	it.each<[string, number, string, (message: string) => string, AccountName]>([
		['another wallet signed', 401, 'signature_invalid', (message) => message, 'stranger'],
		[
			'was changed',
			401,
			'message_changed',
			(message) => message.replace('Chain ID: 42161', 'Chain ID: 1'),
			'viewer',
		],
		['isn’t one', 400, 'message_invalid', () => 'Hello', 'viewer'],
	])('rejects a message that %s', async (_what, status, error_code, change, signer) => {
		const message = change(await viewer.signInMessage());
		const { wallet } = SandboxClient.of(sandbox, signer);
		const reply = await viewer.verify(message, await wallet.signMessage(message));
		expect(reply).toMatchObject({ status, body: { error_code } });
	});

	it('rejects a message that expired before it was signed', async () => {
		sandbox.service.change({ signInMessageLifetimeSeconds: 0.001 });
		const message = await viewer.signInMessage();
		expect(await viewer.verify(message, await viewer.wallet.signMessage(message))).toMatchObject({
			status: 401,
			body: { error_code: 'signature_invalid' },
		});
	});

	it('issues messages only to wallets with a role on the platform identifier', async () => {
		const ask = async (wallet: string, platformid: string): Promise<number> => {
			const query = new URLSearchParams({ wallet, platformid });
			return (await viewer.get(`/v2/auth/siwe?${query.toString()}`)).status;
		};
		const { address, platformId } = viewer.account;
		const stranger = SandboxClient.of(sandbox, 'stranger').account;
		expect(await ask(address.toLowerCase(), platformId)).toBe(200);
		expect(await ask(stranger.address, platformId)).toBe(403);
		expect(await ask(address, 'PLT-10000001')).toBe(403);
		expect(await ask(address, 'PLT-0')).toBe(404);
	});

	it('rejects tokens that were expired together, outlived their time or are forged', async () => {
		await viewer.signIn();
		expect(await viewer.get(anyBalance())).toMatchObject({ status: 200 });
		await fetch(`${sandbox.url}/sandbox/tokens/expire`, { method: 'POST' });
		expect(await viewer.get(anyBalance())).toMatchObject({ status: 401 });
		sandbox.service.change({ tokenLifetimeSeconds: 0.001 });
		await viewer.signIn();
		expect(await viewer.get(anyBalance())).toMatchObject({ status: 401 });
		expect(await viewer.useToken('a.b.c').get(anyBalance())).toMatchObject({ status: 401 });
	});
});

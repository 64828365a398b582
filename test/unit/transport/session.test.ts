import { id } from 'ethers';

import { readCredentials, type WalletCredentials } from '../../../nodes/PayrollPayments/contract';
import {
	authenticationHeader,
	packSession,
	sessionBinding,
	SharedSignIn,
	SIGN_IN_PAUSE,
	usableToken,
} from '../../../nodes/PayrollPayments/transport/session';

const NOW = 1_800_000_000_000;

function wallet(change: Record<string, unknown> = {}): WalletCredentials {
	const credentials = readCredentials({
		baseUrl: 'https://api.example.com',
		platformId: 'platform-1',
		privateKey: id('session test'),
		...change,
	});
	if (credentials.authentication !== 'walletSignIn') throw new Error('not a wallet');
	return credentials;
}

function jwt(claims: Record<string, unknown>): string {
	return ['{}', JSON.stringify(claims), 'signature']
		.map((part) => Buffer.from(part).toString('base64url'))
		.join('.');
}

describe('the stored token', () => {
	const token = jwt({ exp: NOW / 1000 + 60 });
	const stored = packSession(sessionBinding(wallet()), token);

	it('is used with the credentials that it was obtained with', () => {
		expect(usableToken(stored, wallet(), NOW)).toBe(token);
		expect(authenticationHeader(wallet(), stored, NOW)).toEqual({
			authorization: `Bearer ${token}`,
		});
	});

	it.each([
		{ baseUrl: 'https://other.example.com' },
		{ platformId: 'platform-2' },
		{ privateKey: id('another key') },
		{ signInDomain: 'app.example.com' },
		{ signInChainId: '1' },
		{ signer: 'remoteSigner', remoteSignerUrl: 'https://s.example.com', walletAddress: `0x${'a'.repeat(40)}` },
	])('ends when the credentials change: %j', (change) => {
		expect(usableToken(stored, wallet(change), NOW)).toBeUndefined();
		expect(authenticationHeader(wallet(change), stored, NOW)).toEqual({});
	});

	it('ends when the token of the remote signer changes', () => {
		const remote = (remoteSignerToken: string) =>
			wallet({
				signer: 'remoteSigner',
				remoteSignerUrl: 'https://s.example.com',
				remoteSignerToken,
				walletAddress: `0x${'a'.repeat(40)}`,
			});
		const bound = packSession(sessionBinding(remote('wrong')), token);
		expect(usableToken(bound, remote('wrong'), NOW)).toBe(token);
		expect(usableToken(bound, remote('right'), NOW)).toBeUndefined();
	});

	it('ends with its own exp, and lasts without one', () => {
		expect(usableToken(stored, wallet(), NOW + 61_000)).toBeUndefined();
		const lasting = packSession(sessionBinding(wallet()), 'opaque');
		expect(usableToken(lasting, wallet(), NOW)).toBe('opaque');
	});

	it.each(['', undefined, null, 'not json', '{}', '[]', '{"token":1}', 7])(
		'is none where %j is stored',
		(damaged) => {
			expect(usableToken(damaged, wallet(), NOW)).toBeUndefined();
		},
	);

	it('holds no key that could be read from it', () => {
		expect(stored).not.toContain(id('session test').slice(2));
	});
});

describe('sign-ins at once', () => {
	let time = NOW;
	let count = 0;
	let answer: () => Promise<string>;
	const signIn = async () => {
		count += 1;
		return await answer();
	};
	const shared = () => new SharedSignIn(() => time);

	beforeEach(() => {
		time = NOW;
		count = 0;
		answer = async () => `token-${count}`;
	});

	it('are one for 200 callers with the same expired token, also for those that come late', async () => {
		const signIns = shared();
		const early = await Promise.all(
			Array.from({ length: 150 }, async () => await signIns.token('a', 'old', signIn)),
		);
		const late = await Promise.all(
			Array.from({ length: 50 }, async () => await signIns.token('a', 'old', signIn)),
		);
		expect(count).toBe(1);
		expect(new Set([...early, ...late])).toEqual(new Set(['token-1']));
	});

	it('are made anew when the newest token is refused', async () => {
		const signIns = shared();
		await signIns.token('a', undefined, signIn);
		expect(await signIns.token('a', 'token-1', signIn)).toBe('token-2');
	});

	it('are made anew when the newest token has run out', async () => {
		const signIns = shared();
		answer = async () => jwt({ exp: NOW / 1000 + 60, count });
		await signIns.token('a', undefined, signIn);
		time += 61_000;
		await signIns.token('a', undefined, signIn);
		expect(count).toBe(2);
	});

	it('are apart for other credentials', async () => {
		const signIns = shared();
		await Promise.all([signIns.token('a', 'x', signIn), signIns.token('b', 'x', signIn)]);
		expect(count).toBe(2);
	});

	it('pause after a failure and repeat its message, unless the credentials change', async () => {
		const signIns = shared();
		answer = async () => {
			throw new Error('no role');
		};
		await expect(signIns.token('a', undefined, signIn)).rejects.toThrow('no role');
		time += SIGN_IN_PAUSE - 1;
		await expect(signIns.token('a', 'whatever', signIn)).rejects.toThrow('no role');
		expect(count).toBe(1);
		await expect(signIns.token('b', undefined, signIn)).rejects.toThrow('no role');
		expect(count).toBe(2);
		time += 1;
		answer = async () => 'token';
		expect(await signIns.token('a', undefined, signIn)).toBe('token');
	});
});

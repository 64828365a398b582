import { id } from 'ethers';

import { PayrollPaymentsApi } from '../../../credentials/PayrollPaymentsApi.credentials';
import { authorizationHeaders } from '../../../nodes/PayrollPayments/api/authentication';
import {
	readCredentials,
	type WalletCredentials,
} from '../../../nodes/PayrollPayments/api/credentials';
import {
	FRESH_MS,
	packSession,
	readSession,
	sessionBinding,
	Sessions,
	SIGN_IN_PAUSE,
	tokenIn,
} from '../../../nodes/PayrollPayments/api/session';
import { stoppedError } from '../../../nodes/PayrollPayments/shared/errors';
import { jwt, NOW, TestClock } from './testClock';

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

describe('the stored token', () => {
	const stored = packSession(sessionBinding(wallet()), 'token');

	it('is used with the credentials that it was obtained with', () => {
		expect(readSession(stored)).toEqual({ boundTo: sessionBinding(wallet()), token: 'token' });
		expect(tokenIn(stored, sessionBinding(wallet()))).toBe('token');
		expect(tokenIn(stored, sessionBinding(wallet({ platformId: 'platform-2' })))).toBe('');
	});

	const REMOTE = {
		signer: 'remoteSigner',
		remoteSignerUrl: 'https://s.example.com',
		walletAddress: `0x${'c'.repeat(40)}`,
	};

	it.each([
		[{}, { baseUrl: 'https://other.example.com' }],
		[{}, { platformId: 'platform-2' }],
		[{}, { privateKey: id('another key') }],
		[{}, REMOTE],
		[{ signInDomain: 'app.example.com' }, { signInDomain: 'other.example.com' }],
		[{ signInChainId: '1' }, { signInChainId: '10' }],
		[REMOTE, { ...REMOTE, walletAddress: `0x${'b'.repeat(40)}` }],
		[
			{ ...REMOTE, remoteSignerToken: 'wrong' },
			{ ...REMOTE, remoteSignerToken: 'right' },
		],
	])('ends when the credentials change: %j, %j', (before, after) => {
		const bound = sessionBinding(wallet(before));
		expect(sessionBinding(wallet(before))).toBe(bound);
		expect(sessionBinding(wallet(after))).not.toBe(bound);
	});

	it('goes on when only its limits or names change', () => {
		const change = { access: 'everything', maximumPayment: '5', entities: 'te-a1B2c3D4e5F6 A' };
		expect(sessionBinding(wallet(change))).toBe(sessionBinding(wallet()));
	});

	it.each(['', undefined, null, 'not json', '{}', '[]', '{"token":1}', 7])(
		'is none where %j is stored',
		(damaged) => {
			expect(readSession(damaged)).toBeUndefined();
			expect(tokenIn(damaged, '')).toBe('');
		},
	);

	it('holds no key that could be read from it', () => {
		expect(stored).not.toContain(id('session test').slice(2));
	});
});

it.each([
	[{ authentication: 'accessToken', accessToken: 'a.b.c' }, { authorization: 'Bearer a.b.c' }],
	[{ authentication: 'legacyApiKey', apiKey: 'key-1' }, { 'x-auth-token': 'key-1' }],
])('credentials without a wallet prove who calls with what was given: %j', (given, headers) => {
	const credentials = readCredentials({ baseUrl: 'https://api.example.com', ...given });
	expect(authorizationHeaders(credentials, undefined)).toEqual(headers);
});

it('a request with a wallet goes out with a token or not at all', async () => {
	const { baseUrl, platformId } = wallet();
	const saved = { baseUrl, platformId, privateKey: id('session test') };
	const url = 'https://api.example.com/v2/balance';
	const authenticate = async (sessionToken: string) =>
		await new PayrollPaymentsApi().authenticate({ ...saved, sessionToken }, { url });
	const boundTo = sessionBinding(wallet());
	const { headers } = await authenticate(packSession(boundTo, 'token'));
	expect(headers).toEqual({ authorization: 'Bearer token' });
	for (const none of ['', packSession('other credentials', 'token')]) {
		await expect(authenticate(none)).rejects.toMatchObject({
			message: 'n8n gave these credentials no token to send',
			hint: expect.stringContaining('Run it again'),
			response: { status: 401 },
		});
	}
});

const A = 'credentials A';
let clock: TestClock;
let sessions: Sessions;
let count: number;
let answer: () => Promise<string>;

beforeEach(() => {
	clock = new TestClock();
	sessions = new Sessions(clock);
	count = 0;
	answer = async () => `token-${count}`;
});

const signIn = async () => {
	count += 1;
	return await answer();
};
type More = Partial<Parameters<Sessions['renew']>[3]> & { by?: Parameters<Sessions['renew']>[2] };
const renewOf = async (name: string, token: string, { by = signIn, ...more }: More = {}) =>
	await sessions.renew(name, token, by, { isSuspicion: false, ...more });
const renew = async (token: string, more?: More) => await renewOf(A, token, more);

async function refuseAndRenew(token: string) {
	sessions.markRefused(A, token);
	return await renew(token);
}

describe('a token', () => {
	it('is used until it is refused, and then what replaced it', async () => {
		expect([sessions.usable(A, 'old'), sessions.usable(A, '')]).toEqual(['old', undefined]);
		sessions.markRefused(A, 'old');
		expect(sessions.usable(A, 'old')).toBeUndefined();
		expect(sessions.usable('credentials B', 'old')).toBe('old');
		expect(await renew('old')).toBe('token-1');
		expect(sessions.usable(A, 'old')).toBe('token-1');
		expect(await refuseAndRenew('token-1')).toBe('token-2');
		expect(sessions.usable(A, 'old')).toBe('token-2');
		expect(await refuseAndRenew('old')).toBe('token-2');
		expect(await refuseAndRenew('another')).toBe('token-3');
	});

	it('is refused by every change that gets a 401, and by a read unless it refused another one before', () => {
		for (const token of ['first', 'second']) {
			sessions.markRefused(A, token);
			expect(sessions.usable(A, token)).toBeUndefined();
		}
		const refuseAt = (token: string, url: string) => {
			sessions.markRefused(A, token, url);
			return sessions.usable(A, token);
		};
		expect(refuseAt('third', 'users')).toBeUndefined();
		expect(refuseAt('third', 'balance')).toBeUndefined();
		expect(refuseAt('fourth', 'users')).toBe('fourth');
		expect(refuseAt('fourth', 'balance')).toBeUndefined();
	});

	it('isn’t refused for a minute by reads that never succeeded, once it was new and one refused it', async () => {
		const refuse = (token: string, ...urls: string[]) => {
			for (const url of urls) sessions.markRefused(A, token, url);
			return sessions.usable(A, token);
		};
		expect(refuse('old', 'a')).toBeUndefined();
		const token = (await renew('old')) ?? '';
		expect(refuse(token, 'a', 'b', 'c')).toBe(token);
		sessions.markTaken(A, token, 'd');
		clock.pass(60_000 - 1);
		expect(refuse(token, 'e')).toBe(token);
		expect(refuse(token, 'd')).toBeUndefined();
		const next = (await renew(token)) ?? '';
		expect(refuse(next, 'a', 'f')).toBe(next);
		clock.pass(60_000);
		expect(refuse(next, 'g')).toBeUndefined();
	});

	it('may be given again', async () => {
		answer = async () => 'same';
		expect(await refuseAndRenew('same')).toBe('same');
		expect(sessions.usable(A, 'same')).toBe('same');
		expect(await refuseAndRenew('same')).toBe('same');
		answer = async () => ['first', 'second'][count % 2] ?? '';
		for (let time = 0; time < 4; time++) await refuseAndRenew(sessions.usable(A, 'same') ?? '');
		expect(['first', 'second']).toContain(sessions.usable(A, 'same'));
	});

	it('is fresh for five minutes after it was obtained or taken, unless it is refused', async () => {
		const isFresh = (token: string) => sessions.isFresh(A, token);
		expect(isFresh('old')).toBe(false);
		await renew('');
		sessions.markTaken(A, 'old', '');
		expect([isFresh('token-1'), isFresh('old')]).toEqual([true, true]);
		clock.ahead = -1_000_000;
		clock.pass(FRESH_MS - 1);
		expect([isFresh('token-1'), isFresh('old')]).toEqual([true, true]);
		clock.pass(1);
		expect([isFresh('token-1'), isFresh('old')]).toEqual([false, false]);
		sessions.markTaken(A, 'old', '');
		sessions.markRefused(A, 'old');
		expect(isFresh('old')).toBe(false);
	});

	const expiring = (milliseconds: number) => jwt({ exp: (NOW + milliseconds) / 1000 });

	it.each<[string, boolean]>([
		[expiring(60_000), false],
		[expiring(59_000), true],
		[expiring(-1_000), true],
		[jwt({}), false],
		[jwt({ exp: 'soon' }), false],
		['opaque', false],
		['', false],
	])('ends soon only if it says so: %s, %p', (token, endsSoon) => {
		expect(sessions.endsSoon(A, token)).toBe(endsSoon);
	});

	it('is judged by the clock of this machine', () => {
		const real = new Sessions();
		expect(real.endsSoon('wallet', jwt({ exp: 0 }))).toBe(true);
		expect(real.endsSoon('wallet', jwt({ exp: Date.now() / 1000 + 3_600 }))).toBe(false);
	});

	it('isn’t judged by its end for five minutes after it was obtained or is trusted', async () => {
		const token = expiring(-1_000);
		answer = async () => token;
		for (const begin of [async () => await renew(''), async () => sessions.trust(A, token)]) {
			await begin();
			expect([sessions.endsSoon(A, token), sessions.isFresh(A, token)]).toEqual([false, true]);
			clock.pass(FRESH_MS);
			sessions.markTaken(A, token, '');
			expect(sessions.endsSoon(A, token)).toBe(true);
		}
	});
});

describe('sign-ins', () => {
	it('are one for all that wait, whatever they hold, and another one for other credentials', async () => {
		let finish: (token: string) => void = () => {};
		const arrives = new Promise<string>((resolve) => (finish = resolve));
		answer = async () => await arrives;
		const bindings = Array.from({ length: 1_500 }, (_, index) => `binding ${index}`);
		const callers = ['old', '', 'older'].flatMap((token) =>
			bindings.map(async (each) => await renewOf(each, token)),
		);
		/* None waits for those of others. */
		expect(count).toBe(1_500);
		finish('token');
		expect(new Set(await Promise.all(callers))).toEqual(new Set(['token']));
		const held = ['old', '', 'older'].map((token) => sessions.usable('binding 1499', token));
		expect(held).toEqual(['token', 'token', 'token']);
	});

	it('are wanted as long as one caller isn’t stopped, and begin again for one that came late', async () => {
		const execution = new AbortController();
		const { signal: stopped } = execution;
		const wanted: boolean[] = [];
		let late: Promise<string | undefined> | undefined;
		const ending = async (isWanted: () => boolean): Promise<string> => {
			await Promise.resolve();
			wanted.push(isWanted());
			execution.abort();
			wanted.push(isWanted());
			late = renewOf('late', '', { by: async () => 'fresh' });
			throw stoppedError();
		};
		const first = renewOf('late', '', { by: ending, stopped });
		await expect(first).rejects.toMatchObject({ context: { outcome: 'not_sent' } });
		expect(await late).toBe('fresh');
		expect(wanted).toEqual([true, false]);
		const forOthers = async (isWanted: () => boolean): Promise<string> => {
			await Promise.resolve();
			return isWanted() ? 'for the other' : 'for nobody';
		};
		const both = [{ stopped }, {}].map(
			async (each) => await renewOf('two', '', { by: forOthers, ...each }),
		);
		expect(await Promise.all(both)).toEqual(['for the other', 'for the other']);
	});

	it.each([0, 3_600_000, -3_600_000])(
		'pause after a failure and repeat its message, unless the credentials change; clock moved by %d ms',
		async (moved) => {
			answer = async () => await Promise.reject(new Error('no role'));
			await expect(renew('')).rejects.toThrow('no role');
			clock.ahead = moved;
			clock.pass(SIGN_IN_PAUSE - 1);
			await expect(renew('whatever')).rejects.toThrow('no role');
			expect(count).toBe(1);
			await expect(renewOf('credentials B', '')).rejects.toThrow('no role');
			expect(count).toBe(2);
			clock.pass(1);
			answer = async () => 'token';
			expect(await renew('')).toBe('token');
		},
	);

	it('that fail leave a token in use that nobody refused', async () => {
		answer = async () => await Promise.reject(new Error('no role'));
		await expect(renew('held')).rejects.toThrow('no role');
		expect(sessions.usable(A, 'held')).toBe('held');
	});

	it('are made on suspicion once in five minutes, and shared', async () => {
		const suspect = async (token: string) => await renew(token, { isSuspicion: true });
		const all = await Promise.all([suspect('held'), suspect('held')]);
		expect([...all, await suspect('held')]).toEqual(Array(3).fill('token-1'));
		expect(await suspect('token-1')).toBeUndefined();
		expect(await refuseAndRenew('token-1')).toBe('token-2');
		clock.pass(FRESH_MS);
		expect(await suspect('token-2')).toBe('token-3');
		sessions.markRefused(A, 'token-3');
		expect(await suspect('token-3')).toBe('token-4');
	});

	it('are remembered for 1,000 credentials at most, the last used ones', async () => {
		answer = async () => await Promise.reject(new Error('no role'));
		const fail = async (name: string) => await renewOf(name, '').catch(() => {});
		for (let each = 0; each < 1_001; each++) {
			await fail('kept');
			await fail(`session ${each}`);
		}
		const before = count;
		await fail('kept');
		expect(count).toBe(before);
		await fail('session 0');
		expect(count).toBe(before + 1);
	});
});

import { id } from 'ethers';

import { PayrollPaymentsApi } from '../../../credentials/PayrollPaymentsApi.credentials';
import {
	readCredentials,
	type WalletCredentials,
} from '../../../nodes/PayrollPayments/api/credentials';
import {
	authenticationHeader,
	LONGEST_WAIT,
	packSession,
	readSession,
	sessionBinding,
	Sessions,
	sessions as sharedSessions,
	SIGN_IN_PAUSE,
	systemClock,
} from '../../../nodes/PayrollPayments/api/session';
import { jwt, NOW, settled, TestClock } from './testClock';

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
	const token = jwt({ exp: NOW / 1000 + 60 });
	const stored = packSession(sessionBinding(wallet()), token);

	it('is used with the credentials that it was obtained with', () => {
		expect(readSession(stored)).toEqual({ boundTo: sessionBinding(wallet()), token });
		expect(authenticationHeader(wallet(), token)).toEqual({ authorization: `Bearer ${token}` });
		expect(authenticationHeader(wallet())).toEqual({});
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

	it.each(['', undefined, null, 'not json', '{}', '[]', '{"token":1}', 7])(
		'is none where %j is stored',
		(damaged) => {
			expect(readSession(damaged)).toEqual({});
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
	expect(authenticationHeader(credentials)).toEqual(headers);
});

it('the clock of this machine sleeps exactly as long as asked', async () => {
	jest.useFakeTimers();
	let isAwake = false;
	void systemClock.sleep(1_000).then(() => (isAwake = true));
	await jest.advanceTimersByTimeAsync(999);
	expect(isAwake).toBe(false);
	await jest.advanceTimersByTimeAsync(1);
	expect(isAwake).toBe(true);
	jest.useRealTimers();
});

describe('a request with wallet credentials', () => {
	const saved = {
		baseUrl: 'https://api.example.com',
		platformId: 'platform-1',
		privateKey: id('authenticate test'),
	};
	const boundTo = sessionBinding(wallet({ privateKey: saved.privateKey }));
	const request = { url: 'https://api.example.com/v2/balance' };
	const replaced = packSession(boundTo, 'replaced');

	beforeAll(async () => {
		await sharedSessions.renew(boundTo, 'replaced', async () => 'newest');
	});

	it('carries the newest token, and notes it where n8n looks for the one that a 401 refused', async () => {
		const given = { ...saved, sessionToken: replaced };
		const { headers } = await new PayrollPaymentsApi().authenticate(given, request);
		expect(headers).toEqual({ authorization: 'Bearer newest' });
		expect(readSession(given.sessionToken).token).toBe('newest');
	});

	it('carries no token once the credentials have changed', async () => {
		const given = { ...saved, platformId: 'platform-2', sessionToken: replaced };
		const { headers } = await new PayrollPaymentsApi().authenticate(given, request);
		expect(headers).toEqual({});
		expect(given.sessionToken).toBe(replaced);
	});
});

let clock: TestClock;
let sessions: Sessions;

beforeEach(() => {
	clock = new TestClock();
	sessions = new Sessions(clock);
});

describe('sign-ins at once', () => {
	let count: number;
	let answer: () => Promise<string>;
	const signIn = async () => {
		count += 1;
		return await answer();
	};

	beforeEach(() => {
		count = 0;
		answer = async () => `token-${count}`;
	});

	it('are still one while 1,500 others are under way', async () => {
		let finish: (token: string) => void = () => {};
		const arrives = new Promise<string>((resolve) => (finish = resolve));
		answer = async () => await arrives;
		const bindings = Array.from({ length: 1_500 }, (_, index) => `binding ${index}`);
		const renewAll = () => bindings.map(async (each) => await sessions.renew(each, 'old', signIn));
		const callers = [...renewAll(), ...renewAll()];
		expect(count).toBe(1_500);
		finish('token');
		expect(new Set(await Promise.all(callers))).toEqual(new Set(['token']));
	});

	it.each([
		['the newest token', undefined, 'token-1'],
		['another token', 'old', 'older'],
	])('are made again when %s is refused', async (_what, first, second) => {
		await sessions.renew('a', first, signIn);
		expect(await sessions.renew('a', second, signIn)).toBe('token-2');
	});

	it('are made again when the service gives the refused token once more', async () => {
		answer = async () => 'same';
		await sessions.renew('a', 'same', signIn);
		await sessions.renew('a', 'same', signIn);
		expect(count).toBe(2);
	});

	it('are made again when the newest token has run out', async () => {
		answer = async () => jwt({ exp: NOW / 1000 + 60, count });
		await sessions.renew('a', undefined, signIn);
		clock.pass(61_000);
		await sessions.renew('a', undefined, signIn);
		expect(count).toBe(2);
	});

	it('are one for late callers though the new token seems to have run out', async () => {
		clock.ahead = 3_600_000;
		answer = async () => jwt({ exp: NOW / 1000 + 60, count });
		await sessions.renew('a', 'old', signIn);
		await sessions.renew('a', 'old', signIn);
		expect(count).toBe(1);
	});

	it.each([0, 3_600_000, -3_600_000])(
		'pause after a failure and repeat its message, unless the credentials change; clock moved by %d ms',
		async (moved) => {
			answer = async () => {
				throw new Error('no role');
			};
			await expect(sessions.renew('a', undefined, signIn)).rejects.toThrow('no role');
			clock.ahead = moved;
			clock.pass(SIGN_IN_PAUSE - 1);
			await expect(sessions.renew('a', 'whatever', signIn)).rejects.toThrow('no role');
			expect(count).toBe(1);
			await expect(sessions.renew('b', undefined, signIn)).rejects.toThrow('no role');
			expect(count).toBe(2);
			clock.pass(1);
			answer = async () => 'token';
			expect(await sessions.renew('a', undefined, signIn)).toBe('token');
		},
	);

	it('for a token that perhaps nobody refused leave it in use until there is another', async () => {
		const unsure = async (held?: string) => await sessions.renew('a', held, signIn, false);
		const isRefused = (token: string) => sessions.isRefused(packSession('a', token));
		expect([await unsure(), await unsure('token-1')]).toEqual(['token-1', 'token-2']);
		expect(await sessions.tokenFor('a', 'token-1')).toBe('token-2');
		expect([isRefused('token-1'), isRefused('token-2')]).toEqual([false, false]);
		answer = async () => await Promise.reject(new Error('no role'));
		const failing = unsure('token-2');
		expect(await sessions.tokenFor('a', 'token-2')).toBe('token-2');
		await expect(failing).rejects.toThrow('no role');
		expect(await sessions.tokenFor('a', 'token-2')).toBe('token-2');
		expect(isRefused('token-2')).toBe(false);
		await expect(sessions.renew('a', 'token-2', signIn)).rejects.toThrow('no role');
		expect(isRefused('token-2')).toBe(true);
	});

	it('remember 1,000 sessions at most, the last used ones', async () => {
		for (let each = 0; each < 1_001; each++) {
			await sessions.renew('kept', undefined, signIn);
			await sessions.renew(`session ${each}`, undefined, signIn);
		}
		const before = count;
		await sessions.renew('kept', undefined, signIn);
		expect(count).toBe(before);
		await sessions.renew('session 0', undefined, signIn);
		expect(count).toBe(before + 1);
	});
});

describe('a token that seems to have expired', () => {
	const old = jwt({ exp: NOW / 1000 - 60 });
	const fresh = jwt({ exp: NOW / 1000 + 3_600 });
	/** What came of each call that asked for a token: the token, or why there is none. */
	let given: string[];

	beforeEach(() => {
		given = [];
	});

	async function ask(calls: number, token = old): Promise<void> {
		for (let call = 0; call < calls; call++) {
			void sessions.tokenFor('a', token).then(
				(found) => given.push(found),
				(error: unknown) => given.push(String(error)),
			);
		}
		await settled();
	}

	/** A sign-in whose token arrives later. */
	function signInLater(refused: string) {
		let arrive: (token: string) => void = () => {};
		const token = new Promise<string>((resolve) => (arrive = resolve));
		return { renewal: sessions.renew('a', refused, async () => await token), arrive };
	}

	async function failToSignIn(refused: string | undefined): Promise<void> {
		const noRole = async () => await Promise.reject(new Error('no role'));
		await expect(sessions.renew('a', refused, noRole)).rejects.toThrow('no role');
	}

	const times = (token: string, count: number) => Array.from({ length: count }, () => token);

	/** Tells what the service answered to the old token. */
	async function report(status: number | undefined): Promise<void> {
		sessions.reportStatus(packSession('a', old), status);
		await settled();
	}

	async function pass(milliseconds: number): Promise<void> {
		clock.pass(milliseconds);
		await settled();
	}

	it('is replaced for the others by the sign-in that follows its refusal', async () => {
		await ask(200);
		const { renewal, arrive } = signInLater(old);
		await settled();
		expect(given).toEqual([old]);
		arrive(fresh);
		expect(await renewal).toBe(fresh);
		await ask(5);
		expect(given).toEqual([old, ...times(fresh, 204)]);
	});

	it('fails the others with the sign-in that follows its refusal, and is tried again after the pause', async () => {
		await ask(3);
		await failToSignIn(old);
		await ask(1);
		expect(given).toEqual([old, ...times('Error: no role', 3)]);
		clock.pass(SIGN_IN_PAUSE);
		await ask(1);
		expect(given.at(-1)).toBe(old);
	});

	it.each([200, 299, 400, 403, 404])('goes on for all after the answer %d', async (status) => {
		await ask(200);
		await report(status);
		await ask(5);
		expect(given).toEqual(times(old, 205));
		clock.pass(1_000_000);
		await ask(5);
		expect(given).toEqual(times(old, 210));
	});

	it.each([undefined, 300, 301, 401, 429, 500, 503])(
		'is tried once more after %s',
		async (status) => {
			await ask(200);
			await report(status);
			expect(given).toEqual([old, old]);
		},
	);

	it('keeps nobody waiting who hears nothing, and not twice', async () => {
		await ask(200);
		await pass(LONGEST_WAIT - 1);
		expect(given).toHaveLength(1);
		await pass(1);
		expect(given).toEqual(times(old, 200));
		await ask(5);
		expect(given).toEqual(times(old, 205));
	});

	it('keeps nobody waiting for a call that was made long ago', async () => {
		await ask(1);
		clock.pass(LONGEST_WAIT);
		await ask(5);
		expect(given).toEqual(times(old, 6));
	});

	it('keeps nobody waiting for longer where one try after the other comes to nothing', async () => {
		await ask(4);
		for (const wait of [LONGEST_WAIT - 1, 1]) {
			clock.pass(wait);
			await report(undefined);
		}
		expect(given).toEqual(times(old, 4));
	});

	it('is not believed in any longer once the service has refused it', async () => {
		await ask(2);
		await report(200);
		const lasting = jwt({ exp: NOW / 1000 + 60 });
		await sessions.renew('a', old, async () => lasting);
		clock.pass(3_600_000);
		given = [];
		await ask(3, lasting);
		await ask(3);
		expect(given).toEqual([lasting]);
	});

	it('is tried by one call again after a refusal, though the service once took it', async () => {
		await ask(1);
		await report(200);
		await failToSignIn(old);
		clock.pass(SIGN_IN_PAUSE);
		given = [];
		await ask(5);
		expect(given).toEqual([old]);
	});

	it('is not tried where this process holds a newer one, unless that has expired, too', async () => {
		await sessions.renew('a', undefined, async () => fresh);
		await ask(5);
		clock.pass(3_600_000);
		await ask(1);
		expect(given).toEqual([...times(fresh, 5), old]);
	});

	it('need not have expired to be replaced by the sign-in that follows its refusal', async () => {
		const { renewal, arrive } = signInLater(fresh);
		await ask(5, fresh);
		expect(given).toEqual([]);
		arrive('newest');
		await renewal;
		await ask(5, fresh);
		expect(given).toEqual(times('newest', 10));
	});

	it('stays on trial while the service refuses another one', async () => {
		await ask(2);
		await failToSignIn('other');
		await settled();
		expect(given).toEqual([old]);
	});

	it('is tried even after a sign-in for another one failed', async () => {
		await failToSignIn('other');
		await ask(1);
		expect(given).toEqual([old]);
	});

	it('stays refused during the pause, even after another caller asked for a sign-in', async () => {
		await failToSignIn(old);
		await failToSignIn(undefined);
		await ask(1);
		expect(given).toEqual(['Error: no role']);
	});

	it('is sent again after a refusal, if it doesn’t look expired and no sign-in succeeded', async () => {
		await failToSignIn(fresh);
		await ask(1, fresh);
		expect(given).toEqual([fresh]);
	});

	it.each([
		['still on trial after 2,000 other sessions have begun', 0, 2_000, [old]],
		['forgotten after its trial and 1,000 other sessions', LONGEST_WAIT, 1_001, [old, old]],
	])('is %s', async (_what, passed, others, expected) => {
		await ask(1);
		clock.pass(passed);
		for (let each = 0; each < others; each++) {
			await sessions.renew(`session ${each}`, undefined, async () => 'token');
		}
		await ask(2);
		expect(given).toEqual(expected);
	});

	it('has expired in the very second that it names', async () => {
		const now = jwt({ exp: NOW / 1000 });
		await ask(2, now);
		expect(given).toEqual([now]);
	});

	it('is nothing to other credentials, and no other token is', async () => {
		await ask(2);
		sessions.reportStatus(packSession('b', old), 200);
		sessions.reportStatus(packSession('a', fresh), 200);
		sessions.reportStatus('', 200);
		await settled();
		expect(given).toEqual([old]);
		expect(await sessions.tokenFor('b', old)).toBe(old);
	});

	it.each([jwt({ exp: NOW / 1000 + 60 }), 'opaque'])(
		'is left alone if it hasn’t expired, while another one is replaced: %s',
		async (token) => {
			const { renewal, arrive } = signInLater(old);
			await ask(1, token);
			expect(given).toEqual([token]);
			arrive(fresh);
			await renewal;
			await ask(1, token);
			expect(given).toEqual([token, token]);
		},
	);

	it.each([jwt({}), 'opaque', fresh])('is none that does not say so: %s', async (token) => {
		await ask(5, token);
		expect(given).toEqual(times(token, 5));
	});
});

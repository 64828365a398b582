import { id } from 'ethers';

import { PayrollPaymentsApi } from '../../../credentials/PayrollPaymentsApi.credentials';
import {
	readCredentials,
	type WalletCredentials,
} from '../../../nodes/PayrollPayments/api/credentials';
import { Sessions } from '../../../nodes/PayrollPayments/api/session';
import {
	packSession,
	readSession,
	sessionBinding,
	tokenIn,
} from '../../../nodes/PayrollPayments/api/storedSession';
import { SignInFailed, stoppedError } from '../../../nodes/PayrollPayments/shared/errors';

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

it('a request with a wallet goes out with a token or not at all', async () => {
	const { baseUrl, platformId } = wallet();
	const saved = { baseUrl, platformId, privateKey: id('session test') };
	const url = 'https://api.example.com/v2/balance';
	const authenticate = async (sessionToken: string) =>
		await new PayrollPaymentsApi().authenticate({ ...saved, sessionToken }, { url });
	const { headers } = await authenticate(packSession(sessionBinding(wallet()), 'token'));
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
let elapsed: number;
let now: number;
let sessions: Sessions;
let count: number;
let answer: () => Promise<string>;

beforeEach(() => {
	/* Like a real one, the stopwatch doesn't begin at zero. */
	elapsed = 60_000;
	now = 0;
	sessions = new Sessions({ now: () => now, elapsed: () => elapsed });
	count = 0;
	answer = async () => `token-${count}`;
});

const signIn = async () => {
	count += 1;
	return await answer();
};
const renewOf = async (name: string, token: string) =>
	await sessions.renew(name, token, signIn, { isSuspicion: false });
const renew = async (token: string) => await renewOf(A, token);

async function refuseAndRenew(token: string) {
	sessions.markRefusedByChange(A, token);
	return await renew(token);
}

describe('a token', () => {
	it('is refused by every change that gets a 401', () => {
		for (const token of ['first', 'second']) {
			sessions.markRefusedByChange(A, token);
			expect(sessions.usable(A, token)).toBeUndefined();
		}
	});

	it('isn’t fresh any more after the machine has slept', () => {
		sessions.markObtained(A, 'token');
		now += 5 * 60_000;
		expect([sessions.isFresh(A, 'token'), sessions.isNew(A, 'token')]).toEqual([false, false]);
	});

	it.each([true, false])('isn’t renewed each minute if a person declines: %p', async (wasAsked) => {
		sessions.markObtained(A, 'token');
		answer = async () => await Promise.reject(new SignInFailed('No', { wasAsked }));
		for (let minute = 0; minute < 10; minute++) {
			await expect(renew('token')).rejects.toThrow('No');
			elapsed += 60_000;
		}
		expect(count).toBe(wasAsked ? 2 : 10);
		await expect(refuseAndRenew('token')).rejects.toThrow('No');
		expect(count).toBe(wasAsked ? 3 : 11);
	});

	it('ends by the clock of this machine, and soon within the last minute', () => {
		const endsAt = (exp: number, of = sessions) =>
			of.endsSoon(A, `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.c2ln`);
		expect([endsAt(60 - 1), endsAt(60)]).toEqual([true, false]);
		const now = Date.now() / 1000;
		const soon = [-now, 50, 70].map((left) => endsAt(now + left, new Sessions()));
		expect(soon).toEqual([true, true, false]);
	});

	it('isn’t refused for a minute by reads that never succeeded, once it was new and one refused it', async () => {
		const refuse = (token: string, ...urls: string[]) => {
			for (const url of urls) sessions.markRefusedByRead(A, token, url, false);
			return sessions.usable(A, token);
		};
		expect(refuse('old', 'a', 'g')).toBeUndefined();
		const token = (await renew('old')) ?? '';
		expect(refuse(token, 'a', 'b', 'c')).toBe(token);
		sessions.markAccepted(A, token, 'd');
		elapsed += 60_000 - 1;
		expect(refuse(token, 'e')).toBe(token);
		expect(refuse(token, 'd')).toBeUndefined();
		const next = (await renew(token)) ?? '';
		expect(refuse(next, 'a', 'f')).toBe(next);
		elapsed += 60_000;
		expect(refuse(next, 'g')).toBeUndefined();
		const third = (await renew(next)) ?? '';
		expect(refuse(third, 'k')).toBeUndefined();
		sessions.markRefusedByChange(A, third);
		expect(sessions.usable(A, third)).toBeUndefined();
		const last = (await renew(third)) ?? '';
		sessions.markRefusedByRead(A, last, 'h', true);
		expect(refuse(last, 'h', 'i')).toBe(last);
		elapsed += 4 * 60_000;
		expect(refuse(last, 'h')).toBe(last);
		elapsed += 60_000;
		expect(refuse(last, 'h')).toBeUndefined();
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
		for (const held of ['old', '', 'older']) {
			expect(sessions.usable('binding 1499', held)).toBe('token');
			expect(await renewOf('binding 1499', held)).toBe('token');
		}
		expect(count).toBe(1_500);
	});

	it('begin again for a caller that came just after nobody wanted the last one', async () => {
		const execution = new AbortController();
		let late: Promise<string | undefined> | undefined;
		const ending = async (): Promise<string> => {
			await Promise.resolve();
			execution.abort();
			late = renew('');
			throw stoppedError();
		};
		const first = sessions.renew(A, '', ending, { isSuspicion: false, stopped: execution.signal });
		await expect(first).rejects.toMatchObject({ context: { outcome: 'notSent' } });
		expect(await late).toBe('token-1');
	});

	it('are wanted as long as one caller isn’t stopped', async () => {
		const forOthers = async (isWanted: () => boolean) => {
			await Promise.resolve();
			return isWanted() ? 'for the other' : 'for nobody';
		};
		const callers = [{ stopped: AbortSignal.abort() }, {}].map(
			async (each) => await sessions.renew(A, '', forOthers, { isSuspicion: false, ...each }),
		);
		expect(await Promise.all(callers)).toEqual(['for the other', 'for the other']);
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

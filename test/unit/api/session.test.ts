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
	it('may be given again', async () => {
		answer = async () => 'same';
		expect(await refuseAndRenew('same')).toBe('same');
		expect(sessions.usable(A, 'same')).toBe('same');
		expect(await refuseAndRenew('same')).toBe('same');
		answer = async () => ['first', 'second'][count % 2] ?? '';
		for (let time = 0; time < 4; time++) await refuseAndRenew(sessions.usable(A, 'same') ?? '');
		expect(['first', 'second']).toContain(sessions.usable(A, 'same'));
	});

	const expiring = (milliseconds: number) => jwt({ exp: (NOW + milliseconds) / 1000 });
});

describe('sign-ins', () => {
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

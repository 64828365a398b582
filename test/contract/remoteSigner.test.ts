import { id, verifyTypedData, Wallet as Judge } from 'ethers';

import {
	startRemoteSigner,
	type RemoteSigner,
	type SignerDialect,
	type SignerFault,
} from '../../sandbox/remoteSigner';
import { readCredentials } from '../../nodes/PayrollPayments/api/credentials';
import { signIn } from '../../nodes/PayrollPayments/api/signIn';
import { SIGN_IN_TRICKS } from '../../sandbox/signInMessages';
import { TYPED_DATA_TRICKS } from '../../sandbox/administratorInvites';
import { UserError } from '../../nodes/PayrollPayments/shared/errors';
import type { HttpExchange } from '../../nodes/PayrollPayments/shared/http';
import {
	administratorInviteTypedData,
	remoteSignerWallet,
} from '../../nodes/PayrollPayments/signing';
import { readTypedData } from '../../nodes/PayrollPayments/signing/typedData';
import { useActionSandbox } from '../support/actionSandbox';
import { SandboxClient } from '../support/sandboxClient';
import { SIGNED_TEXTS } from '../support/vectors/messages';
import { EIP712_MAIL } from '../support/vectors/typedData';

const DIALECTS: SignerDialect[] = ['wallet', 'web3signer', 'clef'];
const token = id('payroll tests: signer token');

const exchange: HttpExchange = async ({ method, url, headers, body, timeout }) => {
	try {
		const response = await fetch(url, {
			method,
			redirect: 'manual',
			headers: {
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
				...headers,
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
			...(timeout === undefined ? {} : { signal: AbortSignal.timeout(timeout) }),
		});
		return { status: response.status, headers: {}, body: await response.text() };
	} catch {
		throw new UserError('The connection failed.');
	}
};

const sandbox = useActionSandbox();
let client: SandboxClient;
let domain: string;
let signer: RemoteSigner;

beforeAll(async () => {
	client = await SandboxClient.of(sandbox, 'companyAdministrator').signIn();
	domain = new URL(sandbox.url).host;
});

afterEach(async () => {
	await signer.close();
});

const walletOf = (dialect: SignerDialect, more: { token?: string; timeout?: number } = {}) =>
	remoteSignerWallet(
		{ url: signer.url, dialect, walletAddress: client.account.address, ...more },
		exchange,
	);

const signInWith = async (dialect: SignerDialect, signerToken?: string) => {
	const credentials = readCredentials({
		baseUrl: sandbox.url,
		platformId: client.account.platformId,
		signer: 'remoteSigner',
		remoteSignerUrl: signer.url,
		remoteSignerToken: signerToken,
		remoteSignerDialect: dialect,
		walletAddress: client.account.address,
		signInDomain: domain,
		signInChainId: sandbox.service.settings.chainId,
	});
	if (credentials.authentication !== 'walletSignIn') throw new Error('no wallet');
	return await signIn(credentials, exchange);
};

async function refusalOf(attempt: Promise<unknown>): Promise<UserError> {
	try {
		await attempt;
	} catch (error) {
		if (error instanceof UserError) return error;
		throw error;
	}
	throw new Error('nothing was refused');
}

const company = () => Object.keys(client.account.roles).find((entity) => entity.startsWith('co-'));

/** Endpoint 6 for two people; returns the typed data. */
async function invite(role: string, emails = ['ana@example.com', 'ben@example.com']) {
	const reply = await client.post('/v2/invites/manager', { emails, role, nanoid: company() });
	expect(reply.status).toBe(200);
	return Object(Object(reply.body).data);
}

describe.each(DIALECTS)('a remote signer with the %s dialect', (dialect) => {
	beforeEach(async () => {
		signer = await startRemoteSigner({ dialects: [dialect], token });
	});

	it('signs in at the service', async () => {
		const jwt = await signInWith(dialect, token);
		const reply = await new SandboxClient(sandbox, client.account)
			.useToken(jwt)
			.get(`/v2/balance?nanoid=${company()}`);
		expect(reply.status).toBe(200);
		expect(signer.log).toMatchObject([{ authorized: true, outcome: 'signed' }]);
	});

	it.each(['name', 'hash'] as const)(
		'executes administrator invites with roles by %s',
		async (roleForm) => {
			sandbox.service.change({ roleForm });
			const wallet = walletOf(dialect, { token });
			const { invites, typed_data: typedData } = await invite('org_viewer');
			const guarded = administratorInviteTypedData(typedData, {
				walletAddress: wallet.address,
				accounts: 2,
				role: 'org_viewer',
			});
			const signature = await wallet.signTypedData(guarded);
			const { domain: signedDomain, types, message } = guarded;
			expect(verifyTypedData(signedDomain, types, message, signature)).toBe(wallet.address);
			const body = { invites, signer: wallet.address, typed_data: message, signature };
			expect((await client.put('/v2/invites/manager', body)).status).toBe(200);
		},
	);

	it('signs what others signed to the same bytes', async () => {
		const { typedData, signed } = EIP712_MAIL;
		const keys = [signed.privateKey, ...SIGNED_TEXTS.map(({ privateKey }) => privateKey)];
		await signer.close();
		signer = await startRemoteSigner({ privateKeys: keys });
		const walletOfKey = (privateKey: string) => {
			const { address: walletAddress } = new Judge(privateKey);
			return remoteSignerWallet({ url: signer.url, dialect, walletAddress }, exchange);
		};
		const mail = await walletOfKey(signed.privateKey).signTypedData(
			readTypedData(typedData, 'message.'),
		);
		expect(mail).toBe(signed.signature);
		for (const { text, privateKey, signature } of SIGNED_TEXTS) {
			expect(await walletOfKey(privateKey).signMessage(text)).toBe(signature);
		}
	});

	it('says that its token is missing', async () => {
		const refusal = await refusalOf(signInWith(dialect));
		expect(refusal.field).toBe('remoteSignerToken');
		expect(signer.log).toMatchObject([{ authorized: false }]);
	});

	it.each<[SignerFault, RegExp]>([
		['refuse', /refused to sign.*User rejected/],
		['timeout', /did not respond/],
		['cut', /did not respond/],
		['wrongKey', /isn’t from the wallet/],
		['malformedSignature', /invalid signature/],
		['emptyAnswer', /invalid signature/],
		['notJson', /isn’t JSON-RPC/],
		['http401', /rejected the request/],
		['http500', /signer failed/],
	])('is refused in plain words at %s', async (fault, words) => {
		signer.fail(fault);
		const patience = fault === 'timeout' ? { timeout: 500 } : {};
		const signing = walletOf(dialect, { token, ...patience }).signMessage('Hello');
		const { message } = await refusalOf(signing);
		expect(message).toMatch(words);
		expect(message).not.toContain(token);
	});

	it('reports a signer that speaks another dialect', async () => {
		await signer.close();
		signer = await startRemoteSigner({ dialects: DIALECTS.filter((one) => one !== dialect) });
		expect((await refusalOf(signInWith(dialect))).field).toBe('remoteSignerDialect');
	});

	it('can’t sign for a wallet that it doesn’t have', async () => {
		await signer.close();
		signer = await startRemoteSigner({ privateKeys: [id('payroll tests: another')] });
		const { message } = await refusalOf(signInWith(dialect));
		expect(message).toContain('refused to sign');
	});
});

describe('a hostile service', () => {
	beforeEach(async () => {
		signer = await startRemoteSigner();
		sandbox.service.change({ roleForm: 'name' });
	});

	it.each(SIGN_IN_TRICKS)('gets no signature for a sign-in message with %s', async (trick) => {
		sandbox.service.signIn.tampering.plan(trick, 1);
		const refusal = await refusalOf(signInWith('wallet', token));
		expect(refusal.hint).toBeTruthy();
		expect(signer.log).toEqual([]);
	});

	it.each(TYPED_DATA_TRICKS)('gets no signature for typed data with %s', async (trick) => {
		for (const roleForm of ['name', 'hash'] as const) {
			sandbox.service.change({ roleForm });
			sandbox.service.administratorInvites.tampering.plan(trick, 1);
			const { typed_data: typedData } = await invite('org_viewer');
			const sign = async () =>
				administratorInviteTypedData(typedData, {
					walletAddress: new Judge(client.account.privateKey).address,
					accounts: 2,
					role: 'org_viewer',
				});
			expect((await refusalOf(sign())).hint).toContain('Nothing was signed.');
		}
	});
});

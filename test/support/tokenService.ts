import { id } from 'ethers';
import { SiweMessage } from 'siwe';

import type { IDataObject } from 'n8n-workflow';

import { SavedCredentials } from './actionHost';
import { useEchoService, type EchoAnswer, type EchoRequest } from './echoService';
import { walletCredentials } from '../../n8nHost/sandboxCredentials';

const failure = (status: number, data: string): EchoAnswer => ({
	status,
	body: { success: false, data },
});
const success = (data: unknown): EchoAnswer => ({ body: { success: true, data } });

/** What services answer to a token that has ended: a status, or 200 with `success: false`. */
export const REFUSALS = [401, 403, 400, 404, 500, 200] as const;

let wallets = 0;

/** Credentials of a wallet that no other test has used: what was learned about theirs doesn't count. */
export function newWallet(baseUrl: string, change: IDataObject = {}): SavedCredentials {
	wallets += 1;
	const account = { platformId: 'platform', privateKey: id(`token service: ${wallets}`) };
	const values = { ...walletCredentials(baseUrl, account), sessionToken: '', ...change };
	return new SavedCredentials(JSON.parse(JSON.stringify(values)));
}

const DATA: Readonly<Record<string, unknown>> = {
	'/v2/balance': { platform_account_address: '0x1', balances: [] },
	'/v2/invites': { nanoids: ['in-a1B2c3D4e5F6'] },
	'/v2/payments/external_entity/instant': { transaction: 'tx-a1B2c3D4e5F6' },
};

/** A service in which a test ends tokens when and how it likes. */
class TokenService {
	/** What a token that has ended is answered, and what a request without one is. */
	refusal: number = 401;
	/** The body of that answer, if not a documented one. */
	refusalBody?: unknown;
	/** What requests with a good token are refused with, or 0. */
	ban = 0;
	/** The paths that are refused so. */
	bans: (path: string) => boolean = () => true;
	/** What tokens claim. */
	claims: () => object = () => ({});
	/** Called after each accepted request. */
	after: (request: EchoRequest) => void = () => {};
	/** How signing in fails, if it does. */
	signInFault?: EchoAnswer;
	private alive = new Set<string>();
	private issued = 0;
	private seen = { accepted: 0, refused: 0, signIns: 0 };

	endTokens(): void {
		this.alive.clear();
	}

	/** How many requests of each kind came since this was last asked. */
	counts() {
		const { seen } = this;
		this.seen = { accepted: 0, refused: 0, signIns: 0 };
		return seen;
	}

	answer(request: EchoRequest): EchoAnswer {
		if (request.path === '/v2/auth/siwe')
			return (
				this.signInFault ?? success({ siwe: signInMessage(request.query.get('wallet') ?? '') })
			);
		if (request.path === '/v2/auth/verify') return success({ jwt: this.issue() });
		const [, token = ''] = String(request.headers.authorization ?? '').split(' ');
		if (!this.alive.has(token)) {
			this.seen.refused += 1;
			const { refusal: status, refusalBody: body } = this;
			return body === undefined ? failure(status, 'The token has ended') : { status, body };
		}
		this.seen.accepted += 1;
		this.after(request);
		const isBanned = this.ban !== 0 && this.bans(request.path);
		return isBanned ? failure(this.ban, 'Not for you') : success(DATA[request.path]);
	}

	private issue(): string {
		this.seen.signIns += 1;
		this.issued += 1;
		const claims = { ...this.claims(), jti: this.issued };
		const token = ['{}', JSON.stringify(claims), 'signature']
			.map((part) => Buffer.from(part).toString('base64url'))
			.join('.');
		this.alive.add(token);
		return token;
	}
}

/** A service for the tests of the calling file; each test gets a new one at the same address. */
export function useTokenService() {
	const echo = useEchoService();
	let service = new TokenService();
	beforeEach(() => {
		service = new TokenService();
		echo.answer((request) => service.answer(request));
	});
	return {
		get url() {
			return echo.url;
		},
		get requests() {
			return echo.requests;
		},
		get tokens() {
			return service;
		},
	};
}

export function signInMessage(address: string): string {
	return new SiweMessage({
		domain: 'app.example.com',
		address,
		statement: 'Sign in',
		uri: 'https://app.example.com/login',
		version: '1',
		chainId: 1,
		nonce: 'abcdefgh12',
		issuedAt: new Date().toISOString(),
	}).prepareMessage();
}

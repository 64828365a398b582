import { createHash } from 'node:crypto';

import { z, type ServiceCredentials, type WalletCredentials } from '../contract';

/** How long after a failed sign-in the next one is put off, in milliseconds. */
export const SIGN_IN_PAUSE = 30_000;

/** Sign-ins remembered at most, so that a long-lived process does not grow. */
const MOST_SESSIONS = 1_000;

const storedSession = z.object({ boundTo: z.string(), token: z.string() });
const claims = z.object({ exp: z.number() });

/**
 * What a token is bound to: a hash over everything that it was obtained with. Keys are compared
 * by it and cannot be read from it.
 */
export function sessionBinding(credentials: WalletCredentials): string {
	const parts =
		credentials.signer === 'privateKey'
			? [credentials.privateKey.toLowerCase()]
			: [
					credentials.remoteSignerUrl,
					credentials.remoteSignerDialect,
					credentials.remoteSignerToken ?? '',
				];
	return createHash('sha256')
		.update(
			JSON.stringify([
				credentials.baseUrl,
				credentials.platformId,
				credentials.signer,
				credentials.walletAddress?.toLowerCase() ?? '',
				credentials.signInDomain ?? '',
				credentials.signInChainId ?? 0,
				...parts,
			]),
		)
		.digest('hex');
}

/** A token and what it is bound to, as the hidden credential property keeps it. */
export function packSession(boundTo: string, token: string): string {
	return JSON.stringify({ boundTo, token });
}

/** When a JWT ends, in seconds since 1970; undefined where it does not say so. */
export function expiryOf(token: string): number | undefined {
	const [, payload = ''] = token.split('.');
	try {
		const json: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
		return claims.safeParse(json).data?.exp;
	} catch {
		return undefined;
	}
}

function unpack(stored: unknown): z.infer<typeof storedSession> | undefined {
	if (typeof stored !== 'string' || stored === '') return undefined;
	try {
		return storedSession.safeParse(JSON.parse(stored)).data;
	} catch {
		return undefined;
	}
}

/** The token that the hidden property holds, usable or not. */
export function storedToken(stored: unknown): string | undefined {
	return unpack(stored)?.token;
}

/**
 * The stored token, if it was obtained with these very credentials and has not run out.
 * @param now milliseconds since 1970
 */
export function usableToken(
	stored: unknown,
	credentials: WalletCredentials,
	now: number,
): string | undefined {
	const session = unpack(stored);
	if (session === undefined || session.boundTo !== sessionBinding(credentials)) return undefined;
	const expiry = expiryOf(session.token);
	return expiry === undefined || expiry * 1000 > now ? session.token : undefined;
}

/**
 * The header that proves who calls (service-api.md, Authentication 2 and 3); none while no usable
 * token is there, so that the service's 401 makes n8n sign in.
 * @param now milliseconds since 1970
 */
export function authenticationHeader(
	credentials: ServiceCredentials,
	stored: unknown,
	now: number,
): Record<string, string> {
	switch (credentials.authentication) {
		case 'accessToken':
			return { authorization: `Bearer ${credentials.accessToken}` };
		case 'legacyApiKey':
			return { 'x-auth-token': credentials.apiKey };
		case 'walletSignIn': {
			const token = usableToken(stored, credentials, now);
			return token === undefined ? {} : { authorization: `Bearer ${token}` };
		}
	}
}

interface Attempt {
	readonly outcome: Promise<string>;
	/** The token that the service refused, or none; whoever comes with the same gets this outcome. */
	readonly replaces: string | undefined;
	/** What became of it; times in milliseconds since 1970. */
	ended?: { readonly at: number; readonly token?: string };
}

/**
 * One sign-in between many callers, per process: those who need a token at the same moment share
 * one, those who come later with the token that it replaced get its result, and after a failure
 * further ones wait, so that a permanent refusal does not become a hundred sign-ins.
 */
export class SharedSignIn {
	private readonly attempts = new Map<string, Attempt>();

	constructor(private readonly now: () => number = Date.now) {}

	/**
	 * @param boundTo the {@link sessionBinding} of the credentials
	 * @param refused the token that the caller holds and cannot use any more, if any
	 * @throws what the sign-in threw, also when repeated during the pause after it
	 */
	async token(
		boundTo: string,
		refused: string | undefined,
		signIn: () => Promise<string>,
	): Promise<string> {
		const last = this.attempts.get(boundTo);
		if (last !== undefined && this.serves(last, refused)) return await last.outcome;
		const attempt: Attempt = { outcome: signIn(), replaces: refused };
		this.remember(boundTo, attempt);
		return await attempt.outcome;
	}

	private serves({ ended, replaces }: Attempt, refused: string | undefined): boolean {
		if (ended === undefined) return true;
		if (ended.token === undefined) return this.now() - ended.at < SIGN_IN_PAUSE;
		const expiry = expiryOf(ended.token);
		const isAlive = expiry === undefined || expiry * 1000 > this.now();
		return isAlive && replaces === refused && ended.token !== refused;
	}

	private remember(boundTo: string, attempt: Attempt): void {
		attempt.outcome.then(
			(token) => (attempt.ended = { at: this.now(), token }),
			() => (attempt.ended = { at: this.now() }),
		);
		this.attempts.delete(boundTo);
		this.attempts.set(boundTo, attempt);
		const oldest = this.attempts.keys().next();
		if (this.attempts.size > MOST_SESSIONS && !oldest.done) this.attempts.delete(oldest.value);
	}
}

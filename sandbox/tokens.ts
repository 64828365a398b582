import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';

import { errors, jwtVerify, SignJWT } from 'jose';

import { ServiceFailure } from './failure';
import type { Settings } from './settings';

/** The owner of a token. */
export interface TokenHolder {
	/** Wallet address, EIP-55 spelling. */
	readonly wallet: string;
	readonly platformId: string;
}

/** Issues and verifies JWTs (HS256 with a new secret for each run). */
export class Tokens {
	private readonly secret = createSecretKey(randomBytes(32));
	private generation = 0;
	/** Verified tokens with their expiry in Unix seconds, so that each is verified only once. */
	private readonly verified = new Map<string, { holder: TokenHolder; expiry: number }>();

	/** Issues a token with this lifetime. */
	async issue({ wallet, platformId }: TokenHolder, lifetimeSeconds: number): Promise<string> {
		const now = Date.now() / 1000;
		return await new SignJWT({ platformid: platformId, generation: this.generation })
			.setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
			.setSubject(wallet)
			.setJti(randomUUID())
			.setIssuedAt(Math.floor(now))
			.setExpirationTime(Math.floor(now + lifetimeSeconds))
			.sign(this.secret);
	}

	/**
	 * Reads a token; throws {@link ServiceFailure}: 401 for a forged one, and the setting's status for
	 * one that has expired.
	 */
	async read(token: string, { expiredTokenStatus }: Settings): Promise<TokenHolder> {
		const known = this.verified.get(token);
		if (known && known.expiry > Date.now() / 1000) return known.holder;
		this.verified.delete(token);
		const options = { algorithms: ['HS256'] };
		const { payload } = await jwtVerify(token, this.secret, options).catch((error: unknown) => {
			if (error instanceof errors.JWTExpired) throw expired(expiredTokenStatus);
			throw new ServiceFailure(401, 'The token is not valid or has expired', 'TOKEN_INVALID');
		});
		const { sub: wallet, exp: expiry, platformid: platformId, generation } = payload;
		if (wallet === undefined || expiry === undefined || typeof platformId !== 'string') {
			throw new ServiceFailure(401, 'The token is incomplete', 'TOKEN_INVALID');
		}
		if (generation !== this.generation) throw expired(expiredTokenStatus);
		const holder = { wallet, platformId };
		this.verified.set(token, { holder, expiry });
		return holder;
	}

	/** Revokes all tokens issued so far. */
	expireAll(): void {
		this.generation++;
		this.verified.clear();
	}
}

/** What services of different makers say; only the 401 has an `error_code`. */
const EXPIRED = {
	200: 'Unauthorized',
	400: 'jwt expired',
	401: 'The token has expired',
	403: 'Forbidden',
	404: 'User not found',
	500: 'Internal server error',
} as const;

function expired(status: Settings['expiredTokenStatus']): ServiceFailure {
	return new ServiceFailure(status, EXPIRED[status], status === 401 ? 'TOKEN_EXPIRED' : undefined);
}

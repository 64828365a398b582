import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';

import { jwtVerify, SignJWT } from 'jose';

import { ServiceFailure } from './failure';

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

	/** Reads a token; throws {@link ServiceFailure} 401 if it is forged, expired or revoked. */
	async read(token: string): Promise<TokenHolder> {
		const known = this.verified.get(token);
		if (known && known.expiry > Date.now() / 1000) return known.holder;
		this.verified.delete(token);
		const { payload } = await jwtVerify(token, this.secret, { algorithms: ['HS256'] }).catch(() => {
			throw new ServiceFailure(401, 'The token is not valid or has expired', 'token_invalid');
		});
		const { sub: wallet, exp: expiry, platformid: platformId, generation } = payload;
		if (wallet === undefined || expiry === undefined || typeof platformId !== 'string') {
			throw new ServiceFailure(401, 'The token is incomplete', 'token_invalid');
		}
		if (generation !== this.generation) {
			throw new ServiceFailure(401, 'The token has expired', 'token_expired');
		}
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

import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';

import { jwtVerify, SignJWT } from 'jose';

import { ServiceFailure } from './failure';

/** Who a token speaks for. */
export interface TokenHolder {
	/** Wallet address, EIP-55 spelling. */
	readonly wallet: string;
	readonly platformId: string;
}

/** Issues and verifies the service's JWTs (HS256, a fresh secret in every run). */
export class Tokens {
	private readonly secret = createSecretKey(randomBytes(32));
	private generation = 0;
	/** Tokens found good, with their expiry in Unix seconds: a run of thousands verifies one once. */
	private readonly verified = new Map<string, { holder: TokenHolder; expiry: number }>();

	/** Issues a token that lives for so many seconds. */
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

	/** Reads a token; throws {@link ServiceFailure} 401 when it is forged, expired or withdrawn. */
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

	/** Withdraws every token issued so far. */
	expireAll(): void {
		this.generation++;
		this.verified.clear();
	}
}

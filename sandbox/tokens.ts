import { randomBytes, randomUUID } from 'node:crypto';

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
	private readonly secret = randomBytes(32);
	private generation = 0;

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
		const verified = await jwtVerify(token, this.secret, { algorithms: ['HS256'] }).catch(() => {
			throw new ServiceFailure(401, 'The token is not valid or has expired', 'token_invalid');
		});
		const { sub, platformid, generation } = verified.payload;
		if (sub === undefined || typeof platformid !== 'string' || generation !== this.generation) {
			throw new ServiceFailure(401, 'The token has expired', 'token_expired');
		}
		return { wallet: sub, platformId: platformid };
	}

	/** Withdraws every token issued so far. */
	expireAll(): void {
		this.generation++;
	}
}

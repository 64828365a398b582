import { createHmac } from 'node:crypto';

/** How an endpoint's deliveries are signed; the document does not show it. */
type SignatureScheme = 'timestamped' | 'hex' | 'base64' | 'sharedToken';

/** What a signature is made with. */
export interface SigningWishes {
	readonly scheme: SignatureScheme;
	/** The signing secret, or the shared token. */
	readonly secret: string;
	/** While a secret rotates: a timestamped header carries a signature by each. */
	readonly previousSecret?: string;
	/** `sha256=` in front of hex and base64. */
	readonly prefixed: boolean;
	/** Unix seconds, for `timestamped`. */
	readonly timestamp: number;
}

/** The value of the signature header for a body. */
export function signatureOf(body: string, wishes: SigningWishes): string {
	const { scheme, secret, previousSecret, prefixed, timestamp } = wishes;
	const hmac = (key: string, text: string): Buffer =>
		createHmac('sha256', key).update(text, 'utf8').digest();
	const prefix = prefixed ? 'sha256=' : '';
	switch (scheme) {
		case 'timestamped': {
			const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
			const signatures = secrets.map(
				(key) => `v1=${hmac(key, `${timestamp}.${body}`).toString('hex')}`,
			);
			return [`t=${timestamp}`, ...signatures].join(',');
		}
		case 'hex':
			return prefix + hmac(secret, body).toString('hex');
		case 'base64':
			return prefix + hmac(secret, body).toString('base64');
		case 'sharedToken':
			return secret;
	}
}

import { createHmac } from 'node:crypto';

/** How deliveries are signed; the service doesn't document its own scheme. */
type SignatureScheme = 'timestamped' | 'hex' | 'base64' | 'sharedToken';

/** How to sign a delivery. */
export interface SigningOptions {
	readonly scheme: SignatureScheme;
	/** The signing secret, or the shared token. */
	readonly secret: string;
	/** While a secret rotates: a timestamped header has a signature for each. */
	readonly previousSecret?: string;
	/** Whether hex and base64 signatures start with `sha256=`. */
	readonly prefixed: boolean;
	/** Unix seconds, for `timestamped`. */
	readonly timestamp: number;
}

/** The value of the signature header. */
export function signatureOf(body: string, options: SigningOptions): string {
	const { scheme, secret, previousSecret, prefixed, timestamp } = options;
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

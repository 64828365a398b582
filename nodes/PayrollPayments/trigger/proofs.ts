import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export type Key = string | Buffer;

/** What is signed, piece by piece, so that the body needn't be copied. */
export type SignedContent = ReadonlyArray<string | Uint8Array>;

/** A way to prove a delivery with a key. */
interface Algorithm {
	readonly label: string;
	/** The length of a proof. */
	readonly bytes: number;
	/** Does once what all proofs need. The function it returns says whether a proof fits, in constant time. */
	verifier(key: Key, content: SignedContent): (proof: Uint8Array) => boolean;
}

const hmacWith = (hash: string, label: string, bytes: number): Algorithm => ({
	label,
	bytes,
	verifier: (key, content) => {
		const mac = createHmac(hash, key);
		for (const piece of content) mac.update(piece);
		const expected = mac.digest();
		return (proof) => timingSafeEqual(expected, proof);
	},
});

/** The proof of a token. A hash, so that timing reveals neither the token's text nor its length. */
export function hashOf(token: Key): Buffer {
	return createHash('sha256').update(token).digest();
}

/** The algorithms, by their value in the credential. */
export const ALGORITHMS = {
	sha256: hmacWith('sha256', 'SHA-256', 32),
	sha512: hmacWith('sha512', 'SHA-512', 64),
	token: {
		label: 'Token',
		bytes: 32,
		verifier: (key) => {
			const expected = hashOf(key);
			return (proof) => timingSafeEqual(expected, proof);
		},
	},
} as const satisfies Readonly<Record<string, Algorithm>>;

/** The bytes of a proof; undefined if their number is another, or the text isn't their usual spelling. */
export function decodeProof(
	text: string,
	encoding: 'hex' | 'base64',
	bytes: number,
): Buffer | undefined {
	const proof = Buffer.from(text, encoding);
	const spelled = proof.toString(encoding);
	const given =
		encoding === 'hex' ? text.toLowerCase() : text.replace(/-/g, '+').replace(/_/g, '/');
	return proof.length === bytes && given.padEnd(spelled.length, '=') === spelled
		? proof
		: undefined;
}

export type SecretEncoding = 'text' | 'hex' | 'base64';

/**
 * The key that a secret stands for. Whitespace counts in text only: hex and Base64 have none.
 * @returns undefined if the secret isn't written in this encoding
 */
export function decodeSecret(secret: string, encoding: SecretEncoding): Key | undefined {
	if (encoding === 'text') return secret;
	const written = secret.trim();
	if (encoding === 'hex') {
		return /^([0-9a-f]{2})+$/i.test(written) ? Buffer.from(written, 'hex') : undefined;
	}
	/* Standard Webhooks puts whsec_ in front of its secrets, and some services v1, in front of that. */
	const digits = written.replace(/^(?:v1,)?whsec_/, '');
	const isBase64 = /^[\w+/-]{2,}={0,2}$/.test(digits) && digits.replace(/=+$/, '').length % 4 !== 1;
	return isBase64 ? Buffer.from(digits, 'base64') : undefined;
}

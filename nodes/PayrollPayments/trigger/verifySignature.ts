import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { Refusal } from '../shared/errors';
import { MAX_UNIX_SECONDS } from '../shared/time';
import type { WebhookCredentials } from './webhookCredentials';

/** Header names in lower case, as Node gives them. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** More than any rotation needs; without a limit a sender could keep n8n busy. */
const MAX_SIGNATURES = 16;

const MISMATCH_HINT =
	'Compare the secret in the webhook credential with the one in the service. If they match, look ' +
	'for a proxy that rewrites the JSON body: the signature covers the exact bytes that were sent.';

const FORMAT_HINT =
	'The expected form is t=…,v1=…. If the service signs differently, change Format in the webhook ' +
	'credential.';

/**
 * Verifies a delivery's signature or token as the webhook credential says.
 *
 * - `timestamped`: HMAC-SHA256 over `timestamp.body` in hex, as `t=…,v1=…`. Any of several `v1` may
 *   match; `t`, in seconds, may be earlier or later by the tolerance.
 * - `hex`, `base64`: HMAC-SHA256 over the raw body, with an optional `sha256=` in front.
 * - `sharedToken`: the header is the secret itself.
 *
 * Reads only the header and the raw bytes, and compares in constant time.
 *
 * @param now current time in milliseconds
 * @returns a refusal that names the likely cause but no secret or signature; undefined if genuine
 */
export function verifySignature(
	rawBody: Uint8Array,
	headers: DeliveryHeaders,
	credentials: WebhookCredentials,
	now: number,
): Refusal | undefined {
	const { header, secrets, scheme } = credentials;
	const proof = headers[header];
	if (typeof proof !== 'string' || proof.trim() === '') {
		return new Refusal(`The header ${header} is missing`, {
			hint: 'It must contain the signature or token. Check Header in the webhook credential.',
		});
	}
	const value = proof.trim();

	if (scheme === 'sharedToken')
		return signatureMismatch('The token', secrets, [digestOf(value)], digestOf);
	if (scheme === 'timestamped') {
		const read = readTimestamped(header, value);
		if (read instanceof Refusal) return read;
		const { timestamp, signatures } = read;
		return (
			signatureMismatch('The signature', secrets, signatures, signer(`${timestamp}.`, rawBody)) ??
			timestampMismatch(Number(timestamp), credentials.toleranceSeconds, now)
		);
	}
	const signature = readSignature(value.replace(/^sha256=/i, ''), scheme);
	if (signature === undefined) {
		return new Refusal(`The header ${header} contains no SHA-256 signature in ${scheme}`, {
			hint: 'Check Format in the webhook credential.',
		});
	}
	return signatureMismatch('The signature', secrets, [signature], signer('', rawBody));
}

type Sign = (secret: string) => Buffer;

/** Tokens are compared by their hashes, so that timing reveals neither their text nor their length. */
const digestOf: Sign = (token) => createHash('sha256').update(token).digest();

function signer(prefix: string, rawBody: Uint8Array): Sign {
	return (secret) => createHmac('sha256', secret).update(prefix).update(rawBody).digest();
}

/** Compares every secret with every signature, without stopping at the first match. */
function hasMatch(secrets: readonly string[], given: readonly Buffer[], sign: Sign): boolean {
	return secrets
		.map(sign)
		.flatMap((expected) => given.map((signature) => timingSafeEqual(expected, signature)))
		.includes(true);
}

function signatureMismatch(
	what: string,
	secrets: readonly string[],
	given: readonly Buffer[],
	sign: Sign,
): Refusal | undefined {
	if (hasMatch(secrets, given, sign)) return undefined;
	const trimmed = secrets.map((secret) => secret.trim());
	if (hasMatch(trimmed, given, sign)) {
		return new Refusal(`${what} matches the secret only without the whitespace around it`, {
			hint: 'Remove the spaces or line breaks around the secret in the webhook credential.',
		});
	}
	return new Refusal(`${what} doesn't match`, { hint: MISMATCH_HINT });
}

function readSignature(text: string, encoding: 'hex' | 'base64'): Buffer | undefined {
	const shape = encoding === 'hex' ? /^[0-9a-f]{64}$/i : /^[\w+/-]{43}=?$/;
	return shape.test(text) ? Buffer.from(text, encoding) : undefined;
}

function readTimestamped(
	header: string,
	value: string,
): { timestamp: string; signatures: Buffer[] } | Refusal {
	const parts = value.split(',').map((part) => part.trim());
	const valuesOf = (name: string) =>
		parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));

	const [timestamp, ...furtherTimestamps] = valuesOf('t');
	if (timestamp === undefined || furtherTimestamps.length > 0 || !/^\d{1,15}$/.test(timestamp)) {
		return new Refusal(`The header ${header} must contain one timestamp as t=… in seconds`, {
			hint: FORMAT_HINT,
		});
	}
	const given = valuesOf('v1');
	if (given.length > MAX_SIGNATURES) {
		return new Refusal(`The header ${header} contains more than ${MAX_SIGNATURES} signatures`);
	}
	const signatures = given
		.map((text) => readSignature(text, 'hex'))
		.filter((signature) => signature !== undefined);
	if (signatures.length === 0) {
		return new Refusal(
			`The header ${header} contains no signature as v1=… with 64 hex characters`,
			{
				hint: FORMAT_HINT,
			},
		);
	}
	return { timestamp, signatures };
}

function timestampMismatch(
	timestamp: number,
	toleranceSeconds: number,
	now: number,
): Refusal | undefined {
	const age = Math.round(now / 1000 - timestamp);
	if (Math.abs(age) <= toleranceSeconds) return undefined;
	const direction = age > 0 ? 'old' : 'in the future';
	return new Refusal(
		`The signature is ${Math.abs(age)} seconds ${direction}; at most ${toleranceSeconds} are allowed`,
		{
			hint:
				timestamp > MAX_UNIX_SECONDS
					? 'The timestamp looks like milliseconds, but seconds are expected.'
					: 'Check the clock of the machine that runs n8n. A repeated delivery needs a new ' +
						'signature.',
		},
	);
}

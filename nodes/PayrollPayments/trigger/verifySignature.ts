import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import type { WebhookCredentials } from './webhookCredentials';
import { Refusal } from '../shared/errors';
import { MAX_UNIX_SECONDS } from '../shared/time';

/** Header names in lower case, as Node gives them. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** More signatures than any rotation needs are no delivery but an attempt to keep n8n busy. */
const MOST_SIGNATURES = 16;

const HOW_TO_MEND =
	'Compare the secret in the credentials with the one in the service. If they agree, look for a ' +
	'proxy that writes the JSON body anew: the signature is over the bytes as they were sent.';

/**
 * Looks for the proof that the credentials ask for, and refuses a delivery without it.
 *
 * - `timestamped`: HMAC-SHA256 over `timestamp.body` in hex, as `t=…,v1=…`; any of several `v1`
 *   may fit, `t` in seconds may be off by the tolerance, earlier or later.
 * - `hex`, `base64`: HMAC-SHA256 over the raw body; a `sha256=` in front is tolerated.
 * - `sharedToken`: the header is the secret itself.
 *
 * Reads nothing but the header and the raw bytes, and compares in constant time.
 *
 * @param now current time in milliseconds.
 * @returns a refusal that names the likely cause, and never a secret or a signature.
 */
export function verifyDelivery(
	rawBody: Uint8Array,
	headers: DeliveryHeaders,
	credentials: WebhookCredentials,
	now: number,
): Refusal | undefined {
	const { header, secrets, scheme } = credentials;
	const proof = headers[header];
	if (typeof proof !== 'string' || proof.trim() === '') {
		return new Refusal(`The header ${header} is missing`, {
			hint: 'It must carry the signature or token. Check the header name in the credentials.',
		});
	}
	const value = proof.trim();

	if (scheme === 'sharedToken') return misfit('The token', secrets, [digestOf(value)], digestOf);
	if (scheme === 'timestamped') {
		const read = readTimestamped(header, value);
		if (read instanceof Refusal) return read;
		const { timestamp, signatures } = read;
		return (
			misfit('The signature', secrets, signatures, signer(`${timestamp}.`, rawBody)) ??
			staleness(Number(timestamp), credentials.toleranceSeconds, now)
		);
	}
	const signature = readSignature(value.replace(/^sha256=/i, ''), scheme);
	if (signature === undefined) {
		return new Refusal(`The header ${header} holds no SHA-256 signature in ${scheme}`, {
			hint: 'Check the format in the credentials.',
		});
	}
	return misfit('The signature', secrets, [signature], signer('', rawBody));
}

type Sign = (secret: string) => Buffer;

/** A token is compared by its hash, so that neither its text nor its length shows in the time. */
const digestOf: Sign = (token) => createHash('sha256').update(token).digest();

function signer(prefix: string, rawBody: Uint8Array): Sign {
	return (secret) => createHmac('sha256', secret).update(prefix).update(rawBody).digest();
}

/** Compares every secret with every signature, without stopping at the first that fits. */
function fits(secrets: readonly string[], given: readonly Buffer[], sign: Sign): boolean {
	return secrets
		.map(sign)
		.flatMap((expected) => given.map((signature) => timingSafeEqual(expected, signature)))
		.includes(true);
}

function misfit(
	what: string,
	secrets: readonly string[],
	given: readonly Buffer[],
	sign: Sign,
): Refusal | undefined {
	if (fits(secrets, given, sign)) return undefined;
	const trimmed = secrets.map((secret) => secret.trim());
	if (fits(trimmed, given, sign)) {
		return new Refusal(`${what} fits the secret only without the white space around it`, {
			hint: 'Remove the space or line break at the ends of the secret in the credentials.',
		});
	}
	return new Refusal(`${what} does not fit`, { hint: HOW_TO_MEND });
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
		return new Refusal(`The header ${header} must hold one time as t=… in seconds`, {
			hint: 'It reads t=…,v1=…. If the service signs in another form, change the format.',
		});
	}
	const given = valuesOf('v1');
	if (given.length > MOST_SIGNATURES) {
		return new Refusal(`The header ${header} holds more than ${MOST_SIGNATURES} signatures`);
	}
	const signatures = given
		.map((text) => readSignature(text, 'hex'))
		.filter((signature) => signature !== undefined);
	if (signatures.length === 0) {
		return new Refusal(`The header ${header} holds no signature as v1=… in 64 hex characters`, {
			hint: 'It reads t=…,v1=…. If the service signs in another form, change the format.',
		});
	}
	return { timestamp, signatures };
}

function staleness(timestamp: number, toleranceSeconds: number, now: number): Refusal | undefined {
	const age = Math.round(now / 1000 - timestamp);
	if (Math.abs(age) <= toleranceSeconds) return undefined;
	const direction = age > 0 ? 'old' : 'in the future';
	return new Refusal(
		`The signature is ${Math.abs(age)} seconds ${direction}; ${toleranceSeconds} are tolerated`,
		{
			hint:
				timestamp > MAX_UNIX_SECONDS
					? 'Its time reads as milliseconds, where seconds are expected.'
					: 'Compare the clock of this machine with the true time. A delivery that is sent ' +
						'again must be signed anew.',
		},
	);
}

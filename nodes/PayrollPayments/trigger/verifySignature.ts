import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { Refusal } from '../shared/errors';
import { MAX_UNIX_SECONDS, toMilliseconds } from '../shared/time';
import { covers, fillTemplate } from './signedContent';
import {
	keyOf,
	type CustomScheme,
	type SecretEncoding,
	type WebhookCredentials,
} from './webhookCredentials';

/** Header names in lower case, as Node gives them. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** More than any rotation needs; without a limit a sender could keep n8n busy. */
const MAX_SIGNATURES = 16;

/** Characters. Node itself limits all headers together to 16 KiB. */
const MAX_HEADER_LENGTH = 8_192;

const MISMATCH_HINT =
	'Compare the secret in the webhook credential with the one in the service. If they match, look ' +
	'for a proxy that rewrites the JSON body: the signature covers the exact bytes that were sent.';

const TIMESTAMPED_HINT =
	'The expected form is t=…,v1=…. If the service signs differently, change Format in the webhook ' +
	'credential.';

const STANDARD_WEBHOOKS_HINT =
	'Standard Webhooks has the headers webhook-id, webhook-timestamp and webhook-signature, or the ' +
	'same with svix-. If the service signs differently, change Format in the webhook credential.';

/** What a delivery claims, and how to check it. */
interface Proof {
	readonly what: 'The signature' | 'The token';
	/** Any of them may match. */
	readonly given: readonly Buffer[];
	/** What a sender that has this secret would send. */
	readonly sign: (secret: string) => Buffer;
	readonly time?: SignedTime;
}

interface SignedTime {
	/** Milliseconds. */
	readonly at: number;
	readonly toleranceSeconds: number;
	/** Whether it's in milliseconds although the scheme has seconds. */
	readonly isMilliseconds: boolean;
}

/**
 * Verifies a delivery's signature or token as the webhook credential says.
 *
 * - `timestamped`: HMAC-SHA256 over `timestamp.body` in hex, as `t=…,v1=…`. Any of several `v1` may
 *   match; `t`, in seconds, may be earlier or later by the tolerance.
 * - `hex`, `base64`: HMAC-SHA256 over the raw body, with an optional `sha256=` in front.
 * - `standardWebhooks`: HMAC-SHA256 over `id.timestamp.body` in Base64, as `v1,…`, with its own headers.
 * - `custom`: what the user describes.
 * - `sharedToken`: the header is the secret itself, with an optional `Bearer ` in front.
 *
 * Reads only the headers and the raw bytes, and compares in constant time.
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
	const proof = readProof(rawBody, headers, credentials);
	if (proof instanceof Refusal) return proof;
	return mismatchOf(proof, credentials.secrets) ?? timeMismatchOf(proof.time, now);
}

function readProof(
	rawBody: Uint8Array,
	headers: DeliveryHeaders,
	credentials: WebhookCredentials,
): Proof | Refusal {
	if (credentials.scheme === 'standardWebhooks') {
		return readStandardWebhooks(rawBody, headers, credentials.toleranceSeconds);
	}
	const { header } = credentials;
	const value = readHeader(
		headers,
		header,
		'It must contain the signature or token. Check Header in the webhook credential.',
	);
	if (value instanceof Refusal) return value;
	switch (credentials.scheme) {
		case 'sharedToken':
			return readToken(value);
		case 'timestamped':
			return readTimestamped(rawBody, header, value, credentials.toleranceSeconds);
		case 'custom':
			return readCustom(rawBody, headers, value, credentials);
		case 'hex':
		case 'base64':
			return readBodySignature(rawBody, header, value, credentials.scheme);
	}
}

/** A header's value, without the whitespace around it. */
function readHeader(headers: DeliveryHeaders, name: string, hint: string): string | Refusal {
	const value = headers[name];
	const trimmed = typeof value === 'string' ? value.trim() : '';
	if (trimmed === '') return new Refusal(`The header ${name} is missing`, { hint });
	if (trimmed.length > MAX_HEADER_LENGTH) {
		return new Refusal(`The header ${name} is longer than 8,192 characters`);
	}
	return trimmed;
}

/** Tokens are compared by their hashes, so that timing reveals neither their text nor their length. */
function digestOf(token: string): Buffer {
	return createHash('sha256').update(token).digest();
}

function readToken(value: string): Proof {
	const token = value.replace(/^Bearer +/i, '');
	return {
		what: 'The token',
		/* A secret that was saved with Bearer in front still fits as it is. */
		given: (token === value ? [value] : [value, token]).map(digestOf),
		sign: digestOf,
	};
}

interface HmacOptions {
	readonly algorithm?: 'sha256' | 'sha512';
	readonly secretEncoding?: SecretEncoding;
}

function hmacOver(
	content: ReadonlyArray<string | Uint8Array>,
	{ algorithm = 'sha256', secretEncoding = 'text' }: HmacOptions = {},
): Proof['sign'] {
	return (secret) => {
		const hmac = createHmac(algorithm, keyOf(secret, secretEncoding) ?? secret);
		for (const part of content) hmac.update(part);
		return hmac.digest();
	};
}

/** Compares every secret with every signature, without stopping at the first match. */
function hasMatch(secrets: readonly string[], { given, sign }: Proof): boolean {
	return secrets
		.map(sign)
		.flatMap((expected) => given.map((signature) => timingSafeEqual(expected, signature)))
		.includes(true);
}

function mismatchOf(proof: Proof, secrets: readonly string[]): Refusal | undefined {
	if (hasMatch(secrets, proof)) return undefined;
	const trimmed = secrets
		.filter((secret) => secret !== secret.trim())
		.map((secret) => secret.trim());
	if (hasMatch(trimmed, proof)) {
		return new Refusal(`${proof.what} matches the secret only without the whitespace around it`, {
			hint: 'Remove the spaces or line breaks around the secret in the webhook credential.',
		});
	}
	return new Refusal(`${proof.what} doesn't match`, { hint: MISMATCH_HINT });
}

const SHAPES = {
	hex: { sha256: /^[0-9a-f]{64}$/i, sha512: /^[0-9a-f]{128}$/i },
	/* The last character has bits to spare; only with zeros in them is there one spelling. */
	base64: {
		sha256: /^[\w+/-]{42}[AEIMQUYcgkosw048]=?$/,
		sha512: /^[\w+/-]{85}[AQgw](?:==)?$/,
	},
};

function readSignature(
	text: string,
	encoding: 'hex' | 'base64',
	algorithm: 'sha256' | 'sha512' = 'sha256',
): Buffer | undefined {
	return SHAPES[encoding][algorithm].test(text) ? Buffer.from(text, encoding) : undefined;
}

function readBodySignature(
	rawBody: Uint8Array,
	header: string,
	value: string,
	encoding: 'hex' | 'base64',
): Proof | Refusal {
	const signature = readSignature(value.replace(/^sha256=/i, ''), encoding);
	if (signature === undefined) {
		return new Refusal(`The header ${header} contains no SHA-256 signature in ${encoding}`, {
			hint: 'Check Format in the webhook credential.',
		});
	}
	return {
		what: 'The signature',
		given: [signature],
		sign: hmacOver([rawBody]),
	};
}

/** The signatures of a list, some of which may be of versions that aren't known here. */
function readSignatures(
	header: string,
	given: readonly string[],
	{
		encoding,
		expected,
		hint,
	}: Readonly<Record<'expected' | 'hint', string>> & {
		readonly encoding: 'hex' | 'base64';
	},
): Buffer[] | Refusal {
	if (given.length > MAX_SIGNATURES) {
		return new Refusal(`The header ${header} contains more than ${MAX_SIGNATURES} signatures`);
	}
	const signatures = given
		.map((text) => readSignature(text, encoding))
		.filter((signature) => signature !== undefined);
	if (signatures.length > 0) return signatures;
	return new Refusal(`The header ${header} contains no signature as ${expected}`, { hint });
}

function readTimestamped(
	rawBody: Uint8Array,
	header: string,
	value: string,
	toleranceSeconds: number,
): Proof | Refusal {
	const parts = value.split(/[\s,]+/);
	const valuesOf = (name: string) =>
		parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));

	const [timestamp, ...furtherTimestamps] = valuesOf('t');
	if (timestamp === undefined || furtherTimestamps.length > 0 || !/^\d{1,15}$/.test(timestamp)) {
		return new Refusal(`The header ${header} must contain one timestamp as t=… in seconds`, {
			hint: TIMESTAMPED_HINT,
		});
	}
	const given = readSignatures(header, valuesOf('v1'), {
		encoding: 'hex',
		expected: 'v1=… with 64 hex characters',
		hint: TIMESTAMPED_HINT,
	});
	if (given instanceof Refusal) return given;
	return {
		what: 'The signature',
		given,
		sign: hmacOver([`${timestamp}.`, rawBody]),
		time: inSeconds(timestamp, toleranceSeconds),
	};
}

function readStandardWebhooks(
	rawBody: Uint8Array,
	headers: DeliveryHeaders,
	toleranceSeconds: number,
): Proof | Refusal {
	const isSvix = headers['webhook-signature'] === undefined && 'svix-signature' in headers;
	const prefix = isSvix ? 'svix' : 'webhook';
	const values = ['id', 'timestamp', 'signature'].map((name) =>
		readHeader(headers, `${prefix}-${name}`, STANDARD_WEBHOOKS_HINT),
	);
	const missing = values.find((value) => value instanceof Refusal);
	if (missing instanceof Refusal) return missing;
	const [id = '', timestamp = '', list = ''] = values.map(String);
	if (!/^\d{1,15}$/.test(timestamp)) {
		return new Refusal(`The header ${prefix}-timestamp must contain a time in seconds`, {
			hint: STANDARD_WEBHOOKS_HINT,
		});
	}
	const header = `${prefix}-signature`;
	/* Node joins a header that was sent twice with a comma and a space. */
	if (/,\s/.test(list)) {
		return new Refusal(`The header ${header} was sent more than once`);
	}
	const given = readSignatures(
		header,
		list
			.split(/\s+/)
			.filter((entry) => entry.startsWith('v1,'))
			.map((entry) => entry.slice('v1,'.length)),
		{ encoding: 'base64', expected: 'v1,… in Base64', hint: STANDARD_WEBHOOKS_HINT },
	);
	if (given instanceof Refusal) return given;
	return {
		what: 'The signature',
		given,
		sign: hmacOver([`${id}.${timestamp}.`, rawBody], { secretEncoding: 'base64' }),
		time: inSeconds(timestamp, toleranceSeconds),
	};
}

function readCustom(
	rawBody: Uint8Array,
	headers: DeliveryHeaders,
	value: string,
	credentials: WebhookCredentials & CustomScheme,
): Proof | Refusal {
	const { header, algorithm, encoding, secretEncoding, signaturePrefix } = credentials;
	if (!value.startsWith(signaturePrefix)) {
		return new Refusal(`The header ${header} doesn't start with the signature prefix`, {
			hint: 'Check Signature Prefix in the webhook credential.',
		});
	}
	const written = value.slice(signaturePrefix.length).trimStart();
	const signature = readSignature(written, encoding, algorithm);
	if (signature === undefined) {
		const name = algorithm === 'sha256' ? 'SHA-256' : 'SHA-512';
		return new Refusal(`The header ${header} contains no ${name} signature in ${encoding}`, {
			hint: 'Check Algorithm, Encoding and Signature Prefix in the webhook credential.',
		});
	}

	const content = { body: rawBody, timestamp: '', id: '' };
	let time: SignedTime | undefined;
	if (covers(credentials.signedContent, '{timestamp}')) {
		const read = readHeader(
			headers,
			credentials.timestampHeader,
			'It must contain the signed time. Check Timestamp Header in the webhook credential.',
		);
		if (read instanceof Refusal) return read;
		const at = readTime(read);
		if (at === undefined) {
			return new Refusal(`The header ${credentials.timestampHeader} contains no time`, {
				hint:
					'It must be in seconds, in milliseconds or in ISO 8601. Check Timestamp Header in the ' +
					'webhook credential.',
			});
		}
		content.timestamp = read;
		time = { at, toleranceSeconds: credentials.toleranceSeconds, isMilliseconds: false };
	}
	if (covers(credentials.signedContent, '{id}')) {
		const read = readHeader(
			headers,
			credentials.idHeader,
			'It must contain the delivery’s ID. Check ID Header in the webhook credential.',
		);
		if (read instanceof Refusal) return read;
		content.id = read;
	}
	return {
		what: 'The signature',
		given: [signature],
		sign: hmacOver(fillTemplate(credentials.signedContent, content), { algorithm, secretEncoding }),
		time,
	};
}

function inSeconds(timestamp: string, toleranceSeconds: number): SignedTime {
	const seconds = Number(timestamp);
	return { at: seconds * 1000, toleranceSeconds, isMilliseconds: seconds > MAX_UNIX_SECONDS };
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A time in seconds, milliseconds or ISO 8601, in milliseconds. */
export function readTime(text: string): number | undefined {
	if (/^\d{1,15}$/.test(text)) return toMilliseconds(Number(text));
	const at = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(at) ? undefined : at;
}

function timeMismatchOf(time: SignedTime | undefined, now: number): Refusal | undefined {
	if (time === undefined) return undefined;
	const age = Math.round((now - time.at) / 1000);
	if (Math.abs(age) <= time.toleranceSeconds) return undefined;
	const direction = age > 0 ? 'old' : 'in the future';
	return new Refusal(
		`The signature is ${Math.abs(age)} seconds ${direction}; at most ${time.toleranceSeconds} are allowed`,
		{
			hint: time.isMilliseconds
				? 'The timestamp looks like milliseconds, but seconds are expected.'
				: 'Check the clock of the machine that runs n8n. A repeated delivery needs a new signature.',
		},
	);
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { UserError } from '../shared/errors';
import { MAX_UNIX_SECONDS, toMilliseconds } from '../shared/time';
import { covers, fillTemplate, rowOf, type Scheme, type Source } from './schemes';
import { decodeSecret, type WebhookCredentials } from './webhookCredentials';

/** Header names in lower case, as Node gives them. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** More than any rotation needs; without a limit a sender could keep n8n busy. */
const MAX_SIGNATURES = 16;

/** Characters. Node itself limits all headers together to 16 KiB. */
const MAX_HEADER_LENGTH = 8_192;

const MISMATCH_HINT =
	'Compare the secret in the webhook credential with the one in the service. If they match, look ' +
	'for a proxy that rewrites the JSON body: the signature covers the exact bytes that were sent.';

/** What a delivery claims, and how to check it. */
interface Proof {
	readonly what: 'The signature' | 'The token';
	/** Any of them may match. */
	readonly given: readonly Buffer[];
	/** What a sender that has this secret would send. */
	readonly sign: (secret: string) => Buffer;
	/** The signed time in milliseconds. */
	readonly time?: number;
}

/**
 * Verifies a delivery's signature or token as the webhook credential says. Reads only the headers and
 * the raw bytes, and compares in constant time.
 *
 * @param now current time in milliseconds
 * @returns a refusal that names the likely cause but no secret or signature; undefined if genuine
 */
export function verifySignature(
	rawBody: Uint8Array,
	headers: DeliveryHeaders,
	credentials: WebhookCredentials,
	now: number,
): UserError | undefined {
	try {
		const proof = readProof(rawBody, headers, credentials);
		checkMatch(proof, credentials.secrets);
		checkTime(proof, credentials, now);
		return undefined;
	} catch (error) {
		return error instanceof UserError ? error : unexpected(error);
	}
}

function unexpected(error: unknown): never {
	throw error;
}

function readProof(
	rawBody: Uint8Array,
	headers: DeliveryHeaders,
	{ scheme, format }: WebhookCredentials,
): Proof {
	const { content, brands } = scheme;
	const { hint } = rowOf(format);
	const isSent = (brand: string) => headers[brand + scheme.signature.name] !== undefined;
	const brand = brands.find(isSent) ?? brands[0] ?? '';
	const branded = (source: Source) => ({ ...source, name: brand + source.name });
	const valuesOf = (source: Source) => readSource(headers, branded(source), hint);
	/** A value that may be repeated, but not with another one beside it. */
	const only = (source: Source) => {
		const [value = '', ...others] = new Set(valuesOf(source));
		if (value !== '' && others.length === 0) return value;
		const { name, part } = branded(source);
		throw new UserError(`The header ${name} must contain one ${part}=…`, { hint });
	};

	const values = valuesOf(scheme.signature);
	if (content === undefined) {
		/* A secret that was saved with Bearer in front still fits as it is. */
		const tokens = values.flatMap((value) => [value, value.replace(/^Bearer +/i, '')]);
		return { what: 'The token', given: tokens.map(digestOf), sign: digestOf };
	}
	const id = covers(content, '{id}') ? only(scheme.id) : '';
	const timestamp = covers(content, '{timestamp}') ? only(scheme.timestamp) : undefined;
	const time = timestamp && timeOf(timestamp, branded(scheme.timestamp), scheme, hint);
	const pieces = fillTemplate(content, { body: rawBody, timestamp: timestamp ?? '', id });
	return {
		what: 'The signature',
		given: decodeSignatures(values, { ...scheme, signature: branded(scheme.signature) }, hint),
		sign: (secret) => {
			const key = decodeSecret(secret, scheme.secretEncoding) ?? secret;
			const hmac = createHmac(scheme.algorithm, key);
			for (const piece of pieces) hmac.update(piece);
			return hmac.digest();
		},
		...(time === undefined || time === '' ? {} : { time }),
	};
}

/** A header without the whitespace around it, or the values of its named part. */
function readSource(headers: DeliveryHeaders, { name, part }: Source, hint: string): string[] {
	const value = headers[name];
	const trimmed = typeof value === 'string' ? value.trim() : '';
	if (trimmed === '') throw new UserError(`The header ${name} is missing`, { hint });
	if (trimmed.length > MAX_HEADER_LENGTH) {
		throw new UserError(`The header ${name} is longer than 8,192 characters`);
	}
	if (part === undefined) return [trimmed];
	const values = trimmed
		.split(/[\s,;]+/)
		.filter((pair) => pair.startsWith(`${part}=`))
		.map((pair) => pair.slice(part.length + 1));
	if (values.length > 0) return values;
	throw new UserError(`The header ${name} contains no ${part}=…`, { hint });
}

/** The signatures in a list; others, e.g. of versions that aren't known here, are left out. */
function decodeSignatures(
	values: readonly string[],
	{ prefix, optionalPrefix, encoding, algorithm, signature }: Scheme,
	hint: string,
): Buffer[] {
	const listed = values.flatMap((value) =>
		prefix === '' ? value.split(/[\s,]+/) : textsAfter(prefix, value),
	);
	if (listed.length > MAX_SIGNATURES) {
		throw new UserError(
			`The header ${signature.name} contains more than ${MAX_SIGNATURES} signatures`,
		);
	}
	const decoded = listed
		.map((text) =>
			optionalPrefix !== '' && text.toLowerCase().startsWith(optionalPrefix)
				? text.slice(optionalPrefix.length)
				: text,
		)
		.filter((text) => SHAPES[encoding][algorithm].test(text))
		.map((text) => Buffer.from(text, encoding));
	if (decoded.length > 0) return decoded;
	const name = algorithm === 'sha256' ? 'SHA-256' : 'SHA-512';
	const where = prefix === '' ? '' : ' after its prefix';
	const as = signature.part === undefined ? '' : ` as ${signature.part}=…`;
	throw new UserError(
		`The header ${signature.name} contains no ${name} signature in ${encoding}${where}${as}`,
		{ hint },
	);
}

/** What follows each prefix in a list with commas or spaces. The prefix itself may contain them. */
function textsAfter(prefix: string, list: string): string[] {
	const [first = '', ...following] = list.split(prefix);
	let before = first;
	return following.flatMap((text) => {
		const isAtStart = before === '' || /[\s,]$/.test(before);
		before = text;
		const [, signature] = /^\s*([^\s,]+)/.exec(text) ?? [];
		return isAtStart && signature !== undefined ? [signature] : [];
	});
}

const SHAPES = {
	hex: { sha256: /^[0-9a-f]{64}$/i, sha512: /^[0-9a-f]{128}$/i },
	/* The last character has bits to spare; only with zeros in them is there one spelling. */
	base64: {
		sha256: /^[\w+/-]{42}[AEIMQUYcgkosw048]=?$/,
		sha512: /^[\w+/-]{85}[AQgw](?:==)?$/,
	},
};

/** Tokens are compared by their hashes, so that timing reveals neither their text nor their length. */
function digestOf(token: string): Buffer {
	return createHash('sha256').update(token).digest();
}

/** Compares every secret with every signature, without stopping at the first match. */
function hasMatch(secrets: readonly string[], { given, sign }: Proof): boolean {
	return secrets
		.map(sign)
		.flatMap((expected) => given.map((signature) => timingSafeEqual(expected, signature)))
		.includes(true);
}

function checkMatch(proof: Proof, secrets: readonly string[]): void {
	if (hasMatch(secrets, proof)) return;
	const trimmed = secrets
		.filter((secret) => secret !== secret.trim())
		.map((secret) => secret.trim());
	if (hasMatch(trimmed, proof)) {
		throw new UserError(`${proof.what} matches the secret only without the whitespace around it`, {
			hint: 'Remove the spaces or line breaks around the secret in the webhook credential.',
		});
	}
	throw new UserError(`${proof.what} doesn't match`, { hint: MISMATCH_HINT });
}

function timeOf(text: string, { name }: Source, { time }: Scheme, hint: string): number {
	if (time === 'seconds') {
		if (/^\d{1,15}$/.test(text)) return Number(text) * 1000;
		throw new UserError(`The header ${name} contains no time in seconds`, { hint });
	}
	const at = readTime(text);
	if (at !== undefined) return at;
	throw new UserError(`The header ${name} contains no time`, {
		hint: `It must be in seconds, in milliseconds or in ISO 8601. ${hint}`,
	});
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A time in seconds, milliseconds or ISO 8601, in milliseconds. */
export function readTime(text: string): number | undefined {
	if (/^\d{1,15}$/.test(text)) return toMilliseconds(Number(text));
	const at = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(at) ? undefined : at;
}

function checkTime(
	{ time }: Proof,
	{ scheme, toleranceSeconds }: WebhookCredentials,
	now: number,
): void {
	if (time === undefined) return;
	const age = Math.round((now - time) / 1000);
	if (Math.abs(age) <= toleranceSeconds) return;
	const direction = age > 0 ? 'old' : 'in the future';
	const isMilliseconds = scheme.time === 'seconds' && time > MAX_UNIX_SECONDS * 1000;
	throw new UserError(
		`The signature is ${Math.abs(age)} seconds ${direction}; at most ${toleranceSeconds} are allowed`,
		{
			hint: isMilliseconds
				? 'The timestamp looks like milliseconds, but seconds are expected.'
				: 'Check the clock of the machine that runs n8n. A repeated delivery needs a new signature.',
		},
	);
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { UserError } from '../shared/errors';
import { MAX_UNIX_SECONDS, toMilliseconds } from '../shared/time';
import { fillTemplate, parsePlace, signatureIn, type Place, type Scheme } from './schemes';
import { decodeSecret, type WebhookCredentials } from './webhookCredentials';

/** Header names in lower case, as Node gives them. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Delivery {
	/** The sender; behind proxies, the address that N8N_PROXY_HOPS trusts. */
	readonly ip?: string;
	readonly headers: DeliveryHeaders;
	/** undefined if n8n did not keep the bytes, as with an uploaded form. */
	readonly rawBody?: Uint8Array;
}

/** More than any rotation needs; without a limit a sender could keep n8n busy. */
const MAX_SIGNATURES = 16;

/** Characters. Node itself limits all headers together to 16 KiB. */
const MAX_HEADER_LENGTH = 8_192;

const CHECK_SETTINGS = 'Check Header and Format in the webhook credential.';

const CHECK_SECRET =
	'Compare the secret in the webhook credential with the one in the service. If they match, look ' +
	'for a proxy that rewrites the JSON body: the signature covers the exact bytes that were sent.';

/**
 * Verifies a delivery's signature or token as the webhook credential says. Reads only the headers and
 * the raw bytes, and compares in constant time.
 * @returns a refusal that names the likely cause but no secret or signature; undefined if genuine
 */
export function verifySignature(
	rawBody: Uint8Array,
	headers: DeliveryHeaders,
	credentials: WebhookCredentials,
	now: number,
): UserError | undefined {
	try {
		check(rawBody, headers, credentials, now);
		return undefined;
	} catch (error) {
		return error instanceof UserError ? error : unexpected(error);
	}
}

/** A delivery that doesn't look as the credential says. */
function unfit(what: string): UserError {
	return new UserError(what, { hint: CHECK_SETTINGS });
}

function unexpected(error: unknown): never {
	throw error;
}

function check(
	body: Uint8Array,
	headers: DeliveryHeaders,
	{ scheme, secrets, toleranceSeconds }: WebhookCredentials,
	now: number,
): void {
	const { signedContent, brands } = scheme;
	const isSent = (brand: string) => headers[brand + scheme.header] !== undefined;
	const brand = brands.find(isSent) ?? brands[0] ?? '';
	const placeOf = (text: string) => parsePlace(brand + text) ?? { name: brand + text };
	const [header, timeHeader] = [placeOf(scheme.header), placeOf(scheme.timestampHeader)];
	const values = valuesAt(headers, header);
	if (signedContent === '') {
		/* A secret that was saved with Bearer in front still fits as it is. */
		const tokens = values.flatMap((value) => [value, value.replace(/^Bearer +/i, '')]);
		checkMatch('The token', tokens.map(digestOf), secrets, digestOf);
		return;
	}
	const read = (field: string, place: Place) =>
		signedContent.includes(field) ? onlyValueAt(headers, place) : '';
	const id = read('{id}', placeOf(scheme.idHeader));
	const timestamp = read('{timestamp}', timeHeader);
	const time = timestamp === '' ? now : timeOf(timestamp, timeHeader, scheme);
	const pieces = fillTemplate(signedContent, { body, timestamp, id });
	const given = signaturesAmong(values, header, scheme);
	checkMatch('The signature', given, secrets, (secret) => {
		const key = decodeSecret(secret, scheme.secretEncoding) ?? secret;
		const hmac = createHmac(scheme.algorithm, key);
		for (const piece of pieces) hmac.update(piece);
		return hmac.digest();
	});
	checkTime(time, now, toleranceSeconds);
}

function valuesAt(headers: DeliveryHeaders, { name, part }: Place): string[] {
	const value = headers[name];
	const trimmed = typeof value === 'string' ? value.trim() : '';
	if (trimmed === '') throw unfit(`The header ${name} is missing`);
	if (trimmed.length > MAX_HEADER_LENGTH) {
		throw new UserError(`The header ${name} is longer than 8,192 characters`);
	}
	if (part === undefined) return [trimmed];
	const values = partsOf(trimmed).flatMap(([each, text]) => (each === part ? [text] : []));
	if (values.length > 0) return values;
	throw unfit(`The header ${name} contains no ${part}=…`);
}

/** The `part=value` pairs of a header. */
export function partsOf(header: string): Array<readonly [part: string, value: string]> {
	const pairs = header.matchAll(/(?<![^\s,;])([\w.-]+)=([^\s,;]*)/g);
	return [...pairs].map(([, part = '', value = '']) => [part, value] as const);
}

/** A value that may be repeated, but not with another one beside it. */
function onlyValueAt(headers: DeliveryHeaders, place: Place): string {
	const [value = '', ...others] = new Set(valuesAt(headers, place));
	if (value !== '' && others.length === 0) return value;
	throw unfit(`The header ${place.name} must contain one ${place.part}=…`);
}

/** The signatures in a list; others, e.g. of versions that aren't known here, are left out. */
function signaturesAmong(
	values: readonly string[],
	{ name, part }: Place,
	{ signaturePrefix: prefix, optionalPrefix, encoding, algorithm }: Scheme,
): Buffer[] {
	const listed = values.flatMap((value) =>
		prefix === '' ? value.split(/[\s,]+/) : textsAfter(prefix, value),
	);
	if (listed.length > MAX_SIGNATURES) {
		throw new UserError(`The header ${name} contains more than ${MAX_SIGNATURES} signatures`);
	}
	const decoded = listed
		.map((text) =>
			text.toLowerCase().startsWith(optionalPrefix) ? text.slice(optionalPrefix.length) : text,
		)
		.filter((text) => {
			const found = signatureIn(text);
			return found?.prefix === '' && found.algorithm === algorithm && found.encoding === encoding;
		})
		.map((text) => Buffer.from(text, encoding));
	if (decoded.length > 0) return decoded;
	const kind = algorithm === 'sha256' ? 'SHA-256' : 'SHA-512';
	const where = prefix === '' ? '' : ' after its prefix';
	const as = part === undefined ? '' : ` as ${part}=…`;
	throw unfit(`The header ${name} contains no ${kind} signature in ${encoding}${where}${as}`);
}

/**
 * What follows each prefix in a list with commas or spaces. The prefix itself may contain them, and a
 * signature may end like a prefix: in Base64, "v0=".
 */
function textsAfter(prefix: string, list: string): string[] {
	const escaped = prefix.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
	const each = new RegExp(`(?<=^|[\\s,])${escaped}\\s*([^\\s,]+)`, 'g');
	return [...list.matchAll(each)].flatMap(([, signature]) => signature ?? []);
}

/** Tokens are compared by their hashes, so that timing reveals neither their text nor their length. */
function digestOf(token: string): Buffer {
	return createHash('sha256').update(token).digest();
}

/** Compares every secret with every given proof, without stopping at the first match. */
function checkMatch(
	what: string,
	given: readonly Buffer[],
	secrets: readonly string[],
	sign: (secret: string) => Buffer,
): void {
	const isAnyOf = (candidates: readonly string[]) =>
		candidates
			.map(sign)
			.flatMap((expected) => given.map((proof) => timingSafeEqual(expected, proof)))
			.includes(true);
	if (isAnyOf(secrets)) return;
	/* Only those: a forged body isn't hashed twice. */
	const padded = secrets.filter((secret) => secret !== secret.trim());
	if (isAnyOf(padded.map((secret) => secret.trim()))) {
		throw new UserError(`${what} matches the secret only without the whitespace around it`, {
			hint: 'Remove the spaces or line breaks around the secret in the webhook credential.',
		});
	}
	throw new UserError(`${what} doesn’t match`, { hint: CHECK_SECRET });
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A time in seconds, milliseconds or ISO 8601, in milliseconds. */
export function readTime(text: string): number | undefined {
	if (/^\d{1,15}$/.test(text)) return toMilliseconds(Number(text));
	const at = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(at) ? undefined : at;
}

function timeOf(text: string, { name }: Place, { time }: Scheme): number {
	if (time === 'seconds') {
		if (/^\d{1,15}$/.test(text)) return Number(text) * 1000;
		throw unfit(`The header ${name} contains no time in seconds`);
	}
	const at = readTime(text);
	if (at !== undefined) return at;
	throw new UserError(`The header ${name} contains no time`, {
		hint: `It must be in seconds, in milliseconds or in ISO 8601. ${CHECK_SETTINGS}`,
	});
}

function checkTime(time: number, now: number, tolerance: number): void {
	/* Rounded down, since a sender signs the second that had begun. */
	const age = Math.floor((now - time) / 1000);
	if (Math.abs(age) <= tolerance) return;
	const direction = age > 0 ? 'old' : 'in the future';
	const isMilliseconds = time > MAX_UNIX_SECONDS * 1000;
	throw new UserError(
		`The signature is ${Math.abs(age)} seconds ${direction}; at most ${tolerance} are allowed`,
		{
			hint: isMilliseconds
				? 'The timestamp looks like milliseconds, but seconds are expected.'
				: 'Check the clock of the machine that runs n8n. A repeated delivery needs a new signature.',
		},
	);
}

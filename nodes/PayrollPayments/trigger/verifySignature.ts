import { escapeRegExp } from '../shared/text';
import { MAX_UNIX_SECONDS, toMilliseconds } from '../shared/time';
import { ALGORITHMS, decodeProof, hashOf, type Key } from './proofs';
import { Rejected } from './rejected';
import { fillTemplate, type Place, type Scheme } from './schemes';
import type { WebhookCredentials } from './webhookCredentials';

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

const CHECK_SECRET = 'Compare the secret in the webhook credential with the one in the service.';

const CHECK_BODY = `${CHECK_SECRET} If they match, look for a proxy that rewrites the JSON body.`;

const rejected = (message: string, hint?: string) => new Rejected(401, message, { hint });

/** A delivery that doesn't look as the credential says. */
const wrongFormat = (message: string) => rejected(message, CHECK_SETTINGS);

/**
 * Verifies a delivery's signature or token as the webhook credential says. Reads only the headers and
 * the raw bytes, and compares in constant time.
 * @throws {Rejected} with the likely cause, but no secret or signature
 */
export function verifySignature(
	body: Uint8Array,
	headers: DeliveryHeaders,
	credentials: WebhookCredentials,
	now: number,
): void {
	const { scheme, timestamp } = checkProof(body, headers, credentials);
	if (scheme.timestampHeader === undefined) return;
	checkTime(
		signedTime(timestamp, scheme.timestampHeader, scheme),
		now,
		credentials.toleranceSeconds,
	);
}

/**
 * Checks everything but the age of a proof.
 * @returns the scheme, and the time that is signed
 */
export function checkProof(
	body: Uint8Array,
	headers: DeliveryHeaders,
	{ schemes, keys }: Pick<WebhookCredentials, 'schemes' | 'keys'>,
): { readonly scheme: Scheme; readonly timestamp: string } {
	const [usual] = schemes;
	const scheme = schemes.find(({ header }) => headers[header.name] !== undefined) ?? usual;
	const values = valuesAt(headers, scheme.header);
	const id = onlyValueAt(headers, scheme.idHeader);
	const timestamp = onlyValueAt(headers, scheme.timestampHeader);
	const content = fillTemplate(scheme.signedContent, { body, timestamp, id });
	const isToken = scheme.algorithm === 'token';
	const proofs = isToken ? tokensAmong(values) : signaturesAmong(values, scheme);
	/* All keys and proofs are tried, so that timing doesn't reveal which one fits. */
	const fits = (candidates: readonly Key[]) =>
		candidates
			.map((key) => ALGORITHMS[scheme.algorithm].verifier(key, content))
			.flatMap((isProof) => proofs.map(isProof))
			.includes(true);
	if (fits(keys)) return { scheme, timestamp };

	const what = isToken ? 'The token' : 'The signature';
	/* Only secrets with whitespace are tried again, so that a forged body is hashed no more than needed. */
	const padded = keys.filter((key) => typeof key === 'string').filter((key) => key !== key.trim());
	if (fits(padded.map((key) => key.trim()))) {
		throw rejected(
			`${what} matches the secret only without the whitespace around it`,
			'Remove the spaces or line breaks around the secret in the webhook credential.',
		);
	}
	throw rejected(`${what} doesn’t match`, isToken ? CHECK_SECRET : CHECK_BODY);
}

function valuesAt(headers: DeliveryHeaders, { name, part }: Place): string[] {
	const value = headers[name];
	const trimmed = typeof value === 'string' ? value.trim() : '';
	if (trimmed === '') throw wrongFormat(`The header ${name} is missing`);
	if (trimmed.length > MAX_HEADER_LENGTH) {
		throw rejected(`The header ${name} is longer than 8,192 characters`);
	}
	if (part === undefined) return [trimmed];
	const values = partsOf(trimmed).flatMap(([each, text]) => (each === part ? [text] : []));
	if (values.length > 0) return values;
	throw wrongFormat(`The header ${name} contains no ${part}=…`);
}

/** The `part=value` pairs of a header. */
export function partsOf(header: string): Array<readonly [part: string, value: string]> {
	const pairs = header.matchAll(/(?<![^\s,;])([\w.-]+)=([^\s,;]*)/g);
	return [...pairs].map(([, part = '', value = '']) => [part, value] as const);
}

/** The one value at a place, which may be repeated; empty without a place, since nothing there is signed. */
function onlyValueAt(headers: DeliveryHeaders, place: Place | undefined): string {
	if (place === undefined) return '';
	const [value = '', ...others] = new Set(valuesAt(headers, place));
	if (value !== '' && others.length === 0) return value;
	throw wrongFormat(`The header ${place.name} must contain one ${place.part}=…`);
}

/** A secret that was saved with Bearer in front still fits as it is. */
function tokensAmong(values: readonly string[]): Buffer[] {
	return values.flatMap((value) => [value, value.replace(/^Bearer +/i, '')]).map(hashOf);
}

/** The signatures in a list; others, e.g. of versions that aren't known here, are left out. */
function signaturesAmong(values: readonly string[], scheme: Scheme): Buffer[] {
	const { header, signaturePrefix: prefix, optionalPrefix, encoding, algorithm } = scheme;
	const { label, bytes } = ALGORITHMS[algorithm];
	const listed = values.flatMap((value) =>
		prefix === '' ? value.split(/[\s,]+/) : textsAfter(prefix, value),
	);
	if (listed.length > MAX_SIGNATURES) {
		throw rejected(`The header ${header.name} contains more than ${MAX_SIGNATURES} signatures`);
	}
	const signatures = listed.flatMap((text) => {
		const start = text.toLowerCase().startsWith(optionalPrefix) ? optionalPrefix.length : 0;
		return decodeProof(text.slice(start), encoding, bytes) ?? [];
	});
	if (signatures.length > 0) return signatures;
	const where = prefix === '' ? '' : ' after its prefix';
	const as = header.part === undefined ? '' : ` as ${header.part}=…`;
	throw wrongFormat(
		`The header ${header.name} contains no ${label} signature in ${encoding}${where}${as}`,
	);
}

/**
 * What follows each prefix in a list with commas or spaces. The prefix itself may contain them, and a
 * signature may end like a prefix: in Base64, "v0=".
 */
function textsAfter(prefix: string, list: string): string[] {
	const each = new RegExp(`(?<=^|[\\s,])${escapeRegExp(prefix)}\\s*([^\\s,]+)`, 'g');
	return [...list.matchAll(each)].flatMap(([, signature]) => signature ?? []);
}

const UNIX_TIME = /^\d{1,15}$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The signed time in milliseconds. */
function signedTime(text: string, { name }: Place, { time }: Scheme): number {
	if (UNIX_TIME.test(text))
		return time === 'any' ? toMilliseconds(Number(text)) : Number(text) * 1000;
	const at = time === 'any' && ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
	if (!Number.isNaN(at)) return at;
	const problem = `The signature fits, but the time in the header ${name} isn’t in seconds`;
	throw time === 'any'
		? rejected(
				`${problem}, milliseconds or ISO 8601`,
				'The secret is right. Ask the sender for times such as 1774949400 or 2026-03-31T09:30:00Z.',
			)
		: rejected(
				problem,
				'The secret is right. The format Custom also reads milliseconds and ISO 8601.',
			);
}

function checkTime(time: number, now: number, tolerance: number): void {
	/* Rounded down, since a sender signs the second that had begun. */
	const age = Math.floor((now - time) / 1000);
	if (Math.abs(age) <= tolerance) return;
	const direction = age > 0 ? 'old' : 'in the future';
	const isMilliseconds = time > MAX_UNIX_SECONDS * 1000;
	throw rejected(
		`The signature is ${Math.abs(age)} seconds ${direction}; at most ${tolerance} are allowed`,
		isMilliseconds
			? 'The timestamp looks like milliseconds, but seconds are expected.'
			: 'Check the clock of the machine that runs n8n. A repeated delivery needs a new signature.',
	);
}

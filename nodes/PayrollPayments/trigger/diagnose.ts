import {
	NodeOperationError,
	type INodeExecutionData,
	type INodeProperties,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { isDeeperThan, DEEPEST } from '../shared/json';
import type { Redactor } from '../shared/redaction';
import {
	covers,
	hasOwnHeader,
	parseTemplate,
	PRESETS,
	rowOf,
	schemeOf,
	touchingFields,
	type Format,
	type SchemeTexts,
	type Source,
} from './schemes';
import { readTime, verifySignature, type DeliveryHeaders } from './verifySignature';
import { credentialFields, decodeSecret, type WebhookCredentials } from './webhookCredentials';

/*
 * Loaded only while someone listens for a test event in the editor, so that production deliveries
 * cost nothing more and learn nothing more.
 */

/** The part of a delivery that its signature depends on. */
interface SignedDelivery {
	readonly headers: DeliveryHeaders;
	readonly rawBody?: Uint8Array;
}

interface RefusedDelivery {
	readonly delivery: SignedDelivery;
	readonly credentials: WebhookCredentials | undefined;
	readonly redactor: Redactor;
}

/** The item from which `execute` makes the error that the editor shows for a refused delivery. */
export function diagnosisOf(
	context: Pick<IWebhookFunctions, 'getNode'>,
	refusal: string,
	{ delivery, credentials, redactor }: RefusedDelivery,
): INodeExecutionData {
	const diagnosis = credentials && diagnose(delivery, credentials, Date.now());
	const message = diagnosis?.message ?? refusal;
	const error = new NodeOperationError(
		context.getNode(),
		redactor.text(`This delivery was answered with 401: ${message}`),
		{ description: diagnosis && redactor.text(diagnosis.advice) },
	);
	return { json: {}, error };
}

/** Why a delivery was refused, and what to change. */
export interface Diagnosis {
	readonly message: string;
	readonly advice: string;
}

/**
 * Finds out with which header and format the saved secret fits a delivery that doesn't pass, if with
 * any. Tries every header with every format, also as if the secret had no whitespace around it, the
 * body had been rewritten, or the clock were right.
 *
 * @param now current time in milliseconds
 * @returns undefined if the delivery passes
 */
export function diagnose(
	{ headers, rawBody = new Uint8Array() }: SignedDelivery,
	credentials: WebhookCredentials,
	now: number,
): Diagnosis | undefined {
	const mismatch = verifySignature(rawBody, headers, credentials, now);
	if (mismatch === undefined) return undefined;
	const { message } = mismatch;

	let triesLeft = Math.min(MAX_TRIES, MAX_BYTES / (rawBody.length + 200));
	for (const variant of variantsOf(rawBody, credentials)) {
		for (const candidate of candidatesFor(headers, variant, credentials)) {
			if (--triesLeft < 0) break;
			if (verifySignature(variant.body, headers, candidate, now) !== undefined) continue;
			const advice = [
				...settingsAdvice(candidate, credentials),
				...(variant.isTrimmed ? [WHITESPACE_ADVICE] : []),
				...(variant.isRewritten ? [REWRITTEN_ADVICE] : []),
				...timeAdvice(variant.body, headers, { candidate, credentials }, now),
			];
			return { message, advice: advice.join(' ') };
		}
	}
	return { message, advice: looksSigned(headers) ? NOTHING_FITS : NOTHING_SIGNED };
}

/** Enough for any real delivery. The body limits it further, so that nobody can keep n8n busy. */
const MAX_TRIES = 5_000;
const MAX_BYTES = 64_000_000;

const WHITESPACE_ADVICE =
	'The secret in the credential has whitespace around it: remove the spaces or line breaks.';

const REWRITTEN_ADVICE =
	'The signature fits only a differently formatted body, so the JSON was rewritten after it was ' +
	'signed. Look for a proxy or gateway in front of n8n, and let it pass the body on unchanged.';

const NOTHING_FITS =
	'The secret in the credential doesn’t fit this delivery, whatever the header and format. Copy the ' +
	'secret from the service again, and check that it belongs to this webhook. If it does, set Format ' +
	'to Custom and describe the signature with the help of the service’s documentation.';

const NOTHING_SIGNED =
	'The secret in the credential doesn’t fit this delivery, and none of its headers looks like a ' +
	'signature. Check in the service that it signs this webhook, and with which secret or token.';

/** A way in which the delivery or the secret may have been changed. */
interface Variant {
	readonly secrets: readonly string[];
	readonly body: Uint8Array;
	readonly isTrimmed: boolean;
	readonly isRewritten: boolean;
}

function* variantsOf(rawBody: Uint8Array, { secrets }: WebhookCredentials): Generator<Variant> {
	const trimmed = secrets.map((secret) => secret.trim());
	const spellings = [{ secrets, isTrimmed: false }];
	if (trimmed.join('\n') !== secrets.join('\n')) {
		spellings.push({ secrets: trimmed, isTrimmed: true });
	}
	for (const spelling of spellings) yield { ...spelling, body: rawBody, isRewritten: false };
	for (const body of rewrittenBodies(rawBody)) {
		for (const spelling of spellings) yield { ...spelling, body, isRewritten: true };
	}
}

/** The body as common JSON libraries would have written it. */
function rewrittenBodies(rawBody: Uint8Array): Uint8Array[] {
	const raw = new TextDecoder().decode(rawBody);
	let value: unknown;
	try {
		value = JSON.parse(raw);
	} catch {
		return [];
	}
	if (isDeeperThan(value, DEEPEST)) return [];
	const compact = JSON.stringify(value);
	const plain = [
		compact,
		spacedJson(value),
		...[2, 4, '\t'].map((indent) => JSON.stringify(value, null, indent)),
		`${compact}\n`,
		raw.trim(),
		`${raw.trim()}\n`,
	];
	const escaped = (text: string) =>
		text.replace(
			/[\u0080-\uffff]/g,
			(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
		);
	const texts = [...plain, ...plain.map(escaped), escaped(compact).replaceAll('/', '\\/')];
	return [...new Set(texts)].filter((text) => text !== raw).map((text) => Buffer.from(text));
}

/** JSON on one line with a space after each comma and colon, as Python writes it. */
function spacedJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	const members = Object.entries(value).map(
		([name, member]) => `${JSON.stringify(name)}: ${spacedJson(member)}`,
	);
	return `{${members.join(', ')}}`;
}

/** Every setting worth a try, the saved one first and the simplest next. Time always fits. */
function* candidatesFor(
	headers: DeliveryHeaders,
	{ secrets }: Variant,
	saved: WebhookCredentials,
): Generator<WebhookCredentials> {
	const toleranceSeconds = Number.POSITIVE_INFINITY;
	const candidate = (
		format: Format,
		header: string,
		custom: Partial<SchemeTexts> = {},
	): WebhookCredentials => {
		const scheme = schemeOf(format, header, custom);
		const usable = secrets.filter(
			(each) => decodeSecret(each, scheme.secretEncoding) !== undefined,
		);
		return { format, scheme, secrets: usable, toleranceSeconds };
	};
	yield { ...saved, secrets, toleranceSeconds };

	const signatures = signaturesIn(headers);
	const sources = new Set([...Object.keys(headers), ...signatures.map(({ header }) => header)]);
	for (const header of sources) {
		for (const format of PRESETS.filter(hasOwnHeader)) yield candidate(format, header);
	}
	for (const format of PRESETS) if (!hasOwnHeader(format)) yield candidate(format, '');

	for (const { header, ...written } of signatures) {
		for (const content of contentsFor(headers, saved)) {
			for (const secretEncoding of ['text', 'base64', 'hex'] as const) {
				yield candidate('custom', header, { ...written, ...content, secretEncoding });
			}
		}
	}
}

/** A signature in a header, or in a part of one: `Name[part]`. */
type WrittenSignature = Pick<SchemeTexts, 'header' | 'algorithm' | 'encoding' | 'prefix'>;

const SIGNATURES = [
	{ algorithm: 'sha512', encoding: 'hex', shape: /^(.{0,30}?)[0-9a-f]{128}$/i },
	{ algorithm: 'sha256', encoding: 'hex', shape: /^(.{0,30}?)[0-9a-f]{64}$/i },
	{ algorithm: 'sha512', encoding: 'base64', shape: /^(.{0,30}?)[\w+/-]{86}(?:==)?$/ },
	{ algorithm: 'sha256', encoding: 'base64', shape: /^(.{0,30}?)[\w+/-]{43}=?$/ },
] as const;

function asSignature(header: string, text: string): WrittenSignature | undefined {
	for (const { algorithm, encoding, shape } of SIGNATURES) {
		const prefix = shape.exec(text)?.[1];
		if (prefix !== undefined) return { header, algorithm, encoding, prefix: prefix.trim() };
	}
	return undefined;
}

/** Parts of a header that are tried. */
const MAX_PARTS = 16;

/** The `part=value` pairs of a header, as `Name[part]` and value. */
function partsOf(header: string, value: string): Array<[source: string, value: string]> {
	return value.split(/[\s,;]+/, MAX_PARTS).flatMap((pair): Array<[string, string]> => {
		const [, part, text] = /^([\w.-]+)=(.+)$/.exec(pair) ?? [];
		return part === undefined || text === undefined ? [] : [[`${header}[${part}]`, text]];
	});
}

function signaturesAmong(places: ReadonlyArray<readonly [string, string]>): WrittenSignature[] {
	return places
		.map(([source, text]) => asSignature(source, text))
		.filter((signature) => signature !== undefined);
}

/** Everything in the headers that is as long as a signature, once for each place. */
function signaturesIn(headers: DeliveryHeaders): WrittenSignature[] {
	const found = Object.entries(headers).flatMap(([header, value]) => {
		if (typeof value !== 'string') return [];
		const parts = partsOf(header, value);
		const inParts = parts.length > 1 ? signaturesAmong(parts) : [];
		if (inParts.length > 0) return inParts;
		const whole = signaturesAmong([[header, value.trim()]]);
		if (whole.length > 0) return whole;
		return signaturesAmong(value.split(/[\s,]+/, MAX_PARTS).map((piece) => [header, piece]));
	});
	return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

function looksSigned(headers: DeliveryHeaders): boolean {
	return (
		signaturesIn(headers).length > 0 ||
		Object.values(headers).some((value) => /(?:^|[\s,])v1[=,]/.test(String(value)))
	);
}

/** What senders are known to sign. */
const TEMPLATES = [
	'{body}',
	'{method}{body}',
	'{timestamp}.{body}',
	'{timestamp}{body}',
	'{timestamp}:{body}',
	'v0:{timestamp}:{body}',
	'{timestamp}{method}{body}',
	'{body}{timestamp}',
	'{id}.{timestamp}.{body}',
	'{id}{timestamp}{body}',
	'{timestamp}.{id}.{body}',
	'{id}.{body}',
];

const DEFAULT_TOLERANCE_SECONDS = 600;

/** Places to try for the time, and for the ID. */
const MAX_PLACES = 6;

/** Before 2001, a number is no time of a delivery but, say, a length. */
const EARLIEST_TIME = 1e12;

type Content = Pick<SchemeTexts, 'content' | 'timestampHeader' | 'idHeader'>;

function* contentsFor(headers: DeliveryHeaders, saved: WebhookCredentials): Generator<Content> {
	const places = Object.entries(headers).flatMap(([name, value]): Array<[string, string]> => {
		if (typeof value !== 'string') return [];
		return [[name, value.trim()], ...partsOf(name, value)];
	});
	const timePlaces = places
		.filter(([, value]) => (readTime(value) ?? 0) > EARLIEST_TIME)
		.map(([source]) => source)
		.slice(0, MAX_PLACES);
	const idPlaces = places
		.map(([source]) => source)
		.filter((source) => /(?:id|\[id)\]?$|uuid|key|nonce|delivery/.test(source))
		.slice(0, MAX_PLACES);
	const own = saved.format === 'custom' ? [saved.scheme.content?.template ?? ''] : [];
	for (const content of [...own, ...TEMPLATES]) {
		const signed = parseTemplate(content);
		if (typeof signed === 'string') continue;
		for (const timestampHeader of covers(signed, '{timestamp}') ? timePlaces : ['']) {
			for (const idHeader of covers(signed, '{id}') ? idPlaces : ['']) {
				yield { content, timestampHeader, idHeader };
			}
		}
	}
}

/** What to enter in the credential; nothing if that's what it contains. */
function settingsAdvice(fitting: WebhookCredentials, saved: WebhookCredentials): string[] {
	const settings = settingsOf(fitting);
	if (settings.join() === settingsOf(saved).join()) return [];
	const touching = fitting.scheme.content && touchingFields(fitting.scheme.content);
	if (touching !== undefined) {
		return [
			whereItIs(fitting),
			`The secret fits, but the sender puts no text between ${touching}, so that a forged delivery could move characters from one to the other. Ask the sender for another scheme.`,
		];
	}
	const isMethodRight = (saved.format === 'sharedToken') === (fitting.format === 'sharedToken');
	const method = fitting.format === 'sharedToken' ? 'Shared Token' : 'HMAC Signature';
	return [
		whereItIs(fitting),
		`In the credential, set ${listOf([...(isMethodRight ? [] : [`Method to ${method}`]), ...settings])}.`,
	];
}

function settingsOf({ format, scheme }: WebhookCredentials): string[] {
	const header = hasOwnHeader(format) ? [`Header to ${headerOf({ format, scheme })}`] : [];
	if (format === 'sharedToken') return header;
	const settings = [...header, `Format to ${rowOf(format).name}`];
	if (format !== 'custom') return settings;
	const { content, timestamp, id, algorithm, encoding, prefix, secretEncoding } = scheme;
	const { algorithm: algorithms, encoding: encodings, secretEncoding: secrets } = credentialFields;
	return [
		...settings,
		`Signed Content to ${content?.template}`,
		...(timestamp.name === '' ? [] : [`Timestamp Header to ${spelled(timestamp)}`]),
		...(id.name === '' ? [] : [`ID Header to ${spelled(id)}`]),
		`Algorithm to ${nameIn(algorithms, algorithm)}`,
		`Encoding to ${nameIn(encodings, encoding)}`,
		`Signature Prefix to ${prefix === '' ? 'nothing' : `“${prefix}”`}`,
		`Secret Encoding to ${nameIn(secrets, secretEncoding)}`,
	];
}

/** A value as its menu names it. */
function nameIn(
	{ form }: { readonly form: Pick<INodeProperties, 'options'> },
	value: string,
): string {
	const option = form.options?.find((each) => 'value' in each && each.value === value);
	return option?.name ?? value;
}

function whereItIs({ format, scheme }: WebhookCredentials): string {
	const { name, looks } = rowOf(format);
	const header = headerOf({ format, scheme });
	if (format === 'sharedToken') return `The token is in ${header}.`;
	if (format === 'custom')
		return `The signature is in ${header} and covers ${scheme.content?.template}.`;
	if (!hasOwnHeader(format)) return `The delivery is signed as ${name} describes.`;
	return `The signature is in ${header} as ${looks}.`;
}

/** What to enter as *Header*. Some formats name the part themselves. */
function headerOf({ format, scheme }: Pick<WebhookCredentials, 'format' | 'scheme'>): string {
	const isPartGiven = rowOf(format).scheme.header?.includes('[') === true;
	const { name } = scheme.signature;
	return spelled(isPartGiven ? { name } : scheme.signature);
}

/** A header's name as documentation spells it, e.g. X-Signature. */
function spelled({ name, part }: Source): string {
	const header = name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
	return part === undefined ? header : `${header}[${part}]`;
}

function listOf(entries: readonly string[]): string {
	const last = entries.at(-1) ?? '';
	if (entries.length < 3) return entries.join(' and ');
	return `${entries.slice(0, -1).join(', ')}, and ${last}`;
}

/** What is wrong with the signed time, now that the rest fits. */
function timeAdvice(
	body: Uint8Array,
	headers: DeliveryHeaders,
	{ candidate, credentials }: Readonly<Record<'candidate' | 'credentials', WebhookCredentials>>,
	now: number,
): string[] {
	const toleranceSeconds = credentials.toleranceSeconds || DEFAULT_TOLERANCE_SECONDS;
	const mismatch = verifySignature(body, headers, { ...candidate, toleranceSeconds }, now);
	if (mismatch === undefined) return [];
	return [
		`The secret fits. ${mismatch.message}.`,
		mismatch.hint ?? '',
		`The clock of this machine says ${new Date(now).toISOString()}.`,
	];
}

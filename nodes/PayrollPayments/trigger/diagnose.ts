import { NodeOperationError, type INodeExecutionData, type IWebhookFunctions } from 'n8n-workflow';

import { isDeeperThan, DEEPEST } from '../shared/json';
import type { Redactor } from '../shared/redaction';
import { covers, parseTemplate } from './signedContent';
import { readTime, verifySignature, type DeliveryHeaders } from './verifySignature';
import { keyOf, type CustomScheme, type WebhookCredentials } from './webhookCredentials';

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
	yield { ...saved, secrets, ...('toleranceSeconds' in saved && { toleranceSeconds }) };

	for (const header of Object.keys(headers)) {
		const common = { header, secrets };
		yield { ...common, scheme: 'sharedToken' };
		yield { ...common, scheme: 'hex' };
		yield { ...common, scheme: 'base64' };
		yield { ...common, scheme: 'timestamped', toleranceSeconds };
	}
	yield {
		header: 'webhook-signature',
		secrets: secrets.filter((secret) => keyOf(secret, 'base64') !== undefined),
		scheme: 'standardWebhooks',
		toleranceSeconds,
	};

	for (const written of signaturesIn(headers)) {
		for (const content of contentsFor(headers, saved)) {
			for (const secretEncoding of ['text', 'base64', 'hex'] as const) {
				yield {
					...written,
					...content,
					scheme: 'custom',
					secretEncoding,
					secrets: secrets.filter((secret) => keyOf(secret, secretEncoding) !== undefined),
					toleranceSeconds,
				};
			}
		}
	}
}

type WrittenSignature = Pick<CustomScheme, 'algorithm' | 'encoding' | 'signaturePrefix'> & {
	readonly header: string;
};

const SIGNATURES = [
	{ algorithm: 'sha512', encoding: 'hex', shape: /^(.{0,30}?)[0-9a-f]{128}$/i },
	{ algorithm: 'sha256', encoding: 'hex', shape: /^(.{0,30}?)[0-9a-f]{64}$/i },
	{ algorithm: 'sha512', encoding: 'base64', shape: /^(.{0,30}?)[\w+/-]{86}(?:==)?$/ },
	{ algorithm: 'sha256', encoding: 'base64', shape: /^(.{0,30}?)[\w+/-]{43}=?$/ },
] as const;

/** The headers that end with something as long as a signature. */
function signaturesIn(headers: DeliveryHeaders): WrittenSignature[] {
	return Object.entries(headers).flatMap(([header, value]) => {
		if (typeof value !== 'string') return [];
		for (const { algorithm, encoding, shape } of SIGNATURES) {
			const prefix = shape.exec(value.trim())?.[1];
			if (prefix === undefined) continue;
			return [{ header, algorithm, encoding, signaturePrefix: prefix.trim() }];
		}
		return [];
	});
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

/** Headers to try for the time, and for the ID. */
const MAX_HEADERS = 6;

/** Before 2001, a number is no time of a delivery but, say, a length. */
const EARLIEST_TIME = 1e12;

type Content = Pick<CustomScheme, 'signedContent' | 'timestampHeader' | 'idHeader'>;

function* contentsFor(headers: DeliveryHeaders, saved: WebhookCredentials): Generator<Content> {
	const names = Object.keys(headers);
	const timeHeaders = names
		.filter((name) => (readTime(String(headers[name]).trim()) ?? 0) > EARLIEST_TIME)
		.slice(0, MAX_HEADERS);
	const idHeaders = names
		.filter((name) => /id$|uuid|key|nonce|delivery/.test(name))
		.slice(0, MAX_HEADERS);
	const own = saved.scheme === 'custom' ? [saved.signedContent.template] : [];
	for (const template of [...own, ...TEMPLATES]) {
		const signedContent = parseTemplate(template);
		if (typeof signedContent === 'string') continue;
		for (const timestampHeader of covers(signedContent, '{timestamp}') ? timeHeaders : ['']) {
			for (const idHeader of covers(signedContent, '{id}') ? idHeaders : ['']) {
				yield { signedContent, timestampHeader, idHeader };
			}
		}
	}
}

/** What to enter in the credential; nothing if that's what it contains. */
function settingsAdvice(fitting: WebhookCredentials, saved: WebhookCredentials): string[] {
	const settings = settingsOf(fitting);
	if (settings.join() === settingsOf(saved).join()) return [];
	const method = fitting.scheme === 'sharedToken' ? 'Shared Token' : 'HMAC Signature';
	const isMethodRight = (saved.scheme === 'sharedToken') === (fitting.scheme === 'sharedToken');
	return [
		whereItIs(fitting),
		`In the credential, set ${listOf([...(isMethodRight ? [] : [`Method to ${method}`]), ...settings])}.`,
	];
}

const FORMATS = {
	hex: 'Hex',
	base64: 'Base64',
	timestamped: 'Timestamped',
	standardWebhooks: 'Standard Webhooks',
	custom: 'Custom',
};

function settingsOf(credentials: WebhookCredentials): string[] {
	const header = `Header to ${spelled(credentials.header)}`;
	if (credentials.scheme === 'sharedToken') return [header];
	const format = `Format to ${FORMATS[credentials.scheme]}`;
	if (credentials.scheme === 'standardWebhooks') return [format];
	if (credentials.scheme !== 'custom') return [header, format];
	const { signedContent, timestampHeader, idHeader, algorithm, signaturePrefix } = credentials;
	return [
		header,
		format,
		`Signed Content to ${signedContent.template}`,
		...(timestampHeader === '' ? [] : [`Timestamp Header to ${spelled(timestampHeader)}`]),
		...(idHeader === '' ? [] : [`ID Header to ${spelled(idHeader)}`]),
		`Algorithm to ${algorithm === 'sha256' ? 'HMAC-SHA256' : 'HMAC-SHA512'}`,
		`Encoding to ${credentials.encoding === 'hex' ? 'Hex' : 'Base64'}`,
		`Signature Prefix to ${signaturePrefix === '' ? 'nothing' : `“${signaturePrefix}”`}`,
		`Secret Encoding to ${{ text: 'Text', hex: 'Hex', base64: 'Base64' }[credentials.secretEncoding]}`,
	];
}

function whereItIs(credentials: WebhookCredentials): string {
	const header = spelled(credentials.header);
	switch (credentials.scheme) {
		case 'sharedToken':
			return `The token is in ${header}.`;
		case 'standardWebhooks':
			return 'The delivery is signed as Standard Webhooks describes.';
		case 'timestamped':
			return `The signature is in ${header} as t=…,v1=….`;
		case 'hex':
			return `The signature is in ${header} as hex.`;
		case 'base64':
			return `The signature is in ${header} as Base64.`;
		case 'custom':
			return `The signature is in ${header} and covers ${credentials.signedContent.template}.`;
	}
}

/** A header's name as documentation spells it, e.g. X-Signature. */
function spelled(header: string): string {
	return header.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
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
	if (!('toleranceSeconds' in candidate)) return [];
	const toleranceSeconds =
		'toleranceSeconds' in credentials ? credentials.toleranceSeconds : DEFAULT_TOLERANCE_SECONDS;
	const mismatch = verifySignature(body, headers, { ...candidate, toleranceSeconds }, now);
	if (mismatch === undefined) return [];
	return [
		`The secret fits. ${mismatch.message}.`,
		mismatch.hint ?? '',
		`The clock of this machine says ${new Date(now).toISOString()}.`,
	];
}

import {
	NodeOperationError,
	type INodeExecutionData,
	type INodeProperties,
	type IWebhookFunctions,
} from 'n8n-workflow';

import type { Redactor } from '../shared/redaction';
import { credentialFields } from './credential/fields';
import { faultInTemplate, FORMATS, hasOwnHeader, schemeOf, type Scheme } from './schemes';
import { readTime, verifySignature, type DeliveryHeaders } from './verifySignature';
import { decodeSecret, type WebhookCredentials } from './webhookCredentials';

/*
 * Loaded only while someone listens for a test event in the editor, so that production deliveries
 * cost nothing more and learn nothing more.
 */

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

/**
 * Finds out with which header and format the saved secret fits a delivery, if with any.
 * @returns why it doesn't pass and what to change; undefined if it passes
 */
export function diagnose(
	{ headers, rawBody = new Uint8Array() }: SignedDelivery,
	credentials: WebhookCredentials,
	now: number,
): { readonly message: string; readonly advice: string } | undefined {
	const mismatch = verifySignature(rawBody, headers, credentials, now);
	if (mismatch === undefined) return undefined;
	const { message, hint = '' } = mismatch;

	/* Time and the whitespace around a secret are named once the settings are right. */
	const secrets = credentials.secrets.flatMap((secret) => [secret, secret.trim()]);
	const fits = (scheme: Scheme): boolean => {
		const usable = secrets.filter(
			(each) => decodeSecret(each, scheme.secretEncoding) !== undefined,
		);
		const candidate = { ...credentials, scheme, secrets: usable, toleranceSeconds: Infinity };
		return verifySignature(rawBody, headers, candidate, now) === undefined;
	};
	if (fits(credentials.scheme)) return { message, advice: hint };

	let triesLeft = Math.min(MAX_TRIES, MAX_BYTES / (rawBody.length + 200));
	for (const settings of candidatesFor(headers, credentials)) {
		if (--triesLeft < 0) break;
		const { format, header = '', ...custom } = settings;
		if (!fits(schemeOf(format, header, custom))) continue;
		return { message, advice: adviceFor(settings, credentials) };
	}
	return { message, advice: NOTHING_FITS };
}

/** Enough for any real delivery. The body limits it further, so that nobody can keep n8n busy. */
const MAX_TRIES = 5_000;
const MAX_BYTES = 64_000_000;

const NOTHING_FITS =
	'The secret in the credential doesn’t fit this delivery, whatever the header and format. Check in ' +
	'the service that it signs this webhook, and copy the secret from there again. If it’s right, look ' +
	'for a proxy that rewrites the JSON body, or set Format to Custom and describe the signature with ' +
	'the help of the service’s documentation.';

type Settings = Partial<Scheme> & Pick<WebhookCredentials, 'format'>;

/** Every setting worth a try, the simplest first. */
function* candidatesFor(
	headers: DeliveryHeaders,
	{ format, scheme }: WebhookCredentials,
): Generator<Settings> {
	const signatures = signaturesIn(headers);
	const places = new Set([...Object.keys(headers), ...signatures.map(({ header }) => header)]);
	const presets = FORMATS.map(({ value }) => value).filter((value) => value !== 'custom');
	for (const preset of ['sharedToken', ...presets] as const) {
		if (!hasOwnHeader(preset)) yield { format: preset };
		else for (const header of places) yield { format: preset, header };
	}
	const own = format === 'custom' ? [scheme.signedContent] : [];
	for (const signature of signatures) {
		for (const content of contentsFor(headers, [...own, ...TEMPLATES])) {
			for (const secretEncoding of ['text', 'base64', 'hex'] as const) {
				yield { format: 'custom', ...signature, ...content, secretEncoding };
			}
		}
	}
}

type WrittenSignature = Pick<Scheme, 'header' | 'algorithm' | 'encoding' | 'signaturePrefix'>;

const SIGNATURES = [
	{ algorithm: 'sha512', encoding: 'hex', shape: /^(.{0,30}?)[0-9a-f]{128}$/i },
	{ algorithm: 'sha256', encoding: 'hex', shape: /^(.{0,30}?)[0-9a-f]{64}$/i },
	{ algorithm: 'sha512', encoding: 'base64', shape: /^(.{0,30}?)[\w+/-]{86}(?:==)?$/ },
	{ algorithm: 'sha256', encoding: 'base64', shape: /^(.{0,30}?)[\w+/-]{43}=?$/ },
] as const;

/** Texts of the headers, each with its place. */
type Places = ReadonlyArray<readonly [place: string, text: string]>;

function signaturesAmong(places: Places): WrittenSignature[] {
	return places.flatMap(([header, text]) => {
		const row = SIGNATURES.find(({ shape }) => shape.test(text));
		if (row === undefined) return [];
		const { algorithm, encoding, shape } = row;
		return [{ header, algorithm, encoding, signaturePrefix: shape.exec(text)?.[1]?.trim() ?? '' }];
	});
}

const MAX_PARTS = 16;

/** The `part=value` pairs of a header, as `Name[part]` and value. */
function partsOf(header: string, value: string): Places {
	return value.split(/[\s,;]+/, MAX_PARTS).flatMap((pair) => {
		const [, part, text] = /^([\w.-]+)=(.+)$/.exec(pair) ?? [];
		return part === undefined || text === undefined ? [] : [[`${header}[${part}]`, text] as const];
	});
}

function textHeaders(headers: DeliveryHeaders): Places {
	return Object.entries(headers).flatMap(([name, value]) =>
		typeof value === 'string' ? [[name, value.trim()] as const] : [],
	);
}

/** Everything in the headers that is as long as a signature, once for each place. */
function signaturesIn(headers: DeliveryHeaders): WrittenSignature[] {
	const found = textHeaders(headers).flatMap(([header, value]) => {
		const parts = partsOf(header, value);
		const pieces = value.split(/[\s,]+/, MAX_PARTS).map((piece) => [header, piece] as const);
		const ways: Places[] = [parts.length > 1 ? parts : [], [[header, value]], pieces];
		return ways.map(signaturesAmong).find(({ length }) => length > 0) ?? [];
	});
	return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

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

/** Where an ID may be. */
const ID_PLACE = /(?:id|\[id)\]?$|uuid|key|nonce|delivery/;

type Content = Pick<Scheme, 'signedContent' | 'timestampHeader' | 'idHeader'>;

function* contentsFor(headers: DeliveryHeaders, templates: readonly string[]): Generator<Content> {
	const places = textHeaders(headers).flatMap((each) => [each, ...partsOf(...each)]);
	const times = places.filter(([, text]) => readTime(text) !== undefined).map(([place]) => place);
	const ids = places.map(([place]) => place).filter((place) => ID_PLACE.test(place));
	for (const signedContent of templates) {
		for (const timestampHeader of signedContent.includes('{timestamp}') ? times : ['']) {
			for (const idHeader of signedContent.includes('{id}') ? ids : ['']) {
				yield { signedContent, timestampHeader, idHeader };
			}
		}
	}
}

function adviceFor(settings: Settings, saved: WebhookCredentials): string {
	const { format, ...scheme } = settings;
	const fault = faultInTemplate(scheme.signedContent ?? '{body}');
	if (fault !== undefined) {
		return `The secret fits, but the sender signs ${scheme.signedContent}, and Signed Content ${fault}. Ask the sender for another scheme.`;
	}
	const isToken = format === 'sharedToken';
	const entries = {
		...(isToken !== (saved.format === 'sharedToken') && {
			method: isToken ? 'sharedToken' : 'hmacSignature',
		}),
		...(!isToken && { format }),
		...scheme,
	};
	const fields = Object.entries(credentialFields).flatMap(([name, { form }]) => {
		const value = new Map<string, unknown>(Object.entries(entries)).get(name);
		const isUnused = value === '' && name !== 'signaturePrefix';
		return value === undefined || isUnused
			? []
			: [`${form.displayName} to ${optionLabel(form, value)}`];
	});
	return `In the credential, set ${new Intl.ListFormat('en-US').format(fields)}.`;
}

/** A value as a person chooses or enters it; a header as documentation spells it. */
function optionLabel({ options, displayName }: Partial<INodeProperties>, value: unknown): string {
	const text = String(value);
	const option = options?.find((each) => 'value' in each && each.value === value);
	if (option !== undefined) return option.name;
	if (displayName === 'Signature Prefix') return text === '' ? 'nothing' : `“${text}”`;
	return displayName?.endsWith('Header') === true
		? text.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
		: text;
}

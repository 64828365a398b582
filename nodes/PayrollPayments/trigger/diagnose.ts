import { NodeOperationError, type INodeExecutionData, type IWebhookFunctions } from 'n8n-workflow';

import type { Field, FieldSet } from '../forms/field';
import { allOf } from '../shared/lists';
import type { Redactor } from '../shared/redaction';
import { credentialFields } from './credential/fields';
import {
	faultInTemplate,
	formatOptions,
	hasOwnHeader,
	schemeOf,
	signatureIn,
	type Scheme,
} from './schemes';
import {
	partsOf,
	readTime,
	verifySignature,
	type Delivery,
	type DeliveryHeaders,
} from './verifySignature';
import { decodeSecret, type WebhookCredentials } from './webhookCredentials';

/*
 * Loaded only while someone listens for a test event in the editor, so that production deliveries
 * cost nothing more and learn nothing more.
 */

/** The item from which `execute` makes the error that the editor shows for a refused delivery. */
export function diagnosisOf(
	context: Pick<IWebhookFunctions, 'getNode'>,
	refusal: string,
	delivery: Delivery,
	credentials: WebhookCredentials | undefined,
	redactor: Redactor,
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
	{ headers, rawBody = new Uint8Array() }: Delivery,
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

/** A header or a part of one, by its place, and its text. */
type PlacedText = readonly [place: string, text: string];

const MAX_PARTS = 16;

/** A header, and in front of it its parts, where it has several. */
function placesIn([header, value]: readonly [string, DeliveryHeaders[string]]): PlacedText[] {
	if (typeof value !== 'string') return [];
	const text = value.trim();
	const parts = partsOf(text).slice(0, MAX_PARTS);
	const placed = parts.map(([part, each]) => [`${header}[${part}]`, each] as const);
	return [...(parts.length > 1 ? placed : []), [header, text]];
}

/** How the signatures at a place are written, if there are any. */
function writtenAt([header, text]: PlacedText) {
	return [text, ...text.split(/[\s,]+/, MAX_PARTS)].flatMap((piece) => {
		const { prefix, ...kind } = signatureIn(piece) ?? {};
		return prefix === undefined ? [] : [{ header, ...kind, signaturePrefix: prefix.trim() }];
	});
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

/** Every setting worth a try, the simplest first. */
function* candidatesFor(
	headers: DeliveryHeaders,
	{ format, scheme }: WebhookCredentials,
): Generator<Settings> {
	const texts = Object.entries(headers).flatMap(placesIn);
	const places = texts.map(([place]) => place);
	const presets = formatOptions.map(({ value }) => value).filter((value) => value !== 'custom');
	for (const preset of ['sharedToken', ...presets] as const) {
		if (!hasOwnHeader(preset)) yield { format: preset };
		else for (const header of places) yield { format: preset, header };
	}
	const written = texts.flatMap(writtenAt).map((each) => [JSON.stringify(each), each] as const);
	const templates = [...(format === 'custom' ? [scheme.signedContent] : []), ...TEMPLATES];
	for (const signature of new Map(written).values()) {
		for (const content of contentsFor(texts, templates)) {
			for (const secretEncoding of ['text', 'base64', 'hex'] as const) {
				yield { format: 'custom', ...content, ...signature, secretEncoding };
			}
		}
	}
}

function* contentsFor(texts: readonly PlacedText[], templates: readonly string[]) {
	const placesWhere = (fits: (text: PlacedText) => boolean) => texts.filter(fits).map(([at]) => at);
	const times = placesWhere(([, text]) => readTime(text) !== undefined);
	const ids = placesWhere(([place]) => ID_PLACE.test(place));
	for (const signedContent of templates) {
		for (const timestampHeader of signedContent.includes('{timestamp}') ? times : ['']) {
			for (const idHeader of signedContent.includes('{id}') ? ids : ['']) {
				yield { signedContent, timestampHeader, idHeader };
			}
		}
	}
}

function adviceFor({ format, header, ...scheme }: Settings, saved: WebhookCredentials): string {
	const fault = faultInTemplate(scheme.signedContent ?? '{body}');
	if (fault !== undefined) {
		return `The secret fits, but the sender signs ${scheme.signedContent}, and Signed Content ${fault}. Ask the sender for another scheme.`;
	}
	const isToken = format === 'sharedToken';
	const wasToken = saved.format === 'sharedToken';
	const settings = {
		method: isToken === wasToken ? undefined : isToken ? 'sharedToken' : 'hmacSignature',
		header,
		format: isToken ? undefined : format,
		...scheme,
	};
	const forms: FieldSet = credentialFields;
	const changes = Object.entries(settings).flatMap(([name, value]) => {
		const form = forms[name]?.form;
		const isUnused = value === undefined || (value === '' && name !== 'signaturePrefix');
		return form === undefined || isUnused ? [] : [`${form.displayName} to ${labelOf(form, value)}`];
	});
	return `In the credential, set ${allOf(changes)}.`;
}

/** A value as a person chooses or enters it; a header as documentation spells it, its part as sent. */
function labelOf({ options, displayName }: Field<unknown>['form'], value: unknown): string {
	const text = String(value);
	const option = options?.find((each) => 'value' in each && each.value === value);
	if (option !== undefined) return option.name;
	if (displayName === 'Signature Prefix') return text === '' ? 'nothing' : `“${text}”`;
	return displayName.endsWith('Header')
		? text.replace(/(?<!\[.*)(?:^|-)[a-z]/g, (start) => start.toUpperCase())
		: text;
}

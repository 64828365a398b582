import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { z } from 'zod';

import { readFields, withDefault, type FieldSet, type ParameterSource } from '../forms/field';
import { choice, password, text, wholeNumber } from '../forms/fieldTypes';
import { reasonOf, UserError } from '../shared/errors';
import {
	covers,
	formatOptions,
	hasOwnHeader,
	parseSource,
	parseTemplate,
	rowOf,
	schemeOf,
	touchingFields,
	type Format,
	type Scheme,
	type SecretEncoding,
} from './schemes';

/** The name of the credential type. */
export const WEBHOOK_CREDENTIALS = 'payrollPaymentsWebhookApi';

/** How to verify that a delivery comes from the service. */
export interface WebhookCredentials {
	readonly format: Format;
	readonly scheme: Scheme;
	/** The secret and, during a rotation, the previous one; each can be decoded as the scheme says. */
	readonly secrets: readonly string[];
	/** How far a signed time may be from this machine's, in either direction. */
	readonly toleranceSeconds: number;
}

const anyText = z.string({ required_error: 'is empty', invalid_type_error: "isn't text" });

/** Whether a secret has a character that can be seen; control characters and the like don't count. */
function isVisible(secret: string): boolean {
	return /[^\s\p{C}]/u.test(secret);
}

/** A header's name, or `Name[part]`. */
const headerName = (example: string, whereEmpty = '') =>
	anyText.superRefine((value, context) => {
		if (value !== '' && parseSource(value) !== undefined) return;
		const invalid = `isn't a valid header name, e.g. ${example} or ${example}[part]`;
		context.addIssue({ code: 'custom', message: value === '' ? whereEmpty || invalid : invalid });
	});

const template = anyText.superRefine((value, context) => {
	const content = parseTemplate(value);
	if (typeof content === 'string') {
		context.addIssue({ code: 'custom', message: content });
		return;
	}
	const touching = touchingFields(content);
	if (touching === undefined) return;
	const message = `must have text between ${touching}, or a forged delivery could move characters from one to the other`;
	context.addIssue({ code: 'custom', message });
});

/** The fields of the credential, each defined once: its form, and what it accepts. */
export const credentialFields = {
	method: choice(
		{ label: 'Method' },
		[
			{
				name: 'HMAC Signature',
				value: 'hmacSignature',
				description: 'Every delivery is signed with the secret',
			},
			{
				name: 'Shared Token',
				value: 'sharedToken',
				description: 'Every delivery contains the secret itself',
			},
		],
		'hmacSignature',
	),
	secret: password(
		{
			label: 'Secret',
			description: 'The signing secret or the token, exactly as the service shows it',
			example: 'whsec_C2FV…oNv8',
		},
		anyText.refine(isVisible, 'is empty'),
	),
	format: choice(
		{ label: 'Format', description: 'What is signed, and how the signature is written' },
		formatOptions,
		'timestamped',
	),
	header: withDefault(
		text(
			{
				label: 'Header',
				description:
					'The header that contains the signature or the token. “Bearer” in front of a token is ignored. Name[part] reads a named part of a header.',
				example: 'X-Hub-Signature-256',
			},
			headerName('X-Signature'),
		),
		'X-Signature',
	),
	signedContent: withDefault(
		text(
			{
				label: 'Signed Content',
				description:
					'What the service signs. {body} is the raw body, {timestamp} and {id} come from the headers named below, and {method} is POST.',
				example: 'v0:{timestamp}:{body}',
				hint: 'Slack: v0:{timestamp}:{body} · Shopify: {body} · method and body: {method}{body}',
			},
			template,
		),
		'{timestamp}.{body}',
	),
	timestampHeader: text(
		{
			label: 'Timestamp Header',
			description:
				'The header with the signed time, in seconds, milliseconds or ISO 8601. Name[part] reads a named part of a header.',
			example: 'X-Slack-Request-Timestamp',
		},
		headerName('X-Request-Timestamp', 'is empty, but Signed Content contains {timestamp}'),
	),
	idHeader: text(
		{
			label: 'ID Header',
			description:
				'The header with the signed ID of the delivery. Name[part] reads a named part of a header.',
			example: 'X-Request-ID',
		},
		headerName('X-Request-ID', 'is empty, but Signed Content contains {id}'),
	),
	algorithm: choice(
		{ label: 'Algorithm', description: 'How the signature is calculated' },
		[
			{ name: 'HMAC-SHA256', value: 'sha256' },
			{ name: 'HMAC-SHA512', value: 'sha512' },
		],
		'sha256',
	),
	encoding: choice(
		{ label: 'Encoding', description: 'How the signature is written in its header' },
		[
			{ name: 'Base64', value: 'base64', description: 'Letters, digits, + and /, e.g. Shopify' },
			{ name: 'Hex', value: 'hex', description: 'Only 0–9 and a–f, e.g. Slack' },
		],
		'hex',
	),
	signaturePrefix: {
		...text(
			{
				label: 'Signature Prefix',
				description: 'What the header contains in front of each signature',
				example: 'v0=',
				hint: 'Slack: v0= · GitHub: sha256= · Shopify: none',
			},
			anyText,
		),
		required: false,
	},
	secretEncoding: choice(
		{ label: 'Secret Encoding', description: 'How the service writes the secret' },
		[
			{
				name: 'Base64',
				value: 'base64',
				description: 'Decode the secret from Base64, with or without whsec_ in front',
			},
			{ name: 'Hex', value: 'hex', description: 'Decode the secret from hex' },
			{
				name: 'Text',
				value: 'text',
				description: 'Use the secret as it is; right for most services',
			},
		],
		'text',
	),
	previousSecret: {
		...password(
			{
				label: 'Previous Secret',
				description:
					'The old secret, also accepted while you change to a new one. Clear it afterwards.',
				example: 'whsec_MfKQ…Rvce',
			},
			anyText.nullish(),
		),
		required: false,
	},
	toleranceSeconds: wholeNumber(
		{
			label: 'Tolerance (Seconds)',
			description: 'How far the signed time may be from n8n’s clock, in either direction',
		},
		{ least: 1, most: 86_400, preset: 600 },
	),
} satisfies FieldSet;

type Saved = Readonly<Record<string, unknown>>;

const HINT = 'Open the credential “Payroll Payments Webhook API” and correct this field.';

function refuse(field: keyof typeof credentialFields, what: string): never {
	throw new UserError(`${credentialFields[field].form.displayName} ${what}`, { field, hint: HINT });
}

/**
 * Checks the saved `payrollPaymentsWebhookApi` credential. Reads only the fields that the form shows
 * for its method and format.
 * @throws {UserError} that names the field but never a secret
 */
export function readWebhookCredentials(saved: Saved): WebhookCredentials {
	const { method, secret, previousSecret, header, format, toleranceSeconds } = credentialFields;
	const all: FieldSet = credentialFields;
	const valueOf = (name: string) =>
		saved[name] === undefined ? all[name]?.form.default : saved[name];
	const source: ParameterSource = { read: valueOf, readSaved: valueOf };
	const read = <Fields extends FieldSet>(fields: Fields) => readFields(fields, source, HINT);

	const common = read({ method, secret, previousSecret });
	const previous = common.previousSecret ?? '';
	const secrets = isVisible(previous) ? [common.secret, previous] : [common.secret];
	if (common.method === 'sharedToken') {
		const scheme = schemeOf(common.method, read({ header }).header);
		return { format: common.method, scheme, secrets, toleranceSeconds: 0 };
	}

	const chosen = read({ format }).format;
	const ownHeader = hasOwnHeader(chosen) ? read({ header }).header : '';
	const scheme = schemeOf(chosen, ownHeader, chosen === 'custom' ? readCustom(source) : {});
	if (scheme.signature.name === '') {
		refuse(
			'header',
			`must be a header without [part], since ${rowOf(chosen).name} reads its parts`,
		);
	}
	for (const [index, each] of secrets.entries()) {
		const field = index === 0 ? 'secret' : 'previousSecret';
		const key = decodeSecret(each, scheme.secretEncoding);
		if (key === undefined) {
			refuse(field, `isn't valid ${scheme.secretEncoding === 'hex' ? 'hex' : 'Base64'}`);
		}
		/* HMAC pads keys with zeros, so that this one is the same as none. */
		if (typeof key !== 'string' && key.every((byte) => byte === 0)) refuse(field, 'is all zeros');
	}
	const isTimed = covers(scheme.content, '{timestamp}');
	return {
		format: chosen,
		scheme,
		secrets,
		toleranceSeconds: isTimed ? read({ toleranceSeconds }).toleranceSeconds : 0,
	};
}

/** What the user describes of a custom scheme. Headers that the template doesn't use aren't read. */
function readCustom(source: ParameterSource) {
	const { signedContent, algorithm, encoding, signaturePrefix, secretEncoding, ...headers } =
		credentialFields;
	const { timestampHeader, idHeader } = headers;
	const { signedContent: content, ...described } = readFields(
		{ signedContent, algorithm, encoding, signaturePrefix, secretEncoding },
		source,
		HINT,
	);
	const { signaturePrefix: prefix, ...rest } = described;
	const isTimed = content.includes('{timestamp}');
	return {
		...rest,
		content,
		prefix: prefix.trim(),
		timestampHeader: isTimed ? readFields({ timestampHeader }, source, HINT).timestampHeader : '',
		idHeader: content.includes('{id}') ? readFields({ idHeader }, source, HINT).idHeader : '',
	};
}

/**
 * The key that a secret stands for. Whitespace counts in text only: hex and Base64 have none.
 * @returns undefined if the secret isn't written in this encoding
 */
export function decodeSecret(
	secret: string,
	encoding: SecretEncoding,
): string | Buffer | undefined {
	if (encoding === 'text') return secret;
	const written = secret.trim();
	if (encoding === 'hex') {
		return /^([0-9a-f]{2})+$/i.test(written) ? Buffer.from(written, 'hex') : undefined;
	}
	/* Standard Webhooks puts whsec_ in front of its secrets. */
	const digits = written.replace(/^whsec_/, '');
	const isBase64 = /^[\w+/-]{2,}={0,2}$/.test(digits) && digits.replace(/=+$/, '').length % 4 !== 1;
	return isBase64 ? Buffer.from(digits, 'base64') : undefined;
}

/**
 * n8n's test of the credential: checks the saved fields only, since there is nothing to ask over the
 * network. It also refuses whitespace around a secret. Deliveries don't, since a genuine secret may
 * have it; mostly, though, it was copied by accident.
 */
export function testWebhookCredentials({
	data = {},
}: ICredentialsDecrypted<ICredentialDataDecryptedObject>): INodeCredentialTestResult {
	try {
		readWebhookCredentials(data);
		for (const field of ['secret', 'previousSecret'] as const) {
			const value = data[field];
			if (typeof value === 'string' && value !== value.trim()) {
				refuse(field, 'has whitespace around it');
			}
		}
	} catch (error) {
		return { status: 'Error', message: reasonOf(error) };
	}
	return {
		status: 'OK',
		message: 'All fields are valid. The first delivery will show whether the secret is right.',
	};
}

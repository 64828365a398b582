import { z } from 'zod';

import { shownWhen, type FieldSet } from '../forms/field';
import { choice, menu, password, text, wholeNumber } from '../forms/fieldTypes';
import { refuseFault } from '../shared/text';
import { faultInTemplate, formatOf, formatOptions, type Place } from './schemes';

const textOfForm = z.string({
	errorMap: (_issue, { data }) => ({ message: (data ?? '') === '' ? 'is empty' : 'isn’t text' }),
});

/** Whether a secret has a character that can be seen; control characters and the like don't count. */
export function isVisible(secret: string): boolean {
	return /[^\s\p{C}]/u.test(secret);
}

const PLACE = /^([\w!#$%&'*+.^`|~-]+)(?:\[([\w.-]+)\])?$/;

/** A header's name, which is a token of RFC 9110, section 5.6.2, or `Name[part]`. */
const headerName = (example: string, whereEmpty = '') =>
	textOfForm.transform((value, context): Place => {
		const [, name, part] = PLACE.exec(value) ?? [];
		if (name !== undefined) return { name: name.toLowerCase(), part };
		const invalid = `isn’t a valid header name, e.g. ${example} or ${example}[part]`;
		context.addIssue({ code: 'custom', message: value === '' ? whereEmpty || invalid : invalid });
		return z.NEVER;
	});

const template = textOfForm.superRefine(refuseFault(faultInTemplate));

const formats = formatOptions.map(({ value }) => value);
const withOwnHeader = formats.filter((format) => formatOf(format).hasFixedHeaders !== true);
const withTime = formats.filter((format) => formatOf(format).signsTime === true);

const whenHmac = { method: ['hmacSignature'] };
const whenCustom = { ...whenHmac, format: ['custom'] };
const whenSigned = (field: string) => ({
	...whenCustom,
	signedContent: [{ _cnd: { includes: field } }],
});

/** The fields of the credential, each defined once: its form, and what it accepts. */
export const credentialFields = {
	method: choice(
		{ label: 'Method' },
		menu({
			hmacSignature: {
				name: 'HMAC Signature',
				description: 'Every delivery is signed with the secret',
			},
			sharedToken: 'Every delivery contains the secret itself',
		}),
		'hmacSignature',
	),
	secret: password(
		{
			label: 'Secret',
			description: 'The signing secret or the token, exactly as the service shows it',
			example: 'whsec_C2FV…oNv8',
		},
		textOfForm.refine(isVisible, 'is empty'),
	),
	format: shownWhen(
		whenHmac,
		choice(
			{ label: 'Format', description: 'What is signed, and how the signature is written' },
			formatOptions,
			'timestamped',
		),
	),
	header: shownWhen(
		[{ method: ['sharedToken'] }, { ...whenHmac, format: withOwnHeader }],
		text(
			{
				label: 'Header',
				description:
					'The header that contains the signature or the token. “Bearer” in front of a token is ignored. Name[part] reads a named part of a header.',
				example: 'X-Hub-Signature-256',
				preset: 'X-Signature',
			},
			headerName('X-Signature'),
		),
	),
	signedContent: shownWhen(
		whenCustom,
		text(
			{
				label: 'Signed Content',
				description:
					'What the service signs. {body} is the raw body, {timestamp} and {id} come from the headers named below, {method} is POST, and \\n is a line break.',
				example: 'v0:{timestamp}:{body}',
				hint: 'Slack: v0:{timestamp}:{body} · Shopify: {body} · method and body: {method}{body}',
				preset: '{timestamp}.{body}',
			},
			template,
		),
	),
	timestampHeader: shownWhen(
		whenSigned('{timestamp}'),
		text(
			{
				label: 'Timestamp Header',
				description:
					'The header with the signed time, in seconds, milliseconds or ISO 8601. Name[part] reads a named part of a header.',
				example: 'X-Slack-Request-Timestamp',
			},
			headerName('X-Request-Timestamp', 'is empty, but Signed Content contains {timestamp}'),
		),
	),
	idHeader: shownWhen(
		whenSigned('{id}'),
		text(
			{
				label: 'ID Header',
				description:
					'The header with the signed ID of the delivery. Name[part] reads a named part of a header.',
				example: 'X-Request-ID',
			},
			headerName('X-Request-ID', 'is empty, but Signed Content contains {id}'),
		),
	),
	algorithm: shownWhen(
		whenCustom,
		choice(
			{ label: 'Algorithm', description: 'How the signature is calculated' },
			menu({
				sha256: { name: 'HMAC-SHA256' },
				sha512: { name: 'HMAC-SHA512' },
			}),
			'sha256',
		),
	),
	encoding: shownWhen(
		whenCustom,
		choice(
			{ label: 'Encoding', description: 'How the signature is written in its header' },
			menu({
				base64: 'Letters, digits, + and /, e.g. Shopify',
				hex: 'Only 0–9 and a–f, e.g. Slack',
			}),
			'hex',
		),
	),
	signaturePrefix: shownWhen(
		whenCustom,
		text(
			{
				label: 'Signature Prefix',
				description: 'What the header contains in front of each signature',
				example: 'v0=',
				hint: 'Slack: v0= · GitHub: sha256= · Shopify: none',
				empty: 'preset',
			},
			textOfForm.trim(),
		),
	),
	secretEncoding: shownWhen(
		whenCustom,
		choice(
			{ label: 'Secret Encoding', description: 'How the service writes the secret' },
			menu({
				base64: 'Decode the secret from Base64, with or without whsec_ in front',
				hex: 'Decode the secret from hex',
				text: 'Use the secret as it is; right for most services',
			}),
			'text',
		),
	),
	previousSecret: password(
		{
			label: 'Previous Secret',
			description:
				'The old secret, also accepted while you change to a new one. Clear it afterwards.',
			example: 'whsec_MfKQ…Rvce',
			empty: 'preset',
		},
		textOfForm,
	),
	toleranceSeconds: shownWhen(
		[{ ...whenHmac, format: withTime }, whenSigned('{timestamp}')],
		wholeNumber(
			{
				label: 'Tolerance (Seconds)',
				description: 'How far the signed time may be from n8n’s clock, in either direction',
			},
			{ least: 1, most: 86_400, preset: 600 },
		),
	),
} satisfies FieldSet;

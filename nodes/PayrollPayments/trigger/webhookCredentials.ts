import { z } from 'zod';

import { Refusal } from '../shared/errors';
import { oneOf } from '../shared/menu';
import { covers, parseTemplate, type SignedContent } from './signedContent';

/** How a secret is written in the credential. */
export type SecretEncoding = 'text' | 'hex' | 'base64';

/** A scheme that the user describes with the sender's documentation. */
export interface CustomScheme {
	readonly scheme: 'custom';
	readonly signedContent: SignedContent;
	/** In lower case; empty unless the content contains the time. */
	readonly timestampHeader: string;
	/** In lower case; empty unless the content contains the delivery's ID. */
	readonly idHeader: string;
	readonly algorithm: 'sha256' | 'sha512';
	readonly encoding: 'hex' | 'base64';
	/** What must be in front of the signature; may be empty. */
	readonly signaturePrefix: string;
	readonly secretEncoding: SecretEncoding;
	/** Counts only if the content contains the time. */
	readonly toleranceSeconds: number;
}

/** How to verify that a delivery comes from the service. */
export type WebhookCredentials = {
	/** Name of the header with the signature or token, in lower case. */
	readonly header: string;
	/** The secret and, during a rotation, the previous one; each can be decoded as the scheme says. */
	readonly secrets: readonly string[];
} & (
	| { readonly scheme: 'sharedToken' | 'hex' | 'base64' }
	| { readonly scheme: 'timestamped' | 'standardWebhooks'; readonly toleranceSeconds: number }
	| CustomScheme
);

const LABELS: Readonly<Record<string, string>> = {
	algorithm: 'Algorithm',
	encoding: 'Encoding',
	format: 'Format',
	header: 'Header',
	idHeader: 'ID Header',
	method: 'Method',
	previousSecret: 'Previous Secret',
	secret: 'Secret',
	secretEncoding: 'Secret Encoding',
	signaturePrefix: 'Signature Prefix',
	signedContent: 'Signed Content',
	timestampHeader: 'Timestamp Header',
	toleranceSeconds: 'Tolerance (Seconds)',
};

const OUT_OF_BOUNDS = 'must be from 1 to 86,400 seconds';

const text = z.string({ required_error: 'is empty', invalid_type_error: "isn't text" });

/** A header name is a token of RFC 9110, section 5.6.2. */
const headerName = (shape: RegExp, example: string) =>
	text
		.regex(shape, `isn't a valid header name, e.g. ${example}`)
		.transform((name) => name.toLowerCase());
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const NAME_OR_EMPTY = /^[\w!#$%&'*+.^`|~-]*$/;

/** Whether a secret has a character that can be seen; control characters and the like don't count. */
function isVisible(secret: string): boolean {
	return /[^\s\p{C}]/u.test(secret);
}

const savedCredentials = z.object({
	method: oneOf({ hmacSignature: 'HMAC Signature', sharedToken: 'Shared Token' }).default(
		'hmacSignature',
	),
	secret: text.refine(isVisible, 'is empty'),
	header: headerName(NAME, 'X-Signature').default('X-Signature'),
	format: oneOf({
		base64: 'Base64',
		custom: 'Custom',
		hex: 'Hex',
		standardWebhooks: 'Standard Webhooks',
		timestamped: 'Timestamped',
	}).default('timestamped'),
	signedContent: text.default('{timestamp}.{body}').transform((template, context) => {
		const content = parseTemplate(template);
		if (typeof content !== 'string') return content;
		context.addIssue({ code: 'custom', message: content });
		return z.NEVER;
	}),
	timestampHeader: headerName(NAME_OR_EMPTY, 'X-Request-Timestamp').default(''),
	idHeader: headerName(NAME_OR_EMPTY, 'X-Request-Id').default(''),
	algorithm: oneOf({ sha256: 'HMAC-SHA256', sha512: 'HMAC-SHA512' }).default('sha256'),
	encoding: oneOf({ base64: 'Base64', hex: 'Hex' }).default('hex'),
	signaturePrefix: text.default(''),
	secretEncoding: oneOf({ base64: 'Base64', hex: 'Hex', text: 'Text' }).default('text'),
	previousSecret: text.nullish(),
	toleranceSeconds: z.coerce
		.number({ message: OUT_OF_BOUNDS })
		.min(1, OUT_OF_BOUNDS)
		.max(86_400, OUT_OF_BOUNDS)
		.default(600),
});

type Saved = Readonly<Record<string, unknown>>;

const ALWAYS = ['method', 'secret', 'previousSecret'];
const CUSTOM = ['signedContent', 'algorithm', 'encoding', 'signaturePrefix', 'secretEncoding'];

/** The names of the fields that the form shows for this method and format. */
function shownFields({ method, format, signedContent = '{timestamp}.{body}' }: Saved): string[] {
	if (method === 'sharedToken') return [...ALWAYS, 'header'];
	if (format === 'hex' || format === 'base64') return [...ALWAYS, 'format', 'header'];
	if (format === 'standardWebhooks') return [...ALWAYS, 'format', 'toleranceSeconds'];
	if (format !== 'custom') return [...ALWAYS, 'format', 'header', 'toleranceSeconds'];
	const template = String(signedContent);
	return [
		...[...ALWAYS, 'format', 'header', ...CUSTOM],
		...(template.includes('{timestamp}') ? ['timestampHeader', 'toleranceSeconds'] : []),
		...(template.includes('{id}') ? ['idHeader'] : []),
	];
}

function refuse(field: string, what: string): never {
	throw new Refusal(`${LABELS[field] ?? field} ${what}`, {
		field,
		hint: 'Open the credential “Payroll Payments Webhook API” and correct this field.',
	});
}

/**
 * Checks the saved `payrollPaymentsWebhookApi` credential.
 * @throws {Refusal} that names the field but never a secret
 */
export function readWebhookCredentials(saved: Saved): WebhookCredentials {
	const fields = shownFields(saved);
	const shown = Object.fromEntries(Object.entries(saved).filter(([name]) => fields.includes(name)));
	const read = savedCredentials.safeParse(shown);
	if (!read.success) {
		const issue = read.error.issues[0];
		return refuse(String(issue?.path[0] ?? 'secret'), issue?.message ?? 'is wrong');
	}
	const { method, format, secret, previousSecret, header, toleranceSeconds } = read.data;
	const common = {
		header,
		secrets: previousSecret && isVisible(previousSecret) ? [secret, previousSecret] : [secret],
	};
	if (method === 'sharedToken') return { ...common, scheme: method };
	if (format === 'hex' || format === 'base64') return { ...common, scheme: format };
	if (format === 'timestamped') return { ...common, scheme: format, toleranceSeconds };

	const { secretEncoding } = read.data;
	const encoding = format === 'standardWebhooks' ? 'base64' : secretEncoding;
	for (const [index, each] of common.secrets.entries()) {
		const field = index === 0 ? 'secret' : 'previousSecret';
		const key = keyOf(each, encoding);
		if (key === undefined) refuse(field, `isn't valid ${encoding === 'hex' ? 'hex' : 'Base64'}`);
		/* HMAC pads keys with zeros, so that this one is the same as none. */
		if (typeof key !== 'string' && key.every((byte) => byte === 0)) refuse(field, 'is all zeros');
	}
	if (format === 'standardWebhooks') {
		return { ...common, header: 'webhook-signature', scheme: format, toleranceSeconds };
	}

	const { signedContent, timestampHeader, idHeader } = read.data;
	if (covers(signedContent, '{timestamp}') && timestampHeader === '') {
		refuse('timestampHeader', 'is empty, but Signed Content contains {timestamp}');
	}
	if (covers(signedContent, '{id}') && idHeader === '') {
		refuse('idHeader', 'is empty, but Signed Content contains {id}');
	}
	const { algorithm, encoding: signatureEncoding, signaturePrefix } = read.data;
	return {
		...common,
		scheme: format,
		signedContent,
		timestampHeader,
		idHeader,
		algorithm,
		encoding: signatureEncoding,
		signaturePrefix: signaturePrefix.trim(),
		secretEncoding,
		toleranceSeconds,
	};
}

/**
 * The key that a secret stands for. Whitespace counts in text only: hex and Base64 have none.
 * @returns undefined if the secret isn't written in this encoding
 */
export function keyOf(secret: string, encoding: SecretEncoding): string | Buffer | undefined {
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
 * Like {@link readWebhookCredentials}, but also refuses whitespace around a secret. Deliveries don't,
 * since a genuine secret may have it; mostly, though, it was copied by accident.
 */
export function checkWebhookCredentials(saved: Saved): void {
	readWebhookCredentials(saved);
	for (const field of ['secret', 'previousSecret']) {
		const value = saved[field];
		if (typeof value === 'string' && value !== value.trim()) {
			throw new Refusal(`${LABELS[field]} has whitespace around it`, {
				field,
				hint: 'Copy the secret again, without the spaces or line breaks around it.',
			});
		}
	}
}

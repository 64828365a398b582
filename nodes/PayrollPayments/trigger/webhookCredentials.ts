import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readFields, savedValues } from '../forms/field';
import { messageOf, UserError } from '../shared/errors';
import { credentialFields, isVisible } from './credential/fields';
import { parsePlace, schemeOf, type Scheme, type SecretEncoding } from './schemes';

export const WEBHOOK_CREDENTIALS = 'payrollPaymentsWebhookApi';

/**
 * How to verify that a delivery comes from the service. Its `secrets` are the secret and, during a
 * rotation, the previous one; each can be decoded as the scheme says.
 */
export type WebhookCredentials = Readonly<ReturnType<typeof readWebhookCredentials>>;

type Saved = Readonly<Record<string, unknown>>;

const HINT = 'Open the credential “Payroll Payments Webhook API” and correct this field.';

function refuse(field: keyof typeof credentialFields, what: string): never {
	throw new UserError(`${credentialFields[field].form.displayName} ${what}`, { hint: HINT });
}

/**
 * Checks the saved `payrollPaymentsWebhookApi` credential.
 * @throws {UserError} that names the field but never a secret
 */
export function readWebhookCredentials(saved: Saved) {
	const {
		format = 'sharedToken' as const,
		header = '',
		secret,
		previousSecret: previous,
		toleranceSeconds = 0,
		...custom
	} = readFields(credentialFields, savedValues(saved, { hint: HINT }));
	const scheme = schemeOf(format, header, custom);
	if (parsePlace(scheme.header) === undefined) {
		refuse('header', 'must be a header without [part], since Timestamped reads its parts');
	}
	checkKey('secret', secret, scheme);
	if (!isVisible(previous)) return { format, scheme, secrets: [secret], toleranceSeconds };
	checkKey('previousSecret', previous, scheme);
	return { format, scheme, secrets: [secret, previous], toleranceSeconds };
}

function checkKey(field: 'secret' | 'previousSecret', secret: string, scheme: Scheme): void {
	const { secretEncoding: encoding } = scheme;
	const key = decodeSecret(secret, encoding);
	if (key === undefined) refuse(field, `isn’t valid ${encoding === 'hex' ? 'hex' : 'Base64'}`);
	/* HMAC pads keys with zeros, so that this one is the same as none. */
	if (typeof key !== 'string' && key.every((byte) => byte === 0)) refuse(field, 'is all zeros');
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
 * n8n's test of the credential, which has nothing to ask over the network. Unlike a delivery, it refuses
 * whitespace around a secret: a genuine one may have it, but mostly it was copied by accident.
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
		return { status: 'Error', message: messageOf(error) };
	}
	return {
		status: 'OK',
		message: 'All fields are valid. The first delivery will show whether the secret is right.',
	};
}

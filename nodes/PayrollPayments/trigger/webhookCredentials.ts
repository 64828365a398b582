import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readFields, savedValues } from '../forms/field';
import { messageOf, UserError } from '../shared/errors';
import { credentialFields, isVisible } from './webhookCredentialFields';
import { decodeSecret, type Key, type SecretEncoding } from './proofs';
import { formatOf } from './schemes';

export const WEBHOOK_CREDENTIALS = 'payrollPaymentsWebhookApi';

/** How to verify that a delivery comes from the service. */
export type WebhookCredentials = Readonly<ReturnType<typeof readWebhookCredentials>>;

type Saved = Readonly<Record<string, unknown>>;

const HINT = 'Open the credential “Payroll Payments Webhook API” and correct this field.';

function refuse(field: keyof typeof credentialFields, what: string): never {
	throw new UserError(`${credentialFields[field].form.displayName} ${what}`, { hint: HINT });
}

/**
 * Reads the saved `payrollPaymentsWebhookApi` credential. Name a new field here unless it describes *Custom*:
 * the rest goes into the scheme of that format.
 * @throws {UserError} that names the field but never a secret
 */
export function readWebhookCredentials(saved: Saved) {
	const {
		format = 'sharedToken' as const,
		header = { name: '' },
		secret,
		previousSecret: previous,
		toleranceSeconds = 0,
		...custom
	} = readFields(credentialFields, savedValues(saved, { hint: HINT }));
	const [scheme, ...others] = formatOf(format).schemes(header, custom);
	if (scheme === undefined) {
		refuse('header', 'must be a header without [part], since Timestamped reads its parts');
	}
	const keys = [keyIn('secret', secret, scheme.secretEncoding)];
	const secrets = [secret];
	if (isVisible(previous)) {
		keys.push(keyIn('previousSecret', previous, scheme.secretEncoding));
		secrets.push(previous);
	}
	return {
		format,
		custom,
		/** A delivery may use any of them. */
		schemes: [scheme, ...others] as const,
		/** The secret and, during a rotation, the previous one. */
		secrets,
		keys,
		toleranceSeconds,
	};
}

function keyIn(field: 'secret' | 'previousSecret', secret: string, encoding: SecretEncoding): Key {
	const key = decodeSecret(secret, encoding);
	if (key === undefined) refuse(field, `isn’t valid ${encoding === 'hex' ? 'hex' : 'Base64'}`);
	/* HMAC pads keys with zeros, so that this one is the same as none. */
	if (typeof key !== 'string' && key.every((byte) => byte === 0)) refuse(field, 'is all zeros');
	return key;
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

import { createHmac } from 'node:crypto';

import { z } from 'zod';

import { SCHEME_NAMES } from './signingSchemes';

/** How an endpoint's deliveries are signed; the service doesn't document its own scheme. */
export const signingShape = z.object({
	scheme: z.enum(SCHEME_NAMES).default('timestamped'),
	/** The signing secret or the shared token. */
	secret: z.string().default('sandbox-webhook-secret'),
	/** While a secret rotates: `timestamped` and `standardWebhooks` then send a signature for each. */
	previousSecret: z.string().optional(),
	/** The header with the signature or the token; `standardWebhooks` has its own. */
	header: z.string().default('X-Signature'),
	/** Whether hex and base64 signatures start with `sha256=`. */
	prefixed: z.boolean().default(false),
	/** What separates the parts of a `timestamped` header. */
	separator: z.enum([',', ' ']).default(','),
	/** Whether a shared token comes after `Bearer `. */
	bearer: z.boolean().default(false),
	/** The first part of the names of the headers of `standardWebhooks`. */
	headerPrefix: z.enum(['webhook', 'svix']).default('webhook'),
	/** `custom`: what is signed, with {body}, {timestamp}, {id} and {method}. */
	signedContent: z.string().default('{timestamp}.{body}'),
	timestampHeader: z.string().default('X-Timestamp'),
	timestampFormat: z.enum(['seconds', 'milliseconds', 'iso']).default('seconds'),
	idHeader: z.string().default('X-Delivery-ID'),
	algorithm: z.enum(['sha256', 'sha512']).default('sha256'),
	encoding: z.enum(['hex', 'base64']).default('hex'),
	signaturePrefix: z.string().default(''),
	/** `custom`: how the secret is written. `standardWebhooks` has Base64. */
	secretEncoding: z.enum(['text', 'hex', 'base64']).default('text'),
});

type Signing = z.infer<typeof signingShape>;

/** What is signed, apart from the body. */
export interface SignedMoment {
	readonly id: string;
	/** Unix seconds. */
	readonly timestamp: number;
}

/** The headers that prove a delivery. */
export function signatureHeaders(
	body: string,
	signing: Signing,
	{ id, timestamp }: SignedMoment,
): Record<string, string> {
	const { secret, previousSecret, header, headerPrefix } = signing;
	const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
	const bodySignature = (encoding: 'hex' | 'base64') =>
		(signing.prefixed ? 'sha256=' : '') +
		createHmac('sha256', secret).update(body).digest(encoding);
	switch (signing.scheme) {
		case 'timestamped': {
			const signatures = secrets.map((key) => {
				const hmac = createHmac('sha256', key).update(`${timestamp}.${body}`);
				return `v1=${hmac.digest('hex')}`;
			});
			return { [header]: [`t=${timestamp}`, ...signatures].join(signing.separator) };
		}
		case 'hex':
			return { [header]: bodySignature('hex') };
		case 'base64':
			return { [header]: bodySignature('base64') };
		case 'sharedToken':
			return { [header]: signing.bearer ? `Bearer ${secret}` : secret };
		case 'standardWebhooks': {
			const signatures = secrets.map((each) => {
				const hmac = createHmac('sha256', keyOf(each, 'base64')).update(
					`${id}.${timestamp}.${body}`,
				);
				return `v1,${hmac.digest('base64')}`;
			});
			return {
				[`${headerPrefix}-id`]: id,
				[`${headerPrefix}-timestamp`]: String(timestamp),
				[`${headerPrefix}-signature`]: signatures.join(' '),
			};
		}
		case 'custom':
			return customHeaders(body, signing, { id, timestamp });
	}
}

/** Secrets in Base64 often have `whsec_` in front. */
function keyOf(secret: string, encoding: Signing['secretEncoding']): Buffer {
	if (encoding !== 'base64') return Buffer.from(secret, encoding === 'text' ? 'utf8' : encoding);
	return Buffer.from(secret.startsWith('whsec_') ? secret.slice(6) : secret, 'base64');
}

function customHeaders(
	body: string,
	signing: Signing,
	{ id, timestamp }: SignedMoment,
): Record<string, string> {
	const time = {
		seconds: String(timestamp),
		milliseconds: String(timestamp * 1000),
		iso: new Date(timestamp * 1000).toISOString(),
	}[signing.timestampFormat];
	const values: Record<string, string> = { body, timestamp: time, id, method: 'POST' };
	const content = signing.signedContent.replace(
		/\{(body|timestamp|id|method)\}/g,
		(_placeholder, name: string) => values[name] ?? '',
	);
	const signature = createHmac(signing.algorithm, keyOf(signing.secret, signing.secretEncoding))
		.update(content)
		.digest(signing.encoding);
	return {
		[signing.timestampHeader]: time,
		[signing.idHeader]: id,
		[signing.header]: signing.signaturePrefix + signature,
	};
}

import { sign as signLikeGitHub } from '@octokit/webhooks-methods';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';

import { hmac, hmacWith } from './sampleEvents';

/** One way in which senders sign, and the credential for it. */
export interface SignedScheme {
	readonly name: string;
	/** The library that signs in tests, or where the sender describes its scheme. */
	readonly source: string;
	/** What to save in the credential, in addition to a secret. */
	readonly saved: Readonly<Record<string, string>>;
	/** Three secrets that this sender could have given out. */
	readonly secrets: readonly [string, string, string];
	/** The headers that prove a delivery, with their names in lower case. */
	readonly prove: (
		secret: string,
		body: Buffer,
		seconds: number,
	) => Promise<Record<string, string>>;
	/** Whether a proof is valid for some time only. */
	readonly signsTime: boolean;
	/** Whether the proof depends on the body. */
	readonly signsBody: boolean;
}

const TEXT = ['a secret of the sender', 'its next secret', 'whsec_of somebody else'] as const;
const BASE64 = [
	'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
	'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
	'whsec_tZ8cqWHfPz1T0a5i6wq0m7B9yq2c4d6e',
] as const;
const HEX = ['c0ffee'.repeat(8), '00ff'.repeat(16), 'ab12cd'.repeat(8)] as const;
const ID = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';

/** What most senders have in common. */
const usual = { secrets: TEXT, signsTime: true, signsBody: true };

export const SIGNED_SCHEMES: readonly SignedScheme[] = [
	{
		...usual,
		name: 'Stripe',
		source: 'stripe',
		saved: { format: 'timestamped', header: 'Stripe-Signature' },
		prove: async (secret, body, seconds) => ({
			'stripe-signature': new Stripe('sk_test_1').webhooks.generateTestHeaderString({
				payload: body.toString(),
				secret,
				timestamp: seconds,
			}),
		}),
	},
	{
		...usual,
		signsTime: false,
		name: 'GitHub',
		source: '@octokit/webhooks-methods',
		saved: { format: 'hex', header: 'X-Hub-Signature-256' },
		prove: async (secret, body) => ({
			'x-hub-signature-256': await signLikeGitHub(secret, body.toString()),
		}),
	},
	{
		...usual,
		signsTime: false,
		name: 'Shopify',
		source: 'https://shopify.dev/docs/apps/build/webhooks/subscribe/https',
		saved: { format: 'base64', header: 'X-Shopify-Hmac-Sha256' },
		prove: async (secret, body) => ({
			'x-shopify-hmac-sha256': hmac(secret, body).toString('base64'),
		}),
	},
	{
		...usual,
		name: 'Standard Webhooks',
		source: 'standardwebhooks',
		saved: { format: 'standardWebhooks' },
		secrets: BASE64,
		prove: async (secret, body, seconds) => ({
			'webhook-id': ID,
			'webhook-timestamp': String(seconds),
			'webhook-signature': new StandardWebhook(secret).sign(
				ID,
				new Date(seconds * 1000),
				body.toString(),
			),
		}),
	},
	{
		...usual,
		name: 'Svix',
		source: 'svix',
		saved: { format: 'standardWebhooks' },
		secrets: BASE64,
		prove: async (secret, body, seconds) => ({
			'svix-id': ID,
			'svix-timestamp': String(seconds),
			'svix-signature': new SvixWebhook(secret).sign(ID, new Date(seconds * 1000), body.toString()),
		}),
	},
	{
		...usual,
		name: 'Slack',
		source: 'https://docs.slack.dev/authentication/verifying-requests-from-slack',
		saved: {
			format: 'custom',
			header: 'X-Slack-Signature',
			signedContent: 'v0:{timestamp}:{body}',
			timestampHeader: 'X-Slack-Request-Timestamp',
			signaturePrefix: 'v0=',
		},
		prove: async (secret, body, seconds) => ({
			'x-slack-request-timestamp': String(seconds),
			'x-slack-signature': `v0=${hmac(secret, `v0:${seconds}:`, body).toString('hex')}`,
		}),
	},
	{
		...usual,
		signsTime: false,
		name: 'method and body, as payroll services sign',
		source: 'https://developer.deel.com/docs/webhooks-get-started',
		saved: { format: 'custom', header: 'X-Deel-Signature', signedContent: '{method}{body}' },
		prove: async (secret, body) => ({
			'x-deel-signature': hmac(secret, 'POST', body).toString('hex'),
		}),
	},
	{
		...usual,
		name: 'SHA-512 in Base64, with an ID, an ISO time and a secret in hex',
		source: 'the fields of Custom',
		saved: {
			format: 'custom',
			header: 'X-Proof',
			signedContent: '{id}.{timestamp}.{body}',
			timestampHeader: 'X-Sent-At',
			idHeader: 'X-Delivery-ID',
			algorithm: 'sha512',
			encoding: 'base64',
			signaturePrefix: 'HMAC-SHA512 ',
			secretEncoding: 'hex',
		},
		secrets: HEX,
		prove: async (secret, body, seconds) => {
			const time = new Date(seconds * 1000).toISOString();
			const key = Buffer.from(secret, 'hex');
			const signature = hmacWith('sha512', key, `${ID}.${time}.`, body).toString('base64');
			return { 'x-delivery-id': ID, 'x-sent-at': time, 'x-proof': `HMAC-SHA512 ${signature}` };
		},
	},
	{
		...usual,
		name: 'milliseconds, with a secret in Base64',
		source: 'the fields of Custom',
		saved: {
			format: 'custom',
			header: 'X-Signature',
			signedContent: '{timestamp}:{body}',
			timestampHeader: 'X-Timestamp',
			secretEncoding: 'base64',
		},
		secrets: BASE64,
		prove: async (secret, body, seconds) => {
			const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
			return {
				'x-timestamp': `${seconds}000`,
				'x-signature': hmac(key, `${seconds}000:`, body).toString('hex'),
			};
		},
	},
	{
		...usual,
		name: 'Paddle, with time and signature in one header',
		source: 'https://developer.paddle.com/webhooks/signature-verification',
		saved: {
			format: 'custom',
			header: 'Paddle-Signature[h1]',
			signedContent: '{timestamp}:{body}',
			timestampHeader: 'Paddle-Signature[ts]',
		},
		prove: async (secret, body, seconds) => {
			const signature = hmac(secret, `${seconds}:`, body).toString('hex');
			return { 'paddle-signature': `ts=${seconds};h1=${signature}` };
		},
	},
	{
		...usual,
		signsTime: false,
		name: 'hex in a part of a header',
		source: 'the fields of Hex',
		saved: { format: 'hex', header: 'X-Proof[sig]' },
		prove: async (secret, body) => ({
			'x-proof': `sig=${hmac(secret, body).toString('hex')}`,
		}),
	},
	{
		...usual,
		signsTime: false,
		signsBody: false,
		name: 'shared token',
		source: 'the header itself',
		saved: { method: 'sharedToken', header: 'X-Gitlab-Token' },
		prove: async (secret) => ({ 'x-gitlab-token': secret }),
	},
	{
		...usual,
		signsTime: false,
		signsBody: false,
		name: 'shared token after Bearer',
		source: 'the header itself',
		saved: { method: 'sharedToken', header: 'Authorization' },
		prove: async (secret) => ({ authorization: `Bearer ${secret}` }),
	},
];

export function schemeOf(name: string): SignedScheme {
	const scheme = SIGNED_SCHEMES.find((each) => each.name === name);
	if (scheme === undefined) throw new Error(`Nobody signs as ${name}.`);
	return scheme;
}

import { sign as signLikeGitHub } from '@octokit/webhooks-methods';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';

import { hmac, hmacWith } from '../../n8nHost/sampleEvents';

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
	readonly signsTime: boolean;
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
const UNTIMED = { signsTime: false };
const TOKEN = { signsTime: false, signsBody: false };

/** A sender whose proof is in one header, or in a part of it. */
function inOneHeader(
	name: string,
	source: string,
	saved: Readonly<Record<string, string>> & { readonly header: string },
	proof: (secret: string, body: Buffer, seconds: number) => string | Promise<string>,
	more: Partial<SignedScheme> = {},
): SignedScheme {
	const header = saved.header.replace(/\[.*/, '').toLowerCase();
	const prove: SignedScheme['prove'] = async (...given) => ({ [header]: await proof(...given) });
	return { ...usual, name, source, saved, prove, ...more };
}

export const SIGNED_SCHEMES: readonly SignedScheme[] = [
	inOneHeader(
		'Stripe',
		'stripe',
		{ format: 'timestamped', header: 'Stripe-Signature' },
		(secret, body, timestamp) => {
			const given = { payload: body.toString(), secret, timestamp };
			return new Stripe('sk_test_1').webhooks.generateTestHeaderString(given);
		},
	),
	inOneHeader(
		'GitHub',
		'@octokit/webhooks-methods',
		{ format: 'hex', header: 'X-Hub-Signature-256' },
		async (secret, body) => await signLikeGitHub(secret, body.toString()),
		UNTIMED,
	),
	inOneHeader(
		'Shopify',
		'https://shopify.dev/docs/apps/build/webhooks/subscribe/https',
		{ format: 'base64', header: 'X-Shopify-Hmac-Sha256' },
		(secret, body) => hmac(secret, body).toString('base64'),
		UNTIMED,
	),
	...(
		[
			['Standard Webhooks', 'standardwebhooks', 'webhook', StandardWebhook],
			['Svix', 'svix', 'svix', SvixWebhook],
		] as const
	).map(
		([name, source, brand, Library]): SignedScheme => ({
			...usual,
			name,
			source,
			saved: { format: 'standardWebhooks' },
			secrets: BASE64,
			prove: async (secret, body, seconds) => {
				const time = new Date(seconds * 1000);
				return {
					[`${brand}-id`]: ID,
					[`${brand}-timestamp`]: String(seconds),
					[`${brand}-signature`]: new Library(secret).sign(ID, time, body.toString()),
				};
			},
		}),
	),
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
	inOneHeader(
		'method and body, as payroll services sign',
		'https://developer.deel.com/docs/webhooks-get-started',
		{ format: 'custom', header: 'X-Deel-Signature', signedContent: '{method}{body}' },
		(secret, body) => hmac(secret, 'POST', body).toString('hex'),
		UNTIMED,
	),
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
			signaturePrefix: 'HMAC-SHA512 ',
			algorithm: 'sha512',
			encoding: 'base64',
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
			const signature = hmac(key, `${seconds}000:`, body).toString('hex');
			return { 'x-timestamp': `${seconds}000`, 'x-signature': signature };
		},
	},
	inOneHeader(
		'Paddle, with time and signature in one header',
		'https://developer.paddle.com/webhooks/signature-verification',
		{
			format: 'custom',
			header: 'Paddle-Signature[h1]',
			signedContent: '{timestamp}:{body}',
			timestampHeader: 'Paddle-Signature[ts]',
		},
		(secret, body, time) => `ts=${time};h1=${hmac(secret, `${time}:`, body).toString('hex')}`,
	),
	inOneHeader(
		'hex in a part of a header',
		'the fields of Hex',
		{ format: 'hex', header: 'X-Proof[sig]' },
		(secret, body) => `sig=${hmac(secret, body).toString('hex')}`,
		UNTIMED,
	),
	inOneHeader(
		'shared token',
		'the header itself',
		{ method: 'sharedToken', header: 'X-Gitlab-Token' },
		(secret) => secret,
		TOKEN,
	),
	inOneHeader(
		'shared token after Bearer',
		'the header itself',
		{ method: 'sharedToken', header: 'Authorization' },
		(secret) => `Bearer ${secret}`,
		TOKEN,
	),
];

export function schemeOf(name: string): SignedScheme {
	const scheme = SIGNED_SCHEMES.find((each) => each.name === name);
	if (scheme === undefined) throw new Error(`Nobody signs as ${name}.`);
	return scheme;
}

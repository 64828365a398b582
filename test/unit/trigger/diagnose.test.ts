import { createHmac } from 'node:crypto';

import { diagnose } from '../../../nodes/PayrollPayments/trigger/diagnose';
import type { DeliveryHeaders } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';

const NOW = 1_774_949_400;
const TIME = String(NOW);
const BODY = '{"object":"event"}';
const SECRET = 'a secret of the sender';

const sign = (
	content: string,
	encoding: 'hex' | 'base64' = 'hex',
	{ secret = SECRET, algorithm = 'sha256' }: { secret?: string | Buffer; algorithm?: string } = {},
) => createHmac(algorithm, secret).update(content).digest(encoding);

const adviceFor = (headers: DeliveryHeaders, saved: Record<string, unknown> = {}, body = BODY) =>
	diagnose(
		{ headers, rawBody: Buffer.from(body) },
		readWebhookCredentials({ secret: SECRET, ...saved }),
		NOW * 1000,
	)?.advice;

/** A header for each of the names, all with the same value. */
const manyHeaders = (count: number, name: string, value: string) =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}-${name}`, value]));

it.each([
	['{body}', ''],
	['{method}{body}', ''],
	['{timestamp}.{body}', 'Timestamp Header to X-Time, '],
	['{timestamp}:{body}', 'Timestamp Header to X-Time, '],
	['v0:{timestamp}:{body}', 'Timestamp Header to X-Time, '],
	['{timestamp}{method}{body}', 'Timestamp Header to X-Time, '],
	['{id}.{timestamp}.{body}', 'Timestamp Header to X-Time, ID Header to X-Id, '],
	['{timestamp}.{id}.{body}', 'Timestamp Header to X-Time, ID Header to X-Id, '],
	['{id}.{body}', 'ID Header to X-Id, '],
])('recognizes a signature over %s', (template, furtherHeaders) => {
	const content = template
		.replace('{body}', BODY)
		.replace('{method}', 'POST')
		.replace('{timestamp}', TIME)
		.replace('{id}', 'event-1');
	const headers = { 'x-id': 'event-1', 'x-time': TIME, 'x-proof': `v0=${sign(content)}` };
	expect(adviceFor(headers)).toBe(
		'In the credential, set Header to X-Proof, ' +
			`Format to Custom, Signed Content to ${template}, ${furtherHeaders}Algorithm to HMAC-SHA256, ` +
			'Encoding to Hex, Signature Prefix to “v0=”, and Secret Encoding to Text.',
	);
});

it.each([
	['{timestamp}{body}', '{timestamp} and {body}'],
	['{body}{timestamp}', '{body} and {timestamp}'],
	['{id}{timestamp}{body}', '{id} and {timestamp}'],
])(
	'says that %s can’t be verified safely, and not that the secret is wrong',
	(template, fields) => {
		const content = template
			.replace('{body}', BODY)
			.replace('{timestamp}', TIME)
			.replace('{id}', 'event-1');
		const headers = { 'x-id': 'event-1', 'x-time': TIME, 'x-proof': sign(content) };
		expect(adviceFor(headers)).toBe(
			`The secret fits, but the sender signs ${template}, and Signed Content must have text between ` +
				`${fields}, or a forged delivery could move characters from one to the other. Ask the sender ` +
				'for another scheme.',
		);
	},
);

const PADDLE = { 'x-proof': `ts=${TIME};h1=${sign('another')};h1=${sign(`${TIME}:${BODY}`)}` };
const OTHER_HEX = sign('another');

it.each([
	[
		'a time and several signatures in parts of one header',
		PADDLE,
		{},
		'In the credential, set Header to X-Proof[h1], Format to Custom, Signed Content to {timestamp}:{body}, Timestamp Header to X-Proof[ts], Algorithm to HMAC-SHA256, Encoding to Hex, Signature Prefix to nothing, and Secret Encoding to Text.',
	],
	[
		'hex in a part of a header',
		{ 'x-proof': `alg=hs256, sig=${sign(BODY)}` },
		{},
		'In the credential, set Header to X-Proof[sig] and Format to Hex.',
	],
	[
		'several hex signatures',
		{ 'x-proof': `${OTHER_HEX},${sign(BODY)}` },
		{},
		'In the credential, set Header to X-Proof and Format to Hex.',
	],
	[
		'several signatures of Custom',
		{ 'x-proof': `${OTHER_HEX} ${sign(`POST${BODY}`)}` },
		{},
		'In the credential, set Header to X-Proof, Format to Custom, Signed Content to {method}{body}, Algorithm to HMAC-SHA256, Encoding to Hex, Signature Prefix to nothing, and Secret Encoding to Text.',
	],
	[
		'a clock that is wrong, while the sender rotates its secret',
		{ 'x-signature': `t=1774949399,t=1774949399,v1=${OTHER_HEX},v1=${sign(`1774949399.${BODY}`)}` },
		{ header: 'X-Signature', toleranceSeconds: 1, previousSecret: 'x' },
		undefined,
	],
])('recognizes %s', (_what, headers, saved, advice) => {
	expect(adviceFor(headers, saved)).toBe(advice);
});

const STANDARD = { 'webhook-id': 'event-1', 'webhook-timestamp': TIME };
const STANDARD_CONTENT = `event-1.${TIME}.${BODY}`;
const KEY = Buffer.from('a key of some bytes');

it.each<[string, DeliveryHeaders, Record<string, unknown>, string]>([
	[
		'hex',
		{ 'x-proof': sign(BODY) },
		{ format: 'base64' },
		'In the credential, set Header to X-Proof and Format to Hex.',
	],
	[
		'Base64',
		{ 'x-proof': sign(BODY, 'base64') },
		{},
		'In the credential, set Header to X-Proof and Format to Base64.',
	],
	[
		'a timestamped signature',
		{ 'x-signature': `t=${TIME},v1=${sign(`${TIME}.${BODY}`)}` },
		{ format: 'hex' },
		'In the credential, set Header to X-Signature and Format to Timestamped.',
	],
	[
		'Standard Webhooks',
		{
			...STANDARD,
			'webhook-signature': `v1,${sign(STANDARD_CONTENT, 'base64', { secret: KEY })}`,
		},
		{ secret: KEY.toString('base64') },
		'In the credential, set Format to Standard Webhooks.',
	],
	[
		'Standard Webhooks with a secret that it can’t have',
		{ ...STANDARD, 'webhook-signature': `v1,${sign(STANDARD_CONTENT, 'base64')}` },
		{},
		'In the credential, set Header to Webhook-Signature, Format to Custom, Signed Content to {id}.{timestamp}.{body}, Timestamp Header to Webhook-Timestamp, ID Header to Webhook-Id, Algorithm to HMAC-SHA256, Encoding to Base64, Signature Prefix to “v1,”, and Secret Encoding to Text.',
	],
	[
		'headers with whitespace around them',
		{
			'x-time': ` ${TIME} `,
			'x-proof': ` HMAC ${sign(`${TIME}.${BODY}`, 'base64', { algorithm: 'sha512' })} `,
		},
		{},
		'In the credential, set Header to X-Proof, Format to Custom, Signed Content to {timestamp}.{body}, Timestamp Header to X-Time, Algorithm to HMAC-SHA512, Encoding to Base64, Signature Prefix to “HMAC”, and Secret Encoding to Text.',
	],
	[
		'the content of the credential in another header',
		{ 'x-proof': sign(`mine/${BODY}`) },
		{ format: 'custom', signedContent: 'mine/{body}' },
		'In the credential, set Header to X-Proof, Format to Custom, Signed Content to mine/{body}, Algorithm to HMAC-SHA256, Encoding to Hex, Signature Prefix to nothing, and Secret Encoding to Text.',
	],
	[
		'what the credential says, but too old for its tolerance',
		{ 'x-trace': '1', 'x-time': `${NOW - 100}`, 'x-signature': sign(`1/${NOW - 100}/${BODY}`) },
		{
			...{ format: 'custom', signedContent: '{id}/{timestamp}/{body}', toleranceSeconds: 60 },
			...{ timestampHeader: 'X-Time', idHeader: 'X-Trace' },
		},
		'Check the clock of the machine that runs n8n. A repeated delivery needs a new signature.',
	],
	[
		'a secret without its whitespace',
		{ 'x-proof': sign(BODY) },
		{ format: 'hex', header: 'X-Proof', secret: ` ${SECRET}` },
		'Remove the spaces or line breaks around the secret in the webhook credential.',
	],
])('recognizes %s', (_what, headers, saved, advice) => {
	expect(adviceFor(headers, saved)).toBe(advice);
});

describe('limits', () => {
	it.each([
		['numbers too early for a time', manyHeaders(6, 'count', '1000000000'), { 'x-time': TIME }],
		['values that are no time', manyHeaders(6, 'text', 'text'), { 'x-time': TIME }],
		['names that only contain id', manyHeaders(6, 'idle', TIME), { 'x-id': 'event-1' }],
	])('counts no %s', (_what, others, right) => {
		const [value] = Object.values(right);
		const headers = { ...others, ...right, 'x-proof': sign(`${value}.${BODY}`) };
		expect(adviceFor(headers)).toMatch(/ Signed Content to \{(timestamp|id)\}\.\{body\}, /);
	});
});

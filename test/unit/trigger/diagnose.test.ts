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

/** A delivery with this content signed. */
const delivered = (template: string, prefix = '') => {
	const content = template
		.replace('{body}', BODY)
		.replace('{method}', 'POST')
		.replace('{timestamp}', TIME)
		.replace('{id}', 'event-1');
	return { 'x-id': 'event-1', 'x-time': TIME, 'x-proof': `${prefix}${sign(content)}` };
};

/** The advice to use Custom, with these settings in place of the usual ones. */
const custom = ({
	header = 'X-Proof',
	places = '',
	content,
	algorithm = 'HMAC-SHA256',
	encoding = 'Hex',
	prefix = 'nothing',
}: Readonly<Record<string, string>>) =>
	`In the credential, set Header to ${header}, Format to Custom, Signed Content to ${content}, ${places}Algorithm to ${algorithm}, Encoding to ${encoding}, Signature Prefix to ${prefix} and Secret Encoding to Text.`;

const IN_TIME = 'Timestamp Header to X-Time, ';

it.each([
	['{body}', ''],
	['{method}{body}', ''],
	['{timestamp}.{body}', IN_TIME],
	['{timestamp}:{body}', IN_TIME],
	['v0:{timestamp}:{body}', IN_TIME],
	['{timestamp}{method}{body}', IN_TIME],
	['{id}.{timestamp}.{body}', `${IN_TIME}ID Header to X-Id, `],
	['{timestamp}.{id}.{body}', `${IN_TIME}ID Header to X-Id, `],
	['{id}.{body}', 'ID Header to X-Id, '],
])('recognizes a signature over %s', (content, places) => {
	const advice = adviceFor(delivered(content, 'v0='));
	expect(advice).toBe(custom({ content, places, prefix: '“v0=”' }));
});

it.each([
	['{timestamp}{body}', '{timestamp} and {body}'],
	['{body}{timestamp}', '{body} and {timestamp}'],
	['{id}{timestamp}{body}', '{id} and {timestamp}'],
])('says that %s can’t be verified safely, not that the secret is wrong', (template, fields) => {
	expect(adviceFor(delivered(template))).toBe(
		`The secret fits, but the sender signs ${template}, and Signed Content must have text between ` +
			`${fields}, or a forged delivery could move characters from one to the other. Ask the sender ` +
			'for another scheme.',
	);
});

const PADDLE = `ts=${TIME};h-a=${sign('another')};h-a=${sign(`${TIME}:${BODY}`)}`;
const OTHER_HEX = sign('another');
const STANDARD = { 'webhook-id': 'event-1', 'webhook-timestamp': TIME };
const STANDARD_CONTENT = `event-1.${TIME}.${BODY}`;
const TIMED = `${TIME}.${BODY}`;
const SHA512 = { algorithm: 'sha512' };

/* test/n8n/diagnosis.test.ts has the schemes of senders. */
it.each<[string, DeliveryHeaders, Record<string, unknown>, string | undefined]>([
	[
		'a time and several signatures in parts of one header',
		{ 'x-proof': PADDLE },
		{},
		custom({
			...{ header: 'X-Proof[h-a]', content: '{timestamp}:{body}' },
			places: 'Timestamp Header to X-Proof[ts], ',
		}),
	],
	[
		'several hex signatures',
		{ 'x-proof': `${OTHER_HEX},${sign(BODY)}` },
		{ format: 'base64' },
		'In the credential, set Header to X-Proof and Format to Hex.',
	],
	[
		'several signatures of Custom',
		{ 'x-proof': `${OTHER_HEX} ${sign(`POST${BODY}`)}` },
		{},
		custom({ content: '{method}{body}' }),
	],
	[
		'a clock that is wrong, while the sender rotates its secret',
		{ 'x-signature': `t=1774949399,t=1774949399,v1=${OTHER_HEX},v1=${sign(`1774949399.${BODY}`)}` },
		{ header: 'X-Signature', toleranceSeconds: 1, previousSecret: 'x' },
		undefined,
	],
	[
		'Standard Webhooks with a secret that it can’t have',
		{ ...STANDARD, 'webhook-signature': `v1,${sign(STANDARD_CONTENT, 'base64')}` },
		{},
		custom({
			...{ header: 'Webhook-Signature', content: '{id}.{timestamp}.{body}', encoding: 'Base64' },
			...{ places: 'Timestamp Header to Webhook-Timestamp, ID Header to Webhook-Id, ' },
			prefix: '“v1,”',
		}),
	],
	[
		'headers with whitespace around them',
		{ 'x-time': ` ${TIME} `, 'x-proof': ` HMAC ${sign(TIMED, 'base64', SHA512)} ` },
		{},
		custom({
			...{ content: '{timestamp}.{body}', places: IN_TIME, algorithm: 'HMAC-SHA512' },
			...{ encoding: 'Base64', prefix: '“HMAC”' },
		}),
	],
	[
		'the content of the credential in another header',
		{ 'x-proof': sign(`mine/${BODY}`) },
		{ format: 'custom', signedContent: 'mine/{body}' },
		custom({ content: 'mine/{body}' }),
	],
])('recognizes %s', (_what, headers, saved, advice) => {
	expect(adviceFor(headers, saved)).toBe(advice);
});

it.each([
	['numbers too early for a time', manyHeaders(6, 'count', '1000000000'), { 'x-time': TIME }],
	['values that are no time', manyHeaders(6, 'text', 'text'), { 'x-time': TIME }],
	['names that only contain id', manyHeaders(6, 'idle', TIME), { 'x-id': 'event-1' }],
])('counts no %s among the headers that it tries', (_what, others, right) => {
	const [value] = Object.values(right);
	const headers = { ...others, ...right, 'x-proof': sign(`${value}.${BODY}`) };
	expect(adviceFor(headers)).toMatch(/ Signed Content to \{(timestamp|id)\}\.\{body\}, /);
});

import { Redactor } from '../../../nodes/PayrollPayments/shared/redaction';
import { adviceFor } from '../../../nodes/PayrollPayments/trigger/diagnose';
import { checkProof } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import {
	readWebhookCredentials,
	type WebhookCredentials,
} from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { settingsFrom } from '../diagnosisAdvice';
import { rejectionOf } from '../refusals';
import { hmac } from '../../../n8nHost/sampleEvents';

import { words, type Judge } from './judge';

const NOW_SECONDS = 1_774_949_400;
const SECRET = 'whsec_c2VjcmV0IQ';
const SAVED = [
	{},
	{ method: 'sharedToken', header: 'X-Token' },
	{ format: 'hex', header: 'X-Other' },
	{ format: 'standardWebhooks' },
	{ format: 'custom', signedContent: '{body}' },
];

/** Replaces the placeholders in a header with the time, the token and valid signatures. */
function filled(value: string, body: Buffer): string {
	const time = String(NOW_SECONDS);
	const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
	return value
		.replaceAll('§T', time)
		.replaceAll('§k', SECRET)
		.replaceAll('§h', () => hmac(SECRET, body).toString('hex'))
		.replaceAll('§b', () => hmac(SECRET, body).toString('base64'))
		.replaceAll('§t', () => hmac(SECRET, `${time}.`, body).toString('hex'))
		.replaceAll('§v', () => hmac(SECRET, `v0:${time}:`, body).toString('hex'))
		.replaceAll('§m', () => hmac(SECRET, 'POST', body).toString('hex'))
		.replaceAll('§s', () => hmac(key, `id.${time}.`, body).toString('base64'));
}

/**
 * The first byte chooses the saved settings; then come headers, one a line, an empty line, and the
 * body. Whoever follows the advice must have the delivery accepted.
 */
export const diagnosis: Judge = {
	dictionary: [
		...words('§T §k §h §b §t §v §m §s §T000 v1= v1, v0= 2026-03-31T09:30:00Z'),
		...['\n', '\n\n', ': ', ', '],
		...[
			'x-signature: t=§T,v1=§t\n',
			'x-hub-signature-256: sha256=§h\n',
			'authorization: Bearer §k\n',
		],
		...['x-sig: v0=§v\nx-time: §T\n', 'x-proof: §m\n', 'x-b: §b\n'],
		'webhook-id: id\nwebhook-timestamp: §T\nwebhook-signature: v1,§s\n',
		...['{"a":1}', '{ "a": 1 }', '[', ']', '{"__proto__":{}}', '\\u00fc', 'ü', '['.repeat(120)],
	],
	check(input) {
		const text = input.subarray(1).toString('latin1');
		const headEnd = text.indexOf('\n\n');
		const body = Buffer.from(headEnd === -1 ? '' : text.slice(headEnd + 2), 'latin1');
		const head = input.subarray(1, headEnd === -1 ? undefined : headEnd + 1).toString();
		const headers: Record<string, string> = {};
		for (const line of head.split('\n')) {
			const [, name, value = ''] = /^([\w-]{1,40}): (.*)$/.exec(line) ?? [];
			if (name !== undefined) headers[name.toLowerCase()] = filled(value, body);
		}

		const saved = { ...SAVED[(input[0] ?? 0) % SAVED.length], secret: SECRET };
		const credentials = readWebhookCredentials(saved);
		const verify = (settings: WebhookCredentials) =>
			rejectionOf(() => checkProof(body, headers, settings));
		const refusal = verify(credentials);
		const found = adviceFor({ headers, rawBody: body }, credentials);
		if (refusal === undefined && found !== undefined)
			throw new Error('disagrees with the verifier about what passes');
		if (found === undefined) return;
		const redactor = new Redactor().add(SECRET);
		const advice = redactor.text(found);
		if (advice.includes(SECRET)) throw new Error('names the secret');
		/* A header may contain the secret beside the signature; that can't be advised. */
		if (advice !== found) return;

		const settings = settingsFrom(advice);
		if (Object.keys(settings).length === 0) return;
		/* The advice is about the settings; a wrong clock is named once they are right. */
		if (verify(readWebhookCredentials({ ...saved, ...settings })) !== undefined)
			throw new Error('advises settings that do not fit');
	},
};

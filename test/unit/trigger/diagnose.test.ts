import { createHmac } from 'node:crypto';

import { adviceFor } from '../../../nodes/PayrollPayments/trigger/diagnose';
import type { DeliveryHeaders } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';

/* test/n8n/diagnosis.test.ts has the schemes of senders, and the messages. */

const TIME = '1774949400';
const BODY = '{"object":"event"}';
const SECRET = 'a secret of the sender';
const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const sign = (content: string, encoding: 'hex' | 'base64' = 'hex', key: string | Buffer = SECRET) =>
	createHmac('sha256', key).update(content).digest(encoding);

const advice = (headers: DeliveryHeaders, saved: Record<string, unknown> = {}, body = BODY) =>
	adviceFor(
		{ headers, rawBody: Buffer.from(body) },
		readWebhookCredentials({ secret: SECRET, ...saved }),
	);

const OTHER_HEX = sign('another');
const NOTHING = /^The secret in the credential doesn’t fit this delivery, /;
const CUSTOM = { format: 'custom', signedContent: 'mine/{timestamp}/{body}' };
const TIME_HEADER = { timestampHeader: 'X-Time' };
const MINE = sign(`mine/${TIME}/${BODY}`);

it.each<[string, DeliveryHeaders, Record<string, unknown>, string | RegExp | undefined]>([
	[
		'a signature in a part of a header',
		{ 'x-proof': `id=${OTHER_HEX};h-a=${sign(BODY)}` },
		{},
		'In the credential, set Header to X-Proof[h-a] and Format to Hex.',
	],
	[
		'one of several signatures',
		{ 'x-proof': `${OTHER_HEX},${sign(BODY)}` },
		{ format: 'base64' },
		'In the credential, set Header to X-Proof and Format to Hex.',
	],
	[
		'the saved format in another header',
		{ 'x-proof': sign(BODY, 'base64') },
		{ format: 'base64' },
		'In the credential, set Header to X-Proof.',
	],
	[
		'the saved token in another header',
		{ authorization: `Bearer ${SECRET}` },
		{ method: 'sharedToken' },
		'In the credential, set Header to Authorization.',
	],
	[
		'a clock that is wrong, while the sender rotates its secret',
		{ 'x-signature': `t=1,t=1,v1=${OTHER_HEX},v1=${sign(`1.${BODY}`)}` },
		{ toleranceSeconds: 1, previousSecret: 'x' },
		undefined,
	],
	[
		'the saved Custom in another header',
		{ 'x-time': TIME, 'x-proof': `a=1,sig=${MINE}` },
		{ ...CUSTOM, ...TIME_HEADER },
		'In the credential, set Header to X-Proof[sig].',
	],
	[
		'another preset than the saved Custom',
		{
			'webhook-id': '1',
			'webhook-timestamp': TIME,
			'webhook-signature': `v1,${sign(`1.${TIME}.${BODY}`, 'base64', Buffer.from(WHSEC.slice(6), 'base64'))}`,
		},
		{ ...CUSTOM, ...TIME_HEADER, secret: WHSEC },
		'In the credential, set Format to Standard Webhooks.',
	],
	['Custom, if it isn’t saved', { 'x-time': TIME, 'x-proof': MINE }, {}, NOTHING],
	[
		'Custom with another header for the time',
		{ 'x-at': TIME, 'x-proof': MINE },
		{ ...CUSTOM, ...TIME_HEADER },
		NOTHING,
	],
	[
		'headers that came several times',
		{ 'x-signature': [sign(BODY)], 'x-other': undefined },
		{ format: 'hex' },
		NOTHING,
	],
])('%s', (_what, headers, saved, expected) => {
	if (expected instanceof RegExp) expect(advice(headers, saved)).toMatch(expected);
	else expect(advice(headers, saved)).toBe(expected);
});

/** Headers in front of the right one. */
const before = (count: number) =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, OTHER_HEX]));

it('tries every header that a request can have', () => {
	const headers = { ...before(1_000), 'x-proof': sign(BODY) };
	expect(advice(headers)).toBe('In the credential, set Header to X-Proof and Format to Hex.');
});

it('tries few headers with a huge body, so that nobody can keep n8n busy', () => {
	const body = 'x'.repeat(16_000_000);
	const signed = { 'x-proof': sign(body) };
	expect(advice({ ...before(1_000), ...signed }, { format: 'base64' }, body)).toMatch(NOTHING);
});

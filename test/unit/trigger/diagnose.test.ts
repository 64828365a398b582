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
const IS_HEX = 'In the credential, set Header to X-Proof and Format to Hex.';
const NOTHING = expect.stringMatching(/^The secret in the credential doesn’t fit this delivery, /);
const CUSTOM = {
	format: 'custom',
	signedContent: 'mine/{timestamp}/{body}',
	timestampHeader: 'X-Time',
};
const MINE = sign(`mine/${TIME}/${BODY}`);
const STANDARD = sign(`1.${TIME}.${BODY}`, 'base64', Buffer.from(WHSEC.slice(6), 'base64'));

it.each<[string, DeliveryHeaders, Record<string, unknown>, unknown]>([
	[
		'a signature in a part of a header',
		{ 'x-proof': `id=${OTHER_HEX};h-a=${sign(BODY)}` },
		{},
		'In the credential, set Header to X-Proof[h-a] and Format to Hex.',
	],
	[
		'one of several signatures, where Standard Webhooks is saved',
		{ 'x-proof': `${OTHER_HEX},${sign(BODY, 'hex', WHSEC)}` },
		{ format: 'standardWebhooks', secret: WHSEC },
		IS_HEX,
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
		'another preset than the saved Custom',
		{ 'webhook-id': '1', 'webhook-timestamp': TIME, 'webhook-signature': `v1,${STANDARD}` },
		{ ...CUSTOM, secret: WHSEC },
		'In the credential, set Format to Standard Webhooks.',
	],
	['Custom, if it isn’t saved', { 'x-time': TIME, 'x-proof': MINE }, {}, NOTHING],
	['Custom with another header for the time', { 'x-at': TIME, 'x-proof': MINE }, CUSTOM, NOTHING],
	['headers that came several times', { 'x-signature': [sign(BODY)] }, { format: 'hex' }, NOTHING],
	['a header without a value', { 'x-proof': sign('x'), 'x-other': undefined }, {}, NOTHING],
])('%s', (_what, headers, saved, expected) => {
	expect(advice(headers, saved)).toEqual(expected);
});

/** Headers in front of the right one. */
const before = (count: number) =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, OTHER_HEX]));

it('tries every header that a request can have', () => {
	const headers = { ...before(1_000), 'x-proof': sign(BODY) };
	expect(advice(headers)).toBe(IS_HEX);
});

it('tries few headers with a huge body, so that nobody can keep n8n busy', () => {
	const body = 'x'.repeat(16_000_000);
	const signed = { 'x-proof': sign(body) };
	expect(advice({ ...before(1_000), ...signed }, { format: 'base64' }, body)).toEqual(NOTHING);
});

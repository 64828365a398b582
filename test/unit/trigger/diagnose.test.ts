import { hmac } from '../../../n8nHost/sampleEvents';
import { adviceFor } from '../../../nodes/PayrollPayments/trigger/diagnose';
import type { DeliveryHeaders } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';

/* test/n8n/diagnosis.test.ts has the schemes of senders, and the messages. */

const BODY = Buffer.from('{"object":"event"}');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const sign = (...before: readonly string[]) => hmac(SECRET, ...before, BODY).toString('hex');
const standard = hmac(Buffer.from(SECRET.slice(6), 'base64'), '1.1.', BODY).toString('base64');
const others = Array.from({ length: 16 }, (_, index) => `p${index}=${sign('another')}`).join(';');
const NOTHING = expect.stringMatching(/^The secret in the credential doesn’t fit this delivery, /);
const MINE = { 'x-time': '1', 'x-proof': sign('mine/1/') };

it.each<[string, DeliveryHeaders, Record<string, unknown>, unknown]>([
	[
		'a signature in a part of a header',
		{ 'x-proof': ` id=${sign('another')};h-a=${sign()}` },
		{},
		'In the credential, set Header to X-Proof[h-a] and Format to Hex.',
	],
	['a signature behind 16 parts', { 'x-proof': `${others};h-a=${sign()}` }, {}, NOTHING],
	[
		'a clock that is wrong, while the sender rotates its secret',
		{ 'x-signature': `t=1,v1=${sign('another')},v1=${sign('1.')}` },
		{ toleranceSeconds: 1, previousSecret: 'x' },
		undefined,
	],
	[
		'another preset than the saved Custom',
		{ 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': `v1,${standard}` },
		{ format: 'custom', signedContent: 'mine/{timestamp}/{body}', timestampHeader: 'X-Time' },
		'In the credential, set Format to Standard Webhooks.',
	],
	['Custom, if it isn’t saved', MINE, {}, NOTHING],
	['headers that came several times', { 'x-signature': [sign()] }, { format: 'hex' }, NOTHING],
	['a header without a value', { 'x-proof': sign('x'), 'x-other': undefined }, {}, NOTHING],
])('%s', (_what, headers, saved, expected) => {
	const credentials = readWebhookCredentials({ secret: SECRET, ...saved });
	expect(adviceFor({ headers, rawBody: BODY }, credentials)).toEqual(expected);
});

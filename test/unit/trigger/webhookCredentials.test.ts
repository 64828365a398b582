import {
	checkWebhookCredentials,
	keyOf,
	readWebhookCredentials,
} from '../../../nodes/PayrollPayments/trigger/webhookCredentials';

const saved = {
	method: 'hmacSignature',
	secret: 'whsec_1',
	header: 'X-Signature',
	format: 'timestamped',
	previousSecret: '',
	toleranceSeconds: 600,
};

it('reads what the form saves', () => {
	expect(readWebhookCredentials(saved)).toEqual({
		header: 'x-signature',
		secrets: ['whsec_1'],
		scheme: 'timestamped',
		toleranceSeconds: 600,
	});
	expect(readWebhookCredentials({ ...saved, format: 'hex', previousSecret: 'old' })).toEqual({
		header: 'x-signature',
		secrets: ['whsec_1', 'old'],
		scheme: 'hex',
	});
	expect(
		readWebhookCredentials({ ...saved, method: 'sharedToken', header: 'Authorization' }),
	).toEqual({ header: 'authorization', secrets: ['whsec_1'], scheme: 'sharedToken' });
});

it('uses the documented defaults for what was not saved', () => {
	expect(readWebhookCredentials({ secret: 'whsec_1' })).toEqual(readWebhookCredentials(saved));
});

it('reads the fields of Standard Webhooks and Custom', () => {
	const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
	expect(readWebhookCredentials({ ...saved, secret, format: 'standardWebhooks' })).toEqual({
		header: 'webhook-signature',
		secrets: [secret],
		scheme: 'standardWebhooks',
		toleranceSeconds: 600,
	});
	expect(
		readWebhookCredentials({ ...saved, format: 'custom', timestampHeader: 'X-Sent-At' }),
	).toMatchObject({
		header: 'x-signature',
		scheme: 'custom',
		signedContent: { template: '{timestamp}.{body}' },
		timestampHeader: 'x-sent-at',
		algorithm: 'sha256',
		encoding: 'hex',
		signaturePrefix: '',
		secretEncoding: 'text',
		toleranceSeconds: 600,
	});
});

const custom = { format: 'custom', timestampHeader: 'X-Time', idHeader: 'X-ID' };

it.each([
	[
		'Standard Webhooks with a secret that isn’t Base64',
		{ format: 'standardWebhooks', secret: 'whsec_ü' },
		"Secret isn't valid Base64",
	],
	[
		'Standard Webhooks with nothing after whsec_',
		{ format: 'standardWebhooks', secret: 'whsec_' },
		"Secret isn't valid Base64",
	],
	[
		'Standard Webhooks with a bad previous secret',
		{ format: 'standardWebhooks', secret: 'whsec_MfKQ', previousSecret: 'not Base64' },
		"Previous Secret isn't valid Base64",
	],
	[
		'Custom with an odd number of hex digits',
		{ ...custom, secretEncoding: 'hex', secret: 'abc' },
		"Secret isn't valid hex",
	],
	[
		'Custom with a bad Base64 secret',
		{ ...custom, secretEncoding: 'base64', secret: 'a====' },
		"Secret isn't valid Base64",
	],
	['no body', { ...custom, signedContent: '{timestamp}' }, 'Signed Content must contain {body}'],
	['an empty template', { ...custom, signedContent: '' }, 'Signed Content must contain {body}'],
	[
		'an unknown placeholder',
		{ ...custom, signedContent: '{url}{body}' },
		"Signed Content contains {url}, which isn't one of {body}, {timestamp}, {id}, {method}",
	],
	[
		'no header for the time',
		{ ...custom, timestampHeader: '' },
		'Timestamp Header is empty, but Signed Content contains {timestamp}',
	],
	[
		'no header for the ID',
		{ ...custom, signedContent: '{id}{body}', idHeader: '' },
		'ID Header is empty, but Signed Content contains {id}',
	],
	[
		'a bad header for the time',
		{ ...custom, timestampHeader: 'X Time' },
		"Timestamp Header isn't a valid header name, e.g. X-Request-Timestamp",
	],
	[
		'a tolerance of 0',
		{ ...custom, toleranceSeconds: 0 },
		'Tolerance (Seconds) must be from 1 to 86,400 seconds',
	],
])('names %s', (_what, change, message) => {
	expect(() => readWebhookCredentials({ ...saved, ...change })).toThrow(message);
	expect(() => checkWebhookCredentials({ ...saved, ...change })).toThrow(message);
});

it('ignores fields of Custom that the template doesn’t use', () => {
	const unused = { timestampHeader: 'X Time', idHeader: 'X ID', toleranceSeconds: 0 };
	expect(() =>
		checkWebhookCredentials({ ...saved, ...unused, format: 'custom', signedContent: '{body}' }),
	).not.toThrow();
	expect(() =>
		checkWebhookCredentials({
			...saved,
			...unused,
			toleranceSeconds: 600,
			secret: 'MfKQ9r8GKYqrTwjU',
			header: 'X Y',
			signedContent: '',
			format: 'standardWebhooks',
		}),
	).not.toThrow();
});

it.each([
	['an empty secret', { secret: '' }, 'Secret is empty'],
	['a secret of whitespace only', { secret: ' \n' }, 'Secret is empty'],
	['a secret that nobody can see', { secret: '\u200b\u0000\ufeff' }, 'Secret is empty'],
	[
		'a hex secret of zeros, which signs like none',
		{ ...custom, secretEncoding: 'hex', secret: '0000' },
		'Secret is all zeros',
	],
	[
		'a Base64 secret of zeros',
		{ format: 'standardWebhooks', secret: 'whsec_AAAA' },
		'Secret is all zeros',
	],
	[
		'a previous secret of zeros',
		{ format: 'standardWebhooks', secret: 'whsec_MTIz', previousSecret: 'AAAA' },
		'Previous Secret is all zeros',
	],
	[
		'no method',
		{ method: null },
		'Method is missing. Choose HMAC Signature or Shared Token (hmacSignature, sharedToken)',
	],
	[
		'an unknown format',
		{ format: 'md5' },
		'Format must be Base64, Custom, Hex, Standard Webhooks or Timestamped (base64, custom, hex, standardWebhooks, timestamped)',
	],
	[
		'an algorithm that finds nothing',
		{ ...custom, algorithm: '' },
		'Algorithm is missing. Choose HMAC-SHA256 or HMAC-SHA512 (sha256, sha512)',
	],
	['an empty header', { header: '' }, "Header isn't a valid header name, e.g. X-Signature"],
	[
		'a header with a space',
		{ header: 'X Signature' },
		"Header isn't a valid header name, e.g. X-Signature",
	],
	[
		'a header with a colon',
		{ header: 'X-Signature:' },
		"Header isn't a valid header name, e.g. X-Signature",
	],
	['no tolerance', { toleranceSeconds: 0 }, 'Tolerance (Seconds) must be from 1 to 86,400 seconds'],
	[
		'too much tolerance',
		{ toleranceSeconds: 86_401 },
		'Tolerance (Seconds) must be from 1 to 86,400 seconds',
	],
	[
		'a tolerance in words',
		{ toleranceSeconds: 'ten' },
		'Tolerance (Seconds) must be from 1 to 86,400 seconds',
	],
])('names %s', (_what, change, message) => {
	expect(() => readWebhookCredentials({ ...saved, ...change })).toThrow(message);
	expect(() => checkWebhookCredentials({ ...saved, ...change })).toThrow(message);
});

const CORRECT_FIELD = 'Open the credential “Payroll Payments Webhook API” and correct this field.';
const COPY_AGAIN = 'Copy the secret again, without the spaces or line breaks around it.';

it.each([
	[{ secret: undefined }, 'secret', 'Secret is empty', CORRECT_FIELD],
	[{ secret: 5 }, 'secret', "Secret isn't text", CORRECT_FIELD],
	[
		{ ...custom, idHeader: 'X ID', signedContent: '{id}{body}' },
		'idHeader',
		"ID Header isn't a valid header name, e.g. X-Request-Id",
		CORRECT_FIELD,
	],
	[
		{ ...custom, encoding: '' },
		'encoding',
		'Encoding is missing. Choose Base64 or Hex (base64, hex)',
		CORRECT_FIELD,
	],
	[
		{ ...custom, signaturePrefix: 5 },
		'signaturePrefix',
		"Signature Prefix isn't text",
		CORRECT_FIELD,
	],
	[
		{ ...custom, secretEncoding: '' },
		'secretEncoding',
		'Secret Encoding is missing. Choose Base64, Hex or Text (base64, hex, text)',
		CORRECT_FIELD,
	],
	[
		{ ...custom, signedContent: `{${'a'.repeat(29)}b}{body}` },
		'signedContent',
		`Signed Content contains {${'a'.repeat(29)}, which isn't one of {body}, {timestamp}, {id}, {method}`,
		CORRECT_FIELD,
	],
	[
		{ format: 'standardWebhooks', secret: 'not Base64' },
		'secret',
		"Secret isn't valid Base64",
		CORRECT_FIELD,
	],
	[{ secret: 'whsec_1 ' }, 'secret', 'Secret has whitespace around it', COPY_AGAIN],
])('says about %j which field is wrong and what to do', (change, field, message, hint) => {
	expect(() => checkWebhookCredentials({ ...saved, ...change })).toThrow(
		expect.objectContaining({ field, message, hint }),
	);
});

it('ignores the whitespace around a signature prefix', () => {
	const read = readWebhookCredentials({ ...saved, ...custom, signaturePrefix: ' v0= ' });
	expect(read).toMatchObject({ signaturePrefix: 'v0=' });
});

it.each([
	['hex', ' c0ffee\n', Buffer.from('c0ffee', 'hex')],
	['base64', ' whsec_MfKQ\n', Buffer.from('MfKQ', 'base64')],
	['base64', 'MfKQwhsec_MfKQ', Buffer.from('MfKQwhsec_MfKQ', 'base64')],
	['base64', 'MfKQ==', Buffer.from('MfKQ', 'base64')],
	['base64', 'MfKQ9', undefined],
	['text', ' whsec_MfKQ\n', ' whsec_MfKQ\n'],
] as const)('the key of a secret in %s: %j', (encoding, secret, key) => {
	expect(keyOf(secret, encoding)).toEqual(key);
});

it('accepts nothing for a previous secret that nobody can see', () => {
	for (const previousSecret of [' ', '\u200b', '\u0000', null, undefined]) {
		expect(readWebhookCredentials({ ...saved, previousSecret }).secrets).toEqual(['whsec_1']);
	}
});

it('accepts the bounds of the tolerance', () => {
	for (const toleranceSeconds of [1, 86_400, '600']) {
		expect(() => checkWebhookCredentials({ ...saved, toleranceSeconds })).not.toThrow();
	}
});

it('ignores fields that the form hides', () => {
	expect(readWebhookCredentials({ ...saved, signedContent: '', algorithm: '' })).toEqual(
		readWebhookCredentials(saved),
	);
	for (const change of [{ method: 'sharedToken' }, { format: 'hex' }, { format: 'base64' }]) {
		expect(() =>
			checkWebhookCredentials({ ...saved, ...change, toleranceSeconds: 0 }),
		).not.toThrow();
	}
});

it('names whitespace around a secret in the test, but verifies with it', () => {
	expect(() => checkWebhookCredentials({ ...saved, secret: 'whsec_1 ' })).toThrow(
		'Secret has whitespace around it',
	);
	expect(() => checkWebhookCredentials({ ...saved, previousSecret: '\told' })).toThrow(
		'Previous Secret has whitespace around it',
	);
	expect(readWebhookCredentials({ ...saved, secret: 'whsec_1 ' }).secrets).toEqual(['whsec_1 ']);
});

it('never repeats a secret', () => {
	const attempt = () => checkWebhookCredentials({ ...saved, secret: ' do-not-tell ' });
	expect(attempt).toThrow();
	expect(attempt).not.toThrow(/do-not-tell/);
});

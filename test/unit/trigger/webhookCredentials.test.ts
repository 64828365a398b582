import {
	checkWebhookCredentials,
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

it.each([
	['an empty secret', { secret: '' }, 'Secret is empty'],
	['a secret of whitespace only', { secret: ' \n' }, 'Secret is empty'],
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

it('accepts the bounds of the tolerance', () => {
	for (const toleranceSeconds of [1, 86_400, '600']) {
		expect(() => checkWebhookCredentials({ ...saved, toleranceSeconds })).not.toThrow();
	}
});

it('ignores fields that the form hides', () => {
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

import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { PayrollPaymentsWebhookApi } from '../../../credentials/PayrollPaymentsWebhookApi.credentials';
import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import {
	decodeSecret,
	readWebhookCredentials,
	testWebhookCredentials,
} from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { SIGNED_SCHEMES } from '../../support/signedDeliveries';

type Saved = Readonly<Record<string, unknown>>;

const { properties } = new PayrollPaymentsWebhookApi();
const defaults: INodeParameters = Object.fromEntries(
	properties.map(({ name, default: preset }) => [name, preset]),
);
const saved = { ...defaults, secret: 'whsec_1' };
const STANDARD = { format: 'standardWebhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
const CUSTOM = { format: 'custom', timestampHeader: 'X-Time', idHeader: 'X-ID' };

const test = (data: Saved) =>
	testWebhookCredentials({ id: '1', name: 'saved', type: 'any', data: Object(data) });

describe('the form', () => {
	const FIRST = ['Method', 'Secret'];
	const LAST = ['Algorithm', 'Encoding', 'Signature Prefix', 'Secret Encoding', 'Previous Secret'];
	const TOLERANCE = 'Tolerance (Seconds)';

	it.each<[string, INodeParameters, string[]]>([
		['a shared token', { method: 'sharedToken' }, [...FIRST, 'Header', 'Previous Secret']],
		[
			'a shared token, after another format was chosen',
			{ method: 'sharedToken', format: 'standardWebhooks' },
			[...FIRST, 'Header', 'Previous Secret'],
		],
		['Hex', { format: 'hex' }, [...FIRST, 'Format', 'Header', 'Previous Secret']],
		['Base64', { format: 'base64' }, [...FIRST, 'Format', 'Header', 'Previous Secret']],
		['Timestamped', {}, [...FIRST, 'Format', 'Header', 'Previous Secret', TOLERANCE]],
		['Standard Webhooks', STANDARD, [...FIRST, 'Format', 'Previous Secret', TOLERANCE]],
		[
			'Custom',
			{ format: 'custom' },
			[...FIRST, 'Format', 'Header', 'Signed Content', 'Timestamp Header', ...LAST, TOLERANCE],
		],
		[
			'Custom over the body only',
			{ format: 'custom', signedContent: '{body}' },
			[...FIRST, 'Format', 'Header', 'Signed Content', ...LAST],
		],
		[
			'Custom with an ID',
			{ format: 'custom', signedContent: '{id}.{body}' },
			[...FIRST, 'Format', 'Header', 'Signed Content', 'ID Header', ...LAST],
		],
	])('shows only what matters for %s', (_what, values, labels) => {
		const shown = properties.filter((property) =>
			NodeHelpers.displayParameter({ ...defaults, ...values }, property, null, null),
		);
		expect(
			shown.filter(({ type }) => type !== 'notice').map(({ displayName }) => displayName),
		).toEqual(labels);
	});

	it.each(SIGNED_SCHEMES)('means what n8n decrypts of it: $name', (scheme) => {
		const values = { ...scheme.saved, secret: scheme.secrets[0] };
		const decrypted = NodeHelpers.getNodeParameters(properties, values, true, false, null, null);
		expect(readWebhookCredentials(decrypted ?? {})).toEqual(readWebhookCredentials(values));
	});
});

it('uses the documented defaults for what was not saved', () => {
	expect(readWebhookCredentials({ secret: 'whsec_1' })).toEqual(readWebhookCredentials(saved));
	expect(readWebhookCredentials(saved)).toMatchObject({
		format: 'timestamped',
		scheme: { header: 'X-Signature[v1]', timestampHeader: 'X-Signature[t]' },
		secrets: ['whsec_1'],
		toleranceSeconds: 600,
	});
});

it('reads parts of headers, and ignores whitespace around a prefix', () => {
	const changes = { header: 'Paddle-Signature[h1]', timestampHeader: 'Paddle-Signature[ts]' };
	expect(
		readWebhookCredentials({ ...saved, ...CUSTOM, ...changes, signaturePrefix: ' v0= ' }).scheme,
	).toMatchObject({
		...changes,
		signaturePrefix: 'v0=',
	});
});

it('takes an asterisk in the name of any header as it is', () => {
	const changes = { header: 'X-*-Signature', timestampHeader: 'X-*-Time' };
	expect(readWebhookCredentials({ ...saved, ...CUSTOM, ...changes }).scheme).toMatchObject(changes);
});

const NO_BASE64 = "Secret isn't valid Base64";
const ALL_ZEROS = 'Secret is all zeros';
const TOLERANCE = 'Tolerance (Seconds) must be a whole number, from 1 to 86400';
const noHeader = (label: string, example = label) =>
	`${label} isn't a valid header name, e.g. ${example} or ${example}[part]`;
const touching = (fields: string) =>
	new RegExp(`^Signed Content must have text between ${fields}, or a forged delivery could`);

it.each<[Saved, string, string | RegExp]>([
	[{ secret: undefined }, 'secret', 'Secret is empty'],
	...['', ' \n', '\u200b\u0000\ufeff'].map((secret): [Saved, string, string] => [
		{ secret },
		'secret',
		'Secret is empty',
	]),
	[{ secret: 5 }, 'secret', "Secret isn't text"],
	...['whsec_ü', 'whsec_', 'not Base64'].map((secret): [Saved, string, string] => [
		{ ...STANDARD, secret },
		'secret',
		NO_BASE64,
	]),
	[{ ...STANDARD, previousSecret: 'not Base64' }, 'previousSecret', `Previous ${NO_BASE64}`],
	[{ ...CUSTOM, secretEncoding: 'hex', secret: 'abc' }, 'secret', "Secret isn't valid hex"],
	[{ ...CUSTOM, secretEncoding: 'base64', secret: 'a====' }, 'secret', NO_BASE64],
	[{ ...CUSTOM, secretEncoding: 'hex', secret: '0000' }, 'secret', ALL_ZEROS],
	[{ ...STANDARD, secret: 'whsec_AAAA' }, 'secret', ALL_ZEROS],
	[{ ...STANDARD, previousSecret: 'AAAA' }, 'previousSecret', `Previous ${ALL_ZEROS}`],
	[
		{ method: null },
		'method',
		'Method is missing. Choose HMAC Signature or Shared Token (hmacSignature, sharedToken)',
	],
	[
		{ format: 'md5' },
		'format',
		'Format must be Base64, Custom, Hex, Standard Webhooks or Timestamped (base64, custom, hex, standardWebhooks, timestamped)',
	],
	[
		{ ...CUSTOM, algorithm: '' },
		'algorithm',
		'Algorithm is missing. Choose HMAC-SHA256 or HMAC-SHA512 (sha256, sha512)',
	],
	[{ ...CUSTOM, encoding: '' }, 'encoding', /^Encoding is missing\. Choose Base64 or Hex/],
	[{ ...CUSTOM, secretEncoding: 'x' }, 'secretEncoding', /^Secret Encoding must be Base64, Hex or/],
	[{ ...CUSTOM, signaturePrefix: 5 }, 'signaturePrefix', "Signature Prefix isn't text"],
	...['', 'X Signature', 'X-Signature:', 'X-Signature[', 'X[a b]', '[a]', 'X[a][b]'].map(
		(header): [Saved, string, string] => [{ header }, 'header', noHeader('Header', 'X-Signature')],
	),
	[
		{ header: 'X-Signature[v1]' },
		'header',
		'Header must be a header without [part], since Timestamped reads its parts',
	],
	[
		{ ...CUSTOM, timestampHeader: 'X Time' },
		'timestampHeader',
		noHeader('Timestamp Header', 'X-Request-Timestamp'),
	],
	[
		{ ...CUSTOM, signedContent: '{id}.{body}', idHeader: 'X ID' },
		'idHeader',
		noHeader('ID Header', 'X-Request-ID'),
	],
	[
		{ ...CUSTOM, timestampHeader: '' },
		'timestampHeader',
		'Timestamp Header is empty, but Signed Content contains {timestamp}',
	],
	[
		{ ...CUSTOM, signedContent: '{id}.{body}', idHeader: '' },
		'idHeader',
		'ID Header is empty, but Signed Content contains {id}',
	],
	[{ ...CUSTOM, signedContent: '{timestamp}' }, 'signedContent', /must contain \{body\}, e\.g\./],
	[{ ...CUSTOM, signedContent: '' }, 'signedContent', /must contain \{body\}, e\.g\./],
	[
		{ ...CUSTOM, signedContent: `{${'a'.repeat(29)}b}{body}` },
		'signedContent',
		`Signed Content contains {${'a'.repeat(29)}, which isn't one of {body}, {timestamp}, {id}, {method}`,
	],
	[
		{ ...CUSTOM, signedContent: '{timestamp}{body}' },
		'signedContent',
		touching('{timestamp} and {body}'),
	],
	[
		{ ...CUSTOM, signedContent: '{id}{timestamp}.{body}' },
		'signedContent',
		touching('{id} and {timestamp}'),
	],
	[{ ...CUSTOM, signedContent: '{body}{body}' }, 'signedContent', touching('{body} and {body}')],
	...[0, 86_401, 'ten', 1.5].map((toleranceSeconds): [Saved, string, string] => [
		{ toleranceSeconds },
		'toleranceSeconds',
		TOLERANCE,
	]),
])('refuses %j', (changes, field, message) => {
	let refusal: unknown;
	try {
		readWebhookCredentials({ ...saved, ...changes });
	} catch (error) {
		refusal = error;
	}
	expect(refusal).toBeInstanceOf(UserError);
	expect(refusal).toMatchObject({
		field,
		message: typeof message === 'string' ? message : expect.stringMatching(message),
		hint: 'Open the credential “Payroll Payments Webhook API” and correct this field.',
	});
	expect(test({ ...saved, ...changes })).toMatchObject({ status: 'Error' });
});

it.each<[string, Saved]>([
	[
		'fields of Custom that the template doesn’t use',
		{
			...CUSTOM,
			signedContent: '{body}',
			timestampHeader: 'X Y',
			idHeader: 'X Y',
			toleranceSeconds: 0,
		},
	],
	['{method} next to {body}', { ...CUSTOM, signedContent: '{method}{body}' }],
	['fields of Custom in another format', { signedContent: '', algorithm: '' }],
	['a header of Standard Webhooks', { ...STANDARD, header: 'X Y' }],
	['a tolerance where no time is signed', { format: 'hex', toleranceSeconds: 0 }],
	['a tolerance of a shared token', { method: 'sharedToken', toleranceSeconds: 0 }],
	['the least tolerance', { toleranceSeconds: 1 }],
	['the largest tolerance as text', { toleranceSeconds: '86400' }],
])('takes %s', (_what, changes) => {
	expect(test({ ...saved, ...changes })).toMatchObject({ status: 'OK' });
});

it.each([
	['hex', ' c0ffee\n', Buffer.from('c0ffee', 'hex')],
	['base64', ' whsec_MfKQ\n', Buffer.from('MfKQ', 'base64')],
	['base64', 'MfKQwhsec_MfKQ', Buffer.from('MfKQwhsec_MfKQ', 'base64')],
	['base64', 'MfKQ==', Buffer.from('MfKQ', 'base64')],
	['base64', 'MfKQ9', undefined],
	['text', ' whsec_MfKQ\n', ' whsec_MfKQ\n'],
] as const)('the key of a secret in %s: %j', (encoding, secret, key) => {
	expect(decodeSecret(secret, encoding)).toEqual(key);
});

it('accepts nothing for a previous secret that nobody can see', () => {
	for (const previousSecret of [' ', '\u200b', '\u0000', null, undefined]) {
		expect(readWebhookCredentials({ ...saved, previousSecret }).secrets).toEqual(['whsec_1']);
	}
});

it('names whitespace around a secret in the test, but verifies with it', () => {
	const message = 'has whitespace around it';
	expect(test({ ...saved, secret: 'do-not-tell ' })).toEqual({
		status: 'Error',
		message: `Secret ${message}`,
	});
	expect(test({ ...saved, previousSecret: '\told' })).toEqual({
		status: 'Error',
		message: `Previous Secret ${message}`,
	});
	expect(readWebhookCredentials({ ...saved, secret: 'whsec_1 ' }).secrets).toEqual(['whsec_1 ']);
});

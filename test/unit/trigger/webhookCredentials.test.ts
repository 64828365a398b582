import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { PayrollPaymentsWebhookApi } from '../../../credentials/PayrollPaymentsWebhookApi.credentials';
import { decodeSecret } from '../../../nodes/PayrollPayments/trigger/proofs';
import {
	readWebhookCredentials,
	testWebhookCredentials,
} from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { refusalOf } from '../../support/refusals';
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
	const TOKEN = 'method secret header previousSecret';
	const OVER_BODY = 'method secret format header previousSecret';
	const ofCustom = (between = '', last = '') =>
		`method secret format header signedContent ${between}algorithm encoding signaturePrefix secretEncoding previousSecret${last}`;

	it.each<[string, INodeParameters, string]>([
		['a shared token', { method: 'sharedToken' }, TOKEN],
		['a shared token after another format', { method: 'sharedToken', ...STANDARD }, TOKEN],
		['Hex', { format: 'hex' }, OVER_BODY],
		['Base64', { format: 'base64' }, OVER_BODY],
		['Timestamped', {}, `${OVER_BODY} toleranceSeconds`],
		['Standard Webhooks', STANDARD, 'method secret format previousSecret toleranceSeconds'],
		['Custom', { format: 'custom' }, ofCustom('timestampHeader ', ' toleranceSeconds')],
		['Custom over the body only', { format: 'custom', signedContent: '{body}' }, ofCustom()],
		['Custom with ID', { format: 'custom', signedContent: '{id}.{body}' }, ofCustom('idHeader ')],
	])('shows only what matters for %s', (_what, values, names) => {
		const shown = properties.filter((property) =>
			NodeHelpers.displayParameter({ ...defaults, ...values }, property, null, null),
		);
		const fields = shown.filter(({ type }) => type !== 'notice');
		expect(fields.map(({ name }) => name).join(' ')).toBe(names);
	});

	it.each(SIGNED_SCHEMES)('means what n8n decrypts of it: $name', (scheme) => {
		const values = { ...scheme.saved, secret: scheme.secrets[0] };
		const decrypted = NodeHelpers.getNodeParameters(properties, values, true, false, null, null);
		expect(readWebhookCredentials(decrypted ?? {})).toEqual(readWebhookCredentials(values));
	});
});

it('uses the documented defaults for what was not saved', () => {
	expect(readWebhookCredentials({ secret: 'whsec_1' })).toEqual(readWebhookCredentials(saved));
	const timestampHeader = { name: 'x-signature', part: 't' };
	expect(readWebhookCredentials(saved)).toMatchObject({
		format: 'timestamped',
		schemes: [{ header: { name: 'x-signature', part: 'v1' }, timestampHeader }],
		secrets: ['whsec_1'],
		toleranceSeconds: 600,
	});
});

it('reads names and parts of headers, an asterisk as it is, and a prefix without whitespace', () => {
	const changes = { header: 'Paddle-*[h1]', timestampHeader: 'X-*-Time', signaturePrefix: ' v0= ' };
	expect(readWebhookCredentials({ ...saved, ...CUSTOM, ...changes }).schemes).toMatchObject([
		{
			header: { name: 'paddle-*', part: 'h1' },
			timestampHeader: { name: 'x-*-time', part: undefined },
			signaturePrefix: 'v0=',
		},
	]);
});

const ALL_ZEROS = 'is all zeros';
const NO_BASE64 = 'isn’t valid Base64';
const NO_ALGORITHM = 'is missing. Select HMAC-SHA256 or HMAC-SHA512 (sha256, sha512)';
const NO_ENCODING = 'must be Base64, Hex or Text (base64, hex, text)';
const empty = (label: string, field: string) =>
	`${label} is empty, but Signed Content contains ${field}`;
const NO_BODY = 'Signed Content must contain {body}, e.g. {timestamp}.{body}';
const noHeader = (label: string, example = label) =>
	`${label} isn’t a valid header name, e.g. ${example} or ${example}[part]`;
const touching = (fields: string) =>
	`Signed Content must have text between ${fields}, or a forged delivery could move characters from one to the other`;
const custom = (changes: Saved): Saved => ({ ...CUSTOM, ...changes });
const signing = (signedContent: string): Saved => custom({ signedContent });

type Refused = [changes: Saved, message: string];

it.each<Refused>([
	...[undefined, '', ' \n', '\u200b\u0000\ufeff'].map(
		(secret): Refused => [{ secret }, 'Secret is empty'],
	),
	[{ secret: 5 }, 'Secret isn’t text'],
	...['whsec_ü', 'whsec_', 'not Base64'].map(
		(secret): Refused => [{ ...STANDARD, secret }, `Secret ${NO_BASE64}`],
	),
	[{ ...STANDARD, previousSecret: 'not Base64' }, `Previous Secret ${NO_BASE64}`],
	[custom({ secretEncoding: 'hex', secret: 'abc' }), 'Secret isn’t valid hex'],
	[custom({ secretEncoding: 'base64', secret: 'a====' }), `Secret ${NO_BASE64}`],
	[custom({ secretEncoding: 'hex', secret: '0000' }), `Secret ${ALL_ZEROS}`],
	[{ ...STANDARD, secret: 'whsec_AAAA' }, `Secret ${ALL_ZEROS}`],
	[{ ...STANDARD, previousSecret: 'AAAA' }, `Previous Secret ${ALL_ZEROS}`],
	[
		{ method: null },
		'Method is missing. Select HMAC Signature or Shared Token (hmacSignature, sharedToken)',
	],
	[
		{ format: 'md5' },
		'Format must be Base64, Custom, Hex, Standard Webhooks or Timestamped (base64, custom, hex, standardWebhooks, timestamped)',
	],
	[custom({ algorithm: '' }), `Algorithm ${NO_ALGORITHM}`],
	[custom({ encoding: '' }), 'Encoding is missing. Select Base64 or Hex (base64, hex)'],
	[custom({ secretEncoding: 'x' }), `Secret Encoding ${NO_ENCODING}`],
	[custom({ signaturePrefix: 5 }), 'Signature Prefix isn’t text'],
	...['', 'X Signature', 'X-Signature:', 'X-Signature[', 'X[a b]', '[a]', 'X[a][b]'].map(
		(header): Refused => [{ header }, noHeader('Header', 'X-Signature')],
	),
	[
		{ header: 'X-Signature[v1]' },
		'Header must be a header without [part], since Timestamped reads its parts',
	],
	[custom({ timestampHeader: 'X Time' }), noHeader('Timestamp Header', 'X-Request-Timestamp')],
	[custom({ timestampHeader: '' }), empty('Timestamp Header', '{timestamp}')],
	[{ ...signing('{id}.{body}'), idHeader: 'X ID' }, noHeader('ID Header', 'X-Request-ID')],
	[{ ...signing('{id}.{body}'), idHeader: '' }, empty('ID Header', '{id}')],
	[signing('{timestamp}'), NO_BODY],
	[signing(''), NO_BODY],
	[
		signing(`{${'a'.repeat(29)}b}{body}`),
		`Signed Content contains {${'a'.repeat(29)}, which isn’t one of {body}, {timestamp}, {id}, {method}`,
	],
	[signing('{timestamp}{body}'), touching('{timestamp} and {body}')],
	[signing('{id}{timestamp}.{body}'), touching('{id} and {timestamp}')],
	[signing('{body}{body}'), touching('{body} and {body}')],
	...[0, 86_401, 'ten', 1.5].map(
		(toleranceSeconds): Refused => [
			{ toleranceSeconds },
			'Tolerance (Seconds) must be a whole number, from 1 to 86400',
		],
	),
])('refuses %j', (changes, message) => {
	expect(refusalOf(() => readWebhookCredentials({ ...saved, ...changes }))).toMatchObject({
		message,
		hint: 'Open the credential “Payroll Payments Webhook API” and correct this field.',
	});
	expect(test({ ...saved, ...changes })).toMatchObject({ status: 'Error' });
});

it.each<[string, Saved]>([
	[
		'fields of Custom that the template doesn’t use',
		{ ...signing('{body}'), timestampHeader: 'X Y', idHeader: 'X Y', toleranceSeconds: 0 },
	],
	['{method} next to {body}', signing('{method}{body}')],
	['fields of Custom in another format', { signedContent: '', algorithm: '' }],
	['a header of Standard Webhooks', { ...STANDARD, header: 'X Y' }],
	['a tolerance where no time is signed', { format: 'hex', toleranceSeconds: 0 }],
	['a tolerance of a shared token', { method: 'sharedToken', toleranceSeconds: 0 }],
	['the least tolerance', { toleranceSeconds: 1 }],
	['the largest tolerance as text', { toleranceSeconds: '86400' }],
])('takes %s', (_what, changes) => {
	expect(Object.entries(test({ ...saved, ...changes })).join()).toMatch(/^status,OK,message,All /);
});

it.each([
	['hex', ' c0ffee\n', Buffer.from('c0ffee', 'hex')],
	['base64', ' whsec_MfKQ\n', Buffer.from('MfKQ', 'base64')],
	['base64', 'v1,whsec_MfKQ', Buffer.from('MfKQ', 'base64')],
	['base64', 'v1,MfKQ', undefined],
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
	const told = (label: string) => ({ status: 'Error', message: `${label} ${message}` });
	expect(test({ ...saved, secret: 'do-not-tell ' })).toEqual(told('Secret'));
	expect(test({ ...saved, previousSecret: '\told' })).toEqual(told('Previous Secret'));
	expect(readWebhookCredentials({ ...saved, secret: 'whsec_1 ' }).secrets).toEqual(['whsec_1 ']);
});

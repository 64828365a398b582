import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { PayrollPaymentsWebhookApi } from '../../../credentials/PayrollPaymentsWebhookApi.credentials';
import { readWebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { SIGNED_SCHEMES } from '../../support/signedDeliveries';

const { properties } = new PayrollPaymentsWebhookApi();
const defaults: INodeParameters = Object.fromEntries(
	properties.map(({ name, default: preset }) => [name, preset]),
);

/** The labels that the form shows for these values. */
function shown(values: INodeParameters): string[] {
	return properties
		.filter((property) =>
			NodeHelpers.displayParameter({ ...defaults, ...values }, property, null, null),
		)
		.filter(({ type }) => type !== 'notice')
		.map(({ displayName }) => displayName);
}

/** The values as n8n decrypts them: with defaults, and without what the form hides. */
function decrypted(saved: INodeParameters): INodeParameters {
	return NodeHelpers.getNodeParameters(properties, saved, true, false, null, null) ?? {};
}

const FIRST = ['Method', 'Secret'];
const CUSTOM = ['Algorithm', 'Encoding', 'Signature Prefix', 'Secret Encoding'];

it.each<[string, INodeParameters, string[]]>([
	['a shared token', { method: 'sharedToken' }, [...FIRST, 'Header', 'Previous Secret']],
	[
		'a shared token, after another format was chosen',
		{ method: 'sharedToken', format: 'standardWebhooks' },
		[...FIRST, 'Header', 'Previous Secret'],
	],
	['Hex', { format: 'hex' }, [...FIRST, 'Format', 'Header', 'Previous Secret']],
	['Base64', { format: 'base64' }, [...FIRST, 'Format', 'Header', 'Previous Secret']],
	[
		'Timestamped',
		{ format: 'timestamped' },
		[...FIRST, 'Format', 'Header', 'Previous Secret', 'Tolerance (Seconds)'],
	],
	[
		'Standard Webhooks',
		{ format: 'standardWebhooks' },
		[...FIRST, 'Format', 'Previous Secret', 'Tolerance (Seconds)'],
	],
	[
		'Custom',
		{ format: 'custom' },
		[
			...[...FIRST, 'Format', 'Header', 'Signed Content', 'Timestamp Header', ...CUSTOM],
			...['Previous Secret', 'Tolerance (Seconds)'],
		],
	],
	[
		'Custom over the body only',
		{ format: 'custom', signedContent: '{body}' },
		[...FIRST, 'Format', 'Header', 'Signed Content', ...CUSTOM, 'Previous Secret'],
	],
	[
		'Custom with an ID',
		{ format: 'custom', signedContent: '{id}{body}' },
		[...FIRST, 'Format', 'Header', 'Signed Content', 'ID Header', ...CUSTOM, 'Previous Secret'],
	],
])('for %s, the form shows only what matters', (_what, values, labels) => {
	expect(shown(values)).toEqual(labels);
});

it.each(SIGNED_SCHEMES)('what n8n decrypts means the same as what was saved: $name', (scheme) => {
	const [secret] = scheme.secrets;
	const saved = { ...scheme.saved, secret };
	expect(readWebhookCredentials(decrypted(saved))).toEqual(readWebhookCredentials(saved));
});

it.each<[INodeParameters]>([
	[{ method: 'hmacSignature', format: 'timestamped', header: 'X-Sig', toleranceSeconds: 60 }],
	[{ method: 'hmacSignature', format: 'hex', header: 'X-Hub-Signature', previousSecret: 'old' }],
	[{ method: 'hmacSignature', format: 'base64', header: 'X-Sig' }],
	[{ method: 'sharedToken', header: 'Authorization', format: 'timestamped' }],
])('credentials of the first version mean what they meant: %j', (saved) => {
	const before = readWebhookCredentials({ ...saved, secret: ' kept as it is' });
	expect(readWebhookCredentials(decrypted({ ...saved, secret: ' kept as it is' }))).toEqual(before);
	expect(before).toEqual({
		header: String(saved.header).toLowerCase(),
		secrets: [' kept as it is', ...('previousSecret' in saved ? ['old'] : [])],
		scheme: saved.method === 'sharedToken' ? 'sharedToken' : saved.format,
		...(saved.format === 'timestamped' && saved.method !== 'sharedToken'
			? { toleranceSeconds: 60 }
			: {}),
	});
});

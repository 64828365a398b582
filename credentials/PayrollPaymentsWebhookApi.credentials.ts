import type { ICredentialType, INodeProperties } from 'n8n-workflow';

const hmac = { method: ['hmacSignature'] };
const custom = { ...hmac, format: ['custom'] };

/** Describe any other scheme, in the words of the senders’ own documentation. */
const customFields: INodeProperties[] = [
	{
		displayName: 'Signed Content',
		name: 'signedContent',
		type: 'string',
		required: true,
		default: '{timestamp}.{body}',
		placeholder: 'e.g. v0:{timestamp}:{body}',
		hint: 'Slack: v0:{timestamp}:{body} · Shopify: {body} · method and body: {method}{body}',
		displayOptions: { show: custom },
		description:
			'What the service signs. {body} is the raw body, {timestamp} and {id} come from the headers named below, and {method} is POST.',
	},
	{
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. X-Slack-Request-Timestamp',
		displayOptions: {
			show: { ...custom, signedContent: [{ _cnd: { includes: '{timestamp}' } }] },
		},
		description: 'The header with the signed time, in seconds, milliseconds or ISO 8601',
	},
	{
		displayName: 'ID Header',
		name: 'idHeader',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. X-Request-ID',
		displayOptions: { show: { ...custom, signedContent: [{ _cnd: { includes: '{id}' } }] } },
		description: 'The header with the signed ID of the delivery',
	},
	{
		displayName: 'Algorithm',
		name: 'algorithm',
		type: 'options',
		options: [
			{ name: 'HMAC-SHA256', value: 'sha256' },
			{ name: 'HMAC-SHA512', value: 'sha512' },
		],
		default: 'sha256',
		displayOptions: { show: custom },
		description: 'How the signature is calculated',
	},
	{
		displayName: 'Encoding',
		name: 'encoding',
		type: 'options',
		options: [
			{ name: 'Base64', value: 'base64', description: 'Letters, digits, + and /, e.g. Shopify' },
			{ name: 'Hex', value: 'hex', description: 'Only 0–9 and a–f, e.g. Slack' },
		],
		default: 'hex',
		displayOptions: { show: custom },
		description: 'How the signature is written in its header',
	},
	{
		displayName: 'Signature Prefix',
		name: 'signaturePrefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. v0=',
		hint: 'Slack: v0= · GitHub: sha256= · Shopify: none',
		displayOptions: { show: custom },
		description: 'What the header contains in front of the signature',
	},
	{
		displayName: 'Secret Encoding',
		name: 'secretEncoding',
		type: 'options',
		options: [
			{
				name: 'Base64',
				value: 'base64',
				description: 'Decode the secret from Base64, with or without whsec_ in front',
			},
			{ name: 'Hex', value: 'hex', description: 'Decode the secret from hex' },
			{
				name: 'Text',
				value: 'text',
				description: 'Use the secret as it is; right for most services',
			},
		],
		default: 'text',
		displayOptions: { show: custom },
		description: 'How the service writes the secret',
	},
];

/** How to verify webhook deliveries; read by trigger/webhookCredentials.ts. */
export class PayrollPaymentsWebhookApi implements ICredentialType {
	name = 'payrollPaymentsWebhookApi';

	displayName = 'Payroll Payments Webhook API';

	icon = {
		light: 'file:../icons/payrollPayments.svg',
		dark: 'file:../icons/payrollPayments.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/payroll-payments/n8n-nodes-payroll-payments/blob/main/docs/receiving-events.md#credentials';

	properties: INodeProperties[] = [
		{
			displayName:
				'n8n’s connection test checks only that these fields are filled in correctly. To find out whether they match the service, click <b>Execute step</b> in the trigger, and have the service send an event to the test URL. If the signature doesn’t fit, the error names the header and format that do, if any.',
			name: 'testNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Method',
			name: 'method',
			type: 'options',
			options: [
				{
					name: 'HMAC Signature',
					value: 'hmacSignature',
					description: 'Every delivery is signed with the secret',
				},
				{
					name: 'Shared Token',
					value: 'sharedToken',
					description: 'Every delivery contains the secret itself',
				},
			],
			default: 'hmacSignature',
		},
		{
			displayName: 'Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'e.g. whsec_C2FV…oNv8',
			description: 'The signing secret or the token, exactly as the service shows it',
		},
		{
			displayName: 'Header',
			name: 'header',
			type: 'string',
			required: true,
			default: 'X-Signature',
			placeholder: 'e.g. Authorization',
			displayOptions: { show: { method: ['sharedToken'] } },
			description: 'The header that contains the token. “Bearer” in front of it is ignored.',
		},
		{
			displayName: 'Format',
			name: 'format',
			type: 'options',
			options: [
				{
					name: 'Base64',
					value: 'base64',
					description: 'HMAC-SHA256 over the raw body, in Base64, e.g. Shopify',
				},
				{
					name: 'Custom',
					value: 'custom',
					description:
						'Any other HMAC, described in the fields below with the service’s documentation, e.g. Slack',
				},
				{
					name: 'Hex',
					value: 'hex',
					description: 'HMAC-SHA256 over the raw body, in hex, e.g. GitHub',
				},
				{
					name: 'Standard Webhooks',
					value: 'standardWebhooks',
					description: 'The headers webhook-id, webhook-timestamp and webhook-signature, or svix-…',
				},
				{
					name: 'Timestamped',
					value: 'timestamped',
					description: 'HMAC-SHA256 over the timestamp and the raw body, as t=…,v1=…, e.g. Stripe',
				},
			],
			default: 'timestamped',
			displayOptions: { show: hmac },
			description: 'What is signed, and how the signature is written',
		},
		{
			displayName: 'Header',
			name: 'header',
			type: 'string',
			required: true,
			default: 'X-Signature',
			placeholder: 'e.g. X-Hub-Signature-256',
			displayOptions: {
				show: { ...hmac, format: ['base64', 'custom', 'hex', 'timestamped'] },
			},
			description: 'The header that contains the signature',
		},
		...customFields,
		{
			displayName: 'Previous Secret',
			name: 'previousSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			placeholder: 'e.g. whsec_MfKQ…Rvce',
			description:
				'The old secret, also accepted while you change to a new one. Clear it afterwards.',
		},
		{
			displayName: 'Tolerance (Seconds)',
			name: 'toleranceSeconds',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86_400 },
			default: 600,
			displayOptions: { show: { ...hmac, format: ['standardWebhooks', 'timestamped'] } },
			description: 'How far the time in a signature may be from n8n’s clock, in either direction',
		},
		{
			displayName: 'Tolerance (Seconds)',
			name: 'toleranceSeconds',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86_400 },
			default: 600,
			displayOptions: {
				show: { ...custom, signedContent: [{ _cnd: { includes: '{timestamp}' } }] },
			},
			description: 'How far the signed time may be from n8n’s clock, in either direction',
		},
	];
}

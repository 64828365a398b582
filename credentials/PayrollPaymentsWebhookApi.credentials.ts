import type { ICredentialType, INodeProperties } from 'n8n-workflow';

/** How to verify webhook deliveries; read by trigger/webhookCredentials.ts. */
export class PayrollPaymentsWebhookApi implements ICredentialType {
	name = 'payrollPaymentsWebhookApi';

	displayName = 'Payroll Payments Webhook API';

	icon = {
		light: 'file:../icons/payrollPayments.svg',
		dark: 'file:../icons/payrollPayments.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/payroll-payments/n8n-nodes-payroll-payments#payroll-payments-trigger';

	properties: INodeProperties[] = [
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
			description: 'The signing secret or the token, exactly as the service shows it',
		},
		{
			displayName: 'Header',
			name: 'header',
			type: 'string',
			required: true,
			default: 'X-Signature',
			description: 'The header that contains the signature or the token',
		},
		{
			displayName: 'Format',
			name: 'format',
			type: 'options',
			options: [
				{
					name: 'Base64',
					value: 'base64',
					description: 'HMAC-SHA256 over the raw body, in Base64',
				},
				{
					name: 'Hex',
					value: 'hex',
					description: 'HMAC-SHA256 over the raw body, in hex',
				},
				{
					name: 'Timestamped',
					value: 'timestamped',
					description: 'HMAC-SHA256 over the timestamp and the raw body, as t=…,v1=…',
				},
			],
			default: 'timestamped',
			displayOptions: { show: { method: ['hmacSignature'] } },
			description: 'What is signed, and how the signature is written',
		},
		{
			displayName: 'Previous Secret',
			name: 'previousSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Also accepted during a rotation. Clear it afterwards.',
		},
		{
			displayName: 'Tolerance (Seconds)',
			name: 'toleranceSeconds',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 86_400 },
			default: 600,
			displayOptions: { show: { method: ['hmacSignature'], format: ['timestamped'] } },
			description: 'How far the time in a signature may be from n8n’s clock, in either direction',
		},
	];
}

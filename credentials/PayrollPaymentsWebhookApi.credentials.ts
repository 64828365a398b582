import type { ICredentialType } from 'n8n-workflow';

import { properties } from '../nodes/PayrollPayments/trigger/webhookCredentialForm';

/** How to verify webhook deliveries. */
export class PayrollPaymentsWebhookApi implements ICredentialType {
	name = 'payrollPaymentsWebhookApi';

	displayName = 'Payroll Payments Webhook API';

	icon = {
		light: 'file:../icons/payrollPayments.svg',
		dark: 'file:../icons/payrollPayments.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/payroll-payments/n8n-nodes-payroll-payments/blob/main/docs/receiving-events.md#credentials';

	properties = properties;
}

import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { builderHint, properties, subtitle, triggerPanel } from './trigger/triggerForm';
import { webhooks } from './trigger/webhooks';

export class PayrollPaymentsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Payroll Payments Trigger',
		name: 'payrollPaymentsTrigger',
		icon: {
			light: 'file:../../icons/payrollPayments.svg',
			dark: 'file:../../icons/payrollPayments.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle,
		/* n8n's panel of nodes shows this for the action node, too (useActionsGeneration.ts in n8n). */
		description:
			'Starts the workflow when a deposit or another event arrives; its actions pay and invite people',
		eventTriggerDescription: 'Waiting for the service to send an event to the test URL',
		activationMessage:
			'Copy the trigger’s production URL into the service’s dashboard. n8n can’t register it for you.',
		triggerPanel,
		builderHint,
		defaults: { name: 'Payroll Payments Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'payrollPaymentsWebhookApi',
				required: true,
				testedBy: 'webhookCredentialsTest',
				displayOptions: { show: { authentication: ['webhookCredentials'] } },
			},
		],
		webhooks,
		properties,
	};

	methods = {
		credentialTest: {
			async webhookCredentialsTest(credential) {
				const { testWebhookCredentials } = await import('./trigger/webhookCredentials');
				return testWebhookCredentials(credential);
			},
		},
	} satisfies INodeType['methods'];

	/** The service has no documented call to list, register or remove webhooks. */
	webhookMethods = {
		default: {
			checkExists: async () => false,
			async create() {
				const { activate } = await import('./trigger/settings');
				return await activate(this);
			},
			delete: async () => true,
		},
	} satisfies INodeType['webhookMethods'];

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { receive } = await import('./trigger/receive');
		return await receive(this);
	}

	/** The first step of each execution that `webhook` starts. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { recordOnce } = await import('./trigger/recordOnce');
		return await recordOnce(this);
	}
}

import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { entitySearches } from './listSearch/searchEntities';
import { properties, subtitle } from './polling/pollingForm';

export class PayrollPaymentsPollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Payroll Payments Polling Trigger',
		name: 'payrollPaymentsPollingTrigger',
		icon: {
			light: 'file:../../icons/payrollPayments.svg',
			dark: 'file:../../icons/payrollPayments.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle,
		description: 'Starts the workflow when a balance, a team user or an invite has changed',
		defaults: { name: 'Payroll Payments Polling Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'payrollPaymentsApi', required: true, testedBy: 'testPayrollPaymentsApi' },
		],
		properties,
	};

	methods = {
		credentialTest: {
			async testPayrollPaymentsApi(credential) {
				const { testCredentials } = await import('./api/credentialTest');
				return await testCredentials.call(this, credential);
			},
		},
		listSearch: entitySearches,
	} satisfies INodeType['methods'];

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const { poll } = await import('./polling/poll');
		return await poll(this);
	}
}

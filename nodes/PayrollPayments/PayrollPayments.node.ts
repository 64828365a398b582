import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { entitySearches } from './listSearch/searchEntities';
import { builderHint, hints, properties, subtitle } from './operations/nodeForm';

export class PayrollPayments implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Payroll Payments',
		name: 'payrollPayments',
		icon: {
			light: 'file:../../icons/payrollPayments.svg',
			dark: 'file:../../icons/payrollPayments.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle,
		description:
			'Read balances and team users, invite people, resolve name reviews and send payments',
		defaults: { name: 'Payroll Payments' },
		usableAsTool: true,
		sensitiveOutputFields: ['jwt'],
		hints,
		builderHint,
		inputs: [NodeConnectionTypes.Main],
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
		listSearch: {
			...entitySearches,
			async searchTeamUsers(...given) {
				const { searchTeamUsers } = await import('./listSearch/searchTeamUsers');
				return await searchTeamUsers.call(this, ...given);
			},
		},
	} satisfies INodeType['methods'];

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { runOperation } = await import('./run/run');
		const { CATALOGUE } = await import('./operations/catalogue');
		return await runOperation(this, CATALOGUE);
	}
}

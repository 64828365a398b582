import {
	NodeConnectionTypes,
	type ICredentialsDecrypted,
	type ICredentialTestFunctions,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { entitySearches } from './actions/listSearch/searchEntities';
import { builderHint, hints, properties, subtitle } from './actions/description';

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
		description: 'Run payroll, payments and compliance with a wallet sign-in',
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
			async testPayrollPaymentsApi(
				this: ICredentialTestFunctions,
				credential: ICredentialsDecrypted,
			): Promise<INodeCredentialTestResult> {
				const { testCredentials } = await import('./api/authentication');
				return await testCredentials.call(this, credential);
			},
		},
		listSearch: {
			...entitySearches,
			async searchTeamUsers(
				this: ILoadOptionsFunctions,
				filter?: string,
				paginationToken?: string,
			): Promise<INodeListSearchResult> {
				const { searchTeamUsers } = await import('./actions/listSearch/searchTeamUsers');
				return await searchTeamUsers.call(this, filter, paginationToken);
			},
		},
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { run } = await import('./actions/run');
		return await run(this);
	}
}

import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { run } from './actions/run';
import { testCredentials } from './credentialTest';
import { searchTeamUsers } from './listSearch/searchTeamUsers';
import { actionForm, actionSubtitle } from './operations/form';

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
		subtitle: actionSubtitle(),
		description: 'Run payroll, payments and compliance with a wallet sign-in',
		defaults: { name: 'Payroll Payments' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'payrollPaymentsApi', required: true, testedBy: 'testPayrollPaymentsApi' },
		],
		properties: actionForm(),
	};

	methods = {
		credentialTest: { testPayrollPaymentsApi: testCredentials },
		listSearch: { searchTeamUsers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await run(this);
	}
}

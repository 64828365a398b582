import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { properties } from '../nodes/PayrollPayments/api/credentialForm';

export class PayrollPaymentsApi implements ICredentialType {
	name = 'payrollPaymentsApi';

	displayName = 'Payroll Payments API';

	icon: Icon = {
		light: 'file:../icons/payrollPayments.svg',
		dark: 'file:../icons/payrollPayments.dark.svg',
	};

	documentationUrl =
		'https://github.com/payroll-payments/n8n-nodes-payroll-payments/blob/main/docs/credentials.md';

	properties = properties;

	/** n8n calls this when `sessionToken` is empty, and before it repeats a request. */
	async preAuthentication(this: IHttpRequestHelper, saved: ICredentialDataDecryptedObject) {
		const { obtainSession } = await import('../nodes/PayrollPayments/api/authentication');
		return await obtainSession(this, saved);
	}

	async authenticate(saved: ICredentialDataDecryptedObject, options: IHttpRequestOptions) {
		const { authenticateRequest } = await import('../nodes/PayrollPayments/api/authentication');
		return await authenticateRequest(saved, options);
	}
}

import type { Credentials, N8nRest } from './n8nRest';
import type { Account, SandboxProcess } from './sandboxProcess';

/** The sandbox's default signing secret. */
const WEBHOOK_SECRET = 'sandbox-webhook-secret';

export interface SandboxCredentials {
	/** The wallet of `api`: the company administrator's. */
	readonly account: Account;
	/** Credentials `payrollPaymentsApi`. */
	readonly api: Credentials;
	/** Credentials `payrollPaymentsWebhookApi`. */
	readonly webhook: Credentials;
}

/** Saves credentials of both types that work with a sandbox. */
export async function saveSandboxCredentials(
	n8n: N8nRest,
	sandbox: SandboxProcess,
): Promise<SandboxCredentials> {
	const { accounts } = await sandbox.control<{ accounts: Account[] }>('GET', 'accounts');
	const account = accounts.find(({ name }) => name === 'companyAdministrator');
	if (account === undefined) throw new Error('The sandbox has no company administrator.');
	return {
		account,
		api: await n8n.saveCredentials('payrollPaymentsApi', 'Payroll Payments API', {
			baseUrl: sandbox.url,
			authentication: 'walletSignIn',
			platformId: account.platformId,
			signer: 'privateKey',
			privateKey: account.privateKey,
		}),
		webhook: await n8n.saveCredentials(
			'payrollPaymentsWebhookApi',
			'Payroll Payments Webhook API',
			{
				method: 'hmacSignature',
				format: 'timestamped',
				header: 'X-Signature',
				secret: WEBHOOK_SECRET,
				toleranceSeconds: 600,
			},
		),
	};
}

import { callControl } from './control';
import type { Credentials, N8nRest } from './n8nRest';
import type { Account, SandboxProcess } from './sandboxProcess';

/** The sandbox's default signing secret. */
const WEBHOOK_SECRET = 'sandbox-webhook-secret';

/** What credentials `payrollPaymentsWebhookApi` say of the service's signatures. */
export const timestampedSignature = {
	method: 'hmacSignature',
	format: 'timestamped',
	header: 'X-Signature',
	toleranceSeconds: 600,
};

export interface SandboxCredentials {
	/** The wallet of `api`: the company administrator's. */
	readonly account: Account;
	/** Credentials `payrollPaymentsApi`. */
	readonly api: Credentials;
	/** Credentials `payrollPaymentsWebhookApi`. */
	readonly webhook: Credentials;
}

/** The wallet of the sandbox's company administrator. */
export async function administrator(sandboxUrl: string): Promise<Account> {
	type Accounts = { accounts: Account[] };
	const { accounts } = await callControl<Accounts>(sandboxUrl, 'GET', 'accounts');
	const account = accounts.find(({ name }) => name === 'companyAdministrator');
	if (account === undefined) throw new Error('The sandbox has no company administrator.');
	return account;
}

interface Entity {
	readonly nanoid: string;
	readonly name: string;
}

async function organisation(sandboxUrl: string): Promise<{ company: Entity; teams: Entity[] }> {
	return await callControl(sandboxUrl, 'GET', 'organisation');
}

/** The value of *Teams and Companies* for a sandbox. */
export async function entitiesOf(sandboxUrl: string): Promise<string> {
	const { company, teams } = await organisation(sandboxUrl);
	return [company, ...teams].map(({ nanoid, name }) => `${nanoid} ${name}`).join('\n');
}

/** The identifier of the sandbox's first team. */
export async function firstTeam(sandboxUrl: string): Promise<string> {
	const [team] = (await organisation(sandboxUrl)).teams;
	if (team === undefined) throw new Error('The sandbox has no team.');
	return team.nanoid;
}

/** The values of credentials `payrollPaymentsApi` that sign in with a wallet. */
export function walletCredentials(
	sandboxUrl: string,
	{ platformId, privateKey }: Pick<Account, 'platformId' | 'privateKey'>,
) {
	return {
		baseUrl: sandboxUrl,
		authentication: 'walletSignIn',
		access: 'everything',
		platformId,
		signer: 'privateKey',
		privateKey,
	};
}

/**
 * Saves credentials of both types that work with a sandbox.
 * @param more values of `payrollPaymentsApi`
 */
export async function saveSandboxCredentials(
	n8n: N8nRest,
	sandbox: SandboxProcess,
	more: Readonly<Record<string, unknown>> = {},
): Promise<SandboxCredentials> {
	const account = await administrator(sandbox.url);
	return {
		account,
		api: await n8n.saveCredentials('payrollPaymentsApi', 'Payroll Payments API', {
			...walletCredentials(sandbox.url, account),
			...more,
		}),
		webhook: await n8n.saveCredentials(
			'payrollPaymentsWebhookApi',
			'Payroll Payments Webhook API',
			{ ...timestampedSignature, secret: WEBHOOK_SECRET },
		),
	};
}

/** Credentials whose key is in the sandbox's wallet, which asks a person; undefined if there is none. */
export async function saveWalletCredentials(
	n8n: N8nRest,
	{ url, signerUrl }: Pick<SandboxProcess, 'url' | 'signerUrl'>,
): Promise<Credentials | undefined> {
	if (signerUrl === undefined) return undefined;
	const account = await administrator(url);
	return await n8n.saveCredentials('payrollPaymentsApi', 'Payroll Payments API (your own wallet)', {
		...walletCredentials(url, account),
		signer: 'remoteSigner',
		privateKey: '',
		walletAddress: account.address,
		remoteSignerUrl: signerUrl,
		remoteSignerDialect: 'wallet',
		confirmationSeconds: 600,
	});
}

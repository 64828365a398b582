import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../../scripts/lib/paths.mjs';

/** The signing secret that n8n and the sandbox share here. */
const WEBHOOK_SECRET = 'sandbox-webhook-secret';

/** What stands in the examples for the user's own team. */
const TEAM_PLACEHOLDER = 'te-YOUR-TEAM-ID';

/**
 * One of the importable workflows in examples/, made ready for the sandbox.
 *
 * @param {string} name the file's name without `.json`
 * @param {string} teamId
 * @returns {import('./n8n.mjs').Workflow}
 */
export function readExample(name, teamId) {
	const text = readFileSync(path.join(repository, 'examples', `${name}.json`), 'utf8');
	return JSON.parse(text.replaceAll(TEAM_PLACEHOLDER, teamId));
}

/**
 * Saves credentials of both types that fit the sandbox: the company administrator's wallet, and the
 * webhook endpoint's secret.
 *
 * @param {import('./n8n.mjs').N8n} n8n signed in
 * @param {import('./sandboxProcess.mjs').Sandbox} sandbox
 */
export async function saveSandboxCredentials(n8n, sandbox) {
	/** @type {{ accounts: import('./sandboxProcess.mjs').Account[] }} */
	const { accounts } = await sandbox.control('GET', 'accounts');
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
		webhook: await n8n.saveCredentials('payrollPaymentsWebhookApi', 'Payroll Payments Webhook API', {
			method: 'hmacSignature',
			format: 'timestamped',
			header: 'X-Signature',
			secret: WEBHOOK_SECRET,
			toleranceSeconds: 600,
		}),
	};
}

/**
 * The production URL of a workflow's webhook trigger.
 *
 * @param {import('./n8n.mjs').N8n} n8n
 * @param {import('./n8n.mjs').Workflow} workflow
 */
export function webhookUrl(n8n, { name, nodes }) {
	const trigger = nodes.find(({ webhookId }) => webhookId !== undefined);
	if (trigger === undefined) throw new Error(`Workflow ${name} has no webhook.`);
	return `${n8n.url}/webhook/${trigger.webhookId}/webhook`;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { saveSandboxCredentials } from '../../scripts/examples.mjs';
import { installN8n, type N8nVersion } from '../../scripts/installations.mjs';
import { N8n, type Credentials, type WorkflowNode } from '../../scripts/n8n.mjs';
import { Sandbox, type Account } from '../../scripts/sandbox.mjs';

/** A real n8n with the packed package installed, signed in, and a sandbox that it talks to. */
export interface Stage {
	readonly n8n: N8n;
	readonly sandbox: Sandbox;
	/** The wallet of `api`. */
	readonly account: Account;
	/** Credentials `payrollPaymentsApi` for the sandbox. */
	readonly api: Credentials;
	/** Credentials `payrollPaymentsWebhookApi` for the sandbox. */
	readonly webhook: Credentials;
	/** The sandbox's first team. */
	readonly teamId: string;
	/** Stops both and removes their data. */
	strike(): Promise<void>;
}

interface StageOptions {
	readonly version?: N8nVersion;
	/** Further settings of n8n. */
	readonly env?: Record<string, string>;
}

/** Starts everything on free ports, with a data folder of its own. Takes about 20 seconds. */
export async function raiseStage({ version, env }: StageOptions = {}): Promise<Stage> {
	const tarball = process.env.PAYROLL_PAYMENTS_TARBALL;
	if (tarball === undefined) throw new Error('test/e2e/prepare.mjs has not packed the package.');
	const dataFolder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-e2e-'));
	const installation = await installN8n(version);
	const n8n = await N8n.prepare(installation, { dataFolder, env });
	await n8n.installPackage(tarball);
	const sandbox = await Sandbox.start({ logFile: path.join(dataFolder, 'sandbox.log') });
	await n8n.start();
	await n8n.signIn();
	const { teams } = await sandbox.control<{ teams: { nanoid: string }[] }>('GET', 'organisation');
	return {
		n8n,
		sandbox,
		...(await saveSandboxCredentials(n8n, sandbox)),
		teamId: teams[0]?.nanoid ?? '',
		async strike() {
			await Promise.all([n8n.stop(), sandbox.stop()]);
			rmSync(dataFolder, { recursive: true, force: true });
		},
	};
}

/** A node of a workflow under test. */
export function node(
	name: string,
	type: string,
	parameters: Record<string, unknown> = {},
	more: Partial<WorkflowNode> = {},
): WorkflowNode {
	return { name, type, typeVersion: 1, position: [0, 0], parameters, ...more };
}

/** The trigger of a workflow that a test starts. */
export const START = node('Start', 'n8n-nodes-base.manualTrigger');

/** The action node, with the credentials that {@link N8n.saveWorkflow} fills in. */
export function action(
	name: string,
	parameters: Record<string, unknown>,
	more: Partial<WorkflowNode> = {},
): WorkflowNode {
	return node(name, 'n8n-nodes-payroll-payments.payrollPayments', parameters, {
		credentials: { payrollPaymentsApi: { id: null, name: '' } },
		...more,
	});
}

/** Nodes connected one after the other. */
export function chain(name: string, nodes: readonly WorkflowNode[]) {
	const connections = Object.fromEntries(
		nodes.slice(1).map((next, index) => [
			nodes[index]?.name,
			{ main: [[{ node: next.name, type: 'main', index: 0 }]] },
		]),
	);
	return { name, nodes: [...nodes], connections };
}

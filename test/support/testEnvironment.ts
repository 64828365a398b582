import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { saveSandboxCredentials } from './examples.mjs';
import { installN8n, n8nToTest } from '../../scripts/lib/installations.mjs';
import { N8n, type Credentials, type WorkflowNode } from './n8n.mjs';
import { Sandbox, type Account } from './sandboxProcess.mjs';

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

/**
 * Starts a real n8n with the packed package on free ports, with a data folder of its own, and
 * signs in to it. Takes about 15 seconds.
 *
 * @param env further settings of n8n
 */
export async function raiseN8n(env: Record<string, string> = {}) {
	const tarball = process.env.PAYROLL_PAYMENTS_TARBALL;
	if (tarball === undefined) throw new Error('test/support/globalSetup.mjs has not packed the package.');
	const dataFolder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-e2e-'));
	const n8n = await N8n.prepare(await installN8n(n8nToTest()), { dataFolder, env });
	const strike = async () => {
		await n8n.stop();
		rmSync(dataFolder, { recursive: true, force: true });
	};
	try {
		await n8n.installPackage(tarball);
		await n8n.start();
		await n8n.signIn();
	} catch (error) {
		// Left running, it would keep the tests from ending.
		await strike();
		throw error;
	}
	return { n8n, strike };
}

/** Starts an n8n and a sandbox for it, with credentials for both kinds of nodes. */
export async function raiseStage(env: Record<string, string> = {}): Promise<Stage> {
	const { n8n, strike } = await raiseN8n(env);
	const sandbox = await Sandbox.start({ logFile: path.join(n8n.dataFolder, 'sandbox.log') });
	const { teams } = await sandbox.control<{ teams: { nanoid: string }[] }>('GET', 'organisation');
	return {
		n8n,
		sandbox,
		...(await saveSandboxCredentials(n8n, sandbox)),
		teamId: teams[0]?.nanoid ?? '',
		async strike() {
			await sandbox.stop();
			await strike();
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

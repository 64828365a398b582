// What `npm start` shows: an n8n and a sandbox that know each other, and the first examples run.
import path from 'node:path';

import { readExample, webhookUrl } from '../test/support/examples';
import { type Execution } from '../test/support/executions';
import { N8nDatabase } from '../test/support/n8nDatabase';
import { N8nProcess } from '../test/support/n8nProcess';
import { N8nRest, OWNER, type Credentials } from '../test/support/n8nRest';
import { saveSandboxCredentials } from '../test/support/sandboxCredentials';
import { SandboxProcess } from '../test/support/sandboxProcess';
import { waitFor } from '../test/support/waiting';
import type { Workflow } from '../test/support/workflows';
import type { N8nInstallation } from './lib/installations.mjs';
import { say, withProgress } from './lib/progress.mjs';

export { OWNER };

const EDITOR_PORT = 5678;
const SANDBOX_PORT = 4010;

function reportOtherPort(name: string, wanted: number, port: number): void {
	if (wanted !== port) say(`Port ${wanted} is taken, so ${name} uses ${port}`);
}

export async function startSandbox(dataFolder: string): Promise<SandboxProcess> {
	const logFile = path.join(dataFolder, 'sandbox.log');
	const sandbox = await withProgress('Starting the sandbox', async () =>
		SandboxProcess.start({ logFile, port: SANDBOX_PORT }),
	);
	reportOtherPort('the sandbox', SANDBOX_PORT, Number(new URL(sandbox.url).port));
	return sandbox;
}

export async function prepareN8n(
	installation: N8nInstallation,
	dataFolder: string,
): Promise<N8nProcess> {
	const n8nProcess = await N8nProcess.prepare(installation, { dataFolder, port: EDITOR_PORT });
	reportOtherPort('n8n', EDITOR_PORT, n8nProcess.port);
	return n8nProcess;
}

export async function startN8n(n8nProcess: N8nProcess, tarball: string): Promise<N8nRest> {
	const { version } = n8nProcess.installation;
	const n8n = new N8nRest(n8nProcess.url, version);
	await withProgress(`Starting n8n ${version} with the package`, async () => {
		await n8nProcess.installPackage(tarball);
		await n8nProcess.start();
		await n8n.signIn();
	});
	return n8n;
}

/** Runs one example, and sends a deposit to another; says whether both succeeded. */
export async function runExamples(
	n8n: N8nRest,
	n8nProcess: N8nProcess,
	sandbox: SandboxProcess,
): Promise<boolean> {
	const database = new N8nDatabase(n8nProcess);
	const { account, api, webhook } = await saveSandboxCredentials(n8n, sandbox);
	const { teams } = await sandbox.control<{ teams: { nanoid: string }[] }>('GET', 'organisation');
	const teamId = teams[0]?.nanoid ?? '';
	const firstSteps = readExample('first-steps', teamId);
	const deposits = readExample('deposit-to-message', teamId);
	const firstStepsId = await saveNewExample(n8n, firstSteps, api);
	const depositsId = await saveNewExample(n8n, deposits, webhook);

	say(`Running “${firstSteps.name}” as wallet ${account.address}`);
	const execution = await n8n.runWorkflow(firstStepsId);
	printResult(execution);
	if (execution.status !== 'success') return false;

	say(`Sending a deposit to “${deposits.name}”`);
	const before = (await database.executions(depositsId)).length;
	await n8n.activate(depositsId);
	const url = webhookUrl(n8n.url, deposits);
	await n8n.waitForWebhook(url);
	await sandbox.control('POST', 'endpoints', { url });
	await sandbox.control('POST', 'deposits');
	const { id } = await waitFor(async () => (await database.executions(depositsId))[before], {
		milliseconds: 30_000,
		interval: 200,
		failure: () => 'Nothing arrived within 30 seconds.',
	});
	const delivery = await n8n.waitForExecution(id);
	printResult(delivery);
	return delivery.status === 'success';
}

/** Saves an example unless it is there, so that the next start keeps a person's changes to it. */
async function saveNewExample(
	n8n: N8nRest,
	example: Workflow,
	credentials: Credentials,
): Promise<string> {
	const existing = (await n8n.workflows()).find(({ name }) => name === example.name);
	const { id } = existing ?? (await n8n.saveWorkflow(example, [credentials]));
	return id;
}

function printResult({ status, runs, error }: Execution): void {
	for (const [name, [run]] of Object.entries(runs)) {
		const items = run?.data?.main?.[0] ?? [];
		const count = `${items.length} ${items.length === 1 ? 'item' : 'items'}`;
		const [first] = items;
		const sample = first === undefined ? '' : JSON.stringify(first.json);
		console.log(`          ${name.padEnd(24)} ${count.padStart(10)}   ${shorten(sample, 100)}`);
	}
	if (status === 'success') return;
	console.log(`          ${error?.message ?? `The run ended as ${status}.`}`);
	if (error?.description) console.log(`          ${error.description}`);
}

const shorten = (text: string, length: number): string =>
	text.length > length ? `${text.slice(0, length)}…` : text;

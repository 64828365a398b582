// What `npm start` shows: an n8n and a sandbox that know each other, and the examples in it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describedExamples, webhookUrl } from './exampleFiles';
import type { Execution } from '../n8nHost/executions';
import { N8nDatabase } from '../n8nHost/n8nDatabase';
import { installPackage, N8nProcess } from '../n8nHost/n8nProcess';
import { N8nRest, OWNER, type Credentials } from '../n8nHost/n8nRest';
import {
	entitiesOf,
	saveSandboxCredentials,
	saveWalletCredentials,
} from '../n8nHost/sandboxCredentials';
import { SandboxProcess } from '../n8nHost/sandboxProcess';
import { isUp, waitFor } from '../n8nHost/waiting';
import type { N8nInstallation } from '../tooling/installations.mjs';
import { buildFolder, repository } from '../tooling/paths.mjs';
import { cleanEnvironment, run } from '../tooling/processes.mjs';
import { print, say, withProgress } from '../tooling/progress.mjs';
import { DEV_SETTINGS, rebuildOnChanges } from './dev';
import { Landing } from './landing';
import { listPage, type Link } from './landingPages';
import { forgetPractice, Practice, readResets, type Receiver } from './practice';
import { readyExamples, type ReadyExample } from './readyExamples';
import { resultLines } from './resultLines';

export { installPackage, rebuildOnChanges };

const EDITOR_PORT = 5678;
const SANDBOX_PORT = 4010;
const SIGNER_PORT = 4011;
const LINKS_PORT = 5680;

/** The example that runs first. */
const FIRST_STEPS = 'first-steps';

/** The example that a delivery from the sandbox starts. */
const DEPOSITS = 'deposit-to-message';

/** The example that sends itself a test event, and needs to be published for it to arrive. */
const CANARY = 'webhook-canary';

/** Our trigger that listens for events. */
const RECEIVER = /\.payrollPaymentsTrigger$/;

/** The example whose signatures a person confirms. */
const WALLET = 'confirm-in-your-wallet';

/** What distracts from the workflows: n8n's assistant, agents, chat and surveys. */
export const UNDISTRACTED = {
	N8N_DISABLED_MODULES: 'instance-ai,agents,chat-hub,workflow-builder,mcp,mcp-registry,insights',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_HIDE_USAGE_PAGE: 'true',
	/* The example with an AI agent gives it this package's tools. */
	N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'true',
};

function reportOtherPort(name: string, wanted: number, port: number): void {
	if (wanted !== port) say(`Port ${wanted} is taken, so ${name} uses ${port}`);
}

export async function startSandbox(dataFolder: string): Promise<SandboxProcess> {
	const logFile = path.join(dataFolder, 'sandbox.log');
	const sandbox = await withProgress('Starting the practice service', async () =>
		SandboxProcess.start({ logFile, port: SANDBOX_PORT, signerPort: SIGNER_PORT }),
	);
	reportOtherPort('the practice service', SANDBOX_PORT, Number(new URL(sandbox.url).port));
	return sandbox;
}

/**
 * Runs *First steps* with the built package in n8n's own engine, while n8n isn't there yet.
 *
 * @param ready the sandbox, as soon as it runs and the package is built
 */
export async function showFirstResult(ready: Promise<SandboxProcess>): Promise<void> {
	/* It loads the engine meanwhile. */
	const engine = run(
		process.execPath,
		['--import', 'tsx', path.join('practice', 'firstResult.ts'), FIRST_STEPS],
		{
			cwd: repository,
			env: cleanEnvironment({ N8N_LOG_LEVEL: 'silent', N8N_USER_FOLDER: buildFolder }),
			input: ready.then(({ url }) => url),
		},
	);
	await Promise.race([ready, engine]);
	const lines = await withProgress('Running “First steps” in n8n’s engine', async () => engine);
	print(lines.trimEnd());
}

export async function prepareN8n(
	installation: N8nInstallation,
	dataFolder: string,
	{ dev }: { dev: boolean },
): Promise<N8nProcess> {
	const n8nProcess = await N8nProcess.prepare(installation, {
		dataFolder,
		port: EDITOR_PORT,
		env: { ...UNDISTRACTED, ...(dev ? DEV_SETTINGS : {}) },
	});
	reportOtherPort('n8n', EDITOR_PORT, n8nProcess.port);
	return n8nProcess;
}

export async function startN8n(n8nProcess: N8nProcess): Promise<N8nRest> {
	const { version } = n8nProcess.installation;
	const n8n = new N8nRest(n8nProcess.url);
	await withProgress(`Starting n8n ${version} with the package`, async () => {
		await forgetPractice(n8nProcess);
		await n8nProcess.start();
		await n8n.signIn();
	});
	return n8n;
}

/** An example in n8n. */
export interface LoadedExample extends ReadyExample {
	readonly id: string;
}

/** Credentials for everything in the examples: the sandbox, and its scripted model. */
export async function saveDemoCredentials(
	n8n: N8nRest,
	sandbox: SandboxProcess,
): Promise<Credentials[]> {
	const entities = await entitiesOf(sandbox.url);
	const { api, webhook } = await saveSandboxCredentials(n8n, sandbox, { entities });
	const model = await n8n.saveCredentials('openAiApi', 'Practice model', {
		apiKey: 'practice',
		url: `${sandbox.url}/sandbox/model/v1`,
	});
	const assistants = await n8n.saveCredentials('httpBearerAuth', 'Token for assistants', {
		token: 'practice',
	});
	return [api, webhook, model, assistants];
}

/** The workflows of the examples, by the examples' names, and the versions of them that were loaded. */
type Loaded = Record<string, { readonly id: string; readonly versionId: string }>;

/**
 * Loads the examples with credentials for the sandbox. Keeps a person's changes to them.
 *
 * @param loadedFile remembers which workflows are the examples, since copies can have the same names
 */
export async function loadExamples(
	n8n: N8nRest,
	sandbox: SandboxProcess,
	loadedFile: string,
): Promise<LoadedExample[]> {
	return await withProgress('Loading the examples', async () => {
		const credentials = await saveDemoCredentials(n8n, sandbox);
		const wallet = await saveWalletCredentials(n8n, sandbox);
		const withWallet = wallet === undefined ? credentials : [...credentials, wallet];
		const workflows: Loaded = existsSync(loadedFile)
			? JSON.parse(readFileSync(loadedFile, 'utf8'))
			: {};
		const present = new Map((await n8n.workflows()).map(({ id, versionId }) => [id, versionId]));
		const loaded: LoadedExample[] = [];
		for (const example of await readyExamples(sandbox)) {
			const known = workflows[example.name];
			const version = known && present.get(known.id);
			if (known === undefined || version === undefined || version === known.versionId) {
				const replaced = version === undefined ? null : (known?.id ?? null);
				const own = example.name === WALLET ? withWallet : credentials;
				const { id, versionId } = await n8n.saveWorkflow(example.workflow, own, replaced);
				workflows[example.name] = { id, versionId };
			}
			loaded.push({ ...example, id: workflows[example.name]?.id ?? '' });
		}
		writeFileSync(loadedFile, JSON.stringify(workflows));
		return loaded;
	});
}

/** Runs the first example, and sends a deposit to another; says whether both succeeded. */
export async function runExamples(
	n8n: N8nRest,
	n8nProcess: N8nProcess,
	sandbox: SandboxProcess,
	examples: readonly LoadedExample[],
): Promise<boolean> {
	const database = new N8nDatabase(n8nProcess);
	const firstSteps = named(examples, FIRST_STEPS);
	const execution = await withProgress(`Running “${firstSteps.workflow.name}” in n8n`, async () =>
		n8n.runWorkflow(firstSteps.id),
	);
	print(resultLines(execution));
	if (execution.status !== 'success') return false;

	const deposits = named(examples, DEPOSITS);
	const text = `Sending a deposit to “${deposits.workflow.name}”`;
	const delivery = await withProgress(text, async (): Promise<Execution> => {
		const before = (await database.executions(deposits.id)).length;
		await sandbox.control('POST', 'deposits');
		const { id } = await waitFor(
			() => 'Nothing arrived within 30 seconds.',
			async () => (await database.executions(deposits.id))[before],
			{ milliseconds: 30_000, interval: 200 },
		);
		return await n8n.waitForExecution(id);
	});
	await database.close();
	print(resultLines(delivery));
	return delivery.status === 'success';
}

function named(examples: readonly LoadedExample[], name: string): LoadedExample {
	const example = examples.find((each) => each.name === name);
	if (example === undefined) throw new Error(`There is no example ${name}.`);
	return example;
}

const titleOf = ({ workflow }: LoadedExample): string =>
	workflow.name.replace(/^Payroll: (.)/, (_prefix, first: string) => first.toUpperCase());

/** A page with a link to each example. */
function exampleList(
	n8n: N8nRest,
	sandbox: SandboxProcess,
	examples: readonly LoadedExample[],
): string {
	const around: Link[] = [
		{
			text: 'Practice desk',
			url: `${sandbox.url}/sandbox`,
			about: 'the sheet, messages and payments of the examples; sends events',
		},
		...(sandbox.signerUrl === undefined
			? []
			: [{ text: 'Wallet', url: sandbox.signerUrl, about: 'confirms or declines signatures' }]),
		{ text: 'n8n', url: n8n.url, about: 'all workflows' },
	];
	const groups = [...describedExamples()].map(([heading, described]) => {
		const links = described.map(
			({ name, about }): Link => ({ text: titleOf(named(examples, name)), url: `/${name}`, about }),
		);
		return [heading, links] as const;
	});
	return listPage('Payroll Payments examples', new Map([...groups, ['For all examples', around]]));
}

/** Serves a list of the examples, and links that open each on the canvas, or its executions. */
export async function startLinks(
	n8n: N8nRest,
	sandbox: SandboxProcess,
	examples: readonly LoadedExample[],
): Promise<Landing> {
	return await Landing.start({
		editor: n8n.url,
		cookie: await n8n.signInCookie(),
		workflows: Object.fromEntries(examples.map(({ name, id }) => [name, id])),
		list: exampleList(n8n, sandbox, examples),
		isReady: async () => {
			const { resets, followed = { resets } } = await readResets(sandbox);
			return followed.resets === resets && (await isUp(`${n8n.url}/healthz/readiness`));
		},
		executionAt: async (workflow, at) => await n8n.firstExecution(workflow, new Date(at)),
		port: LINKS_PORT,
	});
}

/** Publishes the examples that receive events at once, and keeps both sides in step from then on. */
export async function startPractice(
	n8n: N8nRest,
	n8nProcess: N8nProcess,
	sandbox: SandboxProcess,
	examples: readonly LoadedExample[],
	links: Landing,
): Promise<Practice> {
	const { webhook } = await sandbox.control<{ webhook: string }>('GET', 'organisation');
	const receivers = examples
		.filter(({ workflow }) => workflow.nodes.some(({ type }) => RECEIVER.test(type)))
		.map(({ id, name, workflow }): Receiver => {
			const url = webhookUrl(n8n.url, workflow);
			const link = `${links.url}/${name}/executions?at={at}`;
			return { id, url, link, webhook: name === CANARY ? webhook : undefined };
		});
	for (const name of [CANARY, DEPOSITS]) {
		const { id, workflow } = named(examples, name);
		await n8n.activate(id);
		await n8n.waitForWebhook(webhookUrl(n8n.url, workflow));
	}
	/* The canary's webhook has its ID from the start; any other takes one that is free. */
	receivers.sort(
		(one, other) => Number(one.webhook === undefined) - Number(other.webhook === undefined),
	);
	return await Practice.start({ n8n, n8nProcess, sandbox, receivers });
}

/** The links and what else a person needs, for the terminal. */
export function printLinks(
	examples: readonly LoadedExample[],
	links: Landing,
	n8n: N8nRest,
	sandbox: SandboxProcess,
): void {
	const [first] = examples;
	if (first === undefined) return;
	print(`
  Start here     ${links.url}/${first.name} (click “Execute workflow”)
  Examples       ${links.url} (all ${examples.length})
  Practice desk  ${sandbox.url}/sandbox (what was sent, written and paid; send deposits)
  Wallet         ${sandbox.signerUrl} (confirm or decline what “Confirm in your own wallet” signs)
  Editor         ${n8n.url} (${OWNER.email}, password ${OWNER.password})

  Ctrl-C stops everything.
`);
}

// From a fresh clone to a running n8n with this package, on a local sandbox: `npm start`.
// `npm start -- --once` ends after the first workflow, with 0 or 1.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readExample, saveSandboxCredentials, webhookUrl } from '../test/support/examples.mjs';
import { installDevDependencies, installN8n } from './lib/installations.mjs';
import { repository } from './lib/paths.mjs';
import { N8n, OWNER } from '../test/support/n8n.mjs';
import { buildAndPack } from './lib/packaging.mjs';
import { pause } from './lib/processes.mjs';
import { during, say } from './lib/progress.mjs';
import { Sandbox } from '../test/support/sandboxProcess.mjs';

const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } });

const EDITOR_PORT = 5678;
const SANDBOX_PORT = 4010;

const dataFolder = path.join(repository, '.n8n');
const runningFile = path.join(dataFolder, 'running.json');

/** @type {{ stop(): Promise<void> }[]} */
const servers = [];

async function stopServers() {
	if (servers.length === 0) return;
	await Promise.all(servers.splice(0).map((server) => server.stop()));
	rmSync(runningFile, { force: true });
}

/** Two n8n on one data folder would spoil it. */
function refuseSecondStart() {
	if (!existsSync(runningFile)) return;
	/** @type {{ process: number; editor: string }} */
	const running = JSON.parse(readFileSync(runningFile, 'utf8'));
	try {
		process.kill(running.process, 0);
	} catch {
		return;
	}
	throw new Error(
		`npm start is running already: ${running.editor} (process ${running.process}). ` +
			'Stop it with Ctrl-C where it runs.',
	);
}

/** @param {import('../test/support/n8n.mjs').Execution} execution */
function printResult({ status, runs, error }) {
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

/**
 * @param {string} text
 * @param {number} length
 */
const shorten = (text, length) => (text.length > length ? `${text.slice(0, length)}…` : text);

/**
 * @param {string} name
 * @param {{ asked: number; given: number }} port
 */
function tellOfPort(name, { asked, given }) {
	if (asked !== given) say(`Port ${asked} is taken, so ${name} uses ${given}`);
}

async function startSandbox() {
	const sandbox = await during('Starting the sandbox', () =>
		Sandbox.start({ logFile: path.join(dataFolder, 'sandbox.log'), port: SANDBOX_PORT }),
	);
	servers.push(sandbox);
	tellOfPort('the sandbox', { asked: SANDBOX_PORT, given: Number(new URL(sandbox.url).port) });
	return sandbox;
}

/**
 * @param {import('./lib/installations.mjs').N8nInstallation} installation
 * @param {string} tarball
 */
async function startN8n(installation, tarball) {
	const n8n = await N8n.prepare(installation, { dataFolder, port: EDITOR_PORT });
	servers.push(n8n);
	tellOfPort('n8n', { asked: EDITOR_PORT, given: n8n.port });
	writeFileSync(runningFile, JSON.stringify({ process: process.pid, editor: n8n.url }));
	await during(`Starting n8n ${installation.version} with the package`, async () => {
		await n8n.installPackage(tarball);
		await n8n.start();
		await n8n.signIn();
	});
	return n8n;
}

/**
 * Saves an example that is not there yet, so that nobody's changes are lost at the next start.
 *
 * @param {N8n} n8n
 * @param {import('../test/support/n8n.mjs').Workflow} example
 * @param {import('../test/support/n8n.mjs').Credentials[]} credentials
 */
async function saveExample(n8n, example, credentials) {
	const existing = (await n8n.workflows()).find(({ name }) => name === example.name);
	return existing ?? (await n8n.saveWorkflow(example, credentials));
}

/**
 * @param {N8n} n8n
 * @param {Sandbox} sandbox
 */
async function showTheWay(n8n, sandbox) {
	const { account, api, webhook } = await saveSandboxCredentials(n8n, sandbox);
	/** @type {{ teams: { nanoid: string; name: string }[] }} */
	const { teams } = await sandbox.control('GET', 'organisation');
	const teamId = teams[0]?.nanoid ?? '';
	const tour = await saveExample(n8n, readExample('first-steps', teamId), [api]);
	const deposits = readExample('deposit-to-message', teamId);
	const { id: depositsId } = await saveExample(n8n, deposits, [webhook]);

	say(`Running “${tour.name}” as wallet ${account.address}`);
	const execution = await n8n.runWorkflow(tour.id);
	printResult(execution);
	if (execution.status !== 'success') return false;

	say(`Sending a deposit to “${deposits.name}”`);
	const before = (await n8n.executions(depositsId)).length;
	await n8n.activate(depositsId);
	const url = webhookUrl(n8n, deposits);
	await n8n.listening(url);
	await sandbox.control('POST', 'endpoints', { url });
	await sandbox.control('POST', 'deposits');
	const arrived = await eventually(async () => (await n8n.executions(depositsId))[before]);
	const delivery = await n8n.finished(arrived.id);
	printResult(delivery);
	return delivery.status === 'success';
}

/**
 * @template T
 * @param {() => Promise<T | undefined>} look
 * @returns {Promise<T>}
 */
async function eventually(look) {
	for (let tries = 0; tries < 150; tries++) {
		const found = await look();
		if (found !== undefined) return found;
		await pause(200);
	}
	throw new Error('Nothing arrived within 30 seconds.');
}

/** Resolves with whether everything went well; without `--once`, when the servers have ended. */
async function start() {
	refuseSecondStart();
	mkdirSync(dataFolder, { recursive: true });
	await installDevDependencies();
	const installation = await installN8n();
	const tarball = await during('Building and packing', buildAndPack);
	const sandbox = await startSandbox();
	const n8n = await startN8n(installation, tarball);
	const succeeded = await showTheWay(n8n, sandbox);
	if (values.once) {
		say(succeeded ? 'Done.' : 'The run failed.');
		return succeeded;
	}
	console.log(`
  Editor    ${n8n.url}
  Sign in   ${OWNER.email}
  Password  ${OWNER.password}
  Sandbox   ${sandbox.url}/sandbox (send deposits, make calls fail, see what was sent)

  Ctrl-C stops everything.
`);
	await Promise.race([n8n.ended, sandbox.ended]);
	if (servers.length === 0) return true;
	throw new Error(`n8n or the sandbox ended by itself; see ${dataFolder}/*.log`);
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
	process.once(signal, () => {
		console.log();
		say('Stopping');
		void stopServers().then(() => process.exit(values.once ? 130 : 0));
	});
}

try {
	process.exitCode = (await start()) ? 0 : 1;
} catch (error) {
	say(error instanceof Error ? error.message : String(error));
	process.exitCode = 1;
}
await stopServers();

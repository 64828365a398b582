// From a fresh clone to a running n8n with this package and a sandbox: `npm start`.
// `npm start -- --reset` begins with an empty n8n. `npm start -- --once` ends after the first workflows,
// with exit code 0 or 1. `npm run dev` also brings each change to the sources into the running n8n.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { installDependencies, installN8n, isN8nInstalled } from '../tooling/installations.mjs';
import { lockUntilExit } from '../tooling/lock.mjs';
import { packedPackage } from '../tooling/packaging.mjs';
import { keepTemporaryFiles, repository } from '../tooling/paths.mjs';
import { say, withProgress } from '../tooling/progress.mjs';

const {
	values: { once, dev, reset },
} = parseArgs({
	options: {
		once: { type: 'boolean', default: false },
		dev: { type: 'boolean', default: false },
		reset: { type: 'boolean', default: false },
	},
});

keepTemporaryFiles();

const dataFolder = path.join(repository, '.n8n');
const runningFile = path.join(dataFolder, 'running.json');

/** @type {{ stop(): Promise<void> }[]} */
const servers = [];

/** @type {Promise<unknown> | undefined} */
let stopped;

/** Also waits for servers that are stopping already, so that n8n ends before this process does. */
async function stopServers() {
	if (servers.length > 0) {
		const stops = servers.splice(0).map((server) => server.stop());
		stopped = Promise.all([stopped, ...stops]).then(() => rmSync(runningFile, { force: true }));
	}
	await stopped;
}

/** Two n8n processes on one data folder would damage it. */
function refuseSecondStart() {
	if (lockUntilExit(path.join(dataFolder, 'lock'))) {
		// Left by a start that was killed.
		rmSync(runningFile, { force: true });
		return;
	}
	/** @type {{ process: number; editor?: string }} */
	const { process: id, editor } = existsSync(runningFile)
		? JSON.parse(readFileSync(runningFile, 'utf8'))
		: { process: Number.parseInt(readFileSync(path.join(dataFolder, 'lock'), 'utf8')) };
	throw new Error(
		`npm start is already running${editor === undefined ? '' : `: ${editor}`} (process ${id}). ` +
			'Stop it with Ctrl-C in its terminal.',
	);
}

/** Removes n8n's workflows, credentials and executions, and which workflows were the examples. */
function removeN8nData() {
	for (const name of ['.n8n', 'examples.json']) {
		rmSync(path.join(dataFolder, name), { recursive: true, force: true });
	}
}

/**
 * Loads the demo through tsx, which isn't there before the development dependencies are installed.
 *
 * @returns {Promise<typeof import('../practice/demo.ts')>}
 */
async function loadDemo() {
	const { tsImport } = await import('tsx/esm/api');
	return await tsImport('../practice/demo.ts', import.meta.url);
}

/** @param {Awaited<ReturnType<typeof loadDemo>>} demo */
async function startSandbox(demo) {
	const sandbox = await demo.startSandbox(dataFolder);
	servers.push(sandbox);
	return sandbox;
}

/** Starts to build and to pack the package. What needs only dist/ doesn't wait for the tarball. */
function startBuild() {
	/** @type {(reason?: unknown) => void} */
	let onBuilt = () => {};
	/** @type {Promise<unknown>} */
	const onceBuilt = new Promise((resolve) => (onBuilt = resolve));
	const tarball = withProgress('Building and packing', async () => await packedPackage(onBuilt));
	const built = Promise.race([onceBuilt, tarball]);
	// It may fail before anyone waits for it.
	built.catch(() => {});
	return { built, tarball };
}

/** Resolves with whether everything succeeded; without `--once`, when the servers have ended. */
async function start() {
	refuseSecondStart();
	if (reset) removeN8nData();
	await installDependencies('start');
	const { built, tarball } = startBuild();
	const demo = await loadDemo();
	const ready = Promise.all([startSandbox(demo), built]).then(([sandbox]) => sandbox);
	/* Beside n8n's installation, what comes before it takes twice as long. */
	if (!(await isN8nInstalled())) await demo.showFirstResult(ready);
	const sandbox = await ready;
	const [installation] = await Promise.all([
		installN8n(),
		tarball.then(async (file) => await demo.installPackage(dataFolder, file)),
	]);
	const n8nProcess = await demo.prepareN8n(installation, dataFolder, { dev });
	servers.push(n8nProcess);
	writeFileSync(runningFile, JSON.stringify({ process: process.pid, editor: n8nProcess.url }));
	const n8n = await demo.startN8n(n8nProcess);
	const examples = await demo.loadExamples(n8n, sandbox, path.join(dataFolder, 'examples.json'));
	const links = await demo.startLinks(n8n, sandbox, examples);
	servers.push(links);
	const practice = await demo.startPractice(n8n, n8nProcess, sandbox, examples, links);
	servers.push(practice);
	demo.printLinks(examples, links, n8n, sandbox);
	const succeeded = await demo.runExamples(n8n, n8nProcess, sandbox, examples);
	if (once) {
		say(succeeded ? 'Done.' : 'The run failed.');
		return succeeded;
	}
	if (dev) demo.rebuildOnChanges(n8nProcess);
	await Promise.race([practice.n8nEnded(), sandbox.ended]);
	if (servers.length === 0) return true;
	throw new Error(`n8n or the sandbox ended by itself; see ${dataFolder}/*.log`);
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
	process.once(signal, () => {
		say('Stopping');
		void stopServers().then(() => process.exit(once ? 130 : 0));
	});
}

try {
	process.exitCode = (await start()) ? 0 : 1;
} catch (error) {
	say(error instanceof Error ? error.message : String(error));
	process.exitCode = 1;
}
await stopServers();
// Ends what else is under way, e.g. the other installation when one has failed.
process.exit();

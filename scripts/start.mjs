// From a fresh clone to a running n8n with this package and a sandbox: `npm start`.
// `npm start -- --once` ends after the first workflows, with exit code 0 or 1.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { installDevDependencies, installN8n } from './lib/installations.mjs';
import { buildAndPack } from './lib/packaging.mjs';
import { repository } from './lib/paths.mjs';
import { say, withProgress } from './lib/progress.mjs';

const {
	values: { once },
} = parseArgs({ options: { once: { type: 'boolean', default: false } } });

const dataFolder = path.join(repository, '.n8n');
const runningFile = path.join(dataFolder, 'running.json');

/** @type {{ stop(): Promise<void> }[]} */
const servers = [];

async function stopServers() {
	if (servers.length === 0) return;
	await Promise.all(servers.splice(0).map((server) => server.stop()));
	rmSync(runningFile, { force: true });
}

/** Two n8n processes on one data folder would damage it. */
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
		`npm start is already running: ${running.editor} (process ${running.process}). ` +
			'Stop it with Ctrl-C in its terminal.',
	);
}

/**
 * Loads the demo through tsx, which isn't there before the development dependencies are installed.
 *
 * @returns {Promise<typeof import('./demo.ts')>}
 */
async function loadDemo() {
	const { tsImport } = await import('tsx/esm/api');
	return await tsImport('./demo.ts', import.meta.url);
}

/** Resolves with whether everything succeeded; without `--once`, when the servers have ended. */
async function start() {
	refuseSecondStart();
	mkdirSync(dataFolder, { recursive: true });
	await installDevDependencies();
	const installation = await installN8n();
	const tarball = await withProgress('Building and packing', buildAndPack);
	const demo = await loadDemo();
	const sandbox = await demo.startSandbox(dataFolder);
	servers.push(sandbox);
	const n8nProcess = await demo.prepareN8n(installation, dataFolder);
	servers.push(n8nProcess);
	writeFileSync(runningFile, JSON.stringify({ process: process.pid, editor: n8nProcess.url }));
	const n8n = await demo.startN8n(n8nProcess, tarball);
	const succeeded = await demo.runExamples(n8n, n8nProcess, sandbox);
	if (once) {
		say(succeeded ? 'Done.' : 'The run failed.');
		return succeeded;
	}
	console.log(`
  Editor    ${n8n.url}
  Sign in   ${demo.OWNER.email}
  Password  ${demo.OWNER.password}
  Sandbox   ${sandbox.url}/sandbox (send deposits, make calls fail, see what was sent)

  Ctrl-C stops everything.
`);
	await Promise.race([n8nProcess.ended, sandbox.ended]);
	if (servers.length === 0) return true;
	throw new Error(`n8n or the sandbox ended by itself; see ${dataFolder}/*.log`);
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
	process.once(signal, () => {
		console.log();
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

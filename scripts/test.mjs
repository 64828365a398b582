// The full check suite from a fresh clone: `npm test`. Its last line sums up the tests.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

import { installDependencies, installN8n, installNode } from '../tooling/installations.mjs';
import { N8N_VERSIONS, n8nVersionUnderTest } from '../tooling/n8nVersions.mjs';
import { buildFolder, keepTemporaryFiles, repository } from '../tooling/paths.mjs';
import { idleShare } from '../tooling/load.mjs';
import { packedPackage } from '../tooling/packaging.mjs';
import { checkMachine } from '../tooling/preflight.mjs';
import { npmCaptured } from '../tooling/processes.mjs';
import { print, say, withProgress } from '../tooling/progress.mjs';

/** A step that prints nothing for so long is killed, so that the summary is printed anyway. */
const LONGEST_SILENCE_MINUTES = 20;

/** @type {string[]} */
const failures = [];
let passed = 0;
let failed = 0;

/** @type {Record<string, string> | undefined} with the Node.js of n8n, which the nodes run in, too */
let env;

/**
 * Runs a script of package.json, prints its output when it has ended, and says whether it
 * succeeded. The output of steps side by side stays apart that way.
 *
 * @param {string} script
 * @param {string[]} [args]
 */
async function succeeds(script, args = []) {
	const began = process.uptime();
	const extra = args.length > 0 ? ['--', ...args] : [];
	const { code, output } = await npmCaptured(['run', '--silent', script, ...extra], {
		cwd: repository,
		env,
		minutes: LONGEST_SILENCE_MINUTES,
	});
	if (output.trim() !== '') print(output.trimEnd());
	const verdict = code === 0 ? 'done' : 'failed';
	say(`npm run ${script} … ${verdict} in ${(process.uptime() - began).toFixed(1)} s`);
	if (code !== 0) failures.push(script);
	return code === 0;
}

/**
 * A failed check counts as one failed test; one that passes isn't counted.
 *
 * @param {string} script
 */
async function check(script) {
	if (!(await succeeds(script))) failed += 1;
}

/**
 * @param {string} script
 * @param {string[]} args for Jest
 */
async function test(script, args) {
	const results = path.join(buildFolder, `${script.replace(':', '-')}.json`);
	rmSync(results, { force: true });
	const hasSucceeded = await succeeds(script, ['--json', `--outputFile=${results}`, ...args]);
	/** @type {{ numPassedTests: number; numFailedTests: number; numRuntimeErrorTestSuites: number }} */
	const counts = existsSync(results)
		? JSON.parse(readFileSync(results, 'utf8'))
		: { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
	const failedHere = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
	passed += counts.numPassedTests;
	failed += hasSucceeded ? failedHere : Math.max(failedHere, 1);
}

keepTemporaryFiles();
/* Before the installations, which leave something running for a while. */
const idle = await idleShare();
try {
	const version = n8nVersionUnderTest();
	const [n8n] = await Promise.all([installN8n(version), installDependencies('all')]);
	await checkMachine(n8n);
	({ env } = await installNode(N8N_VERSIONS[n8n.version].node));
} catch (error) {
	say(error instanceof Error ? error.message : String(error));
	console.log('0 passed, 1 failed');
	process.exit(1);
}

/* Many tests wait for n8n, so an idle machine gets a few more workers than it has processors. */
const workers = `--maxWorkers=${availableParallelism() + Math.round(3 * idle)}`;

// What judges the code, and beside it what runs it. The tests and the scanner take the packed package.
const packed = withProgress('Building and packing', packedPackage).catch(
	(/** @type {unknown} */ error) => {
		print(String(error));
		failures.push('build');
		failed += 1;
	},
);
await Promise.all([
	(async () => {
		await check('typecheck');
		await check('lint');
		await packed;
		await check('scan');
	})(),
	(async () => {
		await packed;
		await test('test:all', [workers]);
	})(),
]);

if (failures.length > 0) say(`Failed: ${failures.join(', ')}`);
say('Done.');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

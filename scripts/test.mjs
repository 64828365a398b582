// The full check suite from a fresh clone: `npm test`. Its last line sums up the tests.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { installDevDependencies, installN8n } from './lib/installations.mjs';
import { buildFolder, repository } from './lib/paths.mjs';
import { npmInTerminal } from './lib/processes.mjs';
import { say } from './lib/progress.mjs';

const CHECKS = ['lint', 'typecheck', 'build', 'scan'];
const TESTS = ['test:unit', 'test:contract', 'test:n8n'];

/** A step that hangs is killed, so that the summary is printed anyway. */
const LONGEST_STEP_MINUTES = 40;

/** @type {string[]} */
const failures = [];
let passed = 0;
let failed = 0;

/**
 * Runs a script of package.json, and says whether it succeeded.
 *
 * @param {string} script
 * @param {string[]} [args]
 */
async function succeeds(script, args = []) {
	say(`npm run ${script}`);
	const extra = args.length > 0 ? ['--', ...args] : [];
	const code = await npmInTerminal(['run', '--silent', script, ...extra], {
		cwd: repository,
		minutes: LONGEST_STEP_MINUTES,
	});
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

/** @param {string} script */
async function test(script) {
	const results = path.join(buildFolder, `${script.replace(':', '-')}.json`);
	rmSync(results, { force: true });
	const hasSucceeded = await succeeds(script, ['--json', `--outputFile=${results}`]);
	/** @type {{ numPassedTests: number; numFailedTests: number; numRuntimeErrorTestSuites: number }} */
	const counts = existsSync(results)
		? JSON.parse(readFileSync(results, 'utf8'))
		: { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
	const failedHere = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
	passed += counts.numPassedTests;
	failed += hasSucceeded ? failedHere : Math.max(failedHere, 1);
}

mkdirSync(buildFolder, { recursive: true });
await installDevDependencies();
for (const script of CHECKS) await check(script);
for (const script of TESTS) await test(script);
await installN8n();
await test('test:e2e');

if (failures.length > 0) say(`Failed: ${failures.join(', ')}`);
say('Done.');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

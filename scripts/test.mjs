// Everything that must hold, from a fresh clone: `npm test`. Its last line sums up the tests.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { installDevDependencies, installN8n } from './installations.mjs';
import { buildFolder, repository } from './locations.mjs';
import { showNpm } from './processes.mjs';
import { say } from './progress.mjs';

const CHECKS = ['lint', 'typecheck', 'build', 'scan'];
const TESTS = ['test:unit', 'test:contract', 'test:n8n'];

/** @type {string[]} */
const failures = [];
let passed = 0;
let failed = 0;

/**
 * @param {string} script
 * @param {string[]} [args]
 */
async function check(script, args = []) {
	say(`npm run ${script}`);
	const extra = args.length > 0 ? ['--', ...args] : [];
	const code = await showNpm(['run', '--silent', script, ...extra], { cwd: repository });
	if (code !== 0) failures.push(script);
}

/** @param {string} script */
async function test(script) {
	const results = path.join(buildFolder, `${script.replace(':', '-')}.json`);
	rmSync(results, { force: true });
	await check(script, ['--json', `--outputFile=${results}`]);
	if (!existsSync(results)) {
		failed += 1;
		return;
	}
	/** @type {{ numPassedTests: number; numFailedTests: number; numRuntimeErrorTestSuites: number }} */
	const counts = JSON.parse(readFileSync(results, 'utf8'));
	passed += counts.numPassedTests;
	failed += counts.numFailedTests + counts.numRuntimeErrorTestSuites;
}

mkdirSync(buildFolder, { recursive: true });
await installDevDependencies();
for (const script of CHECKS) await check(script);
for (const script of TESTS) await test(script);
await installN8n();
await test('test:e2e');

if (failures.length > 0) say(`Not in order: ${failures.join(', ')}`);
say('Done.');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

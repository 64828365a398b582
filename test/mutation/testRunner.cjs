// Loads only the test files that have a test to run, quick ones first, and none once a test has
// failed. Stryker names the tests that reach a mutant, and Jest would load every file to look for them.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const { default: TestRunner } = require('jest-runner');

/** What the run without a mutant found: each file's milliseconds and the names of its tests. */
const known = path.resolve('testFiles.json');

module.exports = class extends TestRunner {
	async runTests(tests, watcher, options) {
		const isDryRun = process.env.__STRYKER_ACTIVE_MUTANT__ === undefined;
		const files = !isDryRun && existsSync(known) ? JSON.parse(readFileSync(known, 'utf8')) : {};
		const pattern = new RegExp(this._globalConfig.testNamePattern ?? '', 'i');
		const chosen = tests
			.filter(({ path: file }) => files[file]?.names.some((name) => pattern.test(name)) ?? true)
			.sort((one, other) => files[one.path]?.duration - files[other.path]?.duration);
		let hasFailed = false;
		this.on(
			'test-file-success',
			([{ path: file }, { perfStats, numFailingTests, testResults }]) => {
				hasFailed ||= numFailingTests > 0;
				const names = testResults.map(({ fullName }) => fullName);
				files[file] = { duration: perfStats.end - perfStats.start, names };
			},
		);
		for (const test of chosen) {
			if (!hasFailed || isDryRun) await super.runTests([test], watcher, options);
		}
		if (isDryRun) writeFileSync(known, JSON.stringify(files));
	}
};

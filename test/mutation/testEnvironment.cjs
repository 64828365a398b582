// Skips the rest of the tests once one has failed, because the mutant is killed then. Stryker can't
// tell Jest to do so (https://github.com/jestjs/jest/issues/11766).
const TestEnvironment = require('../jest/environment.cjs');

/** The mutant of the latest failure. All test files run in one process. */
let killed;

module.exports = class extends TestEnvironment {
	async handleTestEvent({ name, test }) {
		const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
		if (mutant === undefined) return;
		if (name === 'test_start' && killed === mutant) test.mode = 'skip';
		if (name === 'test_done' && test.errors.length > 0) killed = mutant;
	}
};

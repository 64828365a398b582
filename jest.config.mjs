import { fileURLToPath } from 'node:url';

// The workers inherit it: what n8n's own logger says of faults that the tests provoke.
process.env.N8N_LOG_LEVEL ??= 'silent';
// Where n8n's engine keeps its settings.
process.env.N8N_USER_FOLDER ??= fileURLToPath(new URL('.build', import.meta.url));
// Where the compiler unpacks itself: in the clone, not in the user's home.
process.env.SWC_NATIVE_BINDING_CACHE ??= fileURLToPath(new URL('.build/swc', import.meta.url));

/** Compiles our TypeScript and scripts, and the dependencies that come as ES modules only. */
const shared = {
	testEnvironment: '<rootDir>/test/jest/environment.cjs',
	transform: {
		/* Jest compiles its own runner with these settings, too. */
		'/node_modules/(?!jose/|jest-|@jest/)': '<rootDir>/test/jest/dependencies.cjs',
		'\\.[mc]?[jt]s$': [
			'@swc/jest',
			{
				jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
				module: { type: 'commonjs' },
				sourceMaps: 'inline',
			},
		],
	},
	transformIgnorePatterns: ['/node_modules/(jest-|@jest/)'],
	moduleFileExtensions: ['ts', 'mjs', 'js', 'json', 'node'],
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.build/', '<rootDir>/.n8n/'],
};

/** Unit tests of many cases. */
const MANY_CASES = '\\.(fuzz|property)\\.test\\.ts$';

/**
 * One project for each kind of test; `jest --selectProjects unit` runs one of them.
 *
 * @param {string} name
 * @param {object} [settings]
 */
const project = (name, settings = {}) => ({
	...shared,
	displayName: name,
	testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
	...settings,
});

/** For tests in a real n8n. */
const inN8n = {
	globalSetup: '<rootDir>/test/support/globalSetup.ts',
	globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
};

export default {
	maxWorkers: '100%',
	/* Ends what hangs. test/jest/environment.cjs gives more time on a busy machine. */
	testTimeout: 60_000,
	/* A worker of a gigabyte takes longer to go on a busy machine than Jest's half a second. */
	workerGracefulExitTimeout: 10_000,
	projects: [
		project('unit', { testPathIgnorePatterns: ['/node_modules/', MANY_CASES] }),
		/* Unit tests with so many cases that they would slow the others down. */
		project('properties', { testMatch: ['<rootDir>/test/unit/**/*.{fuzz,property}.test.ts'] }),
		project('contract'),
		project('n8n'),
		project('e2e', inN8n),
		project('long', inN8n),
	],
};

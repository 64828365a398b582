// Runs test files in the context of Node itself instead of one of their own, so that a dependency is
// loaded once for all files of a worker (dependencies.cjs): n8n-core alone has 1,730 modules.
const { AsyncLocalStorage } = require('node:async_hooks');
const vm = require('node:vm');

const { TestEnvironment } = require('jest-environment-node');

/** Stands for Node's own context, which has no object that Jest could compile in. */
const here = vm.createContext();

const { compileFunction } = vm;

/** What has been compiled here, by its file. Each test file runs it again. */
const compiled = new Map();

vm.compileFunction = (source, parameters, { parsingContext, ...options } = {}) => {
	if (parsingContext !== here) {
		return compileFunction(source, parameters, { ...options, parsingContext });
	}
	const known = compiled.get(options.filename);
	if (known?.source === source) return known.run;
	const run = compileFunction(source, parameters, options);
	compiled.set(options.filename, { source, run });
	return run;
};

/** What follows every promise until it's disabled, before Node.js 24: jest-circus has one for each file. */
const storages = new Set();

const { run: runInStorage } = AsyncLocalStorage.prototype;

AsyncLocalStorage.prototype.run = function (...given) {
	storages.add(this);
	return runInStorage.apply(this, given);
};

/** What a test file has started and not stopped; see n8nHost/cleanups.ts. */
const CLEANUPS = Symbol.for('payroll-payments.cleanups');

/** What jest-circus keeps between the tests of a file. */
const KEPT = ['EVENT_HANDLERS', 'RETRY_TIMES', 'TEST_TIMEOUT_SYMBOL'];

/** tooling/load.mjs, once it is needed. */
let load;

module.exports = class extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		this.global = globalThis;
		// For dependencies.cjs.
		this.global.requireOnce = require;
		this.moduleMocker = new this.moduleMocker.constructor(globalThis);
		this.fakeTimers.dispose();
		this.fakeTimersModern = new this.fakeTimersModern.constructor({
			config: config.projectConfig,
			global: globalThis,
		});
		this.variables = { ...process.env };
		this.global[CLEANUPS] = new Set();
	}

	getVmContext() {
		return here;
	}

	/** On a busy machine, a test or a hook takes longer. */
	async handleTestEvent({ name }, state) {
		if (name === 'run_start') this.testTimeout = state.testTimeout;
		if (name !== 'test_start' && name !== 'hook_start') return;
		load ??= await import('../../tooling/load.mjs');
		state.testTimeout = Math.round(this.testTimeout * load.slowdown());
	}

	/** What one file starts or changes, the next one must not see. */
	async teardown() {
		// The newest first: an environment stops its processes and removes their data.
		for (const stop of [...this.global[CLEANUPS]].reverse()) await stop();
		this.moduleMocker.restoreAllMocks();
		for (const name of Object.keys(process.env)) {
			if (!Object.hasOwn(this.variables, name)) delete process.env[name];
		}
		Object.assign(process.env, this.variables);
		for (const name of KEPT) delete globalThis[Symbol.for(name)];
		for (const storage of storages) storage.disable();
		storages.clear();
		await super.teardown();
	}
};

import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * The processes that were started here and run. Each leads its own process group, so that stopping
 * it stops what it started too.
 *
 * @type {Set<import('node:child_process').ChildProcess>}
 */
const running = new Set();

/** Keeps the last line that it reads, and kills the process groups in it when its input ends. */
const WATCHER =
	'while read -r line; do groups=$line; done; for group in $groups; do kill -9 "-$group"; done';

/** @type {import('node:stream').Writable | null | undefined} */
let watcherInput;

// Windows has neither the shell nor process groups.
if (process.platform === 'win32') {
	process.once('exit', () => {
		for (const child of running) signalGroup(child, 'SIGKILL');
	});
}

/**
 * Starts a watcher. It ends what runs when this process ends, in whatever way: a process that is killed
 * can't do so itself.
 */
function startWatcher() {
	if (process.platform === 'win32' || watcherInput !== undefined) return;
	const watcher = spawn('/bin/sh', ['-c', WATCHER], {
		detached: true,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	// Without a shell, processes end as far as they notice themselves.
	watcher.once('error', () => {});
	watcher.stdin?.on('error', () => {});
	// Neither it nor the pipe to it keeps this process from ending.
	watcher.unref();
	watcherInput = watcher.stdin;
	if (watcherInput instanceof Socket) watcherInput.unref();
}

/** Tells the watcher what runs. */
function tellWatcher() {
	watcherInput?.write(`${[...running].map(({ pid }) => pid).join(' ')}\n`);
}

/**
 * Sends a signal to a process and to all that it started.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
export function signalGroup(child, signal) {
	if (child.pid === undefined) return;
	try {
		if (process.platform === 'win32') child.kill(signal);
		else process.kill(-child.pid, signal);
	} catch {
		// The group has ended already.
	}
}

/**
 * Starts a process in a new process group, which ends with this process at the latest, even if this
 * one is killed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function spawnGroup(command, args, options) {
	// Before the child, so that it learns of the child at once.
	startWatcher();
	const child = spawn(command, args, { detached: process.platform !== 'win32', ...options });
	running.add(child);
	tellWatcher();
	/** @type {Promise<number>} */
	const ended = new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code) => resolve(code ?? 1));
	});
	const forget = () => {
		running.delete(child);
		tellWatcher();
	};
	ended.then(forget, forget);
	return { child, ended };
}

/**
 * Runs a script of ours in a process that may outlive this one.
 *
 * @param {string} script
 * @param {string[]} args
 */
export function inBackground(script, args) {
	spawn(process.execPath, [script, ...args], {
		detached: true,
		stdio: 'ignore',
		env: cleanEnvironment(),
	}).unref();
}

/** What npm has to know about the machine: its registry, its cache, its way to the internet. */
const NPM_SETTINGS =
	/^npm_config_(registry|cache|userconfig|ca|cafile|strict_ssl|(https_|no)?proxy)$/i;

/** Of npm's running script, of n8n, and of Node.js. */
const OTHER_SETTINGS =
	/^(npm_|n8n_|db_|executions_|queue_|generic_|credentials_|nodes_|webhook_url|node_options|node_env)/i;

/**
 * The environment for a child process, without npm's variables of the running script and without
 * n8n's settings, so that both behave as on a fresh machine.
 *
 * @param {Record<string, string>} [additions]
 * @returns {Record<string, string>}
 */
export function cleanEnvironment(additions = {}) {
	const kept = Object.entries(process.env).flatMap(([name, value]) =>
		value === undefined || (OTHER_SETTINGS.test(name) && !NPM_SETTINGS.test(name))
			? []
			: [/** @type {const} */ ([name, value])],
	);
	/* n8n would ask a proxy for the sandbox, too. */
	const { no_proxy = '', NO_PROXY = no_proxy } = process.env;
	const hosts = new Set([...NO_PROXY.split(','), 'localhost', '127.0.0.1']);
	const direct = [...hosts].filter(Boolean).join(',');
	return { ...Object.fromEntries(kept), no_proxy: direct, NO_PROXY: direct, ...additions };
}

/**
 * Runs a command and returns what it wrote to its standard output.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string; env?: Record<string, string>; input?: Promise<string> }} [options] with what
 * it reads from its standard input: nothing if that can't be had
 * @returns {Promise<string>}
 * @throws {Error} with the last lines of its output, when its exit code isn't 0
 */
export async function run(command, args, { cwd, env = cleanEnvironment(), input } = {}) {
	const { child, ended } = spawnGroup(command, args, {
		cwd,
		env,
		stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
	});
	// It may have ended before it reads.
	child.stdin?.on('error', () => {});
	input?.then(
		(text) => child.stdin?.end(text),
		() => child.stdin?.end(),
	);
	let output = '';
	let everything = '';
	child.stdout?.setEncoding('utf8').on('data', (chunk) => {
		output += chunk;
		everything += chunk;
	});
	child.stderr?.setEncoding('utf8').on('data', (chunk) => {
		everything += chunk;
	});
	const code = await ended;
	if (code !== 0) {
		const tail = everything.trimEnd().split('\n').slice(-40).join('\n');
		throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${tail}`);
	}
	return output;
}

/**
 * Runs a command that prints straight to the terminal, and returns its exit code.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string; env?: Record<string, string>; minutes: number }} options it is killed
 * after so many minutes
 */
export async function runInTerminal(command, args, { cwd, env = cleanEnvironment(), minutes }) {
	const { child, ended } = spawnGroup(command, args, {
		cwd,
		env,
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	const limit = setTimeout(() => signalGroup(child, 'SIGKILL'), minutes * 60_000);
	try {
		return await ended;
	} finally {
		clearTimeout(limit);
	}
}

/**
 * The npm that started this script, or else the one in PATH.
 *
 * @param {string[]} args
 * @param {string} [node] the Node.js to run npm on
 * @returns {[string, string[]]}
 */
function npmCommand(args, node = process.execPath) {
	const cli = process.env.npm_execpath;
	if (cli?.endsWith('npm-cli.js')) return [node, [cli, ...args]];
	return [process.platform === 'win32' ? 'npm.cmd' : 'npm', args];
}

/**
 * Runs npm as {@link run} does.
 *
 * @param {string[]} args
 * @param {{ cwd?: string; env?: Record<string, string>; node?: string }} [options]
 */
export async function npm(args, { node, ...options } = {}) {
	return await run(...npmCommand(args, node), options);
}

/**
 * Runs npm as {@link runInTerminal} does.
 *
 * @param {string[]} args
 * @param {{ cwd?: string; env?: Record<string, string>; minutes: number }} options
 */
export async function npmInTerminal(args, options) {
	return await runInTerminal(...npmCommand(args), options);
}

/**
 * Runs npm, and returns its exit code and everything that it wrote.
 *
 * @param {string[]} args
 * @param {{ cwd?: string; env?: Record<string, string>; minutes: number }} options it is killed when it
 * has written nothing for so many minutes
 */
export async function npmCaptured(args, { cwd, env = cleanEnvironment(), minutes }) {
	const [command, all] = npmCommand(args);
	const { child, ended } = spawnGroup(command, all, {
		cwd,
		env: { ...env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	const limit = setTimeout(() => signalGroup(child, 'SIGKILL'), minutes * 60_000);
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding('utf8').on('data', (chunk) => {
			output += chunk;
			limit.refresh();
		});
	}
	const code = await ended.finally(() => clearTimeout(limit));
	return { code, output };
}

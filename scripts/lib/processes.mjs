import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Every process here leads a group of its own, so that stopping it leaves no grandchild behind. */
const running = new Set();

process.on('exit', () => {
	for (const child of running) signalGroup(child, 'SIGKILL');
});

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalGroup(child, signal) {
	if (child.pid === undefined) return;
	try {
		if (process.platform === 'win32') child.kill(signal);
		else process.kill(-child.pid, signal);
	} catch {
		// The group is gone already, which is what was wanted.
	}
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
function spawnGroup(command, args, options) {
	const child = spawn(command, args, { detached: process.platform !== 'win32', ...options });
	running.add(child);
	/** @type {Promise<number>} */
	const ended = new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code) => resolve(code ?? 1));
	});
	const forget = () => running.delete(child);
	ended.then(forget, forget);
	return { child, ended };
}

/**
 * The environment for a child: npm's variables of the running script and n8n's own settings stay
 * behind, so that both behave as on a fresh machine.
 *
 * @param {Record<string, string>} [additions]
 * @returns {Record<string, string>}
 */
export function cleanEnvironment(additions = {}) {
	const kept = Object.entries(process.env).flatMap(([name, value]) =>
		value === undefined || /^(npm_|n8n_|db_|node_options|node_env)/i.test(name)
			? []
			: [/** @type {const} */ ([name, value])],
	);
	return { ...Object.fromEntries(kept), ...additions };
}

/**
 * Runs a command to its end and gives back what it wrote to its standard output.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string; env?: Record<string, string> }} [options]
 * @returns {Promise<string>}
 * @throws {Error} with the last lines of its output, when it ends with anything but 0
 */
export async function run(command, args, { cwd, env = cleanEnvironment() } = {}) {
	const { child, ended } = spawnGroup(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	let everything = '';
	child.stdout?.on('data', (chunk) => {
		output += chunk;
		everything += chunk;
	});
	child.stderr?.on('data', (chunk) => {
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
 * Runs a command whose output the reader is to see as it comes, and gives back its exit code.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string; env?: Record<string, string>; minutes: number }} options it is ended
 * after so many minutes
 */
export async function show(command, args, { cwd, env = cleanEnvironment(), minutes }) {
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
 * The command that runs npm: the one that started this script, when there is one.
 *
 * @param {string[]} args
 * @param {string} [node] the Node.js that npm is to run on, when it is not this one
 * @returns {[string, string[]]}
 */
function npmCommand(args, node = process.execPath) {
	const cli = process.env.npm_execpath;
	if (cli?.endsWith('npm-cli.js')) return [node, [cli, ...args]];
	return [process.platform === 'win32' ? 'npm.cmd' : 'npm', args];
}

/**
 * Runs npm like `run`.
 *
 * @param {string[]} args
 * @param {{ cwd?: string; env?: Record<string, string>; node?: string }} [options]
 */
export async function npm(args, { node, ...options } = {}) {
	return await run(...npmCommand(args, node), options);
}

/**
 * Runs npm like `show`.
 *
 * @param {string[]} args
 * @param {{ cwd?: string; env?: Record<string, string>; minutes: number }} options
 */
export async function showNpm(args, options) {
	return await show(...npmCommand(args), options);
}

/** A server of ours in its own process, its output in a log file. */
export class Service {
	#child;
	#ended;
	/** @type {number | undefined} */
	#code;

	/**
	 * @param {string} name what to call it in messages
	 * @param {string} command
	 * @param {string[]} args
	 * @param {{ cwd?: string; env?: Record<string, string>; logFile: string }} options
	 */
	constructor(name, command, args, { cwd, env = cleanEnvironment(), logFile }) {
		this.name = name;
		this.logFile = logFile;
		mkdirSync(path.dirname(logFile), { recursive: true });
		const log = openSync(logFile, 'a');
		const { child, ended } = spawnGroup(command, args, { cwd, env, stdio: ['ignore', log, log] });
		closeSync(log);
		this.#child = child;
		this.#ended = ended.catch(() => 1).then((code) => (this.#code = code));
	}

	get isRunning() {
		return this.#code === undefined;
	}

	get log() {
		return readFileSync(this.logFile, 'utf8');
	}

	/** Resolves with the exit code. */
	get ended() {
		return this.#ended;
	}

	/**
	 * Waits until `isReady` says so.
	 *
	 * @param {() => Promise<boolean>} isReady
	 * @param {number} milliseconds
	 */
	async ready(isReady, milliseconds) {
		const deadline = Date.now() + milliseconds;
		while (!(await isReady().catch(() => false))) {
			if (!this.isRunning) throw new Error(`${this.name} did not start:\n${this.#lastLines()}`);
			if (Date.now() > deadline) {
				throw new Error(
					`${this.name} was not ready after ${milliseconds / 1000} seconds:\n${this.#lastLines()}`,
				);
			}
			await pause(100);
		}
	}

	/** Asks it to end, and ends it after ten seconds. */
	async stop() {
		signalGroup(this.#child, 'SIGTERM');
		const impatience = setTimeout(() => signalGroup(this.#child, 'SIGKILL'), 10_000);
		await this.#ended;
		clearTimeout(impatience);
		signalGroup(this.#child, 'SIGKILL');
	}

	/** Ends it at once, as a power cut would. */
	async kill() {
		signalGroup(this.#child, 'SIGKILL');
		await this.#ended;
	}

	#lastLines() {
		return this.log.trimEnd().split('\n').slice(-30).join('\n');
	}
}

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { whileLocked } from './lock.mjs';
import { cacheFolder, hashOf, repository } from './paths.mjs';
import { cleanEnvironment, npm } from './processes.mjs';
import { during } from './progress.mjs';

/** n8n 2.41.1 wants Node.js 24, and its binary parts are there for just this one. */
const NODE_MAJOR = '24';

/** What npm must be told for each n8n, beyond what its package.json here says. */
const N8N_INSTALLATIONS = {
	// Its peer dependencies contradict each other, and of its install scripts only these matter.
	'2.41.1': { install: ['--legacy-peer-deps', '--ignore-scripts'], rebuild: ['sqlite3', 'isolated-vm'] },
	'2.38.7': { install: ['--legacy-peer-deps', '--ignore-scripts'], rebuild: ['sqlite3', 'isolated-vm'] },
	'1.123.81': { install: ['--ignore-scripts=false'], rebuild: [] },
};

/** @typedef {keyof typeof N8N_INSTALLATIONS} N8nVersion */

/** The n8n that `npm start` runs, and the tests unless they are told otherwise. */
const DEFAULT_N8N = '2.41.1';

/**
 * The n8n to run the end-to-end tests on: PAYROLL_PAYMENTS_N8N, e.g. 1.123.81, if that is set.
 *
 * @returns {N8nVersion}
 */
export function n8nToTest() {
	const wanted = process.env.PAYROLL_PAYMENTS_N8N ?? DEFAULT_N8N;
	const known = /** @type {N8nVersion[]} */ (Object.keys(N8N_INSTALLATIONS));
	const version = known.find((each) => each === wanted);
	if (version !== undefined) return version;
	throw new Error(`PAYROLL_PAYMENTS_N8N is ${wanted}; there is ${known.join(', ')}.`);
}

const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/**
 * Installs what test/e2e/hosts/NAME/package.json lists into the cache, unless that was finished
 * before. An interrupted installation leaves no `complete` file and is done anew.
 *
 * @param {string} name
 * @param {string} text what to say while it lasts
 * @param {(folder: string) => Promise<unknown>} install
 */
async function installOnce(name, text, install) {
	const manifest = path.join(repository, 'test', 'e2e', 'hosts', name, 'package.json');
	const folder = path.join(cacheFolder, name);
	const marker = path.join(folder, 'complete');
	const isComplete = () =>
		existsSync(marker) && readFileSync(marker, 'utf8').trim() === hashOf(manifest);
	if (isComplete()) return folder;
	await whileLocked(`${folder}.lock`, `installs ${name}`, async () => {
		if (isComplete()) return;
		await during(text, async () => {
			rmSync(folder, { recursive: true, force: true });
			mkdirSync(folder, { recursive: true });
			copyFileSync(manifest, path.join(folder, 'package.json'));
			await install(folder);
			writeFileSync(marker, `${hashOf(manifest)}\n`);
		});
	});
	return folder;
}

/**
 * The folder of the Node.js binary that n8n runs on; goes first in PATH.
 *
 * @returns {Promise<string>}
 */
export async function installNode() {
	if (process.versions.node.startsWith(`${NODE_MAJOR}.`)) return path.dirname(process.execPath);
	const folder = await installOnce(
		`node-${NODE_MAJOR}`,
		`Installing Node.js ${NODE_MAJOR} for n8n (once, about 10 seconds)`,
		(cwd) => npm(['install', '--ignore-scripts=false', ...quiet], { cwd }),
	);
	return path.join(folder, 'node_modules', 'node', 'bin');
}

/**
 * An n8n that is ready to run.
 *
 * @typedef {object} N8nInstallation
 * @property {N8nVersion} version
 * @property {string} node the Node.js binary
 * @property {string} cli n8n's own command, a script for that Node.js
 * @property {Record<string, string>} env the environment to run it in
 */

/**
 * @param {N8nVersion} [version]
 * @returns {Promise<N8nInstallation>}
 */
export async function installN8n(version = DEFAULT_N8N) {
	const nodeFolder = await installNode();
	const node = path.join(nodeFolder, process.platform === 'win32' ? 'node.exe' : 'node');
	const env = cleanEnvironment({
		PATH: `${nodeFolder}${path.delimiter}${process.env.PATH ?? ''}`,
	});
	const { install, rebuild } = N8N_INSTALLATIONS[version];
	const folder = await installOnce(
		`n8n-${version}`,
		`Installing n8n ${version} (once, 3 to 5 minutes, 2 GB)`,
		async (cwd) => {
			await npm(['install', ...install, ...quiet], { cwd, env, node });
			if (rebuild.length > 0) {
				await npm(['rebuild', '--ignore-scripts=false', ...rebuild, ...quiet], { cwd, env, node });
			}
		},
	);
	return { version, node, cli: path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n'), env };
}

/**
 * The packages that a lock file names for this machine, with their versions. Optional ones are
 * left out: which of them are installed depends on the machine.
 *
 * @param {string} file
 * @returns {Map<string, string>}
 */
function lockedPackages(file) {
	if (!existsSync(file)) return new Map();
	/** @type {{ packages: Record<string, { version?: string; optional?: boolean }> }} */
	const { packages } = JSON.parse(readFileSync(file, 'utf8'));
	return new Map(
		Object.entries(packages).flatMap(([name, { version, optional }]) =>
			name === '' || version === undefined || optional === true ? [] : [[name, version]],
		),
	);
}

/** Runs `npm ci` in the repository, unless node_modules holds what the lock file says. */
export async function installDevDependencies() {
	const wanted = lockedPackages(path.join(repository, 'package-lock.json'));
	const present = lockedPackages(path.join(repository, 'node_modules', '.package-lock.json'));
	if ([...wanted].every(([name, version]) => present.get(name) === version)) return;
	await during('Installing the development dependencies (npm ci, about 30 seconds)', () =>
		npm(['ci', '--ignore-scripts', ...quiet], { cwd: repository }),
	);
}

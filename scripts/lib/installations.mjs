import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

import { whileLocked } from './lock.mjs';
import { DEFAULT_N8N_VERSION, N8N_VERSIONS } from './n8nVersions.mjs';
import { repository } from './paths.mjs';
import { cleanEnvironment, npm } from './processes.mjs';
import { withProgress } from './progress.mjs';

/** n8n 2.41.1 requires Node.js 24, and its compiled parts exist for this version only. */
const NODE_MAJOR = '24';

/** Where n8n and its Node.js are installed, once for all checkouts. */
const cacheFolder =
	process.env.PAYROLL_PAYMENTS_CACHE ??
	path.join(homedir(), '.cache', 'n8n-nodes-payroll-payments');

const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/** @param {string} file */
function sha256(file) {
	return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/**
 * Installs what test/e2e/hosts/NAME/package.json lists into the cache, unless that has been done.
 * An interrupted installation leaves no `complete` file and is repeated.
 *
 * @param {string} name
 * @param {string} description printed while it lasts
 * @param {(folder: string) => Promise<unknown>} install
 */
async function installOnce(name, description, install) {
	const manifest = path.join(repository, 'test', 'e2e', 'hosts', name, 'package.json');
	const folder = path.join(cacheFolder, name);
	const marker = path.join(folder, 'complete');
	const isComplete = () =>
		existsSync(marker) && readFileSync(marker, 'utf8').trim() === sha256(manifest);
	if (isComplete()) return folder;
	await whileLocked(`${folder}.lock`, `installs ${name}`, async () => {
		if (isComplete()) return;
		await withProgress(description, async () => {
			rmSync(folder, { recursive: true, force: true });
			mkdirSync(folder, { recursive: true });
			copyFileSync(manifest, path.join(folder, 'package.json'));
			await install(folder);
			writeFileSync(marker, `${sha256(manifest)}\n`);
		});
	});
	return folder;
}

/**
 * Installs the Node.js for n8n, unless this is one.
 *
 * @returns {Promise<string>} the folder of its binary
 */
async function installNode() {
	if (process.versions.node.startsWith(`${NODE_MAJOR}.`)) return path.dirname(process.execPath);
	const folder = await installOnce(
		`node-${NODE_MAJOR}`,
		`Installing Node.js ${NODE_MAJOR} for n8n (once, about 10 seconds)`,
		(cwd) => npm(['install', '--ignore-scripts=false', ...QUIET], { cwd }),
	);
	return path.join(folder, 'node_modules', 'node', 'bin');
}

/**
 * An n8n that is ready to run.
 *
 * @typedef {object} N8nInstallation
 * @property {import('./n8nVersions.mjs').N8nVersion} version
 * @property {string} node the Node.js binary
 * @property {string} cli n8n's own command, a script for that Node.js
 * @property {Record<string, string>} env the environment to run it in
 */

/**
 * @param {import('./n8nVersions.mjs').N8nVersion} [version]
 * @returns {Promise<N8nInstallation>}
 */
export async function installN8n(version = DEFAULT_N8N_VERSION) {
	const nodeFolder = await installNode();
	const node = path.join(nodeFolder, process.platform === 'win32' ? 'node.exe' : 'node');
	const env = cleanEnvironment({
		PATH: `${nodeFolder}${path.delimiter}${process.env.PATH ?? ''}`,
	});
	const { install, rebuild } = N8N_VERSIONS[version];
	const folder = await installOnce(
		`n8n-${version}`,
		`Installing n8n ${version} (once, 3 to 5 minutes, 2 GB)`,
		async (cwd) => {
			await npm(['install', ...install, ...QUIET], { cwd, env, node });
			if (rebuild.length > 0) {
				await npm(['rebuild', '--ignore-scripts=false', ...rebuild, ...QUIET], { cwd, env, node });
			}
		},
	);
	return { version, node, cli: path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n'), env };
}

/**
 * The packages that a lock file names, with their versions. Optional ones are left out: which of
 * them are installed depends on the machine.
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
	await withProgress('Installing the development dependencies (npm ci, about 30 seconds)', () =>
		npm(['ci', '--ignore-scripts', ...QUIET], { cwd: repository }),
	);
}

import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statfsSync,
	writeFileSync,
} from 'node:fs';
import { readdir, rm, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

import { explainInstallation } from './installationErrors.mjs';
import { whileLocked } from './lock.mjs';
import { DEFAULT_N8N_VERSION, N8N_VERSIONS } from './n8nVersions.mjs';
import { buildFolder, repository } from './paths.mjs';
import { cleanEnvironment, npm, run } from './processes.mjs';
import { withProgress } from './progress.mjs';

/** Where n8n, its Node.js and the browser are installed, once for all checkouts. */
const cacheFolder =
	process.env.PAYROLL_PAYMENTS_CACHE ??
	path.join(
		process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
		'n8n-nodes-payroll-payments',
	);

/** A registry that doesn't answer is reported after seconds instead of minutes. */
const FEW_RETRIES = [
	'--fetch-retries=2',
	'--fetch-retry-mintimeout=1000',
	'--fetch-retry-maxtimeout=4000',
];

const QUIET = [
	'--no-audit',
	'--no-fund',
	'--no-update-notifier',
	'--loglevel=error',
	...FEW_RETRIES,
];

/**
 * Removes the source maps of installed packages: a quarter of their files' size, and only a
 * debugger reads them.
 *
 * @param {string} folder
 */
async function removeSourceMaps(folder) {
	const entries = await readdir(folder, { withFileTypes: true });
	for (const entry of entries) {
		const file = path.join(folder, entry.name);
		if (entry.isDirectory()) await removeSourceMaps(file);
		else if (entry.isFile() && /\.(js|cjs|mjs|ts|css)\.map$/.test(entry.name)) await unlink(file);
	}
}

/**
 * Refuses to begin what the disk has no room for; npm wouldn't say why it failed.
 *
 * @param {string} what
 * @param {string} folder
 * @param {number} megabytes
 */
function requireSpace(what, folder, megabytes) {
	const { bavail, bsize } = statfsSync(folder);
	const free = Math.floor((bavail * bsize) / 1e6);
	if (free >= megabytes) return;
	throw new Error(
		`The disk is full: ${what} needs ${megabytes} MB in ${folder}, and ${free} MB are free.`,
	);
}

/**
 * The file that lists what to install. For n8n's latest version, which the registry is asked for once
 * in a run, it is written here if the repository has none: like that of the default version, without
 * the versions of n8n's own libraries.
 *
 * @param {string} name
 */
async function manifestOf(name) {
	const fileIn = (/** @type {string} */ host) =>
		path.join(repository, 'test', 'e2e', 'hosts', host, 'package.json');
	if (name !== 'n8n-latest') return fileIn(name);
	process.env.PAYROLL_PAYMENTS_LATEST_N8N ??= (
		await npm(['view', 'n8n', 'dist-tags.latest', ...QUIET])
	).trim();
	const version = process.env.PAYROLL_PAYMENTS_LATEST_N8N;
	if (existsSync(fileIn(`n8n-${version}`))) return fileIn(`n8n-${version}`);
	const manifest = JSON.parse(readFileSync(fileIn(`n8n-${DEFAULT_N8N_VERSION}`), 'utf8'));
	manifest.dependencies.n8n = version;
	manifest.pnpm.overrides = Object.fromEntries(
		Object.entries(manifest.pnpm.overrides).filter(([name]) => !/^(@n8n\/|n8n-)/.test(name)),
	);
	const file = path.join(buildFolder, `n8n-${version}`, 'package.json');
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify(manifest));
	return file;
}

/**
 * Installs what test/e2e/hosts/NAME/package.json lists into the cache, unless that has been done.
 * Each version of that file has its own folder, so that checkouts don't replace each other's. An
 * interrupted installation leaves no `complete` file and is repeated.
 *
 * @param {string} name
 * @param {{ description: string; megabytes: number }} about what is printed when it is done, and the
 * room that it takes for a while
 * @param {(folder: string) => Promise<unknown>} install
 */
async function installOnce(name, { description, megabytes }, install) {
	const manifest = await manifestOf(name);
	const hash = createHash('sha256').update(readFileSync(manifest)).digest('hex').slice(0, 8);
	const folder = path.join(cacheFolder, `${path.basename(path.dirname(manifest))}-${hash}`);
	const marker = path.join(folder, 'complete');
	if (existsSync(marker)) return folder;
	await whileLocked(`${folder}.lock`, `installs ${name}`, async () => {
		if (existsSync(marker)) return;
		requireSpace(name, cacheFolder, megabytes);
		await withProgress(description, async () => {
			try {
				rmSync(folder, { recursive: true, force: true });
				mkdirSync(folder, { recursive: true });
				copyFileSync(manifest, path.join(folder, 'package.json'));
				await install(folder);
				writeFileSync(marker, '');
			} catch (error) {
				throw explainInstallation(error, { what: name, folder: cacheFolder });
			}
		});
	});
	return folder;
}

/**
 * Installs a Node.js, unless this is one.
 *
 * @param {import('./n8nVersions.mjs').NodeMajor} major
 * @returns {Promise<{ node: string; env: Record<string, string> }>} the binary, and the environment
 * in which it is found
 */
export async function installNode(major) {
	const folder = process.versions.node.startsWith(`${major}.`)
		? path.dirname(process.execPath)
		: await nodeFolder(major);
	return {
		node: path.join(folder, process.platform === 'win32' ? 'node.exe' : 'node'),
		env: cleanEnvironment({ PATH: `${folder}${path.delimiter}${process.env.PATH ?? ''}` }),
	};
}

/** @param {import('./n8nVersions.mjs').NodeMajor} major */
async function nodeFolder(major) {
	const folder = await installOnce(
		`node-${major}`,
		{ description: `Installing Node.js ${major}`, megabytes: 300 },
		(cwd) => npm(['install', '--ignore-scripts=false', ...QUIET], { cwd }),
	);
	return path.join(folder, 'node_modules', 'node', 'bin');
}

/** @returns {Promise<string>} pnpm's command, a script for Node.js */
async function installPnpm() {
	const folder = await installOnce(
		'pnpm-10',
		{ description: 'Installing pnpm 10 for n8n', megabytes: 50 },
		(cwd) => npm(['install', '--ignore-scripts', ...QUIET], { cwd }),
	);
	return path.join(folder, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
}

/**
 * Installs a Chromium for Linux x64 that needs no package of the distribution.
 *
 * @returns {Promise<import('./browser.mjs').BrowserCommand>}
 */
export async function installChromium() {
	const unpacked = (/** @type {string} */ folder) => path.join(folder, 'unpacked');
	const folder = await installOnce(
		'chromium',
		{ description: 'Installing Chromium for the editor’s tests', megabytes: 400 },
		async (cwd) => {
			await npm(['install', '--ignore-scripts', ...QUIET], { cwd });
			mkdirSync(unpacked(cwd));
			// It unpacks itself into the folder for temporary files, and its libraries only on AWS Lambda.
			const env = cleanEnvironment({
				TMPDIR: unpacked(cwd),
				AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x',
			});
			const script =
				"import('@sparticuz/chromium').then((chromium) => chromium.default.executablePath())";
			await run(process.execPath, ['--eval', script], { cwd, env });
		},
	);
	return {
		executablePath: path.join(unpacked(folder), 'chromium'),
		env: cleanEnvironment({
			LD_LIBRARY_PATH: path.join(unpacked(folder), 'al2023', 'lib'),
			FONTCONFIG_PATH: path.join(unpacked(folder), 'fonts'),
		}),
	};
}

/**
 * Installs JSON-RPC signers that others wrote: Anvil, Ganache and Hardhat.
 *
 * @returns the folder of their packages, and the Node.js and the environment to run them in
 */
export async function installSigners() {
	const { node, env: plain } = await installNode('24');
	const env = { ...plain, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' };
	const folder = await installOnce(
		'signers',
		{ description: 'Installing Anvil, Ganache and Hardhat (once, 330 MB)', megabytes: 700 },
		async (cwd) => {
			// On an older Node.js, npm leaves out the compiled part of Hardhat.
			await npm(['install', '--ignore-scripts', ...QUIET], { cwd, env, node });
			writeFileSync(path.join(cwd, 'hardhat.config.js'), 'export default {};\n');
		},
	);
	return { folder, node, env };
}

/**
 * Installs the test cases that ethers publishes; they are too large for a development dependency.
 *
 * @returns {Promise<string>} the folder of their files
 */
export async function installEthersTestcases() {
	const folder = await installOnce(
		'ethers-testcases',
		{ description: 'Installing the test cases of ethers (once, 60 MB)', megabytes: 150 },
		(cwd) => npm(['install', '--ignore-scripts', ...QUIET], { cwd }),
	);
	return path.join(folder, 'node_modules', '@ethersproject', 'testcases', 'testcases');
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
	const { node, env } = await installNode(N8N_VERSIONS[version].node);
	const folder = await installOnce(
		`n8n-${version}`,
		{ description: `Installing n8n ${version} (once, 1.5 GB)`, megabytes: 3_000 },
		async (cwd) => {
			const pnpm = await installPnpm();
			const store = path.join(cwd, 'store');
			const options = [`--store-dir=${store}`, `--config.cache-dir=${store}`, '--ignore-workspace'];
			await run(node, [pnpm, 'install', '--prod', ...options, ...FEW_RETRIES], { cwd, env });
			await rm(store, { recursive: true, force: true });
			await removeSourceMaps(path.join(cwd, 'node_modules'));
		},
	);
	const cli = path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
	// Node.js keeps what it compiled, and n8n starts sooner.
	return { version, node, cli, env: { ...env, NODE_COMPILE_CACHE: path.join(folder, 'compiled') } };
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

function areDevDependenciesInstalled() {
	const wanted = lockedPackages(path.join(repository, 'package-lock.json'));
	const present = lockedPackages(path.join(repository, 'node_modules', '.package-lock.json'));
	return [...wanted].every(([name, version]) => present.get(name) === version);
}

/** Runs `npm ci` in the repository, unless node_modules holds what the lock file says. */
export async function installDevDependencies() {
	if (areDevDependenciesInstalled()) return;
	const lock = path.join(repository, '.build', 'install.lock');
	await whileLocked(lock, 'installs the development dependencies', async () => {
		if (areDevDependenciesInstalled()) return;
		requireSpace('npm ci', repository, 1_000);
		await withProgress('Installing the development dependencies', async () => {
			try {
				await npm(['ci', '--ignore-scripts', ...QUIET], { cwd: repository });
			} catch (error) {
				throw explainInstallation(error, {
					what: 'the development dependencies',
					folder: repository,
				});
			}
			const modules = path.join(repository, 'node_modules');
			await removeSourceMaps(modules);
			// The binary of TypeScript 7, which n8n's scanner names as its own and never loads.
			await rm(path.join(modules, '@typescript'), { recursive: true, force: true });
		});
	});
}

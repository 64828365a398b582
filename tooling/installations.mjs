import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statfsSync,
	writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { explainInstallation } from './installationErrors.mjs';
import { whileLocked } from './lock.mjs';
import { DEFAULT_N8N_VERSION, N8N_VERSIONS } from './n8nVersions.mjs';
import { buildFolder, cacheFolder, repository } from './paths.mjs';
import { cleanEnvironment, inBackground, npm, run } from './processes.mjs';
import { withProgress } from './progress.mjs';
import { removeSourceMaps } from './sourceMaps.mjs';

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
		path.join(repository, 'tooling', 'hosts', host, 'package.json');
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
 * Where what tooling/hosts/NAME/package.json lists is installed, in the cache. Each version of that file
 * has its own folder, so that checkouts don't replace each other's. An interrupted installation leaves no
 * `complete` file, its marker, and is repeated.
 *
 * @param {string} name
 */
async function placeOf(name) {
	const manifest = await manifestOf(name);
	const hash = createHash('sha256').update(readFileSync(manifest)).digest('hex').slice(0, 8);
	const folder = path.join(cacheFolder, `${path.basename(path.dirname(manifest))}-${hash}`);
	return { manifest, folder, marker: path.join(folder, 'complete') };
}

/**
 * Installs what tooling/hosts/NAME/package.json lists, unless that has been done.
 *
 * @param {string} name
 * @param {{ description: string; megabytes: number }} about what is printed when it is done, and the
 * room that it takes for a while
 * @param {(folder: string) => Promise<unknown>} install
 */
async function installOnce(name, { description, megabytes }, install) {
	const { manifest, folder, marker } = await placeOf(name);
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
 * Installs a Node.js, unless this is one with its header files, with which n8n's database driver can be
 * compiled.
 *
 * @param {import('./n8nVersions.mjs').NodeMajor} major
 * @returns {Promise<{ node: string; env: Record<string, string> }>} the binary, and the environment
 * in which it is found
 */
export async function installNode(major) {
	const isThisOne =
		process.versions.node.startsWith(`${major}.`) && headersOf(process.execPath) !== undefined;
	const folder = isThisOne ? path.dirname(process.execPath) : await nodeFolder(major);
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

/** Where the npm package of Node.js keeps what is made for this machine. */
const NODE_OF_THIS_MACHINE = path.join('node_modules', `node-${process.platform}-${process.arch}`);

/**
 * The folder with the header files of a Node.js, if it came with any.
 *
 * @param {string} node
 * @returns {string | undefined}
 */
function headersOf(node) {
	const folders = [realpathSync(node), node].map((file) => path.resolve(file, '..', '..'));
	return [...folders, ...folders.map((each) => path.join(each, NODE_OF_THIS_MACHINE))].find(
		(each) => existsSync(path.join(each, 'include', 'node', 'node_api.h')),
	);
}

const removal = fileURLToPath(new URL('removeLeftovers.mjs', import.meta.url));

/** @returns {Promise<string>} pnpm's command, a script for Node.js */
async function installPnpm() {
	const folder = await installOnce(
		'pnpm-10',
		{ description: 'Installing pnpm 10 for n8n', megabytes: 50 },
		(cwd) => npm(['install', '--ignore-scripts', ...QUIET], { cwd }),
	);
	return path.join(folder, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
}

/** @param {string} text */
const xml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Fontconfig's settings: the fonts that come with Chromium, then those of the machine. Chromium's own
 * settings name folders that only its authors' machines have.
 *
 * @param {string} folder with the fonts
 */
const fontSettings = (folder) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
	<dir>${xml(folder)}</dir>
	<dir>/usr/share/fonts</dir>
	<dir>/usr/local/share/fonts</dir>
	<dir prefix="xdg">fonts</dir>
	<cachedir>${xml(path.join(folder, 'cache'))}</cachedir>
</fontconfig>
`;

/**
 * A browser that Playwright can start.
 *
 * @typedef {object} BrowserCommand
 * @property {string} executablePath
 * @property {Record<string, string>} env the environment to run it in
 */

/**
 * Installs a Chromium for Linux x64 that needs no package of the distribution.
 *
 * @returns {Promise<BrowserCommand>}
 */
export async function installChromium() {
	const unpacked = (/** @type {string} */ folder) => path.join(folder, 'unpacked');
	const fonts = (/** @type {string} */ folder) => path.join(unpacked(folder), 'fonts');
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
			writeFileSync(path.join(fonts(cwd), 'fonts.conf'), fontSettings(fonts(cwd)));
		},
	);
	return {
		executablePath: path.join(unpacked(folder), 'chromium'),
		env: cleanEnvironment({
			LD_LIBRARY_PATH: path.join(unpacked(folder), 'al2023', 'lib'),
			FONTCONFIG_PATH: fonts(folder),
		}),
	};
}

/**
 * Installs JSON-RPC signers that others wrote: Anvil and Hardhat.
 *
 * @returns the folder of their packages, and the Node.js and the environment to run them in
 */
export async function installSigners() {
	const { node, env: plain } = await installNode('24');
	const env = { ...plain, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' };
	const folder = await installOnce(
		'signers',
		{ description: 'Installing Anvil and Hardhat (once, 330 MB)', megabytes: 700 },
		async (cwd) => {
			// On an older Node.js, npm leaves out the compiled part of Hardhat.
			await npm(['install', '--ignore-scripts', ...QUIET], { cwd, env, node });
			writeFileSync(path.join(cwd, 'hardhat.config.js'), 'export default {};\n');
		},
	);
	return { folder, node, env };
}

/**
 * How n8n's database driver is compiled where the binary of its authors can't be downloaded: with the
 * header files that came with Node.js, and in a third of the time that the fastest code would take.
 *
 * @param {string} node
 * @returns {Record<string, string>}
 */
function compilerSettings(node) {
	const home = headersOf(node);
	return { CFLAGS: '-O1', ...(home === undefined ? {} : { npm_config_nodedir: home }) };
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

/** Whether the n8n of `npm start` is there. */
export async function isN8nInstalled() {
	const { marker } = await placeOf(`n8n-${DEFAULT_N8N_VERSION}`);
	return existsSync(marker);
}

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
			const options = [
				'--ignore-workspace',
				...['store-dir', 'cache-dir', 'state-dir'].map((name) => `--config.${name}=${store}`),
			];
			await run(node, [pnpm, 'install', '--prod', ...options, ...FEW_RETRIES], {
				cwd,
				env: { ...env, ...compilerSettings(node), NODE_COMPILE_CACHE: store },
			});
			inBackground(removal, [store, path.join(cwd, 'node_modules')]);
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

const modulesFolder = path.join(repository, 'node_modules');

/**
 * Sets of development dependencies, each with the folder of its package.json and lock file: what
 * `npm start` and the build need, and everything.
 */
const DEPENDENCY_SETS = {
	start: { folder: path.join(repository, 'scripts', 'start'), megabytes: 600 },
	all: { folder: repository, megabytes: 1_500 },
};

/** @typedef {keyof typeof DEPENDENCY_SETS} DependencySet */

/**
 * A lock file with the address of each package, so that npm needn't ask the registry for it: that takes a
 * fifth of the time. npm puts the registry that it uses in place of this one (`replace-registry-host`).
 *
 * @param {string} file
 */
function lockWithAddresses(file) {
	/** @type {{ packages: Record<string, { name?: string; version?: string; resolved?: string }> }} */
	const lock = JSON.parse(readFileSync(file, 'utf8'));
	for (const [folder, locked] of Object.entries(lock.packages)) {
		if (folder === '') continue;
		const name = locked.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 13);
		const archive = `${name.replace(/^@[^/]+\//, '')}-${locked.version}.tgz`;
		locked.resolved = `https://registry.npmjs.org/${name}/-/${archive}`;
	}
	return JSON.stringify(lock);
}

/** @param {DependencySet} set */
const wantedPackages = (set) =>
	lockedPackages(path.join(DEPENDENCY_SETS[set].folder, 'package-lock.json'));

const presentPackages = () => lockedPackages(path.join(modulesFolder, '.package-lock.json'));

/** @param {DependencySet} set */
function areInstalled(set) {
	const present = presentPackages();
	return [...wantedPackages(set)].every(([name, version]) => present.get(name) === version);
}

/**
 * Installs a set of development dependencies as its lock file says, unless node_modules holds them.
 * They are installed beside node_modules and then take its place, so an interrupted installation
 * leaves it as it was, and what runs from it goes on.
 *
 * @param {DependencySet} wanted
 */
export async function installDependencies(wanted) {
	if (areInstalled(wanted)) return;
	const lock = path.join(buildFolder, 'install.lock');
	await whileLocked(lock, 'installs the development dependencies', async () => {
		if (areInstalled(wanted)) return;
		// npm start must not take away what the tests need.
		const set = presentPackages().has('node_modules/jest') ? 'all' : wanted;
		const what = set === 'all' ? 'the development dependencies' : 'what npm start needs';
		const { folder, megabytes } = DEPENDENCY_SETS[set];
		const fresh = path.join(buildFolder, 'modules');
		const old = path.join(buildFolder, 'modules.old');
		requireSpace('npm ci', buildFolder, megabytes);
		await withProgress(`Installing ${what}`, async () => {
			try {
				for (const each of [fresh, old]) await rm(each, { recursive: true, force: true });
				mkdirSync(fresh);
				copyFileSync(path.join(folder, 'package.json'), path.join(fresh, 'package.json'));
				const given = path.join(folder, 'package-lock.json');
				const lockFile = path.join(fresh, 'package-lock.json');
				const install = async () => await npm(['ci', '--ignore-scripts', ...QUIET], { cwd: fresh });
				writeFileSync(lockFile, lockWithAddresses(given));
				await install().catch(async (error) => {
					/* Some registries have other addresses, which they tell when they're asked. */
					if (!/\bE4\d\d\b/.test(String(error))) throw error;
					copyFileSync(given, lockFile);
					await install();
				});
			} catch (error) {
				throw explainInstallation(error, { what, folder: repository });
			}
			const modules = path.join(fresh, 'node_modules');
			await removeSourceMaps(modules);
			// The binary of TypeScript 7, which n8n's scanner names as its own and never loads.
			await rm(path.join(modules, '@typescript'), { recursive: true, force: true });
			if (existsSync(modulesFolder)) renameSync(modulesFolder, old);
			renameSync(modules, modulesFolder);
		});
		for (const each of [fresh, old]) await rm(each, { recursive: true, force: true });
	});
}

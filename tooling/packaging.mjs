import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { whileLocked } from './lock.mjs';
import { buildFolder, repository } from './paths.mjs';
import { cleanEnvironment, npm, run } from './processes.mjs';

const gulp = path.join('node_modules', 'gulp', 'bin', 'gulp.js');

/** What the tarball is made of; the lock file stands for the packages that are bundled. */
const SOURCES = [
	'nodes',
	'credentials',
	'icons',
	'package.json',
	'package-lock.json',
	'gulpfile.js',
	'rollup.config.mjs',
	'tsconfig.json',
	'README.md',
	'LICENSE.md',
	'CHANGELOG.md',
	'tooling/outputSchemas.ts',
	'tooling/sbom.mjs',
];

/** The fingerprint of {@link SOURCES}, by their contents. */
function fingerprint() {
	const hash = createHash('sha256');
	/** @param {string} file */
	const add = (file) =>
		hash.update(`\0${file}\0`).update(readFileSync(path.join(repository, file)));
	for (const source of SOURCES) {
		if (path.extname(source) !== '') {
			add(source);
			continue;
		}
		const names = readdirSync(path.join(repository, source), { recursive: true, encoding: 'utf8' });
		const files = names.map((name) => path.join(source, name)).sort();
		files.filter((file) => statSync(path.join(repository, file)).isFile()).forEach(add);
	}
	return hash.digest('hex');
}

async function build() {
	// gulp keeps the options of Node.js in a cache.
	const env = cleanEnvironment({ XDG_CACHE_HOME: buildFolder });
	await run(process.execPath, [gulp, 'build'], { cwd: repository, env });
}

/**
 * No two processes write dist/ at the same time, and none packs what another one has half written.
 *
 * @template T
 * @param {() => Promise<T>} work
 */
async function whileAlone(work) {
	return await whileLocked(path.join(buildFolder, 'lock'), 'builds the package', work);
}

/** Builds dist/. */
export async function buildPackage() {
	await whileAlone(build);
}

/**
 * Builds dist/ and packs it as npm publishes it.
 *
 * @param {() => void} onBuilt
 */
async function buildAndPack(onBuilt) {
	await build();
	onBuilt();
	const printed = await npm(['pack', '--json', '--pack-destination', buildFolder], {
		cwd: repository,
	});
	/** @type {Record<string, { filename: string }>} */
	const answer = JSON.parse(printed);
	const [packed] = Object.values(answer);
	if (packed === undefined) throw new Error(`npm pack did not name its file: ${printed}`);
	return path.join(buildFolder, packed.filename);
}

/**
 * The package as npm publishes it, built and packed unless that has been done for these sources.
 *
 * @param {() => void} [onBuilt] called when dist/ is complete, before it is packed
 * @returns {Promise<string>} the tarball's path
 */
export async function packedPackage(onBuilt = () => {}) {
	const record = path.join(buildFolder, 'packed.json');
	return await whileAlone(async () => {
		const sources = fingerprint();
		/** @type {{ sources?: string; tarball?: string }} */
		const last = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {};
		const isThere = existsSync(last.tarball ?? '') && existsSync(path.join(repository, 'dist'));
		if (last.tarball !== undefined && isThere && last.sources === sources) return last.tarball;
		rmSync(record, { force: true });
		const tarball = await buildAndPack(onBuilt);
		writeFileSync(record, JSON.stringify({ sources, tarball }));
		return tarball;
	});
}

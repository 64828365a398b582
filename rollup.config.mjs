// What the published code is bundled from, and how. gulpfile.js runs it.
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import commonjs from '@rollup/plugin-commonjs';
import nodeResolve from '@rollup/plugin-node-resolve';
import { dataToEsm } from '@rollup/pluginutils';
import { transform } from 'esbuild';
import esbuild from 'rollup-plugin-esbuild';
import license from 'rollup-plugin-license';
import licenses from 'spdx-license-list/full.js';
import { require as requireTypeScript } from 'tsx/cjs/api';

import { sbomOf } from './tooling/sbom.mjs';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('.', import.meta.url));
const { n8n } = require('./package.json');

/** All that the published code may require besides its own files. */
const EXTERNALS = ['n8n-workflow', 'node:crypto'];

/** Every credential and node that package.json names, by its path without `dist/` and `.js`. */
const entries = Object.fromEntries(
	[...n8n.credentials, ...n8n.nodes].map((file) => {
		const name = file.replace(/^dist\/|\.js$/g, '');
		return [name, path.join(root, `${name}.ts`)];
	}),
);

/**
 * Evaluates each `…Form.ts` at build time and bundles the data that it exports. Loading a node
 * then takes neither the operations that its form is derived from nor zod.
 */
const descriptionsAsData = {
	name: 'descriptions-as-data',
	load(file) {
		if (!/[a-z]Form\.ts$/.test(file)) return null;
		const exported = { ...requireTypeScript(file, import.meta.url) };
		const data = JSON.parse(JSON.stringify(exported));
		if (!isDeepStrictEqual(data, exported)) this.error(`${file} may export only plain data.`);
		return dataToEsm(data);
	},
};

/** What a form shows of a field besides its name: the code that reads the field has no use for it. */
const FORM_TEXTS = ['description', 'example', 'hint', 'noticeWhileEmpty', 'placeholder'];

/**
 * Leaves the texts of forms to the data that {@link descriptionsAsData} makes of them: where fields are
 * read, the bundle would have them once more.
 */
const formTextsInForms = {
	name: 'form-texts-in-forms',
	transform(code, file) {
		const isNodeCode = path.relative(root, file).startsWith(path.join('nodes', 'PayrollPayments'));
		if (!isNodeCode || !/(?<!\.node|[a-z]Form)\.ts$/.test(file)) return null;
		const texts = [];
		const visit = (node) => {
			if (typeof node !== 'object' || node === null) return;
			Object.values(node).forEach(visit);
			if (node.type !== 'ObjectExpression') return;
			const nameOf = ({ key }) => key?.name;
			/* An error has a description, too, but no name of a field. */
			if (!node.properties.some((each) => /^(?:label|displayName|name)$/.test(nameOf(each))))
				return;
			const isText = ({ value }) => /^(?:Template)?Literal$/.test(value?.type);
			texts.push(
				...node.properties.filter((each) => FORM_TEXTS.includes(nameOf(each)) && isText(each)),
			);
		};
		visit(this.parse(code));
		/* From the last one, so that the places of the others hold. */
		for (const { start, end } of texts.sort((one, other) => other.start - one.start)) {
			code = code.slice(0, start) + code.slice(end).replace(/^,/, '');
		}
		return { code, map: null };
	},
};

/** Shortens the names inside libraries. Ours stay as they are, so that stack traces are readable. */
const shortNamesInLibraries = {
	name: 'short-names-in-libraries',
	async transform(code, file) {
		if (file.startsWith('\0') || !file.includes('node_modules')) return null;
		const shortened = await transform(code, { minifyIdentifiers: true, format: 'esm' });
		return { code: shortened.code, map: null };
	},
};

/** Fails the build if a published file would require anything else. */
const onlyAllowedExternals = {
	name: 'only-allowed-externals',
	generateBundle(_options, bundle) {
		for (const { fileName, code = '' } of Object.values(bundle)) {
			const required = [...code.matchAll(/\brequire\("([^".][^"]*)"\)/g)].map(([, name]) => name);
			const others = required.filter((name) => !EXTERNALS.includes(name));
			if (others.length > 0) {
				this.error(`${fileName} would require ${others.join(', ')} at run time.`);
			}
		}
	},
};

/** Fails the build if n8n would load a library just to load a node or a credential. */
const lightEntries = {
	name: 'light-entries',
	generateBundle(_options, bundle) {
		for (const entry of Object.keys(entries)) {
			const loaded = new Set([`${entry}.js`]);
			for (const file of loaded) bundle[file]?.imports.forEach((name) => loaded.add(name));
			const library = [...loaded]
				.flatMap((file) => Object.keys(bundle[file]?.modules ?? {}))
				.find((file) => file.includes('node_modules'));
			if (library === undefined) continue;
			this.error(
				`Loading ${entry} would load ${path.relative(root, library)}. ` +
					'Import it where it is used: await import(…).',
			);
		}
	},
};

/** The license file of a package, or the standard text of its license if it has no such file. */
const licenseTextOf = ({ license: name, licenseText }) => licenseText ?? licenses[name].licenseText;

const notices = (packages) =>
	[
		'This package contains code from the following packages.\n',
		...packages
			.map(
				(each) =>
					`${each.name} ${each.version} (${each.license})\n\n${licenseTextOf(each).trim()}\n`,
			)
			.sort(),
	].join(`\n${'-'.repeat(78)}\n\n`);

/** What is loaded together: signing needs no code of n8n's own, and webhooks need no client. */
const CHUNKS = [
	{ chunk: 'shared', files: /\/PayrollPayments\/(?:shared|contract|signing\/dialects)\b/ },
	{ chunk: 'client', files: /\/PayrollPayments\/api\/(?:client|requestState|secrets)\b/ },
];

export default {
	input: entries,
	external: EXTERNALS,
	plugins: [
		descriptionsAsData,
		nodeResolve({ exportConditions: ['node'], preferBuiltins: true }),
		commonjs(),
		shortNamesInLibraries,
		esbuild({
			target: 'node20',
			minifySyntax: true,
			minifyWhitespace: true,
			drop: ['console'],
			legalComments: 'none',
			sourceMap: false,
		}),
		formTextsInForms,
		license({
			thirdParty: {
				multipleVersions: true,
				output: [
					{ file: path.join(root, 'dist', 'THIRD_PARTY_LICENSES.txt'), template: notices },
					// Scanners look for this name: an installed package has no dependencies that they'd see.
					{ file: path.join(root, 'dist', 'sbom.cdx.json'), template: sbomOf },
				],
			},
		}),
		onlyAllowedExternals,
		lightEntries,
	],
	// Some libraries have import cycles. Any other warning fails the build.
	onLog(level, log, handler) {
		if (level !== 'warn') handler(level, log);
		else if (log.code !== 'CIRCULAR_DEPENDENCY') handler('error', log);
	},
	output: {
		dir: path.join(root, 'dist'),
		format: 'cjs',
		// Functions keep their names, which stack traces show.
		minifyInternalExports: true,
		// n8n loads CommonJS, so `import()` becomes a `require()` that runs when it is reached.
		dynamicImportInCjs: false,
		manualChunks: (file) => CHUNKS.find(({ files }) => files.test(file))?.chunk,
		// A file then loads no more than what it uses itself.
		hoistTransitiveImports: false,
		generatedCode: { arrowFunctions: true, objectShorthand: true },
		freeze: false,
		entryFileNames: '[name].js',
		// Our modules that are imported on demand keep their path; everything else goes to chunks/.
		chunkFileNames: ({ facadeModuleId, name }) =>
			facadeModuleId === null || facadeModuleId.includes('node_modules')
				? `chunks/${name}.js`
				: path.relative(root, facadeModuleId).replaceAll('\\', '/').replace(/\.ts$/, '.js'),
	},
};

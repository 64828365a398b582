// The build: everything under dist/ comes from here, and the same commit gives the same bytes.
const { execFileSync } = require('node:child_process');
const {
	existsSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');
const { dest, series, src } = require('gulp');
const { n8n } = require('./package.json');

/** The folders that are bundled once and shared: the schemas (zod) and the wallet (viem). */
const SHARED_FOLDERS = ['nodes/PayrollPayments/contract', 'nodes/PayrollPayments/wallet'];

/**
 * The modules with a bundle of their own: one because what it remembers must be one in a process,
 * one because it brings siwe's parser, which only a sign-in needs.
 */
const SHARED_MODULES = [
	'nodes/PayrollPayments/transport/session',
	'nodes/PayrollPayments/wallet/signInMessage',
];

/** All that the published code may require besides its own files. */
const ALLOWED_EXTERNALS = new Set(['n8n-workflow', 'crypto', 'node:crypto']);

const fromRoot = (...segments) => path.join(__dirname, ...segments);
const isInside = (folder, file) => !path.relative(folder, file).startsWith('..');

/** Each bundle's source, relative to the root; it lands at the same place under dist/. */
const bundles = [
	...[...n8n.credentials, ...n8n.nodes].map((file) =>
		file.replace(/^dist\//, '').replace(/\.js$/, '.ts'),
	),
	...SHARED_FOLDERS.map((folder) => `${folder}/index.ts`),
	...SHARED_MODULES.map((module) => `${module}.ts`),
];

/** The shared bundle, without `.js`, that an import of this file from this folder leads to. */
function sharedBundle(wanted, resolveDir) {
	const module = SHARED_MODULES.map((shared) => fromRoot(shared)).find((shared) => shared === wanted);
	if (module !== undefined) return module;
	const folder = SHARED_FOLDERS.map((shared) => fromRoot(shared)).find((shared) =>
		isInside(shared, wanted),
	);
	if (folder === undefined || isInside(folder, resolveDir)) return undefined;
	return path.join(folder, 'index');
}

/**
 * Turns every import that leads to something shared into a require of its one bundle. So a class or
 * a schema exists once in a process, and n8n loads the cryptography only when something is signed.
 */
function shareBundles(bundle) {
	const home = path.dirname(fromRoot(bundle));
	return {
		name: 'share-bundles',
		setup(build) {
			build.onResolve({ filter: /^\./ }, ({ kind, path: request, resolveDir }) => {
				if (kind === 'entry-point') return undefined;
				const shared = sharedBundle(path.resolve(resolveDir, request), resolveDir);
				if (shared === undefined) return undefined;
				const target = path.relative(home, `${shared}.js`).replaceAll('\\', '/');
				return { path: target.startsWith('.') ? target : `./${target}`, external: true };
			});
		},
	};
}

/** apg-js requires Node's `buffer`, which n8n's scanner forbids; the global is the same class. */
const globalBuffer = {
	name: 'global-buffer',
	setup(build) {
		build.onResolve({ filter: /^buffer$/ }, () => ({ path: 'buffer', namespace: 'global' }));
		build.onLoad({ filter: /.*/, namespace: 'global' }, () => ({
			contents: 'module.exports = { Buffer };',
		}));
	},
};

function refuseStrangers(bundle, metafile) {
	for (const { imports } of Object.values(metafile.outputs)) {
		const strangers = imports
			.filter(({ external, path: name }) => external && !ALLOWED_EXTERNALS.has(name))
			.filter(({ path: name }) => !existsSync(fromRoot('dist', path.dirname(bundle), name)))
			.map(({ path: name }) => name);
		if (strangers.length > 0) {
			throw new Error(
				`${bundle} would require ${strangers.join(', ')} at run time: bundle it or leave it out.`,
			);
		}
	}
}

function clean(done) {
	rmSync(fromRoot('dist'), { recursive: true, force: true });
	done();
}

async function bundle() {
	const bundled = new Set();
	const results = [];
	for (const entry of bundles) {
		const { metafile } = await esbuild.build({
			absWorkingDir: __dirname,
			entryPoints: [entry],
			outbase: '.',
			outdir: 'dist',
			bundle: true,
			platform: 'node',
			format: 'cjs',
			target: 'node20',
			mainFields: ['module', 'main'],
			minify: true,
			// n8n's metadata names each class that n8n is to load.
			keepNames: true,
			drop: ['console'],
			legalComments: 'none',
			supported: { 'dynamic-import': false },
			external: ['n8n-workflow'],
			plugins: [shareBundles(entry), globalBuffer],
			metafile: true,
			logLevel: 'warning',
		});
		results.push({ entry, metafile });
		for (const input of Object.keys(metafile.inputs)) bundled.add(input);
	}
	for (const { entry, metafile } of results) refuseStrangers(entry, metafile);
	writeLicences(bundled);
}

/** For packages without a licence file. Apache 2.0 wants its whole text passed on. */
function textOfLicence(name, license) {
	const declared = `Licence: ${license}, as declared in its package.json.`;
	if (license === 'MIT') return declared;
	const file = fromRoot('scripts', 'licenses', `${license}.txt`);
	if (!existsSync(file)) {
		throw new Error(`${name} has no licence file, and its licence is ${license}.`);
	}
	return `${declared}\n\n${readFileSync(file, 'utf8').trim()}`;
}

/** Collects the licence of every package whose code is in a bundle. */
function writeLicences(inputs) {
	const folders = new Set();
	for (const input of inputs) {
		const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
		if (folder !== undefined) folders.add(folder);
	}
	const notices = [...folders].map((folder) => {
		const { name, version, license } = JSON.parse(
			readFileSync(fromRoot(folder, 'package.json'), 'utf8'),
		);
		const file = readdirSync(fromRoot(folder)).find((entry) => /^licen[cs]e/i.test(entry));
		const text =
			file === undefined
				? textOfLicence(name, license)
				: readFileSync(fromRoot(folder, file), 'utf8').trim();
		return `${name} ${version}\n\n${text}\n`;
	});
	const heading = 'This package contains code of the following packages.\n';
	writeFileSync(
		fromRoot('dist', 'THIRD_PARTY_LICENSES.txt'),
		[heading, ...new Set(notices.sort())].join(`\n${'-'.repeat(78)}\n\n`),
	);
}

/** The value as source text; its functions fetch the code behind them and pass the call on. */
function asSource(value, place) {
	if (typeof value === 'function') {
		return `async function (...given) { return await code()${place}.apply(this, given); }`;
	}
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	if (Array.isArray(value)) {
		return `[${value.map((each, index) => asSource(each, `${place}[${index}]`)).join(',')}]`;
	}
	const members = Object.entries(value)
		.map(([name, each]) => [JSON.stringify(name), each])
		.map(([name, each]) => `${name}:${asSource(each, `${place}[${name}]`)}`);
	return `{${members.join(',')}}`;
}

/**
 * Puts a class that is data alone in front of each node and each credential: for its start and its
 * menus n8n then loads neither schemas nor operations, only for what is really run.
 */
function putDataInFront(done) {
	for (const file of [...n8n.credentials, ...n8n.nodes]) {
		const behind = file.replace(/\.js$/, '.code.js');
		renameSync(fromRoot(file), fromRoot(behind));
		const [name] = path.basename(file).split('.');
		const { [name]: Loaded } = require(fromRoot(behind));
		const instance = new Loaded();
		const methods = Object.getOwnPropertyNames(Loaded.prototype)
			.filter((method) => method !== 'constructor')
			.map((method) => [method, instance[method]]);
		const fields = [...Object.entries(instance), ...methods]
			.filter(([, value]) => value !== undefined)
			.map(([field, value]) => `${field} = ${asSource(value, `.${field}`)};`);
		writeFileSync(
			fromRoot(file),
			[
				'"use strict";',
				'let loaded;',
				`const code = () => (loaded ??= new (require("./${path.basename(behind)}").${name})());`,
				`exports.${name} = class ${name} {`,
				...fields,
				'};\n',
			].join('\n'),
		);
	}
	done();
}

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.node.json', { encoding: false }).pipe(dest('dist/nodes'));

/** Writes dist/known and dist/types, with which n8n loads a node's code only when it is used. */
function metadata(done) {
	execFileSync(process.execPath, [require.resolve('n8n-core/bin/generate-metadata')], {
		cwd: __dirname,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	done();
}

exports.build = series(clean, bundle, putDataInFront, icons, codex, metadata);
exports.default = exports.build;

// The build: everything under dist/ comes from here, and the same commit gives the same bytes.
const { execFileSync } = require('node:child_process');
const { chmod, mkdir, readdir, rm, stat, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { dest, parallel, series, src } = require('gulp');
const { rollup } = require('rollup');
const { require: requireTypeScript } = require('tsx/cjs/api');

const clean = () => rm('dist', { recursive: true, force: true });

/** The code, as rollup.config.mjs says, and the licenses of the packages in it. */
async function bundle() {
	const { default: options } = await import('./rollup.config.mjs');
	const build = await rollup(options);
	await build.write(options.output);
	await build.close();
}

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

/** The nodes' JSON: what n8n reads beside a node's code. */
const json = () => src('nodes/**/*.json', { encoding: false }).pipe(dest('dist/nodes'));

/** The fields of each node's output, where n8n looks for them before the node has run. */
async function schemas() {
	const { outputSchemas } = requireTypeScript('./tooling/outputSchemas.ts', __filename);
	for (const [name, schema] of Object.entries(outputSchemas())) {
		const file = path.join('dist/nodes/PayrollPayments/__schema__', name);
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, JSON.stringify(schema));
	}
}

/** Writes dist/known, types and methods, with which n8n loads a node's code only when it is used. */
function metadata(done) {
	execFileSync(process.execPath, [require.resolve('n8n-core/bin/generate-metadata')], {
		stdio: ['ignore', 'ignore', 'inherit'],
		// Its engine makes a folder for settings.
		env: { ...process.env, N8N_USER_FOLDER: path.join(__dirname, '.build') },
	});
	done();
}

/** npm packs the permissions that it finds, which would otherwise depend on this machine's umask. */
async function permissions() {
	const built = (await readdir('dist', { recursive: true })).map((name) => path.join('dist', name));
	for (const file of [...built, 'README.md', 'LICENSE.md', 'package.json']) {
		if ((await stat(file)).isFile()) await chmod(file, 0o644);
	}
}

exports.build = series(clean, parallel(bundle, icons, json, schemas), metadata, permissions);

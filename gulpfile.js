// The build: everything under dist/ comes from here, and the same commit gives the same bytes.
const { execFileSync } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { dest, parallel, series, src } = require('gulp');
const { rollup } = require('rollup');

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

/** Writes dist/known and dist/types, with which n8n loads a node's code only when it is used. */
function metadata(done) {
	execFileSync(process.execPath, [require.resolve('n8n-core/bin/generate-metadata')], {
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	done();
}

exports.build = series(clean, parallel(bundle, icons, json), metadata);
exports.default = exports.build;

import path from 'node:path';

import { build, type Plugin } from 'esbuild';

import { buildFolder, repository } from '../tooling/paths.mjs';

/** Where the benchmark's programs are built: inside the repository, so that they find viem. */
export const programs = path.join(buildFolder, 'benchmark');

/**
 * Bundles one of the benchmark's programs.
 * @param entry relative to the repository
 * @param file absolute, or relative to {@link programs}
 * @returns the absolute path of the result
 */
export async function bundle(
	entry: string,
	file: string,
	options: { plugins?: Plugin[] } = {},
): Promise<string> {
	const outfile = path.resolve(programs, file);
	await build({
		absWorkingDir: repository,
		entryPoints: [entry],
		outfile,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		keepNames: true,
		external: ['n8n-workflow'],
		logLevel: 'warning',
		...options,
	});
	return outfile;
}

import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { whileLocked } from './lock.mjs';
import { buildFolder, repository } from './paths.mjs';
import { npm, run } from './processes.mjs';

const gulp = path.join('node_modules', 'gulp', 'bin', 'gulp.js');

/**
 * Builds dist/ and packs it as npm publishes it.
 *
 * @returns {Promise<string>} the tarball's path
 */
export async function buildAndPack() {
	return await whileLocked(path.join(buildFolder, 'lock'), 'builds the package', async () => {
		await run(process.execPath, [gulp, 'build'], { cwd: repository });
		mkdirSync(buildFolder, { recursive: true });
		const printed = await npm(['pack', '--json', '--pack-destination', buildFolder], {
			cwd: repository,
		});
		/** @type {unknown} */
		const answer = JSON.parse(printed);
		const [packed] = Object.values(/** @type {Record<string, { filename: string }>} */ (answer));
		if (packed === undefined) throw new Error(`npm pack did not name its file: ${printed}`);
		return path.join(buildFolder, packed.filename);
	});
}

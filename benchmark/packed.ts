import { buildAndPack } from '../scripts/packaging.mjs';
import { during } from '../scripts/progress.mjs';

let tarball: Promise<string> | undefined;

/** The package as npm would publish it, built once a run. */
export async function packed(): Promise<string> {
	tarball ??= during('Building and packing', buildAndPack);
	return await tarball;
}

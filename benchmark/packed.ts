import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { packedPackage } from '../tooling/packaging.mjs';
import { withProgress } from '../tooling/progress.mjs';
import { programs } from './bundle';

let tarball: Promise<string> | undefined;

/** The package as npm would publish it, built once per run. */
export async function packed(): Promise<string> {
	tarball ??= withProgress('Building and packing', packedPackage).then(keep);
	return await tarball;
}

/** A copy that a build in the meantime doesn't replace. */
function keep(file: string): string {
	mkdirSync(programs, { recursive: true });
	const kept = path.join(programs, path.basename(file));
	copyFileSync(file, kept);
	return kept;
}

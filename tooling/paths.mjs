import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const repository = fileURLToPath(new URL('..', import.meta.url));

/** Where commands leave the packed tarball and other results; not in git. */
export const buildFolder = path.join(repository, '.build');

/** Where n8n, its Node.js and the browser are installed, once for all checkouts. */
export const cacheFolder =
	process.env.PAYROLL_PAYMENTS_CACHE ??
	path.join(
		process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
		'n8n-nodes-payroll-payments',
	);

/** Lets this process and those that it starts keep temporary files in the repository. */
export function keepTemporaryFiles() {
	const folder = path.join(buildFolder, 'tmp');
	mkdirSync(folder, { recursive: true });
	for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
}

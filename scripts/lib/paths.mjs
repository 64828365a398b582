import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** What the build leaves beside dist/: the packed tarball and its unpacked copy. Not in git. */
export const buildFolder = path.join(repository, '.build');

/** Where the n8n and the Node.js that run it are installed, once for all checkouts. */
export const cacheFolder =
	process.env.PAYROLL_PAYMENTS_CACHE ??
	path.join(homedir(), '.cache', 'n8n-nodes-payroll-payments');

/**
 * The SHA-256 of a file, in hex.
 *
 * @param {string} file
 */
export function hashOf(file) {
	return createHash('sha256').update(readFileSync(file)).digest('hex');
}

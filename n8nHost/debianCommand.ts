import { existsSync } from 'node:fs';

import { run } from '../tooling/processes.mjs';
import { withProgress } from '../tooling/progress.mjs';

export const isRoot = process.getuid?.() === 0;

/**
 * The path of a command; installs its Debian package if it is missing.
 *
 * @param find looks for the command
 */
export async function findOrInstall(
	find: () => string | undefined,
	debianPackage: string,
): Promise<string> {
	const present = find();
	if (present !== undefined) return present;
	if (!isRoot || !existsSync('/usr/bin/apt-get')) {
		throw new Error(`Install it first: sudo apt-get install ${debianPackage}`);
	}
	await withProgress(`Installing ${debianPackage}`, async () => {
		await run('apt-get', ['update', '-q']);
		await run('apt-get', ['install', '-qy', '--no-install-recommends', debianPackage]);
	});
	const installed = find();
	if (installed === undefined) throw new Error(`${debianPackage} has no such command.`);
	return installed;
}

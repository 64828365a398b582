// What `npm run dev` adds to `npm start`: a change to the sources reaches the running n8n.
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	watch,
} from 'node:fs';
import path from 'node:path';

import { PACKAGE_NAME, type N8nProcess } from '../n8nHost/n8nProcess';
import { waitUntil } from '../n8nHost/waiting';
import { buildPackage } from '../tooling/packaging.mjs';
import { repository } from '../tooling/paths.mjs';
import { say, withProgress } from '../tooling/progress.mjs';

/** With this, n8n watches the packages that it has loaded. */
export const DEV_SETTINGS = { N8N_DEV_RELOAD: 'true' };

const SOURCES = ['nodes', 'credentials', 'icons'];

/** An editor saves a file in several steps. */
const QUIET_MILLISECONDS = 150;

function filesIn(folder: string): string[] {
	const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	return names.filter((name) => statSync(path.join(folder, name)).isFile());
}

/**
 * Makes the installed package equal to the built one, file by file, so that n8n notices only what
 * changed.
 *
 * @returns whether anything changed
 */
function updateInstalled(built: string, installed: string): boolean {
	const files = filesIn(built);
	const obsolete = filesIn(installed).filter((file) => !files.includes(file));
	const changed = files.filter((file) => {
		const target = path.join(installed, file);
		return (
			!existsSync(target) || !readFileSync(target).equals(readFileSync(path.join(built, file)))
		);
	});
	for (const file of changed) {
		mkdirSync(path.dirname(path.join(installed, file)), { recursive: true });
		copyFileSync(path.join(built, file), path.join(installed, file));
	}
	for (const file of obsolete) rmSync(path.join(installed, file));
	return changed.length + obsolete.length > 0;
}

/** Resolves when n8n has reloaded the package once more than before. */
async function reloaded(n8nProcess: N8nProcess, before: number): Promise<void> {
	await waitUntil(
		() => 'n8n has not noticed the change; restart npm run dev.',
		async () => reloads(n8nProcess) > before,
		{ milliseconds: 20_000 },
	);
}

const reloads = ({ log }: N8nProcess): number =>
	log.split(`Hot reload triggered for ${PACKAGE_NAME}`).length;

/** Builds the package into the running n8n, whose credentials and workflows stay as they are. */
async function rebuild(n8nProcess: N8nProcess): Promise<void> {
	await buildPackage();
	const before = reloads(n8nProcess);
	const installed = path.join(n8nProcess.installedPackage, 'dist');
	if (updateInstalled(path.join(repository, 'dist'), installed)) {
		await reloaded(n8nProcess, before);
	}
}

/** Rebuilds after each change to the sources, until this process ends. */
export function rebuildOnChanges(n8nProcess: N8nProcess): void {
	let quiet: NodeJS.Timeout | undefined;
	let running = Promise.resolve();
	const changed = (file: string) => {
		clearTimeout(quiet);
		quiet = setTimeout(() => {
			running = running
				.then(async () => withProgress(`Reloading ${file}`, async () => rebuild(n8nProcess)))
				.catch((error: unknown) => {
					say(error instanceof Error ? error.message : String(error));
				});
		}, QUIET_MILLISECONDS);
	};
	for (const source of SOURCES) {
		watch(path.join(repository, source), { recursive: true }, (_event, file) => {
			changed(path.join(source, file ?? ''));
		});
	}
}

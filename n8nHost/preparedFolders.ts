import { createHash } from 'node:crypto';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { N8nInstallation } from '../tooling/installations.mjs';
import { whileLocked } from '../tooling/lock.mjs';
import { buildFolder } from '../tooling/paths.mjs';
import { installPackage, N8nProcess } from './n8nProcess';
import { N8nRest } from './n8nRest';

/**
 * A new data folder for an n8n, with the package installed. What every n8n would do alike is done once:
 * creating the database and its owner for each version, and installing the package for each tarball.
 *
 * @param isEmpty for an n8n with a database elsewhere
 */
export async function newDataFolder(
	installation: N8nInstallation,
	tarball: string,
	isEmpty: boolean,
): Promise<string> {
	const hash = createHash('sha256').update(readFileSync(tarball)).digest('hex').slice(0, 12);
	const nodes = await made(`nodes-${hash}`, async (folder) => {
		await installPackage(folder, tarball);
	});
	const folders = isEmpty ? [nodes] : [await startedOnce(installation), nodes];
	const dataFolder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-e2e-'));
	for (const folder of folders) {
		cpSync(path.join(folder, '.n8n'), path.join(dataFolder, '.n8n'), { recursive: true });
	}
	return dataFolder;
}

async function startedOnce(installation: N8nInstallation): Promise<string> {
	return await made(`n8n-${installation.version}`, async (dataFolder) => {
		const n8nProcess = await N8nProcess.prepare(installation, { dataFolder });
		try {
			await n8nProcess.start();
			await new N8nRest(n8nProcess.url).signIn();
		} finally {
			await n8nProcess.stop();
		}
	});
}

/** A folder below .build, made unless it's there. */
async function made(name: string, make: (folder: string) => Promise<void>): Promise<string> {
	const folder = path.join(buildFolder, 'prepared', name);
	mkdirSync(path.dirname(folder), { recursive: true });
	return await whileLocked(`${folder}.lock`, 'prepares an n8n', async () => {
		if (existsSync(folder)) return folder;
		const unfinished = `${folder}.unfinished`;
		rmSync(unfinished, { recursive: true, force: true });
		await make(unfinished);
		renameSync(unfinished, folder);
		return folder;
	});
}

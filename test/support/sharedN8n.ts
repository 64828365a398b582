import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Session } from './n8nRest';
import { waitUntil } from './waiting';

/** An n8n that the test files of one Jest worker use one after the other. */
export interface SharedN8n {
	readonly dataFolder: string;
	readonly port: number;
	/** The ID of its process group. */
	readonly group: number;
	/** Of its owner. */
	readonly session: Session;
}

/** Tells the workers where they note their shared n8n. */
const VARIABLE = 'PAYROLL_PAYMENTS_SHARED_N8N';

/** Before the tests: makes the folder in which workers note their shared n8n. */
export function openSharedN8n(): void {
	process.env[VARIABLE] = mkdtempSync(path.join(tmpdir(), 'payroll-payments-shared-'));
}

/** What the workers have noted. */
function noted(): SharedN8n[] {
	const folder = notes();
	return readdirSync(folder).map((note) =>
		JSON.parse(readFileSync(path.join(folder, note), 'utf8')),
	);
}

function notes(): string {
	const folder = process.env[VARIABLE];
	if (folder === undefined) throw new Error(`${VARIABLE} names no folder.`);
	return folder;
}

/** This worker's shared n8n; starts it for the first test file. */
export async function sharedN8n(start: () => Promise<SharedN8n>): Promise<SharedN8n> {
	const note = path.join(notes(), `${process.env.JEST_WORKER_ID ?? '1'}.json`);
	if (!existsSync(note)) writeFileSync(note, JSON.stringify(await start()));
	return JSON.parse(readFileSync(note, 'utf8'));
}

/** After the tests: stops every shared n8n and removes its data. */
export async function closeSharedN8n(): Promise<void> {
	await Promise.all(
		noted().map(async ({ group, dataFolder }) => {
			signal(group, 'SIGKILL');
			await waitUntil(async () => !signal(group, 0), {
				milliseconds: 10_000,
				failure: () => `The process group ${group} of a shared n8n is still running.`,
			});
			rmSync(dataFolder, { recursive: true, force: true });
		}),
	);
	rmSync(notes(), { recursive: true, force: true });
}

/** Signals a process group; 0 asks whether it is there. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(-group, name);
	} catch {
		return false;
	}
}

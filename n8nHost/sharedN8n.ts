import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Session } from './n8nRest';
import { waitUntil } from './waiting';

/** An n8n that test files use one after the other. */
export interface SharedN8n {
	readonly dataFolder: string;
	readonly port: number;
	/** The ID of its process group. */
	readonly group: number;
	/** Of its owner. */
	readonly session: Session;
}

/** Tells the workers where the shared n8n's are noted. */
const VARIABLE = 'PAYROLL_PAYMENTS_SHARED_N8N';

/** Before the tests: makes the folder for the notes of the workers. */
export function openSharedN8n(): void {
	process.env[VARIABLE] = mkdtempSync(path.join(tmpdir(), 'payroll-payments-shared-'));
}

function read(note: string): SharedN8n {
	return JSON.parse(readFileSync(note, 'utf8'));
}

function notes(): string {
	const folder = process.env[VARIABLE];
	if (folder === undefined) throw new Error(`${VARIABLE} names no folder.`);
	return folder;
}

/** Notes of an n8n that no test file uses end this way. */
const FREE = '.free';

/** A shared n8n, until it's released. */
export interface Lease extends SharedN8n {
	release(): void;
}

/** An n8n that no other test file uses now; starts one if there is none. */
export async function leaseN8n(start: () => Promise<SharedN8n>): Promise<Lease> {
	const folder = notes();
	for (const name of readdirSync(folder).filter((each) => each.endsWith(FREE))) {
		const note = path.join(folder, name.slice(0, -FREE.length));
		if (isRenamed(note + FREE, note)) return lease(note);
	}
	const started = await start();
	const note = path.join(folder, `${started.port}.json`);
	writeFileSync(note, JSON.stringify(started));
	return lease(note);
}

function lease(note: string): Lease {
	return { ...read(note), release: () => renameSync(note, note + FREE) };
}

/** Of several workers that rename a note at the same time, one succeeds. */
function isRenamed(from: string, to: string): boolean {
	try {
		renameSync(from, to);
		return true;
	} catch {
		return false;
	}
}

/** After the tests: stops every shared n8n and removes its data. */
export async function closeSharedN8n(): Promise<void> {
	const folder = notes();
	await Promise.all(
		readdirSync(folder).map(async (name) => {
			const { group, dataFolder } = read(path.join(folder, name));
			signal(group, 'SIGKILL');
			const hasEnded = async () => !signal(group, 0) || isZombie(group);
			await waitUntil(`process group ${group} ends`, hasEnded);
			rmSync(dataFolder, { recursive: true, force: true });
		}),
	);
	rmSync(folder, { recursive: true, force: true });
}

/** Whether a process has ended and nobody asked how, as in a container whose first process doesn't. */
function isZombie(id: number): boolean {
	try {
		return /^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
	} catch {
		return false;
	}
}

/** Signals a process group; 0 asks whether it is there. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(-group, name);
	} catch {
		return false;
	}
}

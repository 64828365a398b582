import {
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';

import type { Session } from './n8nRest';
import { waitFor, waitUntil } from './waiting';

/** An n8n that test files use one after the other. */
export interface SharedN8n {
	readonly dataFolder: string;
	readonly port: number;
	/** The ID of its process group. */
	readonly group: number;
	/** Of its owner. */
	readonly session: Session;
}

/** Tells the workers where the notes of the shared n8n's are. */
const VARIABLE = 'PAYROLL_PAYMENTS_SHARED_N8N';

/** How many there may be: test files wait for each other rather than start another one. */
const MOST = availableParallelism() + 1;

/** The end of a note that no test file holds. A note is empty until its n8n has been started. */
const FREE = '.free';

/** Before the tests: makes a note for each n8n that may be started. */
export function openSharedN8n(): void {
	const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-shared-'));
	for (let number = 1; number <= MOST; number++) write(path.join(folder, `${number}${FREE}`));
	process.env[VARIABLE] = folder;
}

function write(note: string, shared?: SharedN8n): void {
	writeFileSync(note, shared === undefined ? '' : JSON.stringify(shared));
}

function read(note: string): SharedN8n | undefined {
	const text = readFileSync(note, 'utf8');
	return text === '' ? undefined : JSON.parse(text);
}

function folder(): string {
	const folder = process.env[VARIABLE];
	if (folder === undefined) throw new Error(`${VARIABLE} names no folder.`);
	return folder;
}

const notes = () => readdirSync(folder()).map((name) => path.join(folder(), name));

/** A shared n8n, until it's released. */
export interface Lease extends SharedN8n {
	release(): void;
}

/** An n8n that no other test file uses now; starts one if there may be one more, or else waits. */
export async function leaseN8n(start: () => Promise<SharedN8n>): Promise<Lease> {
	const note = await waitFor('a shared n8n is free', async () => takeNote(), {
		milliseconds: 600_000,
	});
	const release = () => renameSync(note, note + FREE);
	try {
		const shared = read(note) ?? (await start());
		write(note, shared);
		return { ...shared, release };
	} catch (error) {
		release();
		throw error;
	}
}

/** Rather a note of an n8n that runs than an empty one; nothing if none is free. */
function takeNote(): string | undefined {
	const free = notes().filter((note) => note.endsWith(FREE));
	const size = (note: string) => statSync(note, { throwIfNoEntry: false })?.size ?? 0;
	const running = free.filter((note) => size(note) > 0);
	return [...running, ...free]
		.map((note) => ({ from: note, to: note.slice(0, -FREE.length) }))
		.find(({ from, to }) => isRenamed(from, to))?.to;
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
	await Promise.all(
		notes().map(async (note) => {
			const shared = read(note);
			if (shared === undefined) return;
			const { group, dataFolder } = shared;
			signal(group, 'SIGKILL');
			const hasEnded = async () => !signal(group, 0) || isZombie(group);
			await waitUntil(`process group ${group} ends`, hasEnded);
			rmSync(dataFolder, { recursive: true, force: true });
		}),
	);
	rmSync(folder(), { recursive: true, force: true });
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

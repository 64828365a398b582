import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { say } from './progress.mjs';

/** How long a lock may be without its holder's process ID, which is written right after it is made. */
const WRITING_MILLISECONDS = 5_000;

/** @param {string} file */
function holderIsGone(file) {
	try {
		const holder = Number(readFileSync(file, 'utf8'));
		if (holder === 0) return Date.now() - statSync(file).mtimeMs > WRITING_MILLISECONDS;
		process.kill(holder, 0);
		return false;
	} catch (error) {
		return error instanceof Error && 'code' in error && error.code === 'ESRCH';
	}
}

/** @param {string} file */
function tryLock(file) {
	try {
		const handle = openSync(file, 'wx');
		writeSync(handle, String(process.pid));
		closeSync(handle);
		return true;
	} catch (error) {
		if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
		throw error;
	}
}

/**
 * Does work that no other process may do at the same time. Takes over the lock of a process that
 * died.
 *
 * @template T
 * @param {string} file the lock's file
 * @param {string} activity of the other process, for the message while waiting, e.g. "installs n8n"
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function whileLocked(file, activity, work) {
	mkdirSync(path.dirname(file), { recursive: true });
	for (let isTold = false; !tryLock(file); await pause(200)) {
		if (holderIsGone(file)) {
			rmSync(file, { force: true });
		} else if (!isTold) {
			say(`Waiting for another process that ${activity}`);
			isTold = true;
		}
	}
	try {
		return await work();
	} finally {
		rmSync(file, { force: true });
	}
}

import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { pause } from './processes.mjs';
import { say } from './progress.mjs';

/** A lock without a process number in it is being written, unless it is older than this. */
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
function take(file) {
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
 * Does some work that no other process may do at the same time. The lock of a process that died is
 * taken over.
 *
 * @template T
 * @param {string} file the lock's file
 * @param {string} what what is being waited for, for the reader
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function whileLocked(file, what, work) {
	mkdirSync(path.dirname(file), { recursive: true });
	for (let told = false; !take(file); await pause(200)) {
		if (holderIsGone(file)) {
			rmSync(file, { force: true });
		} else if (!told) {
			say(`Waiting for another process that ${what}`);
			told = true;
		}
	}
	try {
		return await work();
	} finally {
		rmSync(file, { force: true });
	}
}

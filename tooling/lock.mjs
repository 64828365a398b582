import {
	closeSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeSync,
} from 'node:fs';
import { uptime } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { say } from './progress.mjs';

/** How long a lock may be without its holder's process ID, which is written right after it is made. */
const WRITING_MILLISECONDS = 5_000;

/**
 * @param {unknown} error
 * @param {string} code
 */
function hasCode(error, code) {
	return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * When a process started, as Linux counts it: another process that gets its ID, such as the first ones
 * of a restarted container, started at another time. Empty on other systems.
 *
 * @param {number} pid
 */
function startOf(pid) {
	try {
		const [, fields = ''] = /\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
		return fields.split(' ')[19] ?? '';
	} catch {
		return '';
	}
}

/** @param {string} file */
function holderIsGone(file) {
	try {
		const [id, start = ''] = readFileSync(file, 'utf8').split(' ');
		const holder = Number(id);
		const age = Date.now() - statSync(file).mtimeMs;
		if (holder === 0) return age > WRITING_MILLISECONDS;
		// After a restart of the machine, the ID belongs to another process.
		if (age > uptime() * 1_000) return true;
		process.kill(holder, 0);
		return start !== startOf(holder);
	} catch (error) {
		return hasCode(error, 'ESRCH');
	}
}

/** @param {string} file */
function tryLock(file) {
	try {
		const handle = openSync(file, 'wx');
		writeSync(handle, `${process.pid} ${startOf(process.pid)}`);
		closeSync(handle);
		return true;
	} catch (error) {
		if (hasCode(error, 'EEXIST')) return false;
		throw error;
	}
}

/**
 * Removes a lock whose holder died. Of several processes that try, one moves it away; another that
 * comes late puts back what it moved.
 *
 * @param {string} file
 */
function removeLeftover(file) {
	const aside = `${file}.${process.pid}`;
	try {
		renameSync(file, aside);
		if (holderIsGone(aside)) rmSync(aside, { force: true });
		else renameSync(aside, file);
	} catch (error) {
		if (!hasCode(error, 'ENOENT')) throw error;
	}
}

/**
 * Takes a lock unless another process holds it, and keeps it until this process ends. The file stays;
 * the lock of a process that has ended is taken over.
 *
 * @param {string} file the lock's file
 */
export function lockUntilExit(file) {
	mkdirSync(path.dirname(file), { recursive: true });
	if (tryLock(file)) return true;
	if (!holderIsGone(file)) return false;
	removeLeftover(file);
	return tryLock(file);
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
	for (let isReported = false; !tryLock(file); await pause(200)) {
		if (holderIsGone(file)) {
			removeLeftover(file);
		} else if (!isReported) {
			say(`Waiting for another process that ${activity}`);
			isReported = true;
		}
	}
	try {
		return await work();
	} finally {
		rmSync(file, { force: true });
	}
}

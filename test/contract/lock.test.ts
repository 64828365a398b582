import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { lockUntilExit, whileLocked } from '../../tooling/lock.mjs';
import { temporaryFolder } from '../../n8nHost/cleanups';

const file = path.join(temporaryFolder('lock'), 'lock');

/** The ID of a process that has ended. */
const ended = String(spawnSync('true').pid);

it('is taken over from a process that died', async () => {
	writeFileSync(file, ended);
	expect(await whileLocked(file, 'works', async () => readFileSync(file, 'utf8'))).toMatch(
		new RegExp(`^${process.pid} `),
	);
	writeFileSync(file, ended);
	expect(lockUntilExit(file)).toBe(true);
});

it('is taken over from before the machine started, though another process has the ID now', () => {
	writeFileSync(file, String(process.ppid));
	utimesSync(file, new Date(0), new Date(0));
	expect(lockUntilExit(file)).toBe(true);
});

it('is taken over in a restarted container, where this process has the ID of the one that died', () => {
	writeFileSync(file, `${process.pid} 1`);
	expect(lockUntilExit(file)).toBe(true);
});

it('is not taken from a process that runs', () => {
	rmSync(file, { force: true });
	expect(lockUntilExit(file)).toBe(true);
	const held = readFileSync(file, 'utf8');
	expect(lockUntilExit(file)).toBe(false);
	expect(readFileSync(file, 'utf8')).toBe(held);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { repository } from '../../../scripts/lib/paths.mjs';

/** A program that starts a process which never ends, and hands its output on to it. */
const PARENT = `
	import { spawnGroup } from ${JSON.stringify(path.join(repository, 'scripts/lib/processes.mjs'))};
	const script = "process.stdout.write('runs'); setInterval(() => {}, 1000);";
	spawnGroup(process.execPath, ['--eval', script], { stdio: 'inherit' });`;

it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
	'ends what a process started when that process gets %s',
	async (signal) => {
		const parent = spawn(process.execPath, ['--input-type=module', '--eval', PARENT], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const ended = once(parent, 'exit');
		parent.stdout.once('data', () => parent.kill(signal));
		/* It ends when nobody holds it any more, which both do while they run. */
		expect(await text(parent.stdout)).toBe('runs');
		expect(await ended).toEqual([null, signal]);
	},
);

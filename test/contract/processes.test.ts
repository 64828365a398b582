import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import { repository } from '../../tooling/paths.mjs';
import { cleanEnvironment } from '../../tooling/processes.mjs';

/** A program that starts a process which never ends, and hands its output on to it. */
const PARENT = `
	import { spawnGroup } from ${JSON.stringify(path.join(repository, 'tooling/processes.mjs'))};
	const script = "process.stdout.write('runs'); setInterval(() => {}, 1000);";
	spawnGroup(process.execPath, ['--eval', script], { stdio: 'inherit' });
	process.stdout.write('knows');`;

it('ends what a process started when that process gets a signal', async () => {
	const signals = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const;
	const ends = signals.map(async (signal) => {
		const parent = spawn(process.execPath, ['--input-type=module', '--eval', PARENT], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const ended = once(parent, 'exit');
		let said = '';
		parent.stdout.on('data', (chunk) => {
			said += chunk;
			if (said.includes('runs') && said.includes('knows')) parent.kill(signal);
		});
		/* It ends when nobody holds it any more, which both do while they run. */
		await once(parent.stdout, 'end');
		return await ended;
	});
	expect(await Promise.all(ends)).toEqual(signals.map((signal) => [null, signal]));
});

it('hands on no settings of n8n, and no proxy for this machine', () => {
	const [set, before] = [
		{ EXECUTIONS_MODE: 'queue', NO_PROXY: 'localhost,intranet' },
		{ ...process.env },
	];
	Object.assign(process.env, set);
	const { EXECUTIONS_MODE, NO_PROXY, PATH } = cleanEnvironment();
	process.env = before;
	expect([EXECUTIONS_MODE, NO_PROXY]).toEqual([undefined, 'localhost,intranet,127.0.0.1']);
	expect(PATH).toBe(before.PATH);
});

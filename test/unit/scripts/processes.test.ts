import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const processes = pathToFileURL(require.resolve('../../../scripts/lib/processes.mjs')).href;

/** Starts a process that runs on, and prints its ID. Both write to the same output. */
const STARTER = `
	import { endGroupsWhenKilled, spawnGroup } from ${JSON.stringify(processes)};
	endGroupsWhenKilled();
	const forever = ['--eval', 'setInterval(() => {}, 1000)'];
	const { child } = spawnGroup(process.execPath, forever, { stdio: 'inherit' });
	console.log(child.pid);
	setInterval(() => {}, 1000);
`;

it('ends what a process started, even if that process is killed', async () => {
	const starter = spawn(process.execPath, ['--input-type=module', '--eval', STARTER], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [started] = await once(createInterface({ input: starter.stdout }), 'line');
	/* The output ends when nobody can write to it. */
	const ended = once(starter, 'close');
	starter.kill('SIGKILL');
	const isOver = await Promise.race([ended.then(() => true), pause(20_000, false, { ref: false })]);
	if (!isOver) process.kill(Number(started), 'SIGKILL');
	expect(isOver).toBe(true);
});

// Ends process groups when the process that started this one has ended, even if it was killed: then
// the standard input ends. A line says which group has started (+123) or ended (-123).
import { createInterface } from 'node:readline';

/** @type {Set<number>} */
const groups = new Set();

for await (const line of createInterface({ input: process.stdin })) {
	const group = Number(line.slice(1));
	if (line.startsWith('+')) groups.add(group);
	else groups.delete(group);
}

for (const group of groups) {
	try {
		process.kill(process.platform === 'win32' ? group : -group, 'SIGKILL');
	} catch {
		// The group has ended already.
	}
}

import { availableParallelism, cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * How much longer a process takes now than on an idle machine, at most: the processes that want to run
 * for each processor. On Windows, which doesn't count them, 1.
 */
export function slowdown() {
	const [wanting = 0] = loadavg();
	return Math.max(1, wanting / availableParallelism());
}

/** The time of all processors so far, and how much of it they were idle. */
function processorTime() {
	const times = cpus().map((processor) => processor.times);
	const sum = (/** @type {number[]} */ all) => all.reduce((total, one) => total + one, 0);
	return {
		all: sum(times.flatMap((one) => Object.values(one))),
		idle: sum(times.map(({ idle }) => idle)),
	};
}

/** The share of the processors that nothing uses, from 0 to 1, measured for a second. */
export async function idleShare() {
	const before = processorTime();
	await pause(1_000);
	const after = processorTime();
	return (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

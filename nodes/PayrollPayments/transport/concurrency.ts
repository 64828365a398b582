/**
 * Runs the tasks with at most `limit` under way at once; results stand in the order of the tasks.
 * After a task has rejected no further one is begun; those under way are waited for, then the
 * rejection of the first task in order is passed on.
 */
export async function runBounded<Result>(
	tasks: ReadonlyArray<() => Promise<Result>>,
	limit: number,
): Promise<Result[]> {
	const results = new Map<number, Result>();
	const failures = new Map<number, unknown>();
	let next = 0;
	const worker = async () => {
		while (next < tasks.length && failures.size === 0) {
			const index = next++;
			const task = tasks[index];
			if (task === undefined) return;
			try {
				results.set(index, await task());
			} catch (error) {
				failures.set(index, error);
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, tasks.length) }, worker));
	if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
	return [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
}

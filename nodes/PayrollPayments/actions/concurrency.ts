/** What came of tasks that ran side by side, by their number. */
export interface Settled<Result> {
	readonly results: ReadonlyMap<number, Result>;
	/** In the order in which they came. */
	readonly failures: ReadonlyMap<number, unknown>;
}

/**
 * Runs the tasks with at most `limit` under way at once. After a task has rejected no further one is
 * begun; those under way are waited for, so that nothing that was begun is unknown.
 */
export async function runBounded<Result>(
	tasks: ReadonlyArray<() => Promise<Result>>,
	limit: number,
): Promise<Settled<Result>> {
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
	return { results, failures };
}

/** The outcomes of tasks that ran at the same time, by their index. */
export interface Settled<Result> {
	readonly results: ReadonlyMap<number, Result>;
	/** In the order in which they happened. */
	readonly failures: ReadonlyMap<number, unknown>;
}

/**
 * Runs the tasks, up to `limit` at the same time. After a task rejects, no other task starts; the
 * running ones are awaited, so that every outcome is known.
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

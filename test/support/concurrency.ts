/** Runs a task for every entry in random order, a fixed number at the same time. */
export async function runConcurrently<Entry>(
	limit: number,
	entries: readonly Entry[],
	task: (entry: Entry) => Promise<void>,
): Promise<void> {
	const queue = entries
		.map((entry) => ({ entry, at: Math.random() }))
		.sort((a, b) => a.at - b.at)
		.map(({ entry }) => entry);
	const worker = async () => {
		for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) await task(entry);
	};
	await Promise.all(Array.from({ length: limit }, worker));
}

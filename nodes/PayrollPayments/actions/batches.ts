import { Refusal } from '../shared/errors';

/** How many names a sentence lists before it only counts the rest. */
const MAX_NAMES = 3;

/** Names for a sentence: the first three, and how many more. */
export function nameList(names: readonly string[]): string {
	const shown = names.slice(0, MAX_NAMES).join(', ');
	return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

/** Splits a list into batches of up to `size` entries; 0 means a single batch. */
export function inBatches<Entry>(list: readonly Entry[], size: number): Entry[][] {
	if (size === 0) return list.length === 0 ? [] : [[...list]];
	const batches: Entry[][] = [];
	for (let start = 0; start < list.length; start += size) {
		batches.push(list.slice(start, start + size));
	}
	return batches;
}

/**
 * Runs one step per batch, one after the other.
 * @param size entries in a batch, 0 for all of them
 * @param describe says in full sentences which entries were done before a step failed
 * @throws whatever a step throws. A {@link Refusal} then also says what was done before, in words
 * and as `completed`.
 */
export async function forEachBatch<Entry, Result>(
	entries: readonly Entry[],
	size: number,
	step: (batch: readonly Entry[]) => Promise<Result>,
	describe: (done: readonly Entry[]) => string,
): Promise<Result[]> {
	const done: Entry[] = [];
	const completed: Result[] = [];
	for (const batch of inBatches(entries, size)) {
		const result = await step(batch).catch((error: unknown) => {
			if (error instanceof Refusal && completed.length > 0) {
				error.addDetails({ completed }).addNote(describe(done));
			}
			throw error;
		});
		completed.push(result);
		for (const entry of batch) done.push(entry);
	}
	return completed;
}

import type { CheckedWrite } from './checkedWrite';

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
 * One write per batch, checked one after the other.
 * @param size entries in a batch, 0 for all of them
 * @param describe says in full sentences which entries were done before a write failed
 */
export async function checkBatches<Entry>(
	entries: readonly Entry[],
	size: number,
	checkBatch: (batch: readonly Entry[]) => CheckedWrite | Promise<CheckedWrite>,
	describe: (done: readonly Entry[]) => string,
): Promise<CheckedWrite[]> {
	const writes: CheckedWrite[] = [];
	for (const [index, batch] of inBatches(entries, size).entries()) {
		const write = await checkBatch(batch);
		writes.push({ ...write, doneBefore: () => describe(entries.slice(0, index * size)) });
	}
	return writes;
}

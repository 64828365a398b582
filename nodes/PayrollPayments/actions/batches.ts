import { Refusal } from '../shared/errors';

/** The list in pieces of at most `size`, in order; in one piece where `size` is 0. */
export function inBatches<Entry>(list: readonly Entry[], size: number): Entry[][] {
	if (size === 0) return list.length === 0 ? [] : [[...list]];
	const batches: Entry[][] = [];
	for (let start = 0; start < list.length; start += size) {
		batches.push(list.slice(start, start + size));
	}
	return batches;
}

/**
 * One step a batch, one after the other; the results in order.
 * @throws what a step threw, carrying the results of the steps before it as `completed`
 */
export async function eachInTurn<Entry, Result>(
	batches: readonly Entry[],
	step: (batch: Entry) => Promise<Result>,
): Promise<Result[]> {
	const completed: Result[] = [];
	for (const batch of batches) {
		const result = await step(batch).catch((error: unknown) => {
			if (error instanceof Refusal && completed.length > 0) error.addDetails({ completed });
			throw error;
		});
		completed.push(result);
	}
	return completed;
}

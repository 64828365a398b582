import { Refusal } from '../shared/errors';
import { eachInTurn, inBatches } from './batches';

/** How many names a sentence holds before it only counts. */
const MOST_NAMES = 3;

/** The names as part of a sentence: the first three, and how many more. */
export function listed(names: readonly string[]): string {
	const shown = names.slice(0, MOST_NAMES).join(', ');
	return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

/**
 * One step for each batch of at most `size` entries (0: all of them), one after the other.
 * @param tell says in full sentences what became of the entries that are done, where not all are
 * @throws what a step threw; a {@link Refusal} then tells what was done before, in words and as data
 */
export async function inTurn<Entry, Result>(
	entries: readonly Entry[],
	size: number,
	step: (batch: readonly Entry[]) => Promise<Result>,
	tell: (done: readonly Entry[]) => string,
): Promise<Result[]> {
	const done: Entry[] = [];
	const results = eachInTurn(inBatches(entries, size), async (batch) => {
		const result = await step(batch);
		for (const entry of batch) done.push(entry);
		return result;
	});
	return await results.catch((error: unknown) => {
		if (error instanceof Refusal && done.length > 0) error.addNote(tell(done));
		throw error;
	});
}

import { ServiceError } from '../shared/errors';
import type { Observation, Observations, OutputRecord } from './changeKind';

const HINT = 'The service may have changed. Update this node, or report the problem.';

/** The error for a successful response that can't be compared. */
export function unreadable(what: string): ServiceError {
	return new ServiceError(what, { status: 200, refused: false, hint: HINT });
}

/** Spaces separate the identifiers that are remembered; see memory.ts. */
const USABLE = /^\S+$/;

/**
 * The records of a list by their `nanoid`. One that is listed twice counts once: a list that is read
 * page by page repeats records if it changes meanwhile.
 */
export function observationsOf(
	what: string,
	records: readonly OutputRecord[],
	comparedOf: (record: OutputRecord) => string,
): Observations {
	const found = new Map<string, Observation>();
	for (const record of records) {
		const id = record.nanoid;
		if (typeof id !== 'string' || !USABLE.test(id)) {
			throw unreadable(`The service lists ${what} without a usable nanoid`);
		}
		if (!found.has(id)) found.set(id, { compared: comparedOf(record), record });
	}
	return found;
}

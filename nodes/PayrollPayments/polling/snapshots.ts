import type { SendRead } from '../api/client';
import type { Field, FieldSet, ParameterSource } from '../forms/field';
import { ServiceError } from '../shared/errors';
import type { JsonValue } from '../shared/json';

/** One thing that can change, as it was when it was remembered. */
interface Memory {
	/** What is compared. */
	readonly compared: string;
}

/** What is remembered from poll to poll, by identifier or currency. */
export type Remembered = ReadonlyMap<string, Memory>;

/** One thing that can change, as the service shows it now. */
export interface Observation extends Memory {
	readonly record: OutputRecord;
}

/**
 * Everything that an event is about, by identifier or currency. Long lists are read with forEach: other
 * loops make a pair for each entry, which costs as much memory as the list itself.
 */
export type Observations = ReadonlyMap<string, Observation>;

/** A change between two polls. */
export interface Change {
	readonly id: string;
	/** What was compared last; undefined if there was nothing. */
	readonly before: string | undefined;
	/** undefined if it's gone. */
	readonly now: Observation | undefined;
}

interface Comparison {
	readonly changes: readonly Change[];
	/** What the next poll compares with. */
	readonly remembered: Remembered;
}

export interface OutputRecord {
	readonly [name: string]: JsonValue;
}

/** What to watch. */
export interface Watch {
	/** The team, company or user. */
	readonly entityId: string;
	/** Empty or undefined for all. */
	readonly currencies?: readonly string[];
	readonly minimumChangeCents?: number;
}

/** What a poll reads with. */
export interface Source {
	readonly call: SendRead;
	readonly watch: Watch;
}

/** One event of the menu *Trigger On*: its form, what to read, what counts as a change, its output. */
export interface ChangeKind {
	readonly name: string;
	readonly description: string;
	readonly fields: FieldSet;
	readonly notice?: string;
	/** @throws {UserError} that names the field by its label */
	readWatch(source: ParameterSource): Watch;
	observe(source: Source): Promise<Observations>;
	compare(before: Remembered, now: Observations, watch: Watch): Comparison;
	/** One record per change, without `event` and `observed_at`. May read more from the service. */
	describe(changes: readonly Change[], source: Source): Promise<readonly OutputRecord[]>;
}

/** A field with a description that fits watching. */
export function described<Value>(field: Field<Value>, description: string): Field<Value> {
	return { ...field, form: { ...field.form, description } };
}

/** What both kinds of additions share: whatever wasn't listed before, as the service gives it. */
export const additions: Pick<ChangeKind, 'compare' | 'describe'> = {
	compare: (before, now) => {
		const changes: Change[] = [];
		now.forEach((each, id) => {
			if (!before.has(id)) changes.push({ id, before: undefined, now: each });
		});
		return { changes, remembered: now };
	},
	describe: async (changes) =>
		changes.flatMap(({ now }) => (now === undefined ? [] : [now.record])),
};

/** The error for a successful response that can't be compared. */
export function unreadable(what: string): ServiceError {
	const hint = 'The service may have changed. Update this node, or report the problem.';
	return new ServiceError(what, { status: 200, nothingDone: false, hint });
}

/** Spaces separate the identifiers that are remembered; see memory.ts. */
const USABLE = /^\S+$/;

/** The records of a list by their `nanoid`. One that is listed twice counts once. */
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

import type { SendRead } from '../api/client';
import type { JsonValue } from '../shared/json';
import type { PollSettings } from './settings';

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

/** What a poll reads with. */
export interface Source {
	readonly call: SendRead;
	readonly settings: PollSettings;
}

/** One event of the menu *Trigger On*: what to read, what counts as a change, and its output. */
export interface ChangeKind {
	observe(source: Source): Promise<Observations>;
	compare(before: Remembered, now: Observations, settings: PollSettings): Comparison;
	/** One record per change, without `event` and `observed_at`. May read more from the service. */
	describe(changes: readonly Change[], source: Source): Promise<readonly OutputRecord[]>;
}

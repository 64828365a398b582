import type { SendRead } from '../api/client';
import type { JsonValue } from '../shared/json';
import type { PollSettings } from './settings';

/** What is remembered from poll to poll: by identifier or currency, the text that is compared. */
export type Remembered = ReadonlyMap<string, string>;

/** One thing that can change, as the service shows it now. */
export interface Observation {
	/** An identifier, or a currency. */
	readonly id: string;
	/** What is compared. */
	readonly compared: string;
	readonly record: OutputRecord;
}

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
	/** Everything that the event is about, each `id` once. */
	observe(source: Source): Promise<readonly Observation[]>;
	compare(before: Remembered, now: readonly Observation[], settings: PollSettings): Comparison;
	/** One record per change, without `event` and `observed_at`. May read more from the service. */
	describe(changes: readonly Change[], source: Source): Promise<readonly OutputRecord[]>;
}

/** What is observed, as the next poll compares with it. */
export function rememberAll(now: readonly Observation[]): Remembered {
	const remembered = new Map<string, string>();
	for (const { id, compared } of now) remembered.set(id, compared);
	return remembered;
}

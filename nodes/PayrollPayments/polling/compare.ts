import type { SendRead } from '../api/call';
import { unusableAnswer } from '../api/serviceErrors';
import type { FieldSet, ParameterSource } from '../forms/field';
import type { JsonObject } from '../shared/json';

/** What the last poll compared, by identifier or currency. */
export type Remembered = ReadonlyMap<string, { readonly compared: string }>;

/** One thing that can change, as the service shows it now. */
export interface Observation {
	readonly compared: string;
	readonly record: JsonObject;
}

/**
 * Everything that an event is about, by identifier or currency. Long lists are read with forEach: other
 * loops make a pair for each entry, which costs as much memory as the list itself.
 */
type Observations = ReadonlyMap<string, Observation>;

export interface Change {
	readonly id: string;
	/** undefined if it's new. */
	readonly before: string | undefined;
	/** undefined if it's gone. */
	readonly now: Observation | undefined;
}

export interface Watch {
	readonly entityId: string;
	/** Empty or undefined for all. */
	readonly currencies?: readonly string[];
	readonly minimumChangeCents?: number;
}

export interface Source {
	readonly read: SendRead;
	readonly watch: Watch;
}

/** One event of the menu *Trigger On*: its form, what to read, what counts as a change, its output. */
export interface EventKind {
	readonly description: string;
	readonly fields: FieldSet;
	readonly notice?: string;
	/** Whether changes that don't count yet add up. */
	readonly addsUp?: true;
	readWatch(source: ParameterSource): Watch;
	observe(source: Source): Promise<Observations>;
	/** Whether a change counts; undefined stands for what is new or gone. */
	isChange(before: string | undefined, now: string | undefined, watch: Watch): boolean;
	/** One record per change, without `event` and `observed_at`. May read more from the service. */
	describe(changes: readonly Change[], source: Source): Promise<readonly JsonObject[]>;
}

/** What has changed, and what the next poll compares with. */
export function compare(
	{ isChange, addsUp }: Pick<EventKind, 'isChange' | 'addsUp'>,
	before: Remembered,
	now: Observations,
	watch: Watch,
): { readonly changes: readonly Change[]; readonly remembered: Remembered } {
	const changes: Change[] = [];
	const add = (id: string, old: string | undefined, seen: Observation | undefined) => {
		if (isChange(old, seen?.compared, watch)) changes.push({ id, before: old, now: seen });
	};
	now.forEach((seen, id) => add(id, before.get(id)?.compared, seen));
	before.forEach(({ compared }, id) => {
		if (!now.has(id)) add(id, compared, undefined);
	});
	if (addsUp === undefined) return { changes, remembered: now };
	const remembered = new Map(before);
	for (const { id, now: seen } of changes) {
		if (seen === undefined) remembered.delete(id);
		else remembered.set(id, seen);
	}
	return { changes, remembered };
}

/** The records of a list by their `nanoid`. One that is listed twice counts once. */
export function observationsOf(
	what: string,
	records: readonly JsonObject[],
	comparedOf: (record: JsonObject) => string = () => '',
): Observations {
	const found = new Map<string, Observation>();
	for (const record of records) {
		const id = record.nanoid;
		/* Spaces separate the identifiers that are remembered; see memory.ts. */
		if (typeof id !== 'string' || !/^\S+$/.test(id)) {
			throw unusableAnswer(`The service lists ${what} without a usable nanoid`);
		}
		if (!found.has(id)) found.set(id, { compared: comparedOf(record), record });
	}
	return found;
}

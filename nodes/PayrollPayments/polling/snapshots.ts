import type { SendRead } from '../api/call';
import { unusableAnswer } from '../api/errors';
import type { Field, FieldSet, ParameterSource } from '../forms/field';
import type { JsonObject } from '../shared/json';

/** What is remembered from poll to poll, by identifier or currency: what is compared. */
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
export type Observations = ReadonlyMap<string, Observation>;

export interface Change {
	readonly id: string;
	/** What was compared last; undefined if there was nothing. */
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
	readonly call: SendRead;
	readonly watch: Watch;
}

/** One event of the menu *Trigger On*: its form, what to read, what counts as a change, its output. */
export interface ChangeKind {
	readonly description: string;
	readonly fields: FieldSet;
	readonly notice?: string;
	/** Whether what isn't told yet stays compared with what was told last. */
	readonly addsUp?: true;
	readWatch(source: ParameterSource): Watch;
	observe(source: Source): Promise<Observations>;
	/** Whether two values make a change that counts; undefined where there is none. */
	isChange(before: string | undefined, now: string | undefined, watch: Watch): boolean;
	/** One record per change, without `event` and `observed_at`. May read more from the service. */
	describe(changes: readonly Change[], source: Source): Promise<readonly JsonObject[]>;
}

/** What has changed, and what the next poll compares with. */
export function compare(
	{ isChange, addsUp }: Pick<ChangeKind, 'isChange' | 'addsUp'>,
	before: Remembered,
	now: Observations,
	watch: Watch,
): { readonly changes: readonly Change[]; readonly remembered: Remembered } {
	const changes: Change[] = [];
	now.forEach((each, id) => {
		const old = before.get(id)?.compared;
		if (isChange(old, each.compared, watch)) changes.push({ id, before: old, now: each });
	});
	before.forEach(({ compared }, id) => {
		if (now.has(id) || !isChange(compared, undefined, watch)) return;
		changes.push({ id, before: compared, now: undefined });
	});
	if (addsUp === undefined) return { changes, remembered: now };
	const remembered = new Map(before);
	for (const { id, now: seen } of changes) {
		if (seen === undefined) remembered.delete(id);
		else remembered.set(id, seen);
	}
	return { changes, remembered };
}

export function described<Value>(field: Field<Value>, description: string): Field<Value> {
	return { ...field, form: { ...field.form, description } };
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

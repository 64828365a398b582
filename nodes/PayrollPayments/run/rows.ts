import { contextOf, NoResponseError, outcomeOf, ServiceError } from '../shared/errors';
import type { SheetPlace } from '../shared/sheetPlace';
import type { OutputRecord, Perform, ShownWrite } from './write';

/** Where a row comes from: one of the input items, or a list in one. */
export interface Place {
	readonly item: number;
	/** Its place in the item's list. Unlike the row's number, it doesn't depend on the lists of other items. */
	readonly index?: number;
	readonly row?: SheetPlace;
}

/** The form of one item, as the fields and options of its operation read it. */
export interface Form<Input = unknown, Options = unknown> {
	/** Its number in the run, as in {@link Row}. */
	readonly numbers: readonly [number];
	/** Where it comes from; the run sets it. */
	readonly place?: Place;
	/** The input item itself, or the row, for an operation that reads its columns. */
	readonly json: Readonly<Record<string, unknown>>;
	readonly input: Input;
	readonly options: Options;
	/** The check that a person approved, as it was entered. */
	readonly approvedCheck?: string;
}

/** When something was done before. *Retry On Fail* makes several tries in one run of the node. */
type Earlier = 'earlierTry' | 'earlierRun';

/** What became of a row, so far. */
export type State =
	/** Its form was read, and nothing else. */
	| { readonly is: 'read'; readonly form: Form }
	/**
	 * It passed every check. `act` gives any number of records for a single item; several items share one
	 * record, or get one each.
	 */
	| { readonly is: 'ready'; act(perform: Perform): Promise<readonly OutputRecord[]> }
	/** *Check Only*: what it would do is put out, and nothing was done. */
	| { readonly is: 'checked'; readonly records: readonly OutputRecord[] }
	| { readonly is: 'done'; readonly records: readonly OutputRecord[]; readonly when?: Earlier }
	/**
	 * Nothing of it was done. `run`: for a reason that concerns the run as a whole; `sent`: after a request was on
	 * its way; `unread`: because its form or row couldn't be read; undefined: for another reason that concerns
	 * the row.
	 */
	| {
			readonly is: 'refused';
			readonly error: unknown;
			readonly why?: 'sent' | 'run' | 'unread';
	  }
	/** All or a part of it may have been done. */
	| { readonly is: 'unknown'; readonly error: unknown; readonly when?: Earlier }
	/** The run ended before it (`endedBefore` in run.ts), or was stopped (`stoppedError` in shared/errors.ts). */
	| { readonly is: 'notSent'; readonly error: unknown };

/** One row of a run: usually one input item or row of a list, or all items that share a request. */
export interface Row<Its extends State = State> {
	/**
	 * Its numbers in the run, ascending. They are the input items' numbers, unless an item has a list, whose
	 * rows are counted one by one. {@link inputItemsOf} gives the input items.
	 */
	readonly numbers: readonly number[];
	readonly place?: Place;
	readonly state: Its;
	/** What it changes, in order; empty for a read, and for what can't be told. */
	readonly writes: readonly ShownWrite[];
	/** What is known of it for people: its output has it if it fails, and checks and reports show it. */
	readonly columns?: OutputRecord;
}

export type StateName = State['is'];
export type RowThatIs<Name extends StateName> = Row<Extract<State, { readonly is: Name }>>;
export type FailedRow = RowThatIs<'refused' | 'unknown' | 'notSent'>;

function isRow<Name extends StateName>(row: Row, names: readonly Name[]): row is RowThatIs<Name> {
	return names.some((name) => name === row.state.is);
}

export function rowsThatAre<const Name extends StateName>(
	rows: readonly Row[],
	...names: readonly Name[]
): Array<RowThatIs<Name>> {
	return rows.flatMap((row) => (isRow(row, names) ? [row] : []));
}

export function failedRows(rows: readonly Row[]): FailedRow[] {
	return rowsThatAre(rows, 'refused', 'unknown', 'notSent');
}

export function firstNumber({ numbers }: Pick<Row, 'numbers'>): number {
	return numbers[0] ?? 0;
}

/** Whether a row was refused for a reason that concerns the run as a whole. */
export function concernsRun({ state }: Pick<Row, 'state'>): boolean {
	return state.is === 'refused' && state.why === 'run';
}

/** Whether its form, or the row itself, couldn't be read. */
export function isUnread({ state }: Pick<Row, 'state'>): boolean {
	return state.is === 'refused' && state.why === 'unread';
}

/** The place that an error of a row names, for `messageFor`; undefined if it is about the run of a sheet. */
export function placeInError(
	{ place, state, numbers }: Row,
	number = firstNumber({ numbers }),
): number | SheetPlace | undefined {
	if (concernsRun({ state }) && 'error' in state) {
		const { item: named } = contextOf(state.error);
		if (named !== undefined) return named;
	}
	if (place?.row === undefined) return place?.item ?? number;
	return concernsRun({ state }) ? undefined : place.row;
}

/** The row of a sheet that a row comes from; by its place in the run if it comes from none. */
export function sheetPlaceOf({ numbers, place }: Pick<Row, 'numbers' | 'place'>): SheetPlace {
	return place?.row ?? { number: firstNumber({ numbers }) + 1 };
}

/** The numbers of the input items that a row comes from. */
export function inputItemsOf({
	numbers,
	place,
}: Pick<Row, 'numbers' | 'place'>): readonly number[] {
	return place === undefined ? numbers : [place.item];
}

/** What a row is known by in every try of a run: a list that can't be read shifts the numbers of others. */
export function slotsOf({ numbers, place }: Pick<Row, 'numbers' | 'place'>): readonly string[] {
	if (place === undefined) return numbers.map(String);
	return [place.index === undefined ? `${place.item}` : `${place.item}/${place.index}`];
}

export function inOrder<Some extends Pick<Row, 'numbers'>>(rows: readonly Some[]): Some[] {
	return [...rows].sort((a, b) => firstNumber(a) - firstNumber(b));
}

/** A row without writes: it changes nothing, or what it changes isn't known yet. */
export function rowOf(numbers: readonly number[], state: State, place?: Place): Row {
	return { numbers, place, writes: [], state };
}

export function refused(numbers: readonly number[], error: unknown, why?: 'run' | 'unread'): Row {
	return rowOf(numbers, { is: 'refused', error, why });
}

/** Refuses every row that would still have been sent. */
export function refuseRest(rows: readonly Row[], error: unknown): Row[] {
	return rows.map((row) =>
		isRow(row, ['read', 'ready'])
			? { ...row, writes: [], state: { is: 'refused', error, why: 'run' } }
			: row,
	);
}

/** What each entry gives, or the reason why it was refused. Refused entries don't stop the others. */
export async function eachOrRefused<Entry extends Pick<Row, 'numbers'>>(
	entries: readonly Entry[],
	work: (entry: Entry) => Promise<Row | readonly Row[]> | Row | readonly Row[],
): Promise<Row[]> {
	const rows: Row[] = [];
	for (const entry of entries) {
		try {
			rows.push(...[await work(entry)].flat());
		} catch (error) {
			rows.push(refused(entry.numbers, error));
		}
	}
	return rows;
}

/** What a failure while a row was carried out makes of it. */
export function stateAfter(error: unknown): State {
	switch (outcomeOf(error)) {
		case 'unknown':
			return { is: 'unknown', error };
		case 'refused': {
			const isAnswer = error instanceof ServiceError || error instanceof NoResponseError;
			const wasRequested = isAnswer && error.context.precedesChange !== true;
			return { is: 'refused', error, why: wasRequested ? 'sent' : undefined };
		}
		case 'notSent':
			return { is: 'notSent', error };
	}
}

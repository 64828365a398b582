import type { z } from 'zod';

import type { NeededPermission } from '../api/credentialLimits';
import {
	readFields,
	type FieldSet,
	type InputItem,
	type InputOf,
	type ParameterSource,
} from '../forms/field';
import { UserError } from '../shared/errors';
import { allOf, groupsOf } from '../shared/lists';
import type { SheetPlace } from '../shared/sheetPlace';
import { ITEM_OPTIONS, optionsOf, RUN_OPTIONS, type Settings } from './commonOptions';
import { eachOrRefused, type Form, type Row } from './rows';
import type { RunContext } from './runContext';
import { takeInOrder, type OutputRecord, type ShownWrite, type Step } from './write';

/** How an operation takes the rows of a sheet. */
interface SheetSource {
	/** The menu in which `items` makes each input item a row. */
	readonly source: string;
	/** The field that holds a list of rows, if another entry of the menu shows one. */
	readonly list?: string;
}

/** What an operation may add to how every run is checked, ends and is told. Payments set all of it. */
interface RunPolicy {
	/** Whether the first unknown outcome ends the run even with *On Error: Continue*. */
	readonly stopsAtUnknown?: boolean;
	/** Set if n8n must keep the workflow, so that later runs know what was done: why, and what to do. */
	readonly needsKeptWorkflow?: { readonly reason: string; readonly hint: string };
	/** What every failed item has in addition, whatever the failure. */
	readonly failureColumns?: OutputRecord;
	/** Columns that mark an item as made by an earlier try of *Retry On Fail*. */
	readonly columnsOfEarlierTry?: OutputRecord;
	/** Options that an AI agent's node may not have, with their labels. */
	readonly optionsForPeople?: Readonly<Record<string, string>>;
	/** What can be told of an item whose form was refused. */
	columnsOfUnread?(item: InputItem): OutputRecord;
	/** The columns of items whose run was refused before they were checked, in their order. */
	columnsOfForms?(forms: readonly Form[]): readonly OutputRecord[];
	/** The one item that *Check Only* puts out with *Check Output: One for the Run*. */
	describeRun?(rows: readonly Row[], run: RunContext): Promise<OutputRecord>;
	/** Called when nothing more is sent. */
	finish?(rows: readonly Row[], run: RunContext): Promise<void>;
	/** What rows are about, e.g. "3 payments totaling $300.00"; by default how many requests they make. */
	contentOf?(rows: readonly Row[]): string;
	/** What became of the run, for every item that it puts out. */
	runColumns?(rows: readonly Row[]): Readonly<Record<string, string>>;
	/** Sentences about the whole run for the error that ends it. */
	notesOnFailure?(rows: readonly Row[]): readonly string[];
}

/** An operation as the form and the run (run.ts) see it. */
export interface Operation extends RunPolicy {
	readonly resource: string;
	readonly operation: string;
	/** In the Operation menu; `action` is for n8n's list of actions. */
	readonly name: string;
	readonly action: string;
	readonly description: string;
	/** Whether it changes anything at the service. Only reads are retried. */
	readonly effect: 'read' | 'write';
	readonly permission: NeededPermission;
	/** Whether no AI agent may run it. Others run reads, and writes only with *Allow Writes by AI*. */
	readonly isForPeople?: boolean;
	/** Whether its output is a secret: then no error repeats it, and no later try gets it. */
	readonly hasSecretOutput?: boolean;
	/** What n8n shows above the output if there are no items. */
	readonly emptyNotice?: string;
	readonly notice?: string;
	/** In the order of the form. */
	readonly fields: FieldSet;
	/** Options that hold for the run as a whole, and those of each item. */
	readonly runOptions: FieldSet;
	readonly itemOptions: FieldSet;
	/** The items it puts out, the usual alternative first; without failed items and *Check Only*. */
	readonly output:
		| z.AnyZodObject
		| z.ZodUnion<readonly [z.AnyZodObject, z.AnyZodObject, ...z.AnyZodObject[]]>;
	/** Further items that *Check Only* puts out, for the output schemas. */
	readonly otherOutputs?: readonly z.AnyZodObject[];
	/** For an operation whose input can be a sheet. */
	readonly sheet?: SheetSource;
	/** Reads the options that hold for the run as a whole. */
	readSettings(item: ParameterSource): Settings;
	/** Reads the form of one item. */
	read(item: InputItem): Form;
	/**
	 * Checks all forms that could be read. Changes nothing at the service.
	 * @param unread the rows whose form couldn't be read
	 */
	check(forms: readonly Form[], run: RunContext, unread: readonly Row[]): Promise<readonly Row[]>;
}

interface Definition<Fields extends FieldSet, Options extends FieldSet>
	extends Omit<
		Operation,
		| keyof RunPolicy
		| 'effect'
		| 'permission'
		| 'runOptions'
		| 'itemOptions'
		| 'readSettings'
		| 'read'
		| 'check'
	> {
	readonly fields: Fields;
	/** For each item, in addition to the common ones. */
	readonly options: Options;
	/** Checks that involve several fields, e.g. whether the role suits the identifier. */
	checkForm?(input: InputOf<Fields>, isCheckOnly: boolean): void;
}

interface ReadDefinition<Fields extends FieldSet, Options extends FieldSet>
	extends Definition<Fields, Options> {
	request(
		input: InputOf<Fields>,
		run: RunContext,
		options: InputOf<Options>,
	): Promise<readonly OutputRecord[]>;
}

interface WriteDefinition<
	Fields extends FieldSet,
	Options extends FieldSet,
	RunOptions extends FieldSet,
> extends Definition<Fields, Options>,
		Omit<RunPolicy, 'columnsOfForms' | 'describeRun' | 'finish'> {
	readonly permission: NeededPermission;
	/** For the run as a whole, in addition to the common ones. */
	readonly runOptions?: RunOptions;
	check(
		forms: ReadonlyArray<Form<InputOf<Fields>, InputOf<Options>>>,
		run: RunContext<InputOf<RunOptions>>,
		unread: readonly Row[],
	): Promise<readonly Row[]>;
	columnsOfForms?(
		forms: ReadonlyArray<Form<InputOf<Fields>, InputOf<Options>>>,
	): readonly OutputRecord[];
	describeRun?(rows: readonly Row[], run: RunContext<InputOf<RunOptions>>): Promise<OutputRecord>;
	finish?(rows: readonly Row[], run: RunContext<InputOf<RunOptions>>): Promise<void>;
}

/** Reads the fields and options of an item. */
function formReader<Fields extends FieldSet, Options extends FieldSet>(
	{ fields, options, checkForm }: Definition<Fields, Options>,
	effect: Operation['effect'],
): Operation['read'] {
	return (item) => {
		const added = optionsOf(item);
		const { approvedCheck } = effect === 'read' ? {} : readFields(ITEM_OPTIONS, added);
		const input = readFields(fields, item);
		/* Check Only takes no expressions. Any other value than true or false is refused later. */
		checkForm?.(input, added.readSaved('checkOnly') === true);
		const own = readFields(options, added);
		return { numbers: [item.index], json: item.json, input, options: own, approvedCheck };
	};
}

/** Defines a read once: its form, validation, request and output all come from here. */
export function defineRead<Fields extends FieldSet, Options extends FieldSet>(
	definition: ReadDefinition<Fields, Options>,
): Operation {
	return {
		...definition,
		effect: 'read',
		permission: 'none',
		runOptions: RUN_OPTIONS.read,
		itemOptions: definition.options,
		readSettings: (item) => readFields(RUN_OPTIONS.read, optionsOf(item)),
		read: formReader(definition, 'read'),
		check: async (forms: ReadonlyArray<Form<InputOf<Fields>, InputOf<Options>>>, run: RunContext) =>
			forms.map(({ numbers, input, options }) => {
				const act = async () => await definition.request(input, run, options);
				return { numbers, writes: [], state: { is: 'ready', act } };
			}),
	};
}

/** Defines a change once. Its check only reads, and says how each row is carried out. */
export function defineWrite<
	Fields extends FieldSet,
	Options extends FieldSet,
	RunOptions extends FieldSet = Readonly<Record<never, never>>,
>(definition: WriteDefinition<Fields, Options, RunOptions>): Operation {
	const runOptions = { ...RUN_OPTIONS.write, ...definition.runOptions };
	return {
		...definition,
		effect: 'write',
		runOptions,
		readSettings: (item) => readFields(runOptions, optionsOf(item)),
		itemOptions: { ...ITEM_OPTIONS, ...definition.options },
		read: formReader(definition, 'write'),
	};
}

/** What an item says of something that the other items of the run may be about, too. */
type Statement = readonly [about: string, says: string];

/**
 * A check of item by item, for {@link defineWrite}.
 * @param stepsOf checks one form against everything, and gives its steps in the order of sending
 * @param namedBy what a run may name only once: the key to compare, and the name in errors
 * @param statementsOf what all items of a run must say alike; if they don't, each of them is refused
 */
export function eachItem<Input, Options>(
	stepsOf: (form: Form<Input, Options>, run: RunContext) => Promise<readonly Step[]>,
	namedBy: (input: Input) => ReadonlyArray<readonly [key: string, name: string]> = () => [],
	statementsOf: (form: Form<Input, Options>) => readonly Statement[] = () => [],
) {
	return async (forms: ReadonlyArray<Form<Input, Options>>, run: RunContext) => {
		const firstItems = new Map<string, number>();
		const said = new Map(
			[...groupsOf(forms.flatMap(statementsOf), ([about]) => about)].map(([about, all]) => [
				about,
				new Set(all.map(([, says]) => says)),
			]),
		);
		return await eachOrRefused(forms, async (form) => {
			const { numbers, input } = form;
			const [item] = numbers;
			for (const [about] of statementsOf(form)) requireAgreement(about, said.get(about));
			/* Merge only after the item passed, so that a refused item doesn't block its addresses. */
			const own = new Map<string, number>();
			for (const [key, name] of namedBy(input)) {
				const before = own.get(key) ?? firstItems.get(key);
				if (before !== undefined)
					throw repeated(name, before === item ? undefined : `item ${before}`);
				own.set(key, item);
			}
			const steps = await stepsOf(form, run);
			for (const key of own.keys()) firstItems.set(key, item);
			return readyRow(numbers, steps);
		});
	};
}

/** @throws {UserError} if the items of a run say different things of one */
function requireAgreement(about: string, said: ReadonlySet<string> = new Set()): void {
	if (said.size < 2) return;
	throw new UserError(`Items of this run differ about ${about}: ${allOf([...said])}`, {
		hint: 'Keep the items that are right, and remove the others.',
	});
}

/** A row that takes these steps in order, with an output for each. */
function readyRow(numbers: readonly number[], steps: readonly Step[]): Row {
	const writes: readonly ShownWrite[] = steps.map(({ shown }) => shown);
	return {
		numbers,
		writes,
		state: { is: 'ready', act: async (perform) => await takeInOrder(steps, perform) },
	};
}

/** The error for a person or an invite that an item names twice, or an earlier one named. */
export function repeated(name: string, place?: string, row?: SheetPlace): UserError {
	return new UserError(
		`${name} is ${place === undefined ? 'listed twice' : `already in ${place}`}`,
		{ row, hint: 'Remove one of the two.' },
	);
}

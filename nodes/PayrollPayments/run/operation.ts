import type { z } from 'zod';

import type { NeededPermission } from '../api/limits';
import { membersOf, readFields, type FieldSet, type InputItem, type InputOf } from '../forms/field';
import { UserError } from '../shared/errors';
import { isRecord } from '../shared/json';
import { sendInOrder, type CheckedWrite, type OutputRecord } from './write';
import { COMMON_OPTIONS, type Settings } from './commonOptions';
import { collect, type FailedItems, type Form, type Plan } from './plan';
import type { RunContext } from './runContext';

/** An operation as the form and the run (run.ts) see it. */
export interface Operation {
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
	/** What n8n shows above the output if there are no items. */
	readonly emptyNotice?: string;
	readonly notice?: string;
	/** In the order of the form: required fields first, then the others alphabetically. */
	readonly fields: FieldSet;
	readonly options: FieldSet;
	/** The items it puts out, the usual alternative first; without failed items and *Check Only*. */
	readonly output:
		| z.AnyZodObject
		| z.ZodUnion<readonly [z.AnyZodObject, z.AnyZodObject, ...z.AnyZodObject[]]>;
	readonly otherOutputs?: readonly z.AnyZodObject[];
	/** Whether money moves: the first unknown outcome then ends the run. */
	readonly movesMoney?: boolean;
	/** What every failed item has in addition, whatever the failure. */
	failureColumns?(savedOptions: Readonly<Record<string, unknown>>): OutputRecord | undefined;
	/** Phase one: reads the form of all items. What it gives checks them, phase two. */
	read(items: readonly InputItem[]): Promise<Form>;
}

export interface ReadItem<Input, Options> {
	readonly items: readonly [number];
	/** The input item itself, for an operation that reads its columns. */
	readonly json: InputItem['json'];
	readonly input: Input;
	readonly options: Options;
	readonly settings: Settings;
}

interface Read<Input, Options> {
	readonly permission?: undefined;
	run(input: Input, context: RunContext, options: Options): Promise<readonly OutputRecord[]>;
}

interface Write<Input, Options> {
	readonly permission: NeededPermission;
	/** People or invites that a run may name only once: the key to compare, and the name in errors. */
	unique?(input: Input): ReadonlyArray<readonly [key: string, name: string]>;
	/** Checks one item against everything, and gives its requests in the order of sending. Only reads. */
	writes(input: Input, context: RunContext, options: Options): Promise<readonly CheckedWrite[]>;
}

interface WriteTogether<Input, Options> {
	readonly permission: NeededPermission;
	/** Checks all items together. Only reads. */
	checkAll(
		items: ReadonlyArray<ReadItem<Input, Options>>,
		context: RunContext,
		unread: readonly FailedItems[],
	): Promise<Plan>;
}

/** How an operation works: item by item or, for some changes, all items together. */
type Way<Input, Options> =
	| Read<Input, Options>
	| Write<Input, Options>
	| WriteTogether<Input, Options>;

type Definition<Fields extends FieldSet, Options extends FieldSet> = Omit<
	Operation,
	'effect' | 'permission' | 'read'
> & {
	readonly fields: Fields;
	/** In addition to the common ones. */
	readonly options: Options;
	/** Checks that involve several fields, e.g. whether the role suits the identifier. */
	check?(input: InputOf<Fields>): void;
} & Way<InputOf<Fields>, InputOf<Options>>;

/** Defines an operation once: its form, validation, requests and output all come from here. */
export function defineOperation<Fields extends FieldSet, Options extends FieldSet>(
	definition: Definition<Fields, Options>,
): Operation {
	type Item = ReadItem<InputOf<Fields>, InputOf<Options>>;
	const { fields, options: ownOptions } = definition;
	const effect = 'run' in definition ? 'read' : 'write';
	const commonOptions = COMMON_OPTIONS[effect];

	const readItem = (item: InputItem): Item => {
		const chosen = membersOf(
			'options',
			'Options',
			item,
			'Select Options again in the node, and use expressions only inside single options. Nothing was signed or sent.',
		);
		const settings = readFields(commonOptions, chosen);
		const input = readFields(fields, item);
		definition.check?.(input);
		const options = readFields(ownOptions, chosen);
		return { items: [item.index], json: item.json, input, options, settings };
	};

	const checkAll = async (
		read: readonly Item[],
		run: RunContext,
		unread: readonly FailedItems[],
	) => {
		if ('checkAll' in definition) return await definition.checkAll(read, run, unread);
		const named = new Map<string, number>();
		const { results: jobs, refusals } = await collect(read, async ({ items, input, options }) => {
			if ('run' in definition) {
				return { items, writes: [], send: async () => await definition.run(input, run, options) };
			}
			const [item] = items;
			/* Kept apart until the item has passed: what a refused one names may be named again. */
			const own = new Map<string, number>();
			for (const [key, name] of definition.unique?.(input) ?? []) {
				const before = own.get(key) ?? named.get(key);
				if (before !== undefined)
					throw repeated(name, before === item ? undefined : `item ${before}`);
				own.set(key, item);
			}
			const writes = await definition.writes(input, { ...run, items }, options);
			for (const key of own.keys()) named.set(key, item);
			return { items, writes, send: async () => await sendInOrder(writes) };
		});
		return { jobs, refusals };
	};

	return {
		...definition,
		effect,
		permission: definition.permission ?? 'none',
		options: { ...commonOptions, ...ownOptions },
		read: async (all) => {
			const entries = all.map((item) => ({ items: [item.index], item }));
			const { results, refusals } = await collect(entries, ({ item }) => readItem(item));
			/* As saved, since neither takes an expression: an item may not be readable. */
			const saved = ownOptions.checkOutput === undefined ? {} : all[0]?.readSaved('options');
			const isRunCheck = isRecord(saved) && saved.checkOnly === true && saved.checkOutput === 'run';
			const approved = results.flatMap(({ items: [item], settings: { approvedCheck } }) =>
				approvedCheck === undefined ? [] : [[item, approvedCheck] as const],
			);
			return {
				/* The check of a run tells them itself. */
				refusals: isRunCheck ? [] : refusals,
				settings: { concurrency: 1, checkOnly: isRunCheck, ...results[0]?.settings, isRunCheck },
				approved: new Map(approved),
				check: async (run) => await checkAll(results, run, refusals),
			};
		},
	};
}

/** The error for a person or an invite that an item names twice, or an earlier one named. */
export function repeated(name: string, place?: string, row?: number): UserError {
	return new UserError(
		`${name} is ${place === undefined ? 'listed twice' : `already in ${place}`}`,
		{
			row,
			hint: 'Remove one of the two. Nothing was sent.',
		},
	);
}

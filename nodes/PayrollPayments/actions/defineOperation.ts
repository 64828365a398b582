import type { z } from 'zod';

import type { NeededPermission } from '../api/limits';
import {
	readFields,
	type Field,
	type FieldSet,
	type InputItem,
	type InputOf,
} from '../forms/field';
import { UserError } from '../shared/errors';
import { sendInOrder, type CheckedWrite, type OutputRecord } from './checkedWrite';
import {
	COMMON_OPTIONS,
	DEFAULT_SETTINGS,
	readOptions,
	readSettings,
	type Effect,
	type Settings,
} from './commonOptions';
import { collect, type Form, type FailedItems, type Plan } from './plan';
import type { RunContext } from './runContext';

export type ResourceName =
	| 'administratorInvite'
	| 'authentication'
	| 'balance'
	| 'invite'
	| 'nameReview'
	| 'payment'
	| 'teamUser'
	| 'webhook';

/** The fields of an item, or of its alternatives with the usual one first. */
type OperationOutput =
	| z.AnyZodObject
	| z.ZodUnion<readonly [z.AnyZodObject, z.AnyZodObject, ...z.AnyZodObject[]]>;

/** An operation as the form and the run (run.ts) see it. */
export interface Operation {
	readonly resource: ResourceName;
	readonly operation: string;
	/** The name in the Operation menu, e.g. "Get Many". */
	readonly name: string;
	/** The name in n8n's list of actions, e.g. "Get many team users". */
	readonly action: string;
	readonly description: string;
	readonly effect: Effect;
	/** The permission that the credentials must have. Every write names one. */
	readonly permission: NeededPermission;
	/** Whether an AI agent may run it: freely, only with *Allow Writes by AI*, or never. */
	readonly asTool: 'free' | 'withPermission' | 'never';
	/** What n8n shows above the output if there are no items. */
	readonly emptyNotice?: string;
	/** A notice at the top of the form. */
	readonly notice?: string;
	readonly fields: FieldSet;
	readonly options: FieldSet;
	/** The items it puts out, each alternative on its own; without failed items and *Check Only*. */
	readonly output: OperationOutput;
	/** What else *Check Only* puts out. */
	readonly otherOutputs?: readonly z.AnyZodObject[];
	/** Whether money moves: the first unknown outcome then ends the run. */
	readonly movesMoney: boolean;
	/** Phase one: reads the form of all items. What it gives checks them, phase two. */
	read(items: readonly InputItem[]): Form;
}

/** One item whose form was read. */
export interface ReadItem<Input = unknown, Options = unknown> {
	readonly items: readonly [number];
	/** The input item itself, for an operation that reads its columns. */
	readonly json: InputItem['json'];
	readonly input: Input;
	readonly options: Options;
	readonly settings: Settings;
}

interface Read<Input, Options> {
	readonly effect: 'read';
	readonly permission?: undefined;
	run(input: Input, context: RunContext, options: Options): Promise<readonly OutputRecord[]>;
}

/** A write must name the permission that it needs. */
interface Write<Input, Options> {
	readonly effect: 'write';
	readonly permission: NeededPermission;
	/** Checks one item against everything, and gives its requests in the order of sending. Only reads. */
	writes?(input: Input, context: RunContext, options: Options): Promise<readonly CheckedWrite[]>;
	/** Whether one item is asked for that stands for the whole run. */
	isRunCheck?(item: InputItem): boolean;
	/** Checks all items together, in place of {@link writes}. Only reads. */
	checkAll?(
		items: ReadonlyArray<ReadItem<Input, Options>>,
		context: RunContext,
		unread: readonly FailedItems[],
	): Promise<Plan>;
}

interface Definition<Fields extends FieldSet, Options extends FieldSet>
	extends Omit<
		Operation,
		'asTool' | 'effect' | 'fields' | 'movesMoney' | 'options' | 'permission' | 'read'
	> {
	/** By default, reads are free and writes need permission. */
	readonly asTool?: Operation['asTool'];
	readonly movesMoney?: boolean;
	/** In the order of the form: required fields first, then the others alphabetically. */
	readonly fields: Fields;
	/** Options in addition to the common ones. */
	readonly options?: Options;
	/** Checks that involve several fields, e.g. whether the role suits the identifier. */
	check?(input: InputOf<Fields>): UserError | undefined;
}

/** Defines an operation once: its form, validation, requests and output all come from here. */
export function defineOperation<
	Fields extends FieldSet,
	Options extends FieldSet = Record<never, Field<never>>,
>(
	definition: Definition<Fields, Options> &
		(Read<InputOf<Fields>, InputOf<Options>> | Write<InputOf<Fields>, InputOf<Options>>),
): Operation {
	type Item = ReadItem<InputOf<Fields>, InputOf<Options>>;
	const { effect, fields, options: ownOptions, check } = definition;

	const readItem = (item: InputItem): Item => {
		const settings = readSettings(effect, item);
		const input = readFields(fields, item);
		const refusal = check?.(input);
		if (refusal !== undefined) throw refusal;
		const options = readOptions(ownOptions, item);
		return { items: [item.index], json: item.json, input, options, settings };
	};

	const jobFor = async ({ items, input, options, settings }: Item, context: RunContext) => {
		const own = context.with(items, settings);
		if (definition.effect === 'read') {
			return { items, writes: [], send: async () => await definition.run(input, own, options) };
		}
		const writes = (await definition.writes?.(input, own, options)) ?? [];
		return { items, writes, send: async () => await sendInOrder(writes) };
	};

	const isRunCheck = (item: InputItem | undefined): boolean => {
		if (definition.effect === 'read' || item === undefined) return false;
		try {
			return definition.isRunCheck?.(item) ?? false;
		} catch {
			/* An option that can't be read has refused every item. */
			return false;
		}
	};

	const readItems = (items: readonly InputItem[]): Form => {
		const inputs: Item[] = [];
		const refusals: FailedItems[] = [];
		for (const item of items) {
			try {
				inputs.push(readItem(item));
			} catch (error) {
				refusals.push({ items: [item.index], error });
			}
		}
		return {
			refusals,
			settings: inputs[0]?.settings ?? DEFAULT_SETTINGS,
			isRunCheck: isRunCheck(items[0]),
			check: async (context) => {
				if (definition.effect === 'write' && definition.checkAll !== undefined) {
					return await definition.checkAll(inputs, context, refusals);
				}
				const checked = await collect(inputs, async (item) => await jobFor(item, context));
				return { jobs: checked.results, refusals: checked.refusals };
			},
		};
	};

	return {
		...definition,
		permission: definition.permission ?? 'none',
		asTool: definition.asTool ?? (effect === 'read' ? 'free' : 'withPermission'),
		movesMoney: definition.movesMoney ?? false,
		options: { ...COMMON_OPTIONS[effect], ...ownOptions },
		read: readItems,
	};
}

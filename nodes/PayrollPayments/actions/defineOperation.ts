import type { z } from 'zod';

import type { NeededPermission } from '../api/permissions';
import type { Refusal } from '../shared/errors';
import { COMMON_OPTIONS, readOptions, sendingOptions, type Effect } from './commonOptions';
import {
	readFields,
	type Field,
	type FieldSet,
	type InputItem,
	type InputOf,
} from './fields/field';
import { planEach, type Job, type OutputRecord, type Plan } from './plan';
import { perform, type PlannedWrite } from './plannedWrite';
import type { ReadingService } from './service';

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

/** An operation as the form and the item loop (run.ts) see it. */
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
	readonly permission?: NeededPermission;
	/** Whether an AI agent may run it: freely, only with *Allow Writes by AI*, or never. */
	readonly asTool: 'free' | 'withPermission' | 'never';
	/** A notice at the top of the form. */
	readonly notice?: string;
	readonly fields: FieldSet;
	readonly options: FieldSet;
	/** The items it puts out, each alternative on its own; without failed items and *Check Only*. */
	readonly output: OperationOutput;
	/** Checks every item before anything is sent. */
	plan(items: readonly InputItem[]): Plan;
}

interface Read<Input, Options> {
	readonly effect: 'read';
	readonly permission?: undefined;
	run(input: Input, service: ReadingService, options: Options): Promise<readonly OutputRecord[]>;
}

/** A write must name the permission that it needs. */
interface Write<Input, Options> {
	readonly effect: 'write';
	readonly permission: NeededPermission;
	/** Plans the requests, in the order in which they are sent. The runner sends or shows them. */
	writes(input: Input, service: ReadingService, options: Options): Promise<readonly PlannedWrite[]>;
}

interface Definition<Fields extends FieldSet, Options extends FieldSet>
	extends Omit<Operation, 'asTool' | 'effect' | 'fields' | 'options' | 'permission' | 'plan'> {
	/** By default, reads are free and writes need permission. */
	readonly asTool?: Operation['asTool'];
	/** In the order of the form: required fields first, then the others alphabetically. */
	readonly fields: Fields;
	/** Options in addition to the common ones. */
	readonly options?: Options;
	/** Checks that involve several fields, e.g. whether the role suits the identifier. */
	check?(input: InputOf<Fields>): Refusal | undefined;
	/** Replaces the default plan of one job per item. */
	plan?(items: readonly InputItem[], planOne: (item: InputItem) => Job): Plan;
}

/** Defines an operation once: its form, validation, requests and output all come from here. */
export function defineOperation<
	Fields extends FieldSet,
	Options extends FieldSet = Record<never, Field<never>>,
>(
	definition: Definition<Fields, Options> &
		(Read<InputOf<Fields>, InputOf<Options>> | Write<InputOf<Fields>, InputOf<Options>>),
): Operation {
	const { effect, fields, options: ownOptions, check, plan } = definition;
	const planOne = (item: InputItem): Job => {
		const input = readFields(fields, item);
		const refusal = check?.(input);
		if (refusal !== undefined) throw refusal;
		const options = readOptions(ownOptions, item);
		return {
			items: [item.index],
			sending: sendingOptions(effect, item),
			run: async (service) =>
				definition.effect === 'read'
					? await definition.run(input, service, options)
					: await perform(await definition.writes(input, service, options), service),
		};
	};
	return {
		...definition,
		asTool: definition.asTool ?? (effect === 'read' ? 'free' : 'withPermission'),
		options: { ...COMMON_OPTIONS[effect], ...ownOptions },
		plan: (items) => plan?.(items, planOne) ?? planEach(items, planOne),
	};
}

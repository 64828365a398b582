import type { IDataObject } from 'n8n-workflow';

import type { NeededPermission } from '../api/permissions';
import type { JsonValue } from '../shared/json';
import type { Refusal } from '../shared/errors';
import { optional, readFields, type Field, type FieldSet, type InputOf } from './fields/field';
import { wholeNumber } from './fields/kinds';
import { DEFAULT_TIMEOUT } from '../api/n8nHttp';
import type { Service } from './service';

export type ResourceName =
	| 'administratorInvite'
	| 'authentication'
	| 'balance'
	| 'invite'
	| 'nameReview'
	| 'payment'
	| 'teamUser'
	| 'webhook';

/** One record that an operation puts out, with the service's field names. */
export type OutputRecord = Readonly<Record<string, JsonValue>>;

/** One input item as an operation sees it. */
export interface InputItem {
	readonly index: number;
	readonly json: IDataObject;
	/** The value of a parameter, expressions resolved for this item. */
	read(name: string): unknown;
	/** The value of a parameter as it stands in the saved workflow, an expression as its text. */
	readSaved(name: string): unknown;
}

/** How a request is sent: options that every operation has. */
export interface SendingOptions {
	/** Milliseconds until a request is given up. */
	readonly timeout: number;
	/** How often a read is repeated after a passing fault. */
	readonly retries: number;
	/** How many jobs may be in flight at once: as set, else 5 for reads and 1 for writes. */
	readonly concurrency: number;
}

/** One unit of work: usually one item, or all rows that share one request. */
export interface Job {
	readonly items: readonly number[];
	readonly sending: SendingOptions;
	run(service: Service): Promise<readonly OutputRecord[]>;
}

/** What is to be done for all items, and which of them were refused before anything was sent. */
export interface Plan {
	readonly jobs: readonly Job[];
	readonly refusals: ReadonlyArray<{ readonly item: number; readonly error: unknown }>;
}

/** An operation as the menu, the forms and the item loop see it. */
export interface Operation {
	readonly resource: ResourceName;
	readonly operation: string;
	/** The name in the operation's menu, e.g. "Get Many". */
	readonly name: string;
	/** What the node does, for the list of actions, e.g. "Get many team users". */
	readonly action: string;
	readonly description: string;
	/** The sections of docs/api.md that it implements. */
	readonly section: string;
	/** Whether it changes anything at the service. Only reads are ever retried. */
	readonly effect: 'read' | 'write';
	/** What the credentials must allow; every write names it. */
	readonly permission?: NeededPermission;
	/** Whether an AI agent may use it: freely, only with a person's permission, or never. */
	readonly asTool: 'free' | 'withPermission' | 'never';
	/** What a person should know before the form is filled in. */
	readonly notice?: string;
	readonly fields: FieldSet;
	readonly options: FieldSet;
	/** Checks every item before anything is sent. */
	plan(items: readonly InputItem[]): Plan;
}

const READ_CONCURRENCY = 5;
const WRITE_CONCURRENCY = 1;
const DEFAULT_RETRIES = 3;

const concurrency = (preset: number) =>
	optional(
		wholeNumber(
			{
				label: 'Concurrency',
				description: 'How many input items are in flight at once, 1 to 50',
			},
			{ least: 1, most: 50, preset },
		),
	);

const timeout = optional(
	wholeNumber(
		{
			label: 'Timeout (Milliseconds)',
			description:
				'How long to wait for an answer before a request is given up; 30000 is half a minute',
		},
		{ least: 1, most: 3_600_000, preset: DEFAULT_TIMEOUT },
	),
);

const retries = optional(
	wholeNumber(
		{
			label: 'Retries',
			description:
				'How often a request is repeated after HTTP 429, 502, 503, 504 or a failed connection',
		},
		{ least: 0, most: 10, preset: DEFAULT_RETRIES },
	),
);

/** The options that every operation has; a write has no retries. */
const SENDING_FIELDS = {
	read: { concurrency: concurrency(READ_CONCURRENCY), timeout, retries },
	write: { concurrency: concurrency(WRITE_CONCURRENCY), timeout },
};

function membersOf(collection: unknown): Map<string, unknown> {
	return new Map(
		typeof collection === 'object' && collection !== null ? Object.entries(collection) : [],
	);
}

/** The operation's own options under their names in the collection `options`. */
export function readOptions<Options extends FieldSet>(
	options: Options | undefined,
	item: InputItem,
): InputOf<Options>;
export function readOptions(
	options: FieldSet | undefined,
	item: InputItem,
): Record<string, unknown> {
	const collection = membersOf(item.read('options'));
	const saved = membersOf(item.readSaved('options'));
	return readFields(
		options ?? {},
		(name) => collection.get(name),
		(name) => saved.get(name),
	);
}

/** How the requests of one item are sent. */
export function sendingOptions(effect: Operation['effect'], item: InputItem): SendingOptions {
	const given = readOptions(SENDING_FIELDS.read, item);
	return {
		timeout: given.timeout ?? DEFAULT_TIMEOUT,
		retries: effect === 'read' ? (given.retries ?? DEFAULT_RETRIES) : 0,
		concurrency: given.concurrency ?? (effect === 'read' ? READ_CONCURRENCY : WRITE_CONCURRENCY),
	};
}

/** One job an item; an item that is refused becomes a refusal, and the others stay. */
export function planEach(items: readonly InputItem[], jobFor: (item: InputItem) => Job): Plan {
	const jobs: Job[] = [];
	const refusals: Array<{ item: number; error: unknown }> = [];
	for (const item of items) {
		try {
			jobs.push(jobFor(item));
		} catch (error) {
			refusals.push({ item: item.index, error });
		}
	}
	return { jobs, refusals };
}

/** A write can't be defined without saying which permission it needs. */
type Effect =
	| { readonly effect: 'read'; readonly permission?: undefined }
	| { readonly effect: 'write'; readonly permission: NeededPermission };

interface Definition<Fields extends FieldSet, Options extends FieldSet>
	extends Omit<Operation, 'asTool' | 'effect' | 'fields' | 'options' | 'permission' | 'plan'> {
	readonly asTool?: Operation['asTool'];
	/** In the order of the form: what is required first, the rest alphabetically. */
	readonly fields: Fields;
	/** Options beside those that every operation has. */
	readonly options?: Options;
	/** What no single field can see, e.g. that a role suits an identifier. */
	check?(input: InputOf<Fields>): Refusal | undefined;
	run(
		input: InputOf<Fields>,
		service: Service,
		options: InputOf<Options>,
	): Promise<readonly OutputRecord[]>;
	/** Where items are not independent of each other: replaces the plan of one job an item. */
	plan?(items: readonly InputItem[], planOne: (item: InputItem) => Job): Plan;
}

/**
 * An operation, defined once: its form, its validation, its request, its output and its
 * documentation all come from here.
 */
export function defineOperation<
	Fields extends FieldSet,
	Options extends FieldSet = Record<never, Field<never>>,
>(definition: Definition<Fields, Options> & Effect): Operation {
	const { effect, fields, check, run, plan } = definition;
	const ownOptions = definition.options;
	const planOne = (item: InputItem): Job => {
		const input = readFields(fields, item.read, item.readSaved);
		const refusal = check?.(input);
		if (refusal !== undefined) throw refusal;
		const options = readOptions(ownOptions, item);
		return {
			items: [item.index],
			sending: sendingOptions(effect, item),
			run: async (service) => await run(input, service, options),
		};
	};
	return {
		...definition,
		asTool: definition.asTool ?? (effect === 'read' ? 'free' : 'withPermission'),
		options: { ...SENDING_FIELDS[effect], ...ownOptions },
		plan: (items) => plan?.(items, planOne) ?? planEach(items, planOne),
	};
}

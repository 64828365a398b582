import { DEFAULT_TIMEOUT } from '../api/n8nHttp';
import {
	literal,
	optional,
	readFields,
	typedByPerson,
	type FieldSet,
	type InputOf,
	type ParameterSource,
} from './fields/field';
import { flag, wholeNumber } from './fields/kinds';

/** Whether an operation changes anything at the service. Only reads are retried. */
export type Effect = 'read' | 'write';

/** How requests are sent, from the options that all operations share. */
export interface SendingOptions {
	/** Milliseconds to wait for an answer. */
	readonly timeout: number;
	/** How often a read is repeated after a temporary failure. */
	readonly retries: number;
	/** How many jobs may run at the same time. */
	readonly concurrency: number;
	/** Whether writes are checked and shown instead of sent. */
	readonly checkOnly: boolean;
}

const DEFAULT_CONCURRENCY = { read: 5, write: 1 };
const DEFAULT_RETRIES = 3;

const concurrency = (preset: number) =>
	optional(
		wholeNumber(
			{
				label: 'Concurrency',
				description: 'How many items to process at the same time, from 1 to 50',
			},
			{ least: 1, most: 50, preset },
		),
	);

const timeout = optional(
	wholeNumber(
		{
			label: 'Timeout (Milliseconds)',
			description: 'How long to wait for an answer, e.g. 30000 for 30 seconds',
		},
		{ least: 1, most: 3_600_000, preset: DEFAULT_TIMEOUT },
	),
);

const retries = optional(
	wholeNumber(
		{
			label: 'Retries',
			description: 'How often to retry after HTTP 429, 502, 503, 504 or a failed connection',
		},
		{ least: 0, most: 10, preset: DEFAULT_RETRIES },
	),
);

const checkOnly = literal(
	flag({
		label: 'Check Only',
		description:
			'Whether to check everything and output the requests for review, without signing or sending them',
	}),
);

/** The options of every operation. Writes are never retried. */
export const COMMON_OPTIONS = {
	read: { concurrency: concurrency(DEFAULT_CONCURRENCY.read), timeout, retries },
	write: { checkOnly, concurrency: concurrency(DEFAULT_CONCURRENCY.write), timeout },
};

function membersOf(collection: unknown): Map<string, unknown> {
	return new Map(
		typeof collection === 'object' && collection !== null ? Object.entries(collection) : [],
	);
}

/** The values of an operation's own options, which n8n keeps in the collection `options`. */
export function readOptions<Options extends FieldSet>(
	options: Options | undefined,
	item: ParameterSource,
): InputOf<Options>;
export function readOptions(
	options: FieldSet | undefined,
	item: ParameterSource,
): Record<string, unknown> {
	const given = membersOf(item.read('options'));
	const saved = membersOf(item.readSaved('options'));
	return readFields(options ?? {}, {
		read: (name) => given.get(name),
		readSaved: (name) => saved.get(name),
	});
}

/** Whether a person turned on *Check Only*, given the collection `options` as saved. */
export function isCheckOnly(savedOptions: unknown): boolean {
	const saved = typedByPerson(membersOf(savedOptions).get('checkOnly'));
	return checkOnly.schema.safeParse(saved).data === true;
}

/** How the requests for one item are sent. */
export function sendingOptions(effect: Effect, item: ParameterSource): SendingOptions {
	const given = readOptions(COMMON_OPTIONS.read, item);
	return {
		timeout: given.timeout ?? DEFAULT_TIMEOUT,
		retries: effect === 'read' ? (given.retries ?? DEFAULT_RETRIES) : 0,
		concurrency: given.concurrency ?? DEFAULT_CONCURRENCY[effect],
		checkOnly: effect === 'write' && readOptions({ checkOnly }, item).checkOnly,
	};
}

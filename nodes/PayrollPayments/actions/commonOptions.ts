import { z } from 'zod';

import { DEFAULT_RETRIES, type Patience } from '../api/client';
import { DEFAULT_TIMEOUT } from '../api/n8nHttp';
import {
	filledWhereSet,
	optional,
	readFields,
	valueWithoutExpression,
	withoutExpressions,
	type FieldSet,
	type InputOf,
	type ParameterSource,
} from '../forms/field';
import { filledText, flag, text, wholeNumber } from '../forms/fieldTypes';
import type { InputItem } from '../forms/field';
import { UserError } from '../shared/errors';
import { isRecord } from '../shared/json';

/** Whether an operation changes anything at the service. Only reads are retried. */
export type Effect = 'read' | 'write';

/** The options that all operations share. */
export interface Settings extends Patience {
	/** How many jobs may run at the same time. */
	readonly concurrency: number;
	/** Whether writes are checked and shown instead of sent. */
	readonly isCheckOnly: boolean;
}

const DEFAULT_CONCURRENCY = { read: 5, write: 1 };

/** Where no item could be read. */
export const DEFAULT_SETTINGS: Settings = {
	timeout: DEFAULT_TIMEOUT,
	retries: DEFAULT_RETRIES,
	concurrency: 1,
	isCheckOnly: false,
};

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

const checkOnly = withoutExpressions(
	flag({
		label: 'Check Only',
		description:
			'Whether to check everything and output the requests for review, without signing or sending them',
	}),
);

const approvedCheck = filledWhereSet(
	text(
		{
			label: 'Approved Check',
			description:
				'Approval from the output of Check Only. The node sends exactly what was checked, or nothing.',
			example: '7F3A-91C2-0D4E-8B6G',
		},
		filledText.pipe(
			z
				.string()
				.transform((value) => value.trim())
				.refine((value) => /^[0-9A-Za-z][\s0-9A-Za-z-]{14,30}$/.test(value), {
					message: "isn't an approval, e.g. 7F3A-91C2-0D4E-8B6G",
				}),
		),
	),
);

/** The options of every operation. Writes are never retried. */
export const COMMON_OPTIONS = {
	read: { concurrency: concurrency(DEFAULT_CONCURRENCY.read), timeout, retries },
	write: {
		approvedCheck,
		checkOnly,
		concurrency: concurrency(DEFAULT_CONCURRENCY.write),
		timeout,
	},
};

/** @throws {UserError} if the options were not saved as n8n's form saves them */
function membersOf(collection: unknown): Map<string, unknown> {
	if (collection === undefined || collection === null) return new Map();
	if (isRecord(collection)) return new Map(Object.entries(collection));
	throw new UserError("Options can't be an expression or a text", {
		field: 'options',
		hint: 'Select Options again in the node, and use expressions only inside single options. Nothing was signed or sent.',
	});
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
	const saved = membersOf(item.readSaved('options'));
	const given = membersOf(item.read('options'));
	return readFields(options ?? {}, {
		read: (name) => given.get(name),
		readSaved: (name) => saved.get(name),
	});
}

/**
 * Whether a person turned on *Check Only*, given the collection `options` as saved.
 * @throws {UserError} if it is an expression
 */
export function isCheckOnly(savedOptions: unknown): boolean {
	const saved = membersOf(savedOptions).get('checkOnly');
	return valueWithoutExpression('checkOnly', checkOnly, saved) === true;
}

/** The options that all operations share, for one item. */
export function readSettings(effect: Effect, item: ParameterSource): Settings {
	if (effect === 'read') {
		const { retries: most = DEFAULT_RETRIES, ...given } = readOptions(COMMON_OPTIONS.read, item);
		return {
			timeout: given.timeout ?? DEFAULT_TIMEOUT,
			retries: most,
			concurrency: given.concurrency ?? DEFAULT_CONCURRENCY.read,
			isCheckOnly: false,
		};
	}
	const given = readOptions(COMMON_OPTIONS.write, item);
	return {
		timeout: given.timeout ?? DEFAULT_TIMEOUT,
		/* Of the reads that its checks make; what it sends is never repeated. */
		retries: DEFAULT_RETRIES,
		concurrency: given.concurrency ?? DEFAULT_CONCURRENCY.write,
		isCheckOnly: given.checkOnly,
	};
}

/** The checks that a person approved, by item, as they were entered. */
export function approvedChecks(items: readonly InputItem[]): ReadonlyMap<number, string> {
	const approved = new Map<number, string>();
	for (const item of items) {
		const value = readOptions({ approvedCheck }, item).approvedCheck;
		if (value !== undefined) approved.set(item.index, value);
	}
	return approved;
}

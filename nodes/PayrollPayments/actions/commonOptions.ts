import { DEFAULT_RETRIES, TRANSIENT_STATUSES, type Patience } from '../api/client';
import { DEFAULT_TIMEOUT } from '../api/n8nHttp';
import {
	filledWhereSet,
	optional,
	withoutExpressions,
	type Field,
	type ParameterSource,
} from '../forms/field';
import { filledText, flag, text, wholeNumber } from '../forms/fieldTypes';
import { UserError } from '../shared/errors';
import { isRecord } from '../shared/json';

/** The options that all operations share. */
export interface Settings extends Patience {
	/** How many jobs may run at the same time. */
	readonly concurrency: number;
	/** Whether writes are checked and shown instead of sent. */
	readonly checkOnly: boolean;
	/** Whether that gives one item for the whole run, refused items included. */
	readonly isRunCheck: boolean;
	/** The check that a person approved. */
	readonly approvedCheck?: string;
}

/** What no option says: of a write, `retries` is for the reads of its checks. */
export const DEFAULT_SETTINGS: Settings = {
	timeout: DEFAULT_TIMEOUT,
	retries: DEFAULT_RETRIES,
	concurrency: 1,
	checkOnly: false,
	isRunCheck: false,
};

/** An option that is a preset where it was left out. */
export function orElse<Value>(field: Field<Value>, preset: NoInfer<Value>): Field<Value> {
	const { schema, ...rest } = optional(field);
	return { ...rest, schema: schema.transform((value) => value ?? preset) };
}

function numberOption(
	label: string,
	description: string,
	limits: { readonly least: number; readonly most: number; readonly preset: number },
): Field<number> {
	return orElse(wholeNumber({ label, description }, limits), limits.preset);
}

const concurrency = (preset: number) =>
	numberOption('Concurrency', 'How many items to process at the same time, from 1 to 50', {
		least: 1,
		most: 50,
		preset,
	});

const timeout = numberOption(
	'Timeout (Milliseconds)',
	'How long to wait for an answer, e.g. 30000 for 30 seconds',
	{ least: 1, most: 3_600_000, preset: DEFAULT_TIMEOUT },
);

/** The options of every operation. Writes are never retried. */
export const COMMON_OPTIONS = {
	read: {
		concurrency: concurrency(5),
		timeout,
		retries: numberOption(
			'Retries',
			`How often to retry after HTTP ${TRANSIENT_STATUSES.join(', ')} or a failed connection`,
			{ least: 0, most: 10, preset: DEFAULT_RETRIES },
		),
	},
	write: {
		approvedCheck: filledWhereSet(
			text(
				{
					label: 'Approved Check',
					description:
						'Approval from the output of Check Only. The node sends exactly what was checked, or nothing.',
					example: '7F3A-91C2-0D4E-8B6G',
				},
				filledText
					.transform((value) => value.trim())
					.refine((value) => /^[0-9A-Za-z][\s0-9A-Za-z-]{14,30}$/.test(value), {
						message: "isn't an approval, e.g. 7F3A-91C2-0D4E-8B6G",
					}),
			),
		),
		checkOnly: withoutExpressions(
			flag({
				label: 'Check Only',
				description:
					'Whether to check everything and output the requests for review, without signing or sending them',
			}),
		),
		concurrency: concurrency(DEFAULT_SETTINGS.concurrency),
		timeout,
	},
};

/**
 * The options of an item, which n8n keeps in the collection `options`.
 * @throws {UserError} if they were not saved as n8n's form saves them
 */
export function optionsOf(item: ParameterSource): ParameterSource {
	const membersOf = (collection: unknown) => {
		if (isRecord(collection)) return new Map(Object.entries(collection));
		throw new UserError("Options can't be an expression or a text", {
			field: 'options',
			hint: 'Select Options again in the node, and use expressions only inside single options. Nothing was signed or sent.',
		});
	};
	const saved = membersOf(item.readSaved('options') ?? {});
	const given = membersOf(item.read('options') ?? {});
	return { read: (name) => given.get(name), readSaved: (name) => saved.get(name) };
}

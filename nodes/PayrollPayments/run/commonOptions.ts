import { DEFAULT_RETRIES, TRANSIENT_STATUSES } from '../api/retries';
import { DEFAULT_TIMEOUT } from '../api/n8nHttp';
import { collectionMembers, type ParameterSource } from '../forms/field';
import { filledText, flag, text, wholeNumber } from '../forms/fieldTypes';
import { asTyped } from '../shared/text';

/** The members of *Options* that were added to the node. */
export function optionsOf(item: ParameterSource): ParameterSource {
	return collectionMembers(
		'options',
		'Options',
		item,
		'Select Options again in the node, and use expressions only inside single options.',
	);
}

/** An option of the run as a whole, which takes no expressions: they could differ from item to item. */
const OF_RUN = { empty: 'preset', expressions: 'never' } as const;

function concurrency(preset: number) {
	const description = 'How many items to process at the same time, from 1 to 50';
	return wholeNumber(
		{ label: 'Concurrency', description, ...OF_RUN },
		{ least: 1, most: 50, preset },
	);
}

const timeout = wholeNumber(
	{
		label: 'Timeout (Milliseconds)',
		description: 'How long to wait for an answer, e.g. 30000 for 30 seconds',
		...OF_RUN,
	},
	{ least: 1, most: 3_600_000, preset: DEFAULT_TIMEOUT },
);

const retries = wholeNumber(
	{
		label: 'Retries',
		description: `How often to retry after HTTP ${TRANSIENT_STATUSES.join(', ')} or a failed connection`,
		...OF_RUN,
	},
	{ least: 0, most: 10, preset: DEFAULT_RETRIES },
);

/** The options of every operation that hold for the run as a whole. Writes are never retried. */
export const RUN_OPTIONS = {
	read: { concurrency: concurrency(5), timeout, retries },
	write: {
		checkOnly: flag(
			{
				label: 'Check Only',
				description:
					'Whether to check everything and output the requests for review, without signing or sending them',
				empty: 'refuse',
				expressions: 'never',
			},
			true,
		),
		concurrency: concurrency(1),
		timeout,
	},
};

/** The options of every change that each item may set differently. */
export const ITEM_OPTIONS = {
	approvedCheck: text(
		{
			label: 'Approved Check',
			description:
				'Approval, or fingerprint, from the output of Check Only. The node sends exactly what was checked, or nothing. n8n goes on after a no, too: put an If node behind the question.',
			example: '7F3A-91C2-0D4E-8B6G',
			empty: 'refuse',
			ifNothing:
				'The check may have failed, or the expression names another node. Look at the check’s output.',
		},
		filledText
			.transform(asTyped)
			.refine((value) => /^[0-9A-Za-z][\s0-9A-Za-z-]{14,30}$/.test(value), {
				message: 'isn’t an approval, e.g. 7F3A-91C2-0D4E-8B6G',
			}),
	),
};

/** How the run as a whole goes. */
export interface Settings {
	readonly concurrency: number;
	readonly checkOnly?: boolean;
	/** For operations that can put out one check for the whole run. */
	readonly checkOutput?: 'item' | 'run';
	readonly timeout?: number;
	readonly retries?: number;
}

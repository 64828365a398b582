import { DEFAULT_RETRIES, TRANSIENT_STATUSES } from '../api/client';
import { DEFAULT_TIMEOUT } from '../api/n8nHttp';
import type { InputOf } from '../forms/field';
import { filledText, flag, text, wholeNumber } from '../forms/fieldTypes';
import { asTyped } from '../shared/text';

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

/** The options of every operation. Writes are never retried. */
export const COMMON_OPTIONS = {
	read: {
		concurrency: concurrency(5),
		timeout,
		retries: wholeNumber(
			{
				label: 'Retries',
				description: `How often to retry after HTTP ${TRANSIENT_STATUSES.join(', ')} or a failed connection`,
				...OF_RUN,
			},
			{ least: 0, most: 10, preset: DEFAULT_RETRIES },
		),
	},
	write: {
		approvedCheck: text(
			{
				label: 'Approved Check',
				description:
					'Approval from the output of Check Only. The node sends exactly what was checked, or nothing.',
				example: '7F3A-91C2-0D4E-8B6G',
				empty: 'refuse',
			},
			filledText
				.transform(asTyped)
				.refine((value) => /^[0-9A-Za-z][\s0-9A-Za-z-]{14,30}$/.test(value), {
					message: 'isn’t an approval, e.g. 7F3A-91C2-0D4E-8B6G',
				}),
		),
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

type Options = typeof COMMON_OPTIONS;

export type Settings = Partial<InputOf<Options['read'] & Options['write']>> & {
	readonly concurrency: number;
	/** Whether *Check Only* gives one item for the whole run, refused items included. */
	readonly isRunCheck?: boolean;
};

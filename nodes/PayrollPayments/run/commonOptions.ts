import { DEFAULT_RETRIES, TRANSIENT_STATUSES } from '../api/client';
import { DEFAULT_TIMEOUT } from '../api/n8nHttp';
import { filledWhereSet, orPreset, withoutExpressions, type InputOf } from '../forms/field';
import { filledText, flag, text, wholeNumber } from '../forms/fieldTypes';

function concurrency(preset: number) {
	const description = 'How many items to process at the same time, from 1 to 50';
	return orPreset(
		wholeNumber({ label: 'Concurrency', description }, { least: 1, most: 50, preset }),
	);
}

const timeout = orPreset(
	wholeNumber(
		{
			label: 'Timeout (Milliseconds)',
			description: 'How long to wait for an answer, e.g. 30000 for 30 seconds',
		},
		{ least: 1, most: 3_600_000, preset: DEFAULT_TIMEOUT },
	),
);

/** The options of every operation. Writes are never retried. */
export const COMMON_OPTIONS = {
	read: {
		concurrency: concurrency(5),
		timeout,
		retries: orPreset(
			wholeNumber(
				{
					label: 'Retries',
					description: `How often to retry after HTTP ${TRANSIENT_STATUSES.join(', ')} or a failed connection`,
				},
				{ least: 0, most: 10, preset: DEFAULT_RETRIES },
			),
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
						message: 'isn’t an approval, e.g. 7F3A-91C2-0D4E-8B6G',
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

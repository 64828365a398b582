import { outcomeOf } from '../../shared/errors';
import { centsAsDecimal } from '../../shared/money';
import type { Job, RunResult } from '../plan';
import type { RunContext } from '../runContext';

/**
 * Adds what was paid to the execution's own data, so that n8n's list of executions can be searched by
 * invoice; for a run of several, the totals.
 */
export function recordRun(
	run: RunContext,
	jobs: readonly Job[],
	{ sent, failed }: RunResult,
): void {
	const paid = sent.filter(({ isReport }) => isReport !== true);
	const rows = [...sent, ...failed].flatMap(({ items }) => items);
	if (rows.length === 1) {
		const { reference } = jobs[0]?.writes[0] ?? {};
		const transaction = paid[0]?.records[0]?.transaction;
		const failure = failed[0]?.error;
		run.annotate({
			...(reference === undefined ? {} : { payment_reference: reference }),
			...(typeof transaction === 'string' ? { payment_transaction: transaction } : {}),
			payment_outcome:
				failure === undefined ? (paid.length > 0 ? 'paid' : 'already_paid') : outcomeOf(failure),
		});
		return;
	}
	const count = (outcome: string) =>
		String(
			failed.filter(({ error }) => outcomeOf(error) === outcome).flatMap(({ items }) => items)
				.length,
		);
	run.annotate({
		payments_paid: String(paid.length),
		payments_total: centsAsDecimal(paid.reduce((sum, { cents = 0 }) => sum + BigInt(cents), 0n)),
		payments_refused: count('refused'),
		payments_unknown: count('unknown'),
		payments_not_sent: count('not_sent'),
	});
}

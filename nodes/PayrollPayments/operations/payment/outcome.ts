import { madeNow } from '../../run/output';
import { failedRows, rowsThatAre, type Row } from '../../run/rows';
import type { RunContext } from '../../run/runContext';
import { counted } from '../../shared/lists';
import { centsAsDecimal, centsAsDollars } from '../../shared/money';
import { journalOf } from './journal';
import { isPayment, totalCents } from './paymentRow';

const PAID_AGAIN =
	'Payments without a Payment Reference must be left out of the next run: a new authorization would pay them again.';

/** What became of a run: the payments that it made, and how many of the others. */
function tallyOf(rows: readonly Row[]) {
	const made = madeNow(rows);
	const paid = made.filter(isPayment);
	const count = (...names: Parameters<typeof rowsThatAre>[1][]) =>
		rowsThatAre(rows, ...names).length;
	return {
		made,
		paid,
		cents: totalCents(paid),
		paidBefore: count('done') - made.length,
		refused: count('refused'),
		unknown: count('unknown'),
		notSent: count('notSent', 'read', 'ready'),
		all: rows.length,
	};
}

/** "3 payments totaling $300.00". */
export function paymentsIn(rows: readonly Row[]): string {
	const payments = rowsThatAre(rows, 'ready').filter(isPayment);
	const { length } = payments;
	return `${length} payment${length === 1 ? '' : 's'} totaling ${centsAsDollars(totalCents(payments))}`;
}

/** "19 of 50 paid ($23,400.00), 1 unknown, 30 not sent.", and what to leave out of the next run. */
export function notesOnFailure(rows: readonly Row[]): readonly string[] {
	if (rows.length < 2) return [];
	const { all, paid, cents, paidBefore, refused, unknown, notSent } = tallyOf(rows);
	const rest = counted({ 'paid before': paidBefore, refused, unknown, 'not sent': notSent });
	const tally = [`${paid.length} of ${all} paid (${centsAsDollars(cents)})`, ...rest].join(', ');
	const isPaidAgain = paid.some(({ payment }) => payment.reference === undefined);
	return isPaidAgain ? [`${tally}.`, PAID_AGAIN] : [`${tally}.`];
}

/**
 * Ends the journal of the run, and adds what was paid to the execution's own data, so that n8n's list
 * of executions can be searched by invoice; for a run of several, the totals.
 */
export async function finish(rows: readonly Row[], run: RunContext): Promise<readonly Row[]> {
	await journalOf(run).close();
	const { all, made, paid, cents, refused, unknown, notSent } = tallyOf(rows);
	if (all > 1) {
		run.annotate({
			payments_paid: String(paid.length),
			payments_total: centsAsDecimal(cents),
			payments_refused: String(refused),
			payments_unknown: String(unknown),
			payments_not_sent: String(notSent),
		});
		return rows;
	}
	const [failure] = failedRows(rows);
	const [write] = rows.flatMap(({ writes }) => writes);
	const [record] = made.flatMap(({ state }) => state.records);
	const outcomes = { refused: 'refused', unknown: 'unknown', notSent: 'not_sent' } as const;
	const done = made.length > 0 ? 'paid' : 'already_paid';
	run.annotate({
		payment_reference: write?.reference,
		payment_transaction: record?.transaction,
		payment_outcome: failure === undefined ? done : outcomes[failure.state.is],
	});
	return rows;
}

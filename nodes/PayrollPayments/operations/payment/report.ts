import { balanceCall } from '../../api/balance';
import type { Known } from '../../idempotency/journal';
import type { PaymentAnswer } from '../../idempotency/paymentJournal';
import type { Payment } from '../../idempotency/paymentKeys';
import { messageOf, outcomeOf } from '../../shared/errors';
import { emailKey } from '../../shared/formats';
import { centsAsDecimal, centsAsDollars, wholeCents } from '../../shared/money';
import { approvalOf } from '../../run/approval';
import type { OutputRecord, WritePlan } from '../../run/write';
import { counted, totalsOf } from '../../run/output';
import type { FailedItems, Job, RunResult } from '../../run/plan';
import type { RunContext } from '../../run/runContext';

/** A payment that passed every check but the ledger's, and what the ledger knows of it. */
interface PaymentRow {
	readonly items: readonly [number];
	readonly payment: Payment;
	readonly write: WritePlan & { readonly columns: OutputRecord };
	readonly state: Known<PaymentAnswer>;
	/** Whether the signed amount was compared with the form's. */
	readonly isCompared: boolean;
}

/** The balance of the paying team in US cents; undefined if it can't be read, or there are several teams. */
async function balanceOf(
	run: RunContext,
	rows: readonly PaymentRow[],
): Promise<bigint | undefined> {
	const [nanoid, ...others] = new Set(rows.map(({ payment }) => payment.teamId));
	if (nanoid === undefined || others.length > 0) return undefined;
	const answer = await run.send(balanceCall(nanoid)).catch(() => undefined);
	const dollars = answer?.balances.filter(({ currency }) => currency === 'USD');
	return dollars?.map(({ balance_cents: cents }) => wholeCents(cents))[0];
}

/** The rows with the same recipient and amount, by their numbers. */
function duplicatesIn(rows: readonly PaymentRow[]): number[][] {
	const groups = new Map<string, number[]>();
	for (const { items, payment } of rows) {
		const key = `${payment.cents} ${emailKey(payment.recipient)}`;
		groups.set(key, [...(groups.get(key) ?? []), items[0] + 1]);
	}
	return [...groups.values()].filter((group) => group.length > 1);
}

/**
 * The check of the whole run, as one item.
 * @param total cents of all rows whose form could be read, refused ones included
 */
export async function reportRun(
	run: RunContext,
	rows: readonly PaymentRow[],
	refusals: readonly FailedItems[],
	total: bigint,
): Promise<OutputRecord> {
	const rowsThatAre = (status: Known<PaymentAnswer>['is']) =>
		rows.filter(({ state }) => state.is === status);
	const listed = (status: 'done' | 'refused' | 'unknown') =>
		rowsThatAre(status).map(({ items, payment, state }) => ({
			row: items[0] + 1,
			summary: payment.summary,
			...(state.is === 'unknown' ? { attempt_code: state.code } : {}),
			...('error' in state && state.is !== 'done' ? { error: state.error.message } : {}),
		}));
	const unreadable = refusals.flatMap(({ items, error }) =>
		items.map((item) => ({ row: item + 1, summary: messageOf(error), error: messageOf(error) })),
	);
	const refused = [...unreadable, ...listed('refused')].sort((a, b) => a.row - b.row);
	const [already_paid, unknown] = [listed('done'), listed('unknown')];
	const sendable = rowsThatAre('sendable');
	const toSend = sendable.reduce((sum, { payment }) => sum + BigInt(payment.cents), 0n);
	const balance = await balanceOf(run, rows);
	const duplicates = duplicatesIn(rows);
	const count = rows.length + unreadable.length;
	const writes = rows.map(({ write }) => write);
	const notes = counted({
		'already paid': already_paid.length,
		'not known': unknown.length,
		refused: refused.length,
		'with the same recipient and amount as another': duplicates.flat().length,
		'whose authorization wasn’t compared with the amount': rows.filter((row) => !row.isCompared)
			.length,
	});
	const summary = `Pay ${sendable.length} of ${count} rows, ${centsAsDollars(toSend)} of ${centsAsDollars(total)}`;
	return {
		check: refused.length > 0 ? 'failed' : 'passed',
		summary: notes.length === 0 ? summary : `${summary}; ${notes.join(', ')}`,
		approval: refused.length > 0 ? null : approvalOf(run.approvable, writes),
		count,
		total: centsAsDecimal(total),
		to_send_count: sendable.length,
		to_send_total: centsAsDecimal(toSend),
		currency: 'USD',
		balance: balance === undefined ? null : centsAsDecimal(balance),
		balance_after: balance === undefined ? null : centsAsDecimal(balance - toSend),
		payments: writes.map(({ columns }) => columns),
		already_paid,
		unknown,
		refused,
		duplicates,
	};
}

/**
 * Adds what was paid to the execution's own data, so that n8n's list of executions can be searched by
 * invoice; for a run of several, the totals.
 */
export function recordRun(run: RunContext, jobs: readonly Job[], result: RunResult): void {
	const { done, cents, refused, unknown, notSent, all } = totalsOf(result);
	if (all > 1) {
		run.annotate({
			payments_paid: String(done.length),
			payments_total: centsAsDecimal(cents),
			payments_refused: String(refused),
			payments_unknown: String(unknown),
			payments_not_sent: String(notSent),
		});
		return;
	}
	const [failure] = result.failed;
	const [reference] = jobs.flatMap(({ writes }) => writes.map((write) => write.reference));
	const [transaction] = done.flatMap(({ records }) => records.map((record) => record.transaction));
	const outcome = done.length > 0 ? 'paid' : 'already_paid';
	run.annotate({
		payment_reference: reference,
		payment_transaction: transaction,
		payment_outcome: failure === undefined ? outcome : outcomeOf(failure.error),
	});
}

import { balanceCall } from '../../api/balanceCall';
import { approvalOf, hostOf } from '../../run/approve';
import { failedRows, firstItem, inOrder, type Row } from '../../run/rows';
import type { RunContext } from '../../run/runContext';
import type { OutputRecord } from '../../run/write';
import { messageOf } from '../../shared/errors';
import { emailKey } from '../../contract/formats';
import { asWord } from '../../shared/redaction';
import { counted } from '../../shared/lists';
import { centsAsDecimal, centsAsDollars, dollarsAsCents, wholeCents } from '../../shared/money';
import { runReport } from './checkReport';
import { isPayment, totalCents, type PaymentRow } from './paymentRow';

/** The balance of the paying team in US cents; undefined if it can't be read, or there are several teams. */
async function balanceOf(
	{ read }: RunContext,
	rows: readonly PaymentRow[],
): Promise<bigint | undefined> {
	const [nanoid, ...others] = new Set(rows.map(({ payment }) => payment.teamId));
	if (nanoid === undefined || others.length > 0) return undefined;
	const answer = await read(balanceCall(nanoid)).catch(() => undefined);
	const dollars = answer?.balances.filter(({ currency }) => currency === 'USD');
	return dollars?.map(({ balance_cents: cents }) => wholeCents(cents))[0];
}

/** The rows with the same recipient and amount. */
function duplicatesIn(rows: readonly PaymentRow[]): PaymentRow[][] {
	const groups = new Map<string, PaymentRow[]>();
	for (const row of rows) {
		const { payment } = row;
		const key = `${payment.cents} ${emailKey(payment.recipient)}`;
		groups.set(key, [...(groups.get(key) ?? []), row]);
	}
	return [...groups.values()].filter((group) => group.length > 1);
}

/** A row that needs attention. */
function listedRow(row: Row): OutputRecord {
	const number = firstItem(row) + 1;
	const [failed] = failedRows([row]);
	if (isPayment(row) && row.known.is === 'done') {
		return { row: number, summary: row.payment.summary };
	}
	const error = failed === undefined ? '' : messageOf(failed.state.error);
	const summary = isPayment(row) ? row.payment.summary : summaryOf(row);
	if (isPayment(row) && row.known.is === 'unknown') {
		return { row: number, summary, attempt_code: row.known.code ?? null, error };
	}
	return { row: number, summary, error };
}

/** Which payment a row is that was refused before it was one, as far as its form tells. */
function summaryOf({ columns = {} }: Row): string {
	const { amount, recipient_email: email, reference } = columns;
	const known = [
		typeof amount === 'string' ? centsAsDollars(centsIn(amount)) : 'a payment',
		typeof email === 'string' && `to ${email}`,
		typeof email !== 'string' &&
			typeof reference === 'string' &&
			`with reference ${asWord(reference)}`,
	];
	return known.filter(Boolean).join(' ');
}

function centsIn(amount: string): bigint {
	return BigInt(dollarsAsCents(amount) ?? 0);
}

/** The check of the whole run, as one item. */
export async function describeRun(rows: readonly Row[], run: RunContext): Promise<OutputRecord> {
	const all = inOrder(rows);
	const payments = all.filter(isPayment);
	const toSend = payments.filter(({ state }) => state.is === 'ready');
	const paid = payments.filter(({ known }) => known.is === 'done');
	const unknown = payments.filter(({ known }) => known.is === 'unknown');
	const other = new Set<Row>([...toSend, ...paid, ...unknown]);
	const refused = all.filter((row) => !other.has(row));
	const total = all.reduce((sum, { columns }) => {
		const amount = columns?.amount;
		return typeof amount === 'string' ? sum + centsIn(amount) : sum;
	}, 0n);
	const toSendTotal = totalCents(toSend);
	const balance = await balanceOf(run, payments);
	const duplicates = duplicatesIn(payments);
	const notes = counted({
		'already paid': paid.length,
		unknown: unknown.length,
		refused: refused.length,
		'with the same recipient and amount as another': duplicates.flat().length,
		'whose authorization wasn’t compared with the amount': payments.filter((row) => !row.isCompared)
			.length,
	});
	const contracts = new Set(
		payments.flatMap(({ columns: { chain, contract } = {} }) =>
			typeof chain === 'string' ? `${chain}, contract ${String(contract)}` : [],
		),
	);
	const on = contracts.size === 0 ? [] : `Signed for ${[...contracts].join(' and ')}`;
	const [firstRefused] = refused.map(listedRow);
	const failed =
		firstRefused === undefined
			? []
			: `Check failed: ${refused.length} of ${all.length} rows refused, first row ${String(firstRefused.row)}: ${String(firstRefused.error)}`;
	const service = hostOf(run.approvable);
	const { length: count } = all;
	const summary = `Pay ${toSend.length} of ${all.length} rows, ${centsAsDollars(toSendTotal)} of ${centsAsDollars(total)}`;
	const writes = payments.flatMap((row) => row.writes);
	return {
		check: refused.length > 0 ? 'failed' : 'passed',
		summary: [
			failed,
			[summary, notes.join(', ')].filter(Boolean).join('; '),
			`Service: ${service}`,
			on,
		]
			.flat()
			.join('. '),
		...runReport({
			...{ count, toSend, toSendTotal, balance, service },
			...{ paid, unknown, refused, duplicates },
		}),
		service,
		approval: refused.length > 0 ? null : approvalOf(run.approvable, writes),
		count,
		total: centsAsDecimal(total),
		to_send_count: toSend.length,
		to_send_total: centsAsDecimal(toSendTotal),
		currency: 'USD',
		balance: balance === undefined ? null : centsAsDecimal(balance),
		balance_after: balance === undefined ? null : centsAsDecimal(balance - toSendTotal),
		payments: payments.map(({ columns = {} }) => columns),
		already_paid: paid.map(listedRow),
		unknown: unknown.map(listedRow),
		refused: refused.map(listedRow),
		duplicates: duplicates.map((group) => group.map(({ items }) => items[0] + 1)),
	};
}

import { balancesCall } from '../../api/balanceCall';
import { isCurrency } from '../../contract/currencies';
import { approvalOf, asRunApproves, serviceHost } from '../../run/approve';
import { failedRows, firstNumber, inOrder, type FailedRow, type Row } from '../../run/rows';
import type { OutputRecord } from '../../run/write';
import { messageOf } from '../../shared/errors';
import { emailKey } from '../../contract/formats';
import { asWord } from '../../shared/redaction';
import { counted, groupsOf } from '../../shared/lists';
import { centsAsDecimal, centsAsDollars, wholeCents } from '../../shared/money';
import { runReport } from './checkReport';
import type { PaymentRun } from './paymentFields';
import {
	centsOf,
	isPayment,
	isSentAgain,
	isToSend,
	sumOf,
	totalCents,
	type PaymentRow,
} from './paymentRow';
import { rowName } from './rowTexts';

/** The balance of the paying team in US cents; undefined if it can't be read, or there are several teams. */
async function balanceOf(
	{ read }: PaymentRun,
	rows: readonly PaymentRow[],
): Promise<bigint | undefined> {
	const [nanoid, ...others] = new Set(rows.map(({ payment }) => payment.teamId));
	if (nanoid === undefined || others.length > 0) return undefined;
	const answer = await read(balancesCall(nanoid)).catch(() => undefined);
	const dollars = answer?.balances.filter(({ currency }) => isCurrency(currency, 'USD'));
	return dollars?.map(({ balance_cents: cents }) => wholeCents(cents))[0];
}

/** The rows with the same recipient and amount. */
function duplicatesIn(rows: readonly PaymentRow[]): PaymentRow[][] {
	const groups = groupsOf(rows, ({ payment }) => `${payment.cents} ${emailKey(payment.recipient)}`);
	return [...groups.values()].filter((group) => group.length > 1);
}

/** The rows of several people whose money goes to one wallet. Where all does, it's the service's way. */
function sharedWalletsIn(rows: readonly PaymentRow[]): PaymentRow[][] {
	const groups = groupsOf(
		rows.filter(({ columns }) => typeof columns.recipient_address === 'string'),
		({ columns }) => String(columns.recipient_address).toLowerCase(),
	);
	if (groups.size === 1) return [];
	return [...groups.values()].filter(
		(group) => new Set(group.map(({ payment }) => emailKey(payment.recipient))).size > 1,
	);
}

/** A row that wasn't paid before, and can't be paid now. */
function listedFailure(row: FailedRow): OutputRecord {
	const error = messageOf(row.state.error);
	if (!isPayment(row)) return { row: numberOf(row), summary: summaryOf(row), error };
	const listed = { row: numberOf(row), summary: row.payment.summary };
	return row.known.is === 'unknown'
		? { ...listed, attempt_code: row.known.code ?? null, error }
		: { ...listed, error };
}

function numberOf(row: Row): number {
	return firstNumber(row) + 1;
}

/** Which payment a row is that was refused before it was one, as far as its form tells. */
function summaryOf({ columns = {} }: Row): string {
	const { amount, recipient_email: email, reference } = columns;
	const known = [
		typeof amount === 'string' ? centsAsDollars(centsOf({ columns })) : 'a payment',
		typeof email === 'string' && `to ${email}`,
		typeof email !== 'string' &&
			typeof reference === 'string' &&
			`with reference ${asWord(reference)}`,
	];
	return known.filter(Boolean).join(' ');
}

/** The rows by what becomes of them, and what they come to. */
function sortedOut(rows: readonly Row[]) {
	const all = inOrder(rows);
	const payments = all.filter(isPayment);
	const toSend = payments.filter(isToSend);
	const paid = payments.filter(({ known }) => known.is === 'done');
	const unknown = payments.filter(({ known }) => known.is === 'unknown');
	const other = new Set<Row>([...toSend, ...paid, ...unknown]);
	/* A row in any other state fails the check. */
	const refused = all.filter((row) => !other.has(row));
	const duplicates = duplicatesIn(payments);
	const total = sumOf(all.map(centsOf));
	const groups = { all, payments, toSend, paid, unknown, refused, duplicates };
	return { ...groups, total, toSendTotal: totalCents(toSend) };
}

/** The check in a few sentences: what failed, what would be paid, and where. */
function sentencesOn(run: ReturnType<typeof sortedOut>, service: string): string {
	const { all, payments, toSend, paid, unknown, refused, duplicates, total, toSendTotal } = run;
	const [first] = failedRows(refused);
	const notes = counted({
		'already paid': paid.length,
		unknown: unknown.length,
		refused: refused.length,
		'sent again': toSend.filter(isSentAgain).length,
		'with the same recipient and amount as another': duplicates.flat().length,
		'whose authorization wasn’t compared with the amount': payments.filter((row) => !row.isCompared)
			.length,
	});
	const contracts = new Set(
		payments.flatMap(({ columns: { chain, contract } }) =>
			typeof chain === 'string' ? `${chain}, contract ${String(contract)}` : [],
		),
	);
	const summary = `Pay ${toSend.length} of ${all.length} rows, ${centsAsDollars(toSendTotal)} of ${centsAsDollars(total)}`;
	return [
		first &&
			`Check failed: ${refused.length} of ${all.length} rows refused, the first is ${rowName(first)}: ${messageOf(first.state.error)}`,
		[summary, notes.join(', ')].filter(Boolean).join('; '),
		`Service: ${service}`,
		contracts.size > 0 && `Signed for ${[...contracts].join(' and ')}`,
	]
		.filter(Boolean)
		.join('. ');
}

/** The check of the whole run, as one item. */
export async function describeRun(rows: readonly Row[], run: PaymentRun): Promise<OutputRecord> {
	const sorted = sortedOut(rows);
	const { payments, toSend, paid, unknown, refused, duplicates, total, toSendTotal } = sorted;
	const { length: count } = sorted.all;
	const balance = await balanceOf(run, toSend.length > 0 ? toSend : payments);
	const service = serviceHost(run.approvable);
	const writes = payments.map(asRunApproves).flatMap((row) => row.writes);
	return {
		check: refused.length > 0 ? 'failed' : 'passed',
		summary: sentencesOn(sorted, service),
		...runReport({
			count,
			toSend,
			toSendTotal,
			balance,
			skips: run.continues || run.settings.ifAlreadyPaid === 'skip',
			service,
			paid,
			unknown,
			refused,
			duplicates,
			sharedWallets: sharedWalletsIn(payments),
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
		payments: payments.map(({ columns }) => columns),
		already_paid: paid.map((row) => ({ row: numberOf(row), summary: row.payment.summary })),
		unknown: failedRows(unknown).map(listedFailure),
		refused: failedRows(refused).map(listedFailure),
		duplicates: duplicates.map((group) => group.map(numberOf)),
	};
}

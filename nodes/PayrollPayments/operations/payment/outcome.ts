import { madeNow, OUTCOMES } from '../../run/output';
import { failedRows, rowsThatAre, type Row, type StateName } from '../../run/rows';
import type { RunContext } from '../../run/runContext';
import { contextOf } from '../../shared/errors';
import { counted, listed, quantity } from '../../shared/lists';
import { centsAsDecimal, centsAsDollars } from '../../shared/money';
import { journalOf } from './journalOfRun';
import { isPayment, isToSend, totalCents } from './paymentRow';
import { inChat } from './report';
import { ASK_ABOUT_SENT, failureTexts, paymentName } from './rowTexts';

/** How many codes or errors a message lists before it only counts the rest. */
const MAX_NAMED = 10;

const PAID_AGAIN =
	'Payments without a Payment Reference must be left out of the next run: a new authorization would pay them again.';

/** What became of a run: the payments that it made, and how many of the others. */
function tallyOf(rows: readonly Row[]) {
	const made = madeNow(rows);
	const paid = made.filter(isPayment);
	const count = (...names: StateName[]) => rowsThatAre(rows, ...names).length;
	return {
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
	const payments = rows.filter(isToSend);
	return `${quantity(payments.length, 'payment')} totaling ${centsAsDollars(totalCents(payments))}`;
}

/** "19 of 50 paid ($23,400.00), 1 unknown, 30 not sent." */
function tallyTextOf(rows: readonly Row[]): string {
	const { all, paid, cents, paidBefore, refused, unknown, notSent } = tallyOf(rows);
	const rest = counted({ 'paid before': paidBefore, refused, unknown, 'not sent': notSent });
	return `${[`${paid.length} of ${all} paid (${centsAsDollars(cents)})`, ...rest].join(', ')}.`;
}

/** What became of the run, and what to leave out of the next one. */
export function notesOnFailure(rows: readonly Row[]): readonly string[] {
	if (rows.length < 2) return [];
	return [tallyTextOf(rows), ...warningsOn(rows)];
}

function warningsOn(rows: readonly Row[]): string[] {
	return tallyOf(rows).paid.some(({ payment }) => payment.reference === undefined)
		? [PAID_AGAIN]
		: [];
}

/** What became of a run of several payments, or of a sheet, as its rows say it. */
export function runColumns(rows: readonly Row[]): Readonly<Record<string, string>> {
	const isSheet = rows.some(({ place }) => place?.row !== undefined);
	if (rows.length < 2 && !isSheet) return {};
	const codes = rowsThatAre(rows, 'unknown').flatMap((row) => {
		const { attemptCode: code } = contextOf(row.state.error);
		const what = isPayment(row) ? `${row.payment.summary}, code` : 'code';
		return code === undefined ? [] : `${paymentName(row)} (${what} ${code})`;
	});
	const isFromBefore = rowsThatAre(rows, 'unknown').some(
		({ state }) => state.when === 'earlierRun',
	);
	const ask =
		codes.length === 0
			? []
			: [
					`Ask the service whether it made ${listed(codes, MAX_NAMED)}, and don’t pay it in another way.`,
					'Name team, recipient, amount and time: it doesn’t know your references or attempt codes.',
					...(isFromBefore ? [ASK_ABOUT_SENT] : []),
				];
	const failures = failureTexts(rowsThatAre(rows, 'refused', 'unknown'), paymentName);
	const paidBefore = rowsThatAre(rows, 'done').filter(({ state }) => state.when === 'earlierRun');
	const said = [
		tallyTextOf(rows),
		...warningsOn(rows),
		...ask,
		...(failures.length > 0 ? [`${listed(failures, MAX_NAMED, '. ')}.`] : []),
		...(paidBefore.length > 0
			? [`Left alone, as paid before: ${listed(paidBefore.map(paymentName), MAX_NAMED)}.`]
			: []),
	];
	return { run_message: inChat(said.join(' ')) };
}

/** Ends the journal of the run, and says in the execution's own data what was paid. */
export async function finish(rows: readonly Row[], run: RunContext): Promise<void> {
	await journalOf(run).close();
	const [totals, outcome] = [totalsOf(rows), paymentAnnotations(rows)];
	run.annotate(
		rows.length > 1 ? { ...unset(outcome), ...totals } : { ...unset(totals), ...outcome },
	);
}

/** The same names without a value: in a loop, a run before may have set them. */
function unset(values: object): Readonly<Record<string, undefined>> {
	return Object.fromEntries(Object.keys(values).map((name) => [name, undefined]));
}

function totalsOf(rows: readonly Row[]) {
	const { paid, cents, refused, unknown, notSent } = tallyOf(rows);
	return {
		payments_paid: String(paid.length),
		payments_total: centsAsDecimal(cents),
		payments_refused: String(refused),
		payments_unknown: String(unknown),
		payments_not_sent: String(notSent),
	};
}

/** The outcome of a single payment; by its reference, n8n's list of executions can be searched. */
function paymentAnnotations(rows: readonly Row[]) {
	const made = madeNow(rows);
	const [failure] = failedRows(rows);
	const [write] = rows.flatMap(({ writes }) => writes);
	const [record] = made.flatMap(({ state }) => state.records);
	const done = made.length > 0 ? 'paid' : 'already_paid';
	return {
		payment_reference: write?.reference,
		payment_transaction: record?.transaction,
		payment_outcome: failure === undefined ? done : OUTCOMES[failure.state.is],
	};
}

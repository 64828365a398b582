import type { Row } from '../../run/rows';
import type { OutputRecord } from '../../run/write';
import { centsAsDollars } from '../../shared/money';
import { listed, quantity } from '../../shared/lists';
import { expiryAsDate, probableTimeIn } from '../../shared/time';
import { centsOf, isSentAgain, type GuardedPayment, type PaymentRow } from './paymentRow';
import { chatMessageOf, htmlOf, type Report } from './report';
import { ASK_ABOUT_SENT, eachFailure, paymentName, referenceOf, textOf } from './rowTexts';

/** What the message and the page of a check begin with. */
export const HEADINGS = {
	pay: (what: string) => `Pay ${what}?`,
	paidBefore: 'Already paid, so not sent again',
	nothingToPay: 'Nothing to pay',
	refused: (refused: number, count: number) =>
		`Can’t be paid: ${refused} of ${quantity(count, 'payment')} refused`,
};

/** A payment in lines: the amount first, then who gets it, and until when. */
function paymentLines(columns: OutputRecord): string[] {
	const { recipient_email: email, recipient_address: address, expires } = columns;
	return [
		centsAsDollars(centsOf({ columns })),
		referenceOf(columns),
		textOf(email),
		textOf(address),
		expiryText(textOf(expires)),
	].filter(Boolean);
}

const hasExpired = (expires: string): boolean => probableTimeIn(expires) < Date.now();

function expiryText(expires: string): string {
	if (expires === '') return '';
	return `${hasExpired(expires) ? 'expired on' : 'valid until'} ${expiryAsDate(expires) ?? expires}`;
}

/** Where the payments come from, and what they go through. */
function routeOf(payments: readonly OutputRecord[], service: string): string[] {
	const named = (label: string, name: string) => {
		const values = [...new Set(payments.map((each) => textOf(each[name])))].filter(Boolean);
		return values.length === 0 ? '' : `${label}: ${values.join(', ')}`;
	};
	const route = [named('From team', 'team'), `Service: ${service}`];
	return [...route, named('Chain', 'chain'), named('Contract', 'contract')].filter(Boolean);
}

function textsOf(report: Report) {
	return { message: chatMessageOf(report), html: htmlOf(report) };
}

/** What is signed for payments whose signed amount wasn’t compared with the one that people see. */
function notCompared(rows: readonly GuardedPayment[]) {
	const entries = rows.flatMap((row) =>
		row.isCompared ? [] : row.writes.map((write) => `${paymentName(row)}: ${write.signsSummary}`),
	);
	return { title: 'The authorization wasn’t compared with the amount', entries };
}

const OTHERS_ARE_PAID =
	' (others are paid only if the paying node has If Already Paid: Skip, or On Error: Continue)';

const PAYS_AGAIN = 'A new authorization would pay again';

/**
 * The message and the page of the check of one payment.
 * @param heading what would be done
 */
export function paymentReport(heading: string, payment: GuardedPayment) {
	const { columns } = payment;
	const { reference } = payment.payment;
	const route = routeOf([columns], textOf(columns.service));
	return textsOf({
		heading,
		lines: reference === undefined ? [...route, `Without a reference. ${PAYS_AGAIN}`] : route,
		lists: [notCompared([payment])],
		payments: [paymentLines(columns)],
	});
}

interface CheckedRun {
	readonly count: number;
	readonly toSend: readonly PaymentRow[];
	readonly toSendTotal: bigint;
	readonly balance: bigint | undefined;
	/** Whether the others are paid where some were paid before. */
	readonly skips: boolean;
	readonly service: string;
	readonly paid: readonly PaymentRow[];
	readonly unknown: readonly PaymentRow[];
	readonly refused: readonly Row[];
	readonly duplicates: ReadonlyArray<readonly PaymentRow[]>;
	readonly sharedWallets: ReadonlyArray<readonly PaymentRow[]>;
}

/** The message and the page of the check of a run. */
export function runReport(run: CheckedRun) {
	const { count, toSend, toSendTotal, balance, skips, service, refused } = run;
	const columns = toSend.map((row) => row.columns);
	const what = `${centsAsDollars(toSendTotal)} in ${quantity(toSend.length, 'payment')}`;
	const isFailed = refused.length > 0;
	const headingOfPassed = toSend.length === 0 ? HEADINGS.nothingToPay : HEADINGS.pay(what);
	const names = (rows: readonly Row[]) => rows.map(paymentName);
	const expired = toSend.filter((row) => hasExpired(textOf(row.columns.expires)));
	const withoutReference = toSend.filter(({ payment }) => payment.reference === undefined);
	const isOneTeam = new Set(columns.map(({ team }) => team)).size === 1;
	const notKnown = isOneTeam ? 'Balance: not known' : '';
	const isSheet = withoutReference.some(({ place }) => place?.row !== undefined);
	const another = isSheet
		? '. If a column has references, enter its header in Column Names under Options'
		: '';
	return textsOf({
		heading: isFailed ? HEADINGS.refused(refused.length, count) : headingOfPassed,
		lines: [
			isFailed && toSend.length > 0 ? `Not paid either: ${what}` : '',
			...routeOf(columns, service),
			balance === undefined
				? notKnown
				: `Balance: ${centsAsDollars(balance)} now, ${centsAsDollars(balance - toSendTotal)} afterwards`,
			withoutReference.length > 0
				? `Without a reference: ${withoutReference.length}. ${PAYS_AGAIN}${another}`
				: '',
			run.unknown.length > 0 ? ASK_ABOUT_SENT : '',
		].filter(Boolean),
		lists: [
			{ title: 'Refused', entries: eachFailure(refused) },
			{ title: 'Authorization expired', entries: names(expired) },
			notCompared(toSend),
			{
				title: 'Sent before, sent again',
				entries: names(toSend.filter(isSentAgain)),
			},
			{
				title: 'Look closely, the same recipient and amount',
				entries: run.duplicates.map((group) => names(group).join(' and ')),
			},
			{
				title: 'Look closely, several people with one wallet',
				entries: run.sharedWallets.map((group) => listed(names(group), 5)),
			},
			{
				title: 'Not known yet, and not sent again',
				entries: run.unknown.map((row) => {
					const code = row.known.is === 'unknown' ? row.known.code : undefined;
					const name = `${paymentName(row)}: ${row.payment.summary}`;
					return code === undefined ? name : `${name} (${code})`;
				}),
			},
			{
				title: `Paid before, and left alone; to pay again, use a new reference${skips || isFailed || toSend.length === 0 ? '' : OTHERS_ARE_PAID}`,
				entries: names(run.paid),
			},
		],
		payments: columns.map(paymentLines),
	});
}

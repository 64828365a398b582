import type { Payment } from '../../payments';
import { call } from './control';
import { byId, copyable, element, input, onSubmit, report, select, timeOf } from './elements';
import { cell, liveTable, pill } from './liveTable';
import { fromCents } from './money';

interface Prepared {
	readonly team: string;
	readonly amount: string;
	readonly email: string;
	readonly reference: string;
	readonly authorization: object;
}

/** What a status says of the question whether a payment was made, and its color. */
const STATUSES: Readonly<Record<Payment['status'], readonly [string, string]>> = {
	authorized: ['authorized, not paid yet', ''],
	processing: ['made, in progress', 'odd'],
	sent: ['made and sent', 'good'],
	failed: ['failed, money returned', 'bad'],
	canceled: ['canceled, money returned', 'bad'],
};
const NO_MATCH = 'Not made here: the service knows no payment like that.';
const OUTCOMES = [
	['sent', 'Send'],
	['failed', 'Fail'],
	['canceled', 'Cancel'],
] as const;

/** Prepares a payment, and shows the fields of *Payment: Create Instant* to copy. */
async function prepare(): Promise<string> {
	const query = new URLSearchParams({
		team: select('payment-team').value,
		amount: input('payment-amount').value,
		email: input('payment-email').value,
		reference: input('payment-reference').value,
	});
	const { team, amount, email, reference, authorization } = await call<Prepared>(
		'GET',
		`authorization?${query}`,
	);
	const fields = [
		['Payment Authorization', JSON.stringify(authorization)],
		['Team ID', team],
		['Recipient Email', email],
		['Amount (Dollars)', amount],
		...(reference === '' ? [] : [['Payment Reference', reference]]),
	] as const;
	byId('payment-fields', HTMLElement).replaceChildren(
		...fields.map(([label = '', value = '']) =>
			element('div', '', element('dt', '', label), element('dd', '', copyable(label, value))),
		),
	);
	return 'Copy these into the node’s fields. The authorization is valid for an hour.';
}

/** Buttons that end a payment that is in progress. */
function endings(transaction: string): HTMLElement[] {
	return OUTCOMES.map(([outcome, text]) => {
		const made = element('button', 'copy', text);
		made.type = 'button';
		made.setAttribute('aria-label', `${text} ${transaction}`);
		made.addEventListener('click', () => {
			const work = async (): Promise<string> => {
				await call('POST', 'payments/end', { transaction, outcome });
				return `${transaction} is ${outcome} now.`;
			};
			void report('payments-said', work).then(refreshPayments);
		});
		return made;
	});
}

function paymentRow(payment: Payment): HTMLElement {
	const { updated_at, amount_cents, email, reference, transaction, status } = payment;
	const [words, color] = STATUSES[status];
	const isOpen = status === 'processing' && transaction !== undefined;
	return element(
		'tr',
		'',
		cell('time', '', timeOf(updated_at)),
		cell('number', 'Amount', `$${fromCents(String(amount_cents))}`),
		cell('answer', 'Recipient', email),
		cell('answer', 'Reference', reference),
		cell(
			'answer',
			'Transaction',
			...(transaction === undefined ? [] : [element('code', '', transaction)]),
		),
		cell('', '', pill(words, color), ...(isOpen ? endings(transaction) : [])),
	);
}

const showPayments = liveTable(
	'payments',
	paymentRow,
	'No payments here. Prepare one below, or run an example that pays.',
);

/** Shows the payments that fit what a person looks for. */
export async function refreshPayments(): Promise<void> {
	const { payments } = await call<{ payments: Payment[] }>('GET', 'payments');
	const wanted = input('payment-search').value.trim().toLowerCase().replace(/^\$/, '');
	const shown = payments.filter(({ reference, email, transaction = '', amount_cents: cents }) =>
		[
			reference,
			email,
			transaction,
			fromCents(String(cents)),
			fromCents(String(cents)).replaceAll(',', ''),
		].some((text) => text.toLowerCase().includes(wanted)),
	);
	showPayments(shown.slice(-40), payments.length === 0 ? undefined : NO_MATCH);
	const { paymentOutcome } = await call<{ paymentOutcome: string }>('GET', 'settings');
	if (document.activeElement !== select('payment-outcome')) {
		select('payment-outcome').value = paymentOutcome;
	}
}

/** Sets up the list of payments, and the card that prepares one. */
export function setUpPayments(): void {
	onSubmit('payment', () => void report('prepared', prepare));
	input('payment-search').addEventListener('input', () => void refreshPayments());
	select('payment-outcome').addEventListener('change', () => {
		const paymentOutcome = select('payment-outcome').value;
		const text = select('payment-outcome').selectedOptions[0]?.text;
		void report('payments-said', async () => {
			await call('POST', 'settings', { paymentOutcome });
			return `From now on, payments ${text}.`;
		});
	});
}

import { call } from './control';
import { byId, copyable, element, input, onSubmit, report, select } from './elements';
import { toCents } from './money';

interface Prepared {
	readonly team: string;
	readonly amount: string;
	readonly email: string;
	readonly reference: string;
	readonly authorization: object;
}

/** Prepares a payment, and shows the fields of *Payment: Create Instant* to copy. */
async function prepare(): Promise<string> {
	if (toCents(input('payment-amount').value) === undefined) {
		throw new Error('Payment amount isn’t an amount like 1,250.00.');
	}
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
		['Team', team],
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

/** Sets up the card that prepares a payment. */
export function setUpPayments(): void {
	onSubmit('payment', () => void report('prepared', prepare));
}

import { properties } from '../../../nodes/PayrollPayments/actions/description';

const WHEN_NEEDED = 'Only needed if Payment Authorization is not a whole EIP-712 payload.';

/** What the form says of money and of what is signed: a wrong unit here is a wrong amount there. */
const PROMISED: Readonly<Record<string, object>> = {
	notice: {
		type: 'notice',
		displayName:
			'This moves money and can’t be undone. The same payment is sent only once, even if the node runs again. Your service or finance system issues the authorization; n8n can’t create it.',
		default: '',
	},
	recipientEmail: {
		type: 'string',
		displayName: 'Recipient Email',
		description: 'The external recipient',
		placeholder: 'e.g. ana@example.com',
		default: '',
		required: true,
	},
	amountUnit: {
		type: 'options',
		displayName: 'Amount Unit',
		description: 'Unit that you enter the amount in',
		options: [
			{ name: 'Cents', value: 'cents', description: 'Whole cents, e.g. 12500 for $125.00' },
			{
				name: 'Dollars',
				value: 'dollars',
				description: 'Up to two decimals, e.g. 125.00',
			},
		],
		default: 'dollars',
	},
	amountCents: {
		type: 'string',
		displayName: 'Amount (Cents)',
		description: 'Amount in US cents, from 100 ($1.00) to 10000000000 ($100,000,000.00)',
		hint: 'In cents, e.g. 12500 for $125.00',
		placeholder: 'e.g. 12500',
		default: '',
		required: true,
	},
	amountDollars: {
		type: 'string',
		displayName: 'Amount (Dollars)',
		description: 'Amount in US dollars, from 1.00 to 100000000.00, without commas',
		placeholder: 'e.g. 125.00',
		default: '',
		required: true,
	},
	currency: {
		type: 'options',
		displayName: 'Currency',
		description: 'Currency of the payment',
		options: [{ name: 'USD', value: 'USD' }],
		default: 'USD',
	},
	network: {
		type: 'options',
		displayName: 'Network',
		description: 'Network for the payment',
		options: [{ name: 'Arbitrum', value: 'arbitrum' }],
		default: 'arbitrum',
	},
	paymentReference: {
		type: 'string',
		displayName: 'Payment Reference',
		description:
			"Your invoice or payout number. The node never pays the same reference twice for a team, even with a new authorization. It isn't sent to the service.",
		placeholder: 'e.g. INV-2026-0042',
		default: '',
	},
	domain: {
		type: 'json',
		displayName: 'Domain',
		description: `EIP-712 domain that the signature is for. ${WHEN_NEEDED}`,
		placeholder:
			'e.g. { "name": "…", "version": "1", "chainId": 42161, "verifyingContract": "0x…" }',
		typeOptions: { rows: 4 },
		default: '{}',
	},
	types: {
		type: 'json',
		displayName: 'Types',
		description: `EIP-712 types of from, to, salt, expires and data. ${WHEN_NEEDED}`,
		typeOptions: { rows: 4 },
		default: '{}',
	},
	primaryType: {
		type: 'string',
		displayName: 'Primary Type',
		description: `Name of the EIP-712 type that is signed. ${WHEN_NEEDED}`,
		placeholder: 'e.g. ForwardRequest',
		default: '',
	},
	confirmedNotPaid: {
		type: 'string',
		displayName: 'Confirmed Not Paid',
		description:
			'Codes from the error messages of attempts that the service says were not paid, separated by commas; sends exactly these payments once more',
		placeholder: 'e.g. 7F3A-91C2-1',
		noDataExpression: true,
		default: '',
	},
	typedAmountUnit: {
		type: 'options',
		displayName: 'Typed Amount Unit',
		description: 'Unit of data.amount in Payment Authorization',
		options: [
			{ name: 'Cents', value: 'cents' },
			{ name: 'Not Checked', value: 'notChecked' },
			{ name: 'Token Units (Six Decimals)', value: 'tokenSixDecimals' },
		],
		noDataExpression: true,
		default: 'tokenSixDecimals',
	},
};

const shown = properties.filter(({ displayOptions }) =>
	displayOptions?.show?.operation?.includes('create'),
);
const options = shown.flatMap(({ name, options: within = [] }) =>
	name === 'options' ? within.filter((option) => 'type' in option) : [],
);

it.each(Object.entries(PROMISED))('the form of a payment shows %s as promised', (name, field) => {
	const found = [...shown, ...options].filter((each) => each.name === name);
	expect(found.map((each) => ({ ...each, displayOptions: undefined }))).toEqual([
		{ name, ...field },
	]);
});

it('the menu says what the operation does', () => {
	const menus = properties.filter(({ name }) => name === 'operation');
	expect(menus.flatMap((menu) => menu.options ?? [])).toContainEqual({
		name: 'Create Instant',
		value: 'create',
		action: 'Create instant payment',
		description: "Pay an external recipient right away. This moves money and can't be undone.",
	});
});

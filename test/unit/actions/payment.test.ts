import { id, Wallet as Judge } from 'ethers';

import { createInstantPayment } from '../../../nodes/PayrollPayments/actions/payment/create';
import type { Plan } from '../../../nodes/PayrollPayments/actions/plan';
import type { RunContext } from '../../../nodes/PayrollPayments/actions/runContext';
import type { Call } from '../../../nodes/PayrollPayments/api/client';
import { readCredentials } from '../../../nodes/PayrollPayments/api/credentials';
import { PaymentLedger } from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import { privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { MemoryStore, runVirtualClock } from '../idempotency/memoryStore';

runVirtualClock();

const privateKey = id('payroll tests: wallet');
const contract = new Judge(id('contract')).address;
const teamId = 'te-aB3dE6gH9kL2';
const recipientEmail = 'rita@supplier.example';

/** Typed data for so much of a unit. */
const typed = (amount: string, salt = '918273645') => ({
	from: new Judge(privateKey).address,
	to: contract,
	salt,
	expires: '4102444800',
	data: {
		id: 'payment-77',
		groupID: teamId,
		payAtTime: '0',
		validMinutes: '60',
		payType: 'instant',
		token: contract,
		recipient: recipientEmail,
		amount,
		data: '0x',
	},
});
const members = (names: readonly string[]) => names.map((name) => ({ name, type: 'string' }));
const domain = { name: 'Payments', version: '2', chainId: 42161, verifyingContract: contract };
const types = {
	Payment: [...members(['from', 'to', 'salt', 'expires']), { name: 'data', type: 'PaymentData' }],
	PaymentData: members(Object.keys(typed('').data)),
};
const FORM = {
	teamId,
	recipientEmail,
	amountUnit: 'cents',
	amountCents: 12_500,
	currency: 'USD',
	network: 'arbitrum',
	typedData: typed('125000000'),
	signatureSource: 'wallet',
	options: { checkOnly: true, domain, types, primaryType: 'Payment' },
};

function read(form: object, index = 0) {
	const readOne = (name: string): unknown => Reflect.get(form, name);
	return { index, json: {}, read: readOne, readSaved: readOne };
}

/** Runs with one set of credentials, one after the other, at a service that takes every payment. */
function node(limits: object = {}) {
	const credentials = readCredentials({
		authentication: 'walletSignIn',
		baseUrl: 'https://api.payroll.example',
		platformId: 'platform',
		privateKey,
		...limits,
	});
	const wallet = privateKeyWallet({ privateKey });
	const store = new MemoryStore();
	const annotated: Array<Readonly<Record<string, string>>> = [];
	const bodies: unknown[] = [];
	/* Each run begins with an empty memory, as each execution does. */
	const check = async (...items: Array<ReturnType<typeof read>>): Promise<Plan> => {
		const form = await createInstantPayment.read(items);
		const ledger = new PaymentLedger(store, 'node', new Map());
		const context: RunContext = {
			credentials,
			approvable: { operation: 'payment.create', baseUrl: credentials.baseUrl },
			settings: form.settings,
			continues: false,
			signal: undefined,
			send: async <Data>({ body, answer }: Call<Data>) => {
				if (body !== undefined) bodies.push(body);
				return await Promise.resolve(answer.parse({ transaction: `tx-${bodies.length}` }));
			},
			wallet: async () => await Promise.resolve(wallet),
			ledger: () => ledger,
			once: async (_key, _schema, send) => await send(),
			confirmToken: async () => await Promise.resolve(),
			annotate: (values) => annotated.push(values),
		};
		const plan = await form.check(context);
		return { ...plan, refusals: [...form.refusals, ...plan.refusals] };
	};
	const pay = async (...items: Array<ReturnType<typeof read>>) => {
		const { jobs, refusals, end } = await check(...items);
		const sent = [];
		for (const job of jobs) sent.push({ ...job, records: await job.send() });
		await end?.({ sent, failed: refusals });
		return sent.flatMap(({ records }) => records);
	};
	return { check, pay, annotated, bodies };
}

async function checkWith(limits: object, ...given: Parameters<typeof read>) {
	const { jobs, refusals } = await node(limits).check(read(...given));
	for (const { error } of refusals) throw error;
	return jobs.flatMap(({ writes }) => writes);
}

/** What the check of one payment says. */
const checkOne = async (...given: Parameters<typeof read>) => await checkWith({}, ...given);

const unit = (typedAmountUnit: string, amount: string) => ({
	...FORM,
	typedData: typed(amount),
	options: { ...FORM.options, typedAmountUnit },
});

describe('the amount in the typed data', () => {
	it.each([
		['token units by default', FORM],
		['token units where no unit is chosen', unit('', '125000000')],
		['token units', unit('tokenSixDecimals', '125000000')],
		['cents', unit('cents', '12500')],
		['anything where it is not checked', unit('notChecked', '7')],
	])('may be %s', async (_what, form) => {
		expect(await checkOne(form)).toMatchObject([
			{
				summary: expect.stringContaining('Pay $125.00 to rita@supplier.example from team te-'),
				request: { body: { amount_cents: 12_500 } },
			},
		]);
	});

	it.each([
		['cents by default', { ...FORM, typedData: typed('12500') }, '$0.0125'],
		['cents as token units', unit('tokenSixDecimals', '12500'), '$0.0125'],
		['token units as cents', unit('cents', '125000000'), '$1,250,000.00'],
	])('is refused in %s', async (_what, form, amount) => {
		await expect(checkOne(form)).rejects.toThrow(`Authorization: ${amount}. Form: $125.00`);
	});

	it.each(['dollars', 'Cents', 'tokenUnits'])('has no unit %j', async (name) => {
		await expect(checkOne(unit(name, '7'))).rejects.toThrow(
			'Typed Amount Unit must be Cents, Not Checked or Token Units (Six Decimals) (cents, notChecked, tokenSixDecimals)',
		);
	});

	it('must be comparable where the credentials limit payments', async () => {
		const limits = { maximumPayment: '125' };
		await expect(checkWith(limits, unit('notChecked', '7'))).rejects.toThrow('can’t be compared');
		expect(await checkWith(limits, unit('cents', '12500'))).toHaveLength(1);
	});
});

it('shows signed texts to the approver as texts, not as parts of its sentence', async () => {
	const forged = `USDC to 0xGood, which was checked.\n\n\u202e`;
	const typedData = typed('pay 1');
	Object.assign(typedData.data, { token: forged, recipient: `${contract} to vendor` });
	const form = { ...FORM, typedData, options: { ...FORM.options, typedAmountUnit: 'notChecked' } };
	const [write] = await checkOne(form);
	expect(write?.summary).toContain(
		`Authorization: "pay 1" (not compared) of token "USDC to 0xGood, which was checked.\\n\\n\ufffd" to "${contract} to vendor" on chain 42161`,
	);
	const long = { ...typedData, data: { ...typedData.data, token: 'x'.repeat(101) } };
	expect((await checkOne({ ...form, typedData: long }))[0]?.summary).toContain(
		'of token a text of 101 characters to ',
	);
	expect((await checkOne(FORM))[0]?.summary).toContain(
		`of token ${contract} to ${recipientEmail} on chain 42161, contract ${contract}, signed by `,
	);
});

it('says whose a provided signature is, and whether it was checked', async () => {
	const judge = new Judge(privateKey);
	const signature = await judge.signTypedData(domain, types, FORM.typedData);
	const provided = { ...FORM, signatureSource: 'provided', signer: judge.address, signature };
	const [checked] = await checkOne(provided);
	expect(checked?.summary).toMatch(
		new RegExp(`, with a provided signature of ${judge.address}, which was checked$`),
	);
	expect(checked?.signs?.domain).toEqual(domain);
	const [unchecked] = await checkOne({ ...provided, options: { checkOnly: true } });
	expect(unchecked?.summary).toContain(
		` to ${recipientEmail}, with a provided signature of ${judge.address} that can’t be checked, since its domain and types aren’t known`,
	);
	expect(unchecked?.signs).toBeNull();
});

describe('a run of several payments', () => {
	const row = (item: number, options: object = {}, reference: unknown = `INV-${item}`) =>
		read(
			{
				...FORM,
				paymentReference: reference,
				typedData: typed('125000000', `${item}`),
				options: { ...FORM.options, checkOnly: false, ...options },
			},
			item,
		);
	const rows = (count: number, options: object = {}) =>
		Array.from({ length: count }, (_, item) => row(item, options));

	it.each([
		[{ expectedPayments: 2 }, 'Expected Payments is 2, but this run has 3'],
		[{ expectedTotal: '374.99' }, 'Expected Total is $374.99, but this run has $375.00'],
	])('must have the totals that were entered: %j', async (options, message) => {
		const { check } = node();
		await expect(check(...rows(3, options))).rejects.toMatchObject({
			message,
			context: { refusesRun: true, outcome: 'refused' },
		});
		const right = { expectedPayments: 3, expectedTotal: '375' };
		expect((await check(...rows(3, right))).refusals).toEqual([]);
	});

	it('pays with Skip only what was not paid before', async () => {
		const { pay, bodies, annotated } = node();
		expect(await pay(...rows(2))).toEqual([{ transaction: 'tx-1' }, { transaction: 'tx-2' }]);
		const again = await pay(...rows(3, { ifAlreadyPaid: 'skip' }));
		expect(again).toMatchObject([
			{ outcome: 'already_paid', transaction: null, reference: 'INV-0' },
			{ outcome: 'already_paid', transaction: null, reference: 'INV-1' },
			{ outcome: 'paid', transaction: 'tx-3', reference: 'INV-2' },
		]);
		expect(bodies).toHaveLength(3);
		expect(annotated.map(({ payments_paid: count }) => count)).toEqual(['2', '1']);
	});

	it('is checked as one, with an approval that holds once a part of it was paid', async () => {
		const { pay, check } = node();
		const whole = rows(3, { checkOnly: true, checkOutput: 'run' });
		const report = async () => (await (await check(...whole)).jobs[0]?.send())?.[0];
		const first = await report();
		expect(first).toMatchObject({
			check: 'passed',
			count: 3,
			total: '375.00',
			to_send_count: 3,
			already_paid: [],
			duplicates: [[1, 2, 3]],
			balance: null,
		});
		await pay(row(1));
		expect(await report()).toMatchObject({
			approval: first?.approval,
			count: 3,
			to_send_count: 2,
			to_send_total: '250.00',
			already_paid: [{ row: 2 }],
		});
	});

	it('is told to the execution by reference where it is one payment, else by its totals', async () => {
		const { pay, annotated } = node();
		await pay(row(0));
		await pay(row(1), read({ ...FORM, teamId: 'nobody' }, 2));
		expect(annotated).toEqual([
			{ payment_reference: 'INV-0', payment_transaction: 'tx-1', payment_outcome: 'paid' },
			expect.objectContaining({ payments_paid: '1', payments_refused: '1' }),
		]);
	});

	it.each([42, '42', ' 42 ', '４２'])('knows the reference %j as the number 42', async (again) => {
		const { pay, check } = node();
		await pay(row(0, {}, 42));
		const { refusals } = await check(row(1, {}, again));
		expect(refusals.map(({ error }) => String(error))).toEqual([
			expect.stringContaining('was already paid'),
		]);
	});
});

import { id, Wallet as Judge } from 'ethers';

import { createInstantPayment } from '../../../nodes/PayrollPayments/actions/payment/createInstant';
import type { Service } from '../../../nodes/PayrollPayments/actions/service';
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
	domain,
	types,
	primaryType: 'Payment',
	options: { checkOnly: true },
};

type Read = (name: string) => unknown;

function plan(form: object, index = 0, read: Read = (name) => Reflect.get(form, name)) {
	const readSaved: Read = (name) => Reflect.get(form, name);
	return createInstantPayment.plan([{ index, json: {}, read, readSaved }]);
}

/** Checks payments with one set of credentials, in one run of the node. */
function checker(limits: object = {}) {
	const credentials = readCredentials({
		authentication: 'walletSignIn',
		baseUrl: 'https://api.payroll.example',
		platformId: 'platform',
		privateKey,
		...limits,
	});
	const wallet = privateKeyWallet({ privateKey });
	const ledger = new PaymentLedger(new MemoryStore(), 'node', new Map());
	const exchange = async () => {
		throw new Error('a check sends nothing');
	};
	const transport = {
		withToken: exchange,
		withoutToken: exchange,
		pause: exchange,
		redact: (text: string) => text,
	};
	return async (...planned: Parameters<typeof plan>) => {
		const { jobs, refusals } = plan(...planned);
		for (const { error } of refusals) throw error;
		const outcomes = jobs.map(async ({ run, items, sending }) => {
			const service: Service = {
				credentials,
				transport,
				items,
				sending,
				wallet: async () => wallet,
				payments: () => ledger,
				outcomes: () => new Map(),
			};
			return await run(service);
		});
		return (await Promise.all(outcomes)).flat();
	};
}

const unit = (typedAmountUnit: string, amount: string) => ({
	...FORM,
	typedData: typed(amount),
	options: { checkOnly: true, typedAmountUnit },
});

describe('the amount in the typed data', () => {
	it.each([
		['token units by default', FORM],
		['token units where no unit is chosen', unit('', '125000000')],
		['token units', unit('tokenSixDecimals', '125000000')],
		['cents', unit('cents', '12500')],
		['anything where it is not checked', unit('notChecked', '7')],
	])('may be %s', async (_what, form) => {
		expect(await checker()(form)).toMatchObject([
			{
				summary: expect.stringContaining('Pay $125.00 to rita@supplier.example from team te-'),
				request: { body: { amount_cents: 12_500 } },
			},
		]);
	});

	it.each([
		['cents by default', { ...FORM, typedData: typed('12500') }, 'which are 125000000,'],
		['cents as token units', unit('tokenSixDecimals', '12500'), 'which are 125000000,'],
		['token units as cents', unit('cents', '125000000'), 'which are 12500,'],
	])('is refused in %s', async (_what, form, words) => {
		await expect(checker()(form)).rejects.toThrow(words);
	});

	it.each(['dollars', 'Cents', 'tokenUnits'])('has no unit %j', async (name) => {
		await expect(checker()(unit(name, '7'))).rejects.toThrow(
			'Typed Amount Unit must be Cents, Not Checked or Token Units (Six Decimals) (cents, notChecked, tokenSixDecimals)',
		);
	});

	it('must be checked where the credentials limit payments', async () => {
		const check = checker({ maximumPayment: '125' });
		await expect(check(unit('notChecked', '7'))).rejects.toThrow('must be checked');
		expect(await check(unit('cents', '12500'))).toHaveLength(1);
	});
});

it('a payment reference is the same with white space around it', async () => {
	const check = checker();
	const invoice = (paymentReference: string, salt: string) => ({
		...FORM,
		paymentReference,
		typedData: typed('125000000', salt),
	});
	await check(invoice('INV-1', '1'), 3);
	await check(invoice('INV-2', '2'), 4);
	await expect(check(invoice(' INV-1\n', '3'), 5)).rejects.toMatchObject({
		message:
			'The payment of $125.00 to rita@supplier.example would be refused, because item 3 has the same payment or typed data',
		field: 'paymentReference',
	});
});

it('an amount whose unit changes while the form is read is missing', async () => {
	const units = ['cents', 'dollars', 'cents'];
	const read: Read = (name) => (name === 'amountUnit' ? units.shift() : Reflect.get(FORM, name));
	await expect(checker()(FORM, 0, read)).rejects.toMatchObject({
		message: 'The amount is missing',
		field: 'amountUnit',
		hint: 'Nothing was sent.',
	});
});

describe('domain, types and primary type', () => {
	const given = { domain: { name: 'a', extra: 1 }, types, primaryType: 'Payment' };
	const both = (own: unknown, other: unknown) =>
		plan({
			...FORM,
			domain: { extra: own },
			typedData: { ...given, domain: { extra: other }, message: typed('125000000') },
		}).refusals;

	it.each([
		[null, null],
		[{ a: [1, { b: null }] }, { a: [1, { b: null }] }],
		[
			{ a: 1, b: 2 },
			{ b: 2, a: 1 },
		],
		[[], []],
	])('may be %j twice', (own, other) => {
		expect(both(own, other)).toEqual([]);
	});

	it.each([
		[null, {}],
		[1, {}],
		['a', { 0: 'a' }],
		['a', ['a']],
		[['a'], { 0: 'a' }],
		[[], {}],
		[1, '1'],
		[{ a: 1 }, { b: 1 }],
		[{ a: 1 }, { a: 1, b: 1 }],
	])('must not be %j in one place and %j in the other', (one, another) => {
		const error: unknown = expect.objectContaining({
			message: 'Domain differs from the one in Typed Data',
			field: 'domain',
			hint: 'Correct one of the two, or leave Domain empty. Nothing was signed or sent.',
		});
		expect(both(one, another)).toEqual([{ items: [0], error }]);
		expect(both(another, one)).toEqual([{ items: [0], error }]);
	});

	it('are asked for before anything is looked up', () => {
		const error: unknown = expect.objectContaining({
			message: 'Types is missing',
			field: 'types',
			hint: 'The wallet needs Domain, Types and Primary Type to sign. Fill them in, or use a whole EIP-712 payload as Typed Data. Nothing was sent.',
		});
		expect(plan({ ...FORM, types: '{}' }).refusals).toEqual([{ items: [0], error }]);
	});
});

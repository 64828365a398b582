import { runInNewContext } from 'node:vm';

import { encodeBytes32String, id, verifyTypedData, Wallet as Judge, zeroPadValue } from 'ethers';
import * as fc from 'fast-check';

import { Refusal } from '../../../nodes/PayrollPayments/shared/errors';
import { instantPaymentTypedData, privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { runs } from '../../support/propertyRuns';

const wallet = privateKeyWallet({ privateKey: id('payroll tests: wallet') });
const mallory = new Judge(id('mallory')).address;
const contract = new Judge(id('contract')).address;
const token = new Judge(id('token')).address;
const now = Date.parse('2026-11-21T12:00:00Z');
const teamId = 'te-aB3dE6gH9kL2';
const recipientEmail = 'Rita@supplier.example';
const expectation = {
	walletAddress: wallet.address,
	teamId,
	amountCents: 12500,
	recipientEmail,
	typedAmountUnit: 'tokenSixDecimals' as const,
	now,
};

const PAYMENT = [
	{ name: 'from', type: 'address' },
	{ name: 'to', type: 'address' },
	{ name: 'salt', type: 'uint256' },
	{ name: 'expires', type: 'uint256' },
	{ name: 'data', type: 'PaymentData' },
];
const PAYMENT_DATA = [
	'id',
	'groupID',
	'payAtTime',
	'validMinutes',
	'payType',
	'token',
	'recipient',
	'amount',
	'data',
].map((name) => ({ name, type: 'string' }));
const DATA = {
	id: 'payment-77',
	groupID: teamId,
	payAtTime: '0',
	validMinutes: '60',
	payType: 'instant',
	token,
	recipient: recipientEmail,
	amount: '125000000',
	data: '0x',
};
const MESSAGE = {
	from: String(wallet.address),
	to: contract,
	salt: '918273645',
	expires: String(now / 1000 + 600),
	data: DATA,
};
const DOMAIN = { name: 'Payments', version: '2', chainId: 42161, verifyingContract: contract };
const TYPES = { Payment: PAYMENT, PaymentData: PAYMENT_DATA };
const FORM = { typedData: MESSAGE, domain: DOMAIN, types: TYPES, primaryType: 'Payment' };
type Form = Parameters<typeof instantPaymentTypedData>[0];

const having = (change: Partial<Form>): Form => ({ ...FORM, ...change });
const message = (change: object): Form => having({ typedData: { ...MESSAGE, ...change } });
const data = (change: object): Form => message({ data: { ...DATA, ...change } });
const types = (change: object): Pick<Form, 'types'> => ({ types: { ...TYPES, ...change } });
const withTypes = (change: object): Form => having(types(change));
const typed = (name: string, type: string): Pick<Form, 'types'> => ({
	types: {
		Payment: PAYMENT.map((one) => (one.name === name ? { name, type } : one)),
		PaymentData: PAYMENT_DATA.map((one) => (one.name === name ? { name, type } : one)),
	},
});
const without = (name: string) => PAYMENT_DATA.filter((one) => one.name !== name);

function refusalOf(input: Form, more: object = {}): Refusal {
	try {
		instantPaymentTypedData(input, { ...expectation, ...more });
	} catch (error) {
		if (error instanceof Refusal) return error;
		throw error;
	}
	throw new Error('nothing was refused');
}

async function signAndJudge(input: Form, more: object = {}): Promise<void> {
	const typedData = instantPaymentTypedData(input, { ...expectation, ...more });
	const signature = await wallet.signTypedData(typedData);
	const { domain, types: signedTypes, message: signed } = typedData;
	expect(verifyTypedData(domain, signedTypes, signed, signature)).toBe(wallet.address);
	expect(signed).toEqual(input.typedData);
}

describe('the signing guard of instant payments', () => {
	it.each<[string, Form, object?]>([
		['what the form says', FORM],
		[
			'cents, where the service counts in them',
			data({ amount: '12500' }),
			{ typedAmountUnit: 'cents' },
		],
		[
			'any amount where it is not checked',
			data({ amount: '7' }),
			{ typedAmountUnit: 'notChecked' },
		],
		['an amount typed as a number', { ...FORM, ...typed('amount', 'uint256') }],
		['the team as sender', { ...message({ from: teamId }), ...typed('from', 'string') }],
		['its own address in lower case', message({ from: wallet.address.toLowerCase() })],
		[
			'a sender that is neither address nor team',
			{ ...message({ from: 'main' }), ...typed('from', 'string') },
		],
		['the email in another case', data({ recipient: recipientEmail.toLowerCase() })],
		['a recipient that is an address', data({ recipient: mallory })],
		['a receiver of its own choice', message({ to: mallory })],
		[
			'an expiry in ISO 8601',
			{ ...message({ expires: '2026-11-21T12:00:01Z' }), ...typed('expires', 'string') },
		],
		[
			'an expiry that is no time',
			{ ...message({ expires: 'never' }), ...typed('expires', 'string') },
		],
		['an expiry that may mean never', message({ expires: '0' })],
		['an expiry that may be a duration', message({ expires: '3600' })],
		['a domain with a name only', having({ domain: { name: 'Payments' } })],
	])('lets %s be signed', async (_what, input, more = {}) => {
		await signAndJudge(input, more);
	});

	it('takes exactly one amount, whatever the form’s', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 100, max: 10_000_000_000 }),
				fc.integer({ min: 100, max: 10_000_000_000 }),
				fc.constantFrom(1n, 100n, 10_000n, 1_000_000n, 10n ** 16n),
				fc.constantFrom<'cents' | 'tokenSixDecimals'>('cents', 'tokenSixDecimals'),
				(amountCents, otherCents, factor, typedAmountUnit) => {
					const perCent = typedAmountUnit === 'cents' ? 1n : 10_000n;
					const amount = BigInt(otherCents) * factor;
					const input = data({ amount: String(amount) });
					const more = { amountCents, typedAmountUnit };
					if (amount === BigInt(amountCents) * perCent) {
						instantPaymentTypedData(input, { ...expectation, ...more });
					} else {
						expect(refusalOf(input, more).message).toContain(`${amountCents} cents`);
					}
					const right = data({ amount: String(BigInt(amountCents) * perCent) });
					expect(instantPaymentTypedData(right, { ...expectation, ...more }).message).toEqual(
						right.typedData,
					);
				},
			),
		);
	});

	it.each<[string, Form, string]>([
		['another amount', data({ amount: '125000001' }), '$125.000001'],
		['a hundred times the amount', data({ amount: '12500000000' }), '$12,500.00'],
		['a negative amount', data({ amount: '-125000000' }), 'whole number'],
		['an amount in hex', data({ amount: '0x7735940' }), 'whole number'],
		[
			'an amount in hex, typed as a number',
			{ ...data({ amount: '0x7735940' }), ...typed('amount', 'uint256') },
			'a valid uint256',
		],
		['an amount with leading zeros', data({ amount: '0125000000' }), 'whole number'],
		['an amount with a fraction', data({ amount: '125.00' }), 'whole number'],
		['an amount with white space', data({ amount: '125000000 ' }), 'whole number'],
		['an amount with an exponent', data({ amount: '125e6' }), 'whole number'],
		['an amount with separators', data({ amount: '125,000,000' }), 'whole number'],
		['an amount in other digits', data({ amount: '١٢٥٠٠٠٠٠٠' }), 'whole number'],
		[
			'an integer in hex',
			{ ...data({ validMinutes: '0x3c' }), ...typed('validMinutes', 'uint256') },
			'validMinutes',
		],
		[
			'an integer with a leading zero',
			{ ...data({ validMinutes: '060' }), ...typed('validMinutes', 'uint256') },
			'validMinutes',
		],
		[
			'an integer with a plus sign',
			{ ...data({ payAtTime: '+60' }), ...typed('payAtTime', 'int256') },
			'payAtTime',
		],
		[
			'an integer with white space',
			{ ...data({ validMinutes: '60 ' }), ...typed('validMinutes', 'uint8') },
			'validMinutes',
		],
		[
			'an integer that is a number',
			{ ...data({ validMinutes: 60 }), ...typed('validMinutes', 'uint256') },
			'validMinutes',
		],
		['a salt in hex', message({ salt: '0x36bb4c2d' }), 'typedData.salt'],
		['an empty amount', data({ amount: '' }), 'whole number'],
		['an amount that is a number', data({ amount: 125000000 }), 'a valid string'],
		[
			'an amount that is a number in both',
			{ ...data({ amount: 125000000 }), ...typed('amount', 'uint256') },
			'a valid uint256',
		],
		['no amount', data({ amount: undefined }), 'a valid string'],

		['another sender', message({ from: mallory }), 'not the wallet'],
		[
			'another sender as text',
			{ ...message({ from: mallory }), ...typed('from', 'string') },
			'not the wallet',
		],
		[
			'another sender with white space',
			{ ...message({ from: ` ${mallory}` }), ...typed('from', 'string') },
			'not the wallet',
		],
		[
			'another sender in 32 bytes',
			{ ...message({ from: zeroPadValue(mallory, 32) }), ...typed('from', 'bytes32') },
			'not the wallet',
		],
		[
			'another team as sender',
			{ ...message({ from: 'te-zzzzzzzzzzzz' }), ...typed('from', 'string') },
			'te-zzzzzzzzzzzz',
		],
		['another team in any place', data({ id: 'te-zzzzzzzzzzzz' }), 'typedData.data.id'],
		['another team with white space', data({ groupID: ' te-zzzzzzzzzzzz' }), 'not the form’s'],
		['another team in another case', data({ groupID: teamId.toUpperCase() }), 'not the form’s'],
		['another team in the domain', having({ domain: { name: 'te-zzzzzzzzzzzz' } }), 'domain.name'],
		['another email', data({ recipient: 'mallory@evil.example' }), 'mallory@evil.example'],
		['another email in any place', data({ data: 'mallory@evil.example' }), 'typedData.data.data'],
		[
			'an email that only looks alike',
			data({ recipient: 'Rita@supplier.e\u00adxample' }),
			'not the form’s',
		],
		[
			'an email with a letter that folds to another',
			data({ recipient: 'Rita@supplier.example'.replace('i', '\u0130') }),
			'not the form’s',
		],

		[
			'types without the amount',
			{ ...data({ amount: undefined }), ...types({ PaymentData: without('amount') }) },
			'do not sign data.amount',
		],
		[
			'an amount that is sent, but not signed',
			withTypes({ PaymentData: without('amount') }),
			'do not sign data.amount',
		],
		[
			'a recipient that is sent, but not signed',
			withTypes({ PaymentData: without('recipient') }),
			'do not sign data.recipient',
		],
		[
			'a token that is sent, but not signed',
			withTypes({ PaymentData: without('token') }),
			'token would be sent, but not signed',
		],
		[
			'a sender that is sent, but not signed',
			withTypes({ Payment: PAYMENT.slice(1) }),
			'does not sign from',
		],
		[
			'data that is sent, but not signed',
			withTypes({ Payment: PAYMENT.slice(0, 4) }),
			'does not sign data',
		],
		['a member that is neither documented nor typed', message({ note: 'x' }), 'note would be sent'],
		[
			'an undocumented member',
			{
				...message({ note: 'x' }),
				...types({ Payment: [...PAYMENT, { name: 'note', type: 'string' }] }),
			},
			'sign note, which',
		],
		[
			'an undocumented member of data',
			{
				...data({ fee: '1' }),
				...types({ PaymentData: [...PAYMENT_DATA, { name: 'fee', type: 'string' }] }),
			},
			'sign fee, which',
		],
		[
			'data inside data',
			{
				...data({ data: { amount: '1' } }),
				...types({
					PaymentData: [...without('data'), { name: 'data', type: 'Inner' }],
					Inner: [{ name: 'amount', type: 'string' }],
				}),
			},
			'not a plain value',
		],
		[
			'an amount inside a structure',
			{
				...data({ amount: { value: '125000000' } }),
				...types({
					PaymentData: [...without('amount'), { name: 'amount', type: 'Sum' }],
					Sum: [{ name: 'value', type: 'string' }],
				}),
			},
			'not a plain value',
		],
		[
			'a list of amounts',
			{ ...data({ amount: ['125000000', '1'] }), ...typed('amount', 'string[]') },
			'not a plain value',
		],
		[
			'a list of payments',
			{
				...message({ data: [DATA, DATA] }),
				...types({ Payment: [...PAYMENT.slice(0, 4), { name: 'data', type: 'PaymentData[]' }] }),
			},
			'do not sign data.recipient',
		],
		[
			'data as bytes',
			{
				...message({ data: '0x' }),
				...types({ Payment: [...PAYMENT.slice(0, 4), { name: 'data', type: 'bytes' }] }),
			},
			'do not sign data.recipient',
		],
		[
			'data of a type that every object has',
			withTypes({ Payment: [...PAYMENT.slice(0, 4), { name: 'data', type: 'constructor' }] }),
			'do not sign data.recipient',
		],
		[
			'the domain as data',
			withTypes({
				Payment: [...PAYMENT.slice(0, 4), { name: 'data', type: 'EIP712Domain' }],
				EIP712Domain: PAYMENT_DATA,
			}),
			'EIP712Domain',
		],
		[
			'a type that is not used',
			withTypes({ Permit: [{ name: 'value', type: 'uint256' }] }),
			'Permit',
		],
		[
			'the amount named twice',
			withTypes({ PaymentData: [...PAYMENT_DATA, { name: 'amount', type: 'uint8' }] }),
			'same name',
		],
		[
			'a primary type that is not there',
			having({ primaryType: 'Permit' }),
			'"Permit" is not among the types',
		],
		[
			'the inner type as primary type',
			having({ primaryType: 'PaymentData' }),
			'does not sign from',
		],
		['a primary type that every object has', having({ primaryType: 'toString' }), 'toString'],
		['__proto__ as primary type', having({ primaryType: '__proto__' }), '__proto__'],
		[
			'types under __proto__',
			having({ types: JSON.parse(`{"__proto__":${JSON.stringify(TYPES)}}`) }),
			'__proto__',
		],
		[
			'values under __proto__',
			having({ typedData: JSON.parse(`{"__proto__":${JSON.stringify(MESSAGE)}}`) }),
			'would be sent',
		],
		['values that are only inherited', having({ typedData: Object.create(MESSAGE) }), 'missing'],
		['no types', having({ types: {} }), 'Payment'],
		['types in text', having({ types: JSON.stringify(TYPES) }), 'types'],
		['typed data in text', having({ typedData: JSON.stringify(MESSAGE) }), 'not an object'],
		['no typed data', having({ typedData: null }), 'not an object'],

		['no domain', having({ domain: undefined }), 'domain'],
		['an empty domain', having({ domain: {} }), 'domain is empty'],
		['a chain in text', having({ domain: { ...DOMAIN, chainId: '42161' } }), 'chainId'],
		[
			'an undocumented member of the domain',
			having({ domain: { ...DOMAIN, chainid: 1 } }),
			'chainid',
		],
		[
			'a domain type that leaves out the contract',
			withTypes({ EIP712Domain: [{ name: 'name', type: 'string' }] }),
			'EIP712Domain',
		],
		[
			'an address with a wrong checksum',
			message({ to: contract.replace(/[a-f]/, (letter) => letter.toUpperCase()) }),
			'a valid address',
		],
		['half of a character', data({ id: '\ud800' }), 'a valid string'],
	])('refuses %s', (_what, input, words) => {
		const refusal = refusalOf(input);
		expect(refusal.message).toContain(words);
		expect(refusal.message).toContain('nothing was signed');
	});

	it.each<[string, Form, string, object?]>([
		[
			'The primary type "Permit" is not among the types',
			having({ primaryType: 'Permit' }),
			'primaryType',
		],
		['The type Payment does not sign from', withTypes({ Payment: PAYMENT.slice(1) }), 'types'],
		['The type Payment does not sign from', withTypes({ Payment: [] }), 'types'],
		[
			'The types do not sign data.recipient',
			withTypes({ PaymentData: without('recipient') }),
			'types',
		],
		['The types do not sign data.recipient', withTypes({ PaymentData: [] }), 'types'],
		[
			'The types sign note, which the service does not document',
			withTypes({ Payment: [...PAYMENT, { name: 'note', type: 'string' }] }),
			'types',
		],
		[
			'The types sign fee, which the service does not document',
			withTypes({ PaymentData: [...PAYMENT_DATA, { name: 'fee', type: 'string' }] }),
			'types',
		],
		[
			'The type of id is "Inner", not a plain value',
			withTypes({
				PaymentData: [...without('id'), { name: 'id', type: 'Inner' }],
				Inner: [{ name: 'a', type: 'string' }],
			}),
			'types',
		],
		[
			'The type of salt is "uint256[]", not a plain value',
			having(typed('salt', 'uint256[]')),
			'types',
		],
		[
			'typedData.data.id is not text',
			{ ...data({ id: true }), ...typed('id', 'bool') },
			'typedData',
		],
		[
			'typedData.salt is not text',
			{ ...message({ salt: true }), ...typed('salt', 'bool') },
			'typedData',
		],
		[
			`typedData.from is ${mallory.toLowerCase()}, not the wallet ${wallet.address}`,
			message({ from: mallory.toLowerCase() }),
			'typedData',
		],
		[
			`typedData.data.id is the team "te-zzzzzzzzzzzz", not the form’s ${teamId}`,
			data({ id: 'te-zzzzzzzzzzzz' }),
			'typedData',
		],
		[
			`domain.version is the email "eve@evil.example", not the form’s ${recipientEmail}`,
			having({ domain: { ...DOMAIN, version: 'eve@evil.example' } }),
			'typedData',
		],
		[
			'typedData.data.amount is "1.5", which isn’t a plain whole number like the form’s 12500 cents ($125.00)',
			data({ amount: '1.5' }),
			'typedData',
		],
	])('says: %s', (words, input, field) => {
		expect(refusalOf(input)).toMatchObject({
			message: `${words}, so nothing was signed.`,
			field,
			hint: 'Compare the typed data with the service’s documentation, or contact its support.',
		});
	});

	it.each<[string, Form]>([
		['a text that ends with a team', data({ id: 'xte-zzzzzzzzzzzz' })],
		['a text that begins with a team', data({ id: 'te-zzzzzzzzzzzz0' })],
		[
			'a sender that ends with an address',
			{ ...message({ from: `x${mallory}` }), ...typed('from', 'string') },
		],
		[
			'a sender that begins with an address',
			{ ...message({ from: `${mallory}0` }), ...typed('from', 'string') },
		],
		[
			'its own address in 32 bytes',
			{
				...message({ from: zeroPadValue(wallet.address, 32) }),
				...typed('from', 'bytes32'),
			},
		],
		['an email in capital letters', data({ recipient: recipientEmail.toUpperCase() })],
	])('takes %s as it stands', async (_what, input) => {
		await signAndJudge(input);
	});

	it.each(['', '-1', '1.5', 'x1', '1x', '01', '9'.repeat(79)])(
		'takes the text %j for no amount in either unit',
		(amount) => {
			for (const typedAmountUnit of ['cents', 'tokenSixDecimals']) {
				expect(refusalOf(data({ amount }), { typedAmountUnit }).message).toContain(
					'isn’t a plain whole number',
				);
			}
		},
	);

	it('reads an amount of 0 and of 78 digits, and refuses both', () => {
		expect(refusalOf(data({ amount: '0' })).message).toContain('is 0, as token units');
		expect(refusalOf(data({ amount: '9'.repeat(78) })).message).toContain('9, as token units');
	});

	it('signs one spelling of an integer at most', () => {
		const spelled = fc
			.tuple(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.nat(8))
			.map(([value, form]) => {
				const decimal = String(value);
				const hex = value.toString(16);
				return [
					decimal,
					`0x${hex}`,
					`0X${hex}`,
					`0x${hex.toUpperCase()}`,
					`0x0${hex}`,
					`0${decimal}`,
					`+${decimal}`,
					` ${decimal}`,
					`${decimal}.0`,
				][form];
			});
		let signed = 0;
		fc.assert(
			fc.property(spelled, (validMinutes) => {
				const input = { ...data({ validMinutes }), ...typed('validMinutes', 'uint256') };
				if (/^(0|[1-9][0-9]*)$/.test(String(validMinutes))) {
					instantPaymentTypedData(input, expectation);
					signed += 1;
				} else {
					expect(refusalOf(input).message).toContain('validMinutes');
				}
			}),
			{ numRuns: runs(500) },
		);
		expect(signed).toBeGreaterThan(runs(20));
	});

	const signsText = (text: string): boolean => {
		try {
			instantPaymentTypedData(data({ id: text }), expectation);
			return true;
		} catch (error) {
			if (error instanceof Refusal) return false;
			throw error;
		}
	};

	it.each([
		...['eve@evil.example', 'a@b.c', 'a@b..', 'a@..b', 'a@b.c.', '.@b.c', 'EVE@EVIL.EXAMPLE'],
		...[' eve@evil.example', 'eve@evil.example ', '\teve@evil.example\n', '\u00a0a@b.c'],
		...[` ${recipientEmail}`, `${recipientEmail} `],
	])('takes %j for an email address that isn’t the form’s', (recipient) => {
		expect(refusalOf(data({ recipient })).message).toBe(
			`typedData.data.recipient is the email ${JSON.stringify(recipient)}, not the form’s ${recipientEmail}, so nothing was signed.`,
		);
	});

	it.each([
		...['', '@', '.', 'a', 'a.b', '@a.b', '@a.bcd', 'a@', 'a@b', 'a@bcde', 'a@b.', 'a@bcde.'],
		...['a@.b', 'a@.bcd', 'a.b@cd', 'ab.c@de', 'a@b@c.d', '@a@b.c', 'a@b.c@', 'a b@c.d', 'a@b c.d'],
	])('doesn’t take %j for an email address', (text) => {
		expect(signsText(text)).toBe(true);
	});

	it('takes for an email address what has one @, a dot behind it and no white space', () => {
		const text = fc.string({
			unit: fc.constantFrom('a', '@', '.', ' ', '\n', '\u00a0'),
			maxLength: 12,
		});
		fc.assert(
			fc.property(text, (id) => {
				const isEmail = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(id.trim());
				expect([id, signsText(id)]).toEqual([id, !isEmail]);
			}),
			{ numRuns: runs(2_000) },
		);
	});

	it('reads a long text in which every dot could be the last one', () => {
		/* A pattern that tries each of the dots needs six minutes here, so this limit is no stopwatch. */
		const read = (text: string): unknown =>
			runInNewContext('signsText(text)', { signsText, text }, { timeout: 40_000 });
		expect(read(`a@${'a.'.repeat(500_000)}@`)).toBe(true);
		expect(read(`a@${'.'.repeat(1_000_000)} b`)).toBe(true);
		expect(read(`a@${'a.'.repeat(500_000)}a`)).toBe(false);
	});

	it('says of a provided signature that nothing was sent, and names the signer', () => {
		const provided = { walletAddress: mallory, signatureSource: 'provided' };
		const { message: words } = refusalOf(FORM, provided);
		expect(words).toContain(`not the signer ${mallory}, so nothing was sent.`);
		const { field, message: amount } = refusalOf(data({ amount: '1' }), {
			...provided,
			walletAddress: wallet.address,
		});
		expect([field, amount]).toEqual(['typedData', expect.stringContaining('so nothing was sent.')]);
	});

	it('names the other unit where that would fit, and both amounts in dollars', () => {
		expect(refusalOf(data({ amount: '12500' }))).toMatchObject({
			message:
				'typedData.data.amount is 12500, as token units with six decimals $0.0125, not the form’s 12500 cents ($125.00), which are 125000000, so nothing was signed.',
			hint: 'It would fit as Cents: if the service counts so, set Typed Amount Unit to it.',
		});
		expect(refusalOf(FORM, { typedAmountUnit: 'cents' })).toMatchObject({
			message:
				'typedData.data.amount is 125000000, as cents $1,250,000.00, not the form’s 12500 cents ($125.00), which are 12500, so nothing was signed.',
			hint: 'It would fit as Token Units (Six Decimals): if the service counts so, set Typed Amount Unit to it.',
		});
		for (const typedAmountUnit of ['cents', 'tokenSixDecimals']) {
			expect(refusalOf(data({ amount: '1' }), { typedAmountUnit }).hint).toBe(
				'Correct the amount, or the typed data.',
			);
		}
	});

	it('does not trust the form’s own amount either', () => {
		for (const amountCents of [0, -1, 0.5, NaN, 2 ** 53]) {
			for (const typedAmountUnit of ['cents', 'notChecked']) {
				expect(refusalOf(FORM, { amountCents, typedAmountUnit })).toMatchObject({
					message: `The amount ${amountCents} isn’t a whole number of cents, so nothing was signed.`,
					field: 'amountCents',
				});
			}
		}
	});

	it('refuses an amount that is not checked, but not signed either', () => {
		const input = withTypes({ PaymentData: without('amount') });
		expect(refusalOf(input, { typedAmountUnit: 'notChecked' }).field).toBe('types');
	});

	it('signs what was checked, though the form changes afterwards', () => {
		const form = structuredClone(FORM);
		const { message: signed } = instantPaymentTypedData(form, expectation);
		form.typedData.data.amount = '999999999999';
		expect(signed).toEqual(MESSAGE);
	});

	it('takes text in 32 bytes as it stands: what it means is not documented', async () => {
		const input = { ...data({ id: encodeBytes32String('77') }), ...typed('id', 'bytes32') };
		await signAndJudge(input);
	});
});

import {
	isAttemptCode,
	type Payment,
} from '../../../nodes/PayrollPayments/idempotency/paymentKeys';
import { runVirtualClock } from './memoryStore';
import { broken, codeOf, invoice, payment, scene, typedData, withSalt } from './paymentScene';

runVirtualClock();

let { store, sent, is, pay } = scene();

beforeEach(() => {
	({ store, sent, is, pay } = scene());
});

const BY_TYPED_DATA = [
	'E6C8-B6E6-1',
	'ea37 790f ec36 d149 96a0 1430 3439 3fe3 0d6a b0da',
	'ea37 96a0',
] as const;
const BY_REFERENCE = [
	'1872-A404-1',
	'1279 8843 461f 9357 96a0 1430 b296 52d4 22f1 76ec',
	'1279 96a0 adf6',
] as const;

/* With other keys, every payment that is recorded would be free again. */
it.each<[string, string, string, string, Payment]>([
	[...BY_TYPED_DATA, 'its typed data', payment],
	[
		...BY_TYPED_DATA,
		'another spelling of it',
		{
			...payment,
			signer: '0xef',
			typedData: { data: { to: '0xCd', amount: ' 0x3C', note: undefined }, from: '0xAB' },
		},
	],
	[...BY_REFERENCE, 'its reference', invoice],
	[...BY_REFERENCE, 'another spelling of it', { ...invoice, reference: ' inv－1\u200b' }],
])('has the code %s, is looked up as %s and recorded as %s: %s', async (...known) => {
	const [code, lookedUp, recorded, , what] = known;
	const asked = jest.spyOn(store, 'checkProcessedAndRecord');
	expect(await codeOf(pay(what, broken))).toBe(code);
	const calls = asked.mock.calls.map(([entries]) =>
		entries.flatMap((entry) => /^([\da-f]{4})[\da-f]{60}$/.exec(`${entry}`)?.[1] ?? []).join(' '),
	);
	expect([calls[0], calls[2]]).toEqual([lookedUp, recorded]);
	/* And the mark of who asked. */
	expect(asked.mock.calls[0]?.[0]).toHaveLength(lookedUp.split(' ').length + 1);
});

describe('one payment in many spellings', () => {
	it.each<[string, Partial<Payment>]>([
		['another case of an address', { signer: '0xef' }],
		['another order', { typedData: { data: { to: '0xCd', amount: '60' }, from: '0xAB' } }],
		['a member that JSON leaves out', { typedData: { ...typedData, memo: undefined } }],
		['another service', { baseUrl: 'https://other.example.com' }],
		...[
			...['0x3c', '0X3C', '060', '0060', ' 60', '60 ', '+60', '+0x3c', '0b111100', '0o74'],
			'0x003c',
		].map((amount): [string, Partial<Payment>] => [
			`the amount ${JSON.stringify(amount)}`,
			{ typedData: { ...typedData, data: { to: '0xcd', amount } } },
		]),
	])('is the same with %s', async (_what, change) => {
		await pay(payment);
		expect(await is({ ...payment, ...change })).toBe('done');
	});

	it.each([
		{ teamId: 'te-2' },
		{ signer: '0xee' },
		{ typedData: { ...typedData, from: '0xAC' } },
		{ typedData: { ...typedData, data: { to: '0xCd', amount: '61' } } },
		{ typedData: { ...typedData, more: 1 } },
	])('is another one with %j', async (change) => {
		await pay(payment);
		expect(await is({ ...payment, ...change })).toBe('sendable');
	});

	it.each<[unknown, unknown[]]>([
		['0', ['', ' ', '+']],
		['60', ['-60', '60.0', '6e1', '6+0', '60 dollars', '0x3c.']],
		['0xab', ['ab']],
		['null', [null]],
		['1', [1, ['1']]],
		['true', [true]],
		[['1'], [{ 0: '1' }]],
		[[1, 23], [[12, 3]]],
	])('is another one with a value other than %j: %j', async (one, others) => {
		for (const amount of [one, ...others]) await pay({ ...payment, typedData: { amount } });
		expect(sent).toHaveLength(1 + others.length);
	});
});

describe('a payment reference', () => {
	it.each([
		['INV-1', 'inv-1'],
		['INV-1', ' INV-1\n'],
		['INV 1', 'INV \t 1'],
		['INV-1', 'INV\u00AD-1'],
		['INV-1', '\u200BINV\u200D-1\uFEFF'],
		['INV-1', 'ＩＮＶ－１'],
		['café 1', 'cafe\u0301 1'],
		['café 1', 'cafe\u200D\u0301 1'],
		['№ 7', 'No 7'],
		['Straße 7', 'STRASSE 7'],
		['izmir 7', 'İZMİR 7'],
		['Straße 7', 'STRAẞE 7'],
		['ΝΟΣ 7', 'νοσ 7'],
		...['ΐ 7', 'ΰ 7'].map((text) => [text, text.toUpperCase()]),
		['INV-1', 'INV–1\ufe0f'],
		['INV-1', 'INV−1\u3164'],
		['INV-1', 'INV\u0007-1\u0085\u2800'],
	])('%j is the same as %j', async (one, other) => {
		await pay(withSalt('1', one));
		expect(await is(withSalt('2', other))).toBe('done');
	});

	it('is another one with other characters, or for another team', async () => {
		for (const [salt, reference] of 'INV-1,INV 1,INV1,1,12,1²,01,0x1,'.split(',').entries()) {
			await pay(withSalt(`${salt}`, reference));
		}
		await pay({ ...withSalt('team', 'INV-1'), teamId: 'te-other' });
		expect(sent).toHaveLength(10);
	});

	it.each([
		['INV-1', 'INV-2'],
		['INV-1', undefined],
		[undefined, 'INV-1'],
	])('%j does not let its typed data pay for %j', async (first, reference) => {
		await pay({ ...payment, reference: first });
		await expect(pay({ ...payment, reference })).rejects.toMatchObject({
			message:
				'The authorization of the payment of $125.00 to ana@example.com was already sent for another payment, so it was not sent again',
			hint: 'If it was sent with another Payment Reference, or with none, use that again to see what became of it: it may have been paid. Only for another payment, or once the service says that nothing was paid with it, get a new authorization.',
			context: { outcome: 'refused', page: 'payments.md#the-same-payment-is-sent-once' },
		});
	});
});

describe('an attempt code', () => {
	it.each([
		...['7F3A-91C2-1', '7F3A-91C2-1N', '7f3a91c2-1', ' 7F3A-91C2-999 ', '00000000-10n'],
		...['7F3A‑91C2‑1', '7F3A–91C2—1N', '“7F3A-91C2-1”', "'7F3A-91C2-1'", '7F3A-91C2-1.'],
		...['7F3A91C21', '７Ｆ３Ａ\u00ad−91C2\u200b-1'],
	])('%j is one', (text) => {
		expect(isAttemptCode(text)).toBe(true);
	});

	it.each([
		...['', '7F3A-91C2', '7F3A-91C2-', '7F3A-91C2-0', '7F3A-91C2-1000', '7F3A-91C2-x'],
		...['7F3-91C2-1', 'GF3A-91C2-1', 'x7F3A-91C2-1', '7F3A-91C2-1NN', '7F3A-91C2-N', '7F3A_91C2_1'],
	])('%j is none', (text) => {
		expect(isAttemptCode(text)).toBe(false);
	});

	it('holds as people type it, next to codes of other payments', async () => {
		const code = await codeOf(pay(payment, broken));
		const typed = [
			code,
			` “${code.toLowerCase().replaceAll('-', '‑')}”.`,
			code.replaceAll('-', ''),
			`${code}n`,
		];
		for (const each of typed) {
			expect(await is({ ...payment, confirmedNotPaid: ['0000-0000-1', each] })).toBe('sendable');
		}
	});

	it('cannot be made from another by counting on', async () => {
		const code = await codeOf(pay(payment, broken));
		for (const other of [code.replace(/\d+$/, '2'), code.replace(/\d+$/, '2N')]) {
			expect(await is({ ...payment, confirmedNotPaid: [other] })).toBe('unknown');
		}
	});
});

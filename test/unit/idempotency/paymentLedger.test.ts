import {
	NoResponseError,
	Refusal,
	ServiceError,
	SignInFailed,
} from '../../../nodes/PayrollPayments/shared/errors';
import type { ProcessedStore } from '../../../nodes/PayrollPayments/idempotency/keyStore';
import {
	isAttemptCode,
	PaymentLedger,
	type Payment,
	type PaymentRecord,
} from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import { MemoryStore, moment, runVirtualClock } from './memoryStore';

runVirtualClock();

const typedData = { from: '0xAB', data: { amount: '60', to: '0xCd' } };

const payment: Payment = {
	baseUrl: 'https://api.example.com/base',
	teamId: 'te-123456789012',
	signer: '0xEF',
	typedData,
	summary: '$125.00 to ana@example.com',
	item: 0,
};
const invoice: Payment = { ...payment, reference: 'INV-1' };
const paid = { transaction: 'tx-123456789012' };
const refusal = (status: number, refused: boolean) =>
	new ServiceError('no', { status, refused, hint: '' });
const noAnswer = () => new NoResponseError('The connection broke');

const CODE = /[0-9A-F]{4}-[0-9A-F]{4}-\d+/;

/** n8n's store and what was sent; a new ledger stands for another run of the node. */
function scene(store: ProcessedStore & { saved: string[] } = new MemoryStore()) {
	const sent: Payment[] = [];
	const ledger = (records = new Map<string, PaymentRecord>()) =>
		new PaymentLedger(store, 'node', records);
	const pay = async (what: Payment, outcome: typeof paid | Error = paid, run = ledger()) =>
		await run.pay(what, async () => {
			sent.push(what);
			if (outcome instanceof Error) throw outcome;
			return outcome;
		});
	/** Sends with an unknown outcome and reads the code from the error. */
	const attempt = async (what: Payment): Promise<string> => {
		const error: unknown = await pay(what, noAnswer()).catch((caught: unknown) => caught);
		const hint = error instanceof Refusal ? (error.hint ?? '') : '';
		return CODE.exec(hint)?.[0] ?? `no code in ${String(error)}: ${hint}`;
	};
	return { store, sent, ledger, pay, attempt };
}

describe('a payment', () => {
	it('that succeeded is answered from memory within one run of the node', async () => {
		const { ledger, pay, sent } = scene();
		const run = ledger();
		expect(await pay(payment, paid, run)).toEqual(paid);
		expect(await pay(payment, paid, run)).toEqual({ ...paid, already_sent: true });
		expect(sent).toHaveLength(1);
	});

	it('is refused in another run, and for a second item of the same one', async () => {
		const { ledger, pay, sent } = scene();
		const run = ledger();
		await pay(payment, paid, run);
		await expect(pay(payment)).rejects.toThrow(
			'The payment of $125.00 to ana@example.com was already sent by this node, so it was not sent again',
		);
		await expect(pay({ ...payment, item: 1 }, paid, run)).rejects.toThrow('was already sent');
		expect(sent).toHaveLength(1);
	});

	it('goes out once of many at the same time', async () => {
		const { ledger, pay, sent } = scene();
		const run = ledger();
		const outcomes = await Promise.allSettled(
			Array.from({ length: 20 }, async (_, item) => await pay({ ...payment, item }, paid, run)),
		);
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
		expect(sent).toHaveLength(1);
	});

	it.each([
		['no answer', noAnswer()],
		['no connection', new NoResponseError('Nothing listens', {}, false)],
		['429', refusal(429, false)],
		['500', refusal(500, false)],
		['a 400 without the envelope', refusal(400, false)],
		['a success without a transaction', refusal(200, false)],
		['a fault of our own', new TypeError('x')],
	])('stays recorded after %s, also over three tries', async (_, fault) => {
		const { ledger, pay, sent } = scene();
		const run = ledger();
		for (let count = 0; count < 3; count++) {
			await expect(pay(payment, fault, run)).rejects.toThrow(
				'The payment of $125.00 to ana@example.com may or may not have been made',
			);
		}
		await expect(pay(payment)).rejects.toThrow('was already sent');
		expect(sent).toHaveLength(1);
	});

	it.each([
		['a 400 with the envelope', refusal(400, true)],
		['a failed sign-in', new SignInFailed('no role')],
		['a refusal of our own before sending', new Refusal('not permitted')],
	])('leaves the record as it was after %s', async (_, fault) => {
		const { pay, sent, store } = scene();
		await pay(invoice);
		const before = [...store.saved];
		const other = { ...payment, typedData: { ...typedData, salt: '1' } };
		await expect(pay(other, fault)).rejects.toMatchObject({
			message: `The payment of $125.00 to ana@example.com was not made. ${fault.message}`,
			note: 'No payment was made. Fix the problem, then run the node again.',
			hint: fault.hint,
			cause: fault,
		});
		expect(store.saved).toEqual(before);
		expect(await pay(other)).toEqual(paid);
		expect(sent).toHaveLength(3);
	});

	it('keeps what the service answered with an outcome that is not known', async () => {
		const { ledger, pay } = scene();
		const run = ledger();
		for (let count = 0; count < 2; count++) {
			await expect(pay(payment, refusal(503, false), run)).rejects.toMatchObject({ status: 503 });
		}
	});

	it('that is under way counts as one whose outcome is not known', async () => {
		const { ledger, attempt } = scene();
		const code = await attempt({ ...payment, teamId: 'te-other' });
		const run = ledger();
		let isSending = false;
		void run.pay(payment, async () => {
			isSending = true;
			return await new Promise<never>(() => {});
		});
		while (!isSending) await moment();
		const error: unknown = await run
			.pay(payment, async () => paid)
			.catch((caught: unknown) => caught);
		expect(error).toMatchObject({
			message:
				'The payment of $125.00 to ana@example.com may or may not have been made. The request failed',
			hint: expect.stringMatching(/[0-9A-F]{4}-[0-9A-F]{4}-1 as/),
		});
		expect(error).not.toMatchObject({ hint: expect.stringContaining(code) });
	});

	it('is not sent where it cannot be recorded', async () => {
		const store = new MemoryStore();
		store.checkProcessedAndRecord = async () => await Promise.reject(new Error('SQLITE_BUSY'));
		const { pay, sent } = scene(store);
		await expect(pay(payment)).rejects.toThrow('could not be recorded, so nothing was sent');
		expect(sent).toHaveLength(0);
	});

	it('counts as sent where a failed call may have recorded it', async () => {
		const store = new MemoryStore();
		const record = store.checkProcessedAndRecord.bind(store);
		let isFirst = true;
		store.checkProcessedAndRecord = async (...call) => {
			const answer = await record(...call);
			if (!isFirst) return answer;
			isFirst = false;
			throw new Error('the connection broke after the write');
		};
		const { pay, sent } = scene(store);
		const error: unknown = await pay(payment).catch((caught: unknown) => caught);
		expect(error).toMatchObject({
			message: expect.stringContaining('so nothing was sent now'),
			hint: expect.stringMatching(CODE),
		});
		expect(sent).toHaveLength(0);
		const code = CODE.exec(error instanceof Refusal ? (error.hint ?? '') : '')?.[0];
		expect(await pay({ ...payment, confirmedNotPaid: code })).toEqual(paid);
	});

	it('says so where it was refused and the record could not be cleared', async () => {
		const { pay, store, sent } = scene();
		const remove = store.removeProcessed.bind(store);
		store.removeProcessed = async () => await Promise.reject(new Error('SQLITE_BUSY'));
		const error: unknown = await pay(payment, refusal(400, true)).catch(
			(caught: unknown) => caught,
		);
		store.removeProcessed = remove;
		expect(error).toMatchObject({ message: expect.stringContaining('could not clear its record') });
		/* Each run shows the code with which the next one goes on. */
		let confirmedNotPaid: string | undefined;
		for (let count = 0; count < 2; count++) {
			const again: unknown = await pay({ ...payment, confirmedNotPaid }).catch(
				(caught: unknown) => caught,
			);
			confirmedNotPaid = CODE.exec(again instanceof Refusal ? (again.hint ?? '') : '')?.[0];
		}
		expect(await pay({ ...payment, confirmedNotPaid })).toEqual(paid);
		expect(sent).toHaveLength(2);
	});
});

describe('one payment in many spellings', () => {
	it.each<readonly [string, Partial<Payment>]>([
		['another case of an address', { signer: '0xef' }],
		['a base URL with another path', { baseUrl: 'https://api.example.com' }],
		[
			'members in another order',
			{ typedData: { data: { to: '0xCd', amount: '60' }, from: '0xAB' } },
		],
		['a member that JSON leaves out', { typedData: { ...typedData, memo: undefined } }],
		...[
			'0x3c',
			'0X3C',
			'060',
			'0060',
			' 60',
			'60 ',
			'+60',
			'+0x3c',
			'0b111100',
			'0o74',
			'0x003c',
		].map((amount): [string, Partial<Payment>] => [
			`the amount ${JSON.stringify(amount)}`,
			{ typedData: { ...typedData, data: { to: '0xcd', amount } } },
		]),
	])('is the same with %s', async (_, change) => {
		const { pay, sent } = scene();
		await pay(payment);
		await expect(pay({ ...payment, ...change })).rejects.toThrow('was already sent');
		expect(sent).toHaveLength(1);
	});

	it.each([
		{ baseUrl: 'https://b.example' },
		{ teamId: 'te-2' },
		{ signer: '0xee' },
		{ typedData: { ...typedData, from: '0xAC' } },
		{ typedData: { ...typedData, data: { to: '0xCd', amount: '61' } } },
		{ typedData: { ...typedData, more: 1 } },
	])('is another one with %j', async (change) => {
		const { pay, sent } = scene();
		await pay(payment);
		await pay({ ...payment, ...change });
		expect(sent).toHaveLength(2);
	});
});

it.each([
	['0', ''],
	['0', ' '],
	['0', '+'],
	['60', '-60'],
	['60', '60.0'],
	['60', '6e1'],
	['0xab', 'ab'],
	['null', null],
	['1', 1],
	['1', ['1']],
	['true', true],
	['60', '6+0'],
	['60', '60 dollars'],
	['60', 'about 60'],
	['60', '0x3c.'],
	['60', 'a 0x3c'],
	[['1'], { 0: '1' }],
	[
		[1, 23],
		[12, 3],
	],
])('the values %j and %j make two payments', async (one, other) => {
	const { pay, sent } = scene();
	for (const amount of [one, other]) await pay({ ...payment, typedData: { amount } });
	expect(sent).toHaveLength(2);
});

describe('a payment reference', () => {
	const fresh = (salt: string) => ({ ...invoice, typedData: { ...typedData, salt } });

	it('is paid once, however often the typed data is made again', async () => {
		const { pay, sent } = scene();
		await pay(fresh('1'));
		await expect(pay(fresh('2'))).rejects.toThrow('was already sent');
		await pay({ ...fresh('3'), reference: 'INV-2' });
		await pay({ ...fresh('4'), reference: '1' });
		await pay({ ...fresh('5'), reference: '01' });
		await pay({ ...fresh('6'), teamId: 'te-other' });
		expect(sent).toHaveLength(5);
	});

	it('does not let the same typed data pay another reference, or none', async () => {
		const { pay, sent } = scene();
		await pay(invoice);
		for (const reference of ['INV-2', undefined]) {
			await expect(pay({ ...invoice, reference })).rejects.toThrow(
				'was already sent by this node for another payment',
			);
		}
		expect(sent).toHaveLength(1);
	});

	it('does not let typed data that was sent without one be sent again', async () => {
		const { pay, sent } = scene();
		await pay(payment);
		await expect(pay(invoice)).rejects.toThrow('for another payment');
		expect(sent).toHaveLength(1);
	});
});

describe('an attempt code', () => {
	const fresh = (salt: string) => ({ ...invoice, typedData: { ...typedData, salt } });

	it('lets exactly this payment be sent once more, however often the node runs with it', async () => {
		const { pay, attempt, sent } = scene();
		const code = await attempt(payment);
		expect(code).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}-1$/);
		const confirmed = { ...payment, confirmedNotPaid: ` ${code.toLowerCase()} ` };
		expect(await pay(confirmed)).toEqual(paid);
		for (let count = 0; count < 3; count++) {
			await expect(pay(confirmed)).rejects.toMatchObject({
				message: expect.stringContaining('was already sent by this node, as attempt 2'),
				hint: expect.stringMatching(/-2 as “Confirmed Not Paid”/),
			});
		}
		await expect(pay(payment)).rejects.toThrow('was already sent');
		expect(sent).toHaveLength(2);
	});

	it('lets one of many at the same time through', async () => {
		const { attempt, pay, sent } = scene();
		const confirmedNotPaid = await attempt(payment);
		const outcomes = await Promise.allSettled(
			Array.from(
				{ length: 20 },
				async (_, item) => await pay({ ...payment, item, confirmedNotPaid }),
			),
		);
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
		expect(sent).toHaveLength(2);
	});

	it('leads from attempt to attempt, each with a code of its own', async () => {
		const { attempt, pay, sent } = scene();
		const codes = [await attempt(payment)];
		for (let count = 0; count < 4; count++) {
			codes.push(await attempt({ ...payment, confirmedNotPaid: codes.at(-1) }));
		}
		expect(codes.map((code) => code.split('-').at(-1))).toEqual(['1', '2', '3', '4', '5']);
		expect(new Set(codes.map((code) => code.slice(0, 9))).size).toBe(5);
		for (const confirmedNotPaid of codes.slice(0, -1)) {
			await expect(pay({ ...payment, confirmedNotPaid })).rejects.toThrow('was already sent');
		}
		expect(await pay({ ...payment, confirmedNotPaid: codes.at(-1) })).toEqual(paid);
		expect(sent).toHaveLength(6);
	});

	it('releases no other payment, and says whose it is not', async () => {
		const { attempt, pay, sent } = scene();
		const confirmedNotPaid = await attempt(payment);
		const other = { ...payment, teamId: 'te-other', confirmedNotPaid };
		await pay(other);
		await expect(pay(other)).rejects.toMatchObject({
			hint: expect.stringMatching(
				/^The code in “Confirmed Not Paid” belongs to another payment\. /,
			),
		});
		expect(sent).toHaveLength(2);
	});

	it('cannot be made from another by counting on', async () => {
		const { attempt, pay, sent } = scene();
		const code = await attempt(payment);
		const confirmedNotPaid = code.replace(/\d+$/, '2');
		await expect(pay({ ...payment, confirmedNotPaid })).rejects.toThrow('was already sent');
		expect(sent).toHaveLength(1);
	});

	it('leaves earlier attempts recorded when its own is refused', async () => {
		const { attempt, pay, sent, store } = scene();
		const confirmed = { ...payment, confirmedNotPaid: await attempt(payment) };
		const before = [...store.saved];
		const fault = refusal(400, true);
		await expect(pay(confirmed, fault)).rejects.toMatchObject({
			status: 400,
			note: expect.stringContaining('This attempt paid nothing'),
			cause: fault,
		});
		expect(store.saved).toEqual(before);
		await expect(pay(payment)).rejects.toThrow('was already sent');
		expect(await pay(confirmed)).toEqual(paid);
		expect(sent).toHaveLength(3);
	});

	it('of a reference fits freshly made typed data, and not that of another payment', async () => {
		const { attempt, pay, sent } = scene();
		const confirmedNotPaid = await attempt(fresh('1'));
		await pay({ ...fresh('2'), reference: 'INV-2' });
		await expect(pay({ ...fresh('2'), confirmedNotPaid })).rejects.toThrow('for another payment');
		expect(await pay({ ...fresh('3'), confirmedNotPaid })).toEqual(paid);
		expect(sent).toHaveLength(3);
	});

	it('of a reference fits the same typed data, too', async () => {
		const { attempt, pay } = scene();
		const confirmedNotPaid = await attempt(invoice);
		expect(await pay({ ...invoice, confirmedNotPaid })).toEqual(paid);
		await expect(pay({ ...payment, confirmedNotPaid })).rejects.toThrow('for another payment');
	});

	it('sends nothing where the node has no record of that attempt', async () => {
		const elsewhere = scene();
		const confirmedNotPaid = await elsewhere.attempt(payment);
		const { pay, sent, store } = scene();
		await expect(pay({ ...payment, confirmedNotPaid })).rejects.toMatchObject({
			message: expect.stringContaining('has no record of the attempt'),
			field: 'confirmedNotPaid',
		});
		expect(sent).toHaveLength(0);
		expect(store.saved).toEqual([]);
	});
});

describe('what is said', () => {
	const again: Payment = { ...payment, typedData: { ...typedData, salt: '2' } };
	const ask = (code: string) =>
		`Ask the service whether this payment was made. Only if it was not, enter ${code} as “Confirmed Not Paid” under Options and run the node again.`;

	it('of a payment with an unknown outcome', async () => {
		const { ledger, pay, attempt } = scene();
		const fault = noAnswer();
		const run = ledger();
		const error: unknown = await pay(payment, fault, run).catch((caught: unknown) => caught);
		const code = CODE.exec(error instanceof Refusal ? (error.hint ?? '') : '')?.[0] ?? '';
		expect(error).toMatchObject({
			message:
				'The payment of $125.00 to ana@example.com may or may not have been made. The connection broke',
			hint: `Don't pay this again in another way. ${ask(code)}`,
			isOutcomeUnknown: true,
		});
		expect(() => run.earlier(payment)).toThrow(
			'may or may not have been made. The connection broke',
		);
		await expect(pay(payment)).rejects.toMatchObject({ hint: ask(code) });
		for (const confirmedNotPaid of ['', ' ', 'typed by hand']) {
			await expect(pay({ ...payment, confirmedNotPaid })).rejects.toMatchObject({
				hint: `${confirmedNotPaid === 'typed by hand' ? 'The code in “Confirmed Not Paid” belongs to another payment. ' : ''}${ask(code)}`,
			});
		}
		const second = await attempt({ ...payment, confirmedNotPaid: code });
		await expect(pay({ ...payment, confirmedNotPaid: code })).rejects.toMatchObject({
			message:
				'The payment of $125.00 to ana@example.com was already sent by this node, as attempt 2, so it was not sent again',
			hint: ask(second),
		});
	});

	it('of a payment that cannot be looked up, or recorded', async () => {
		const store = new MemoryStore();
		store.checkProcessedAndRecord = async () => await Promise.reject(new Error('SQLITE_BUSY'));
		const { ledger, pay } = scene(store);
		await expect(ledger().check(payment)).rejects.toMatchObject({
			message:
				"The payment of $125.00 to ana@example.com could not be looked up in n8n's record of payments",
			hint: 'Save the workflow and check that n8n can write to its database, then run the node again. Nothing was signed or sent.',
		});
		await expect(pay(payment)).rejects.toMatchObject({
			message:
				'The payment of $125.00 to ana@example.com could not be recorded, so nothing was sent',
			hint: 'Save the workflow and check that n8n can write to its database, then run the node again.',
		});
	});

	it('of a payment that n8n may have recorded before it failed', async () => {
		const store = new MemoryStore();
		const record = store.checkProcessedAndRecord.bind(store);
		store.checkProcessedAndRecord = async (...call) => {
			store.checkProcessedAndRecord = record;
			await record(...call);
			throw new Error('the connection broke after the write');
		};
		const error: unknown = await scene(store)
			.pay(payment)
			.catch((caught: unknown) => caught);
		const code = CODE.exec(error instanceof Refusal ? (error.hint ?? '') : '')?.[0] ?? '';
		expect(error).toMatchObject({
			message:
				"n8n's database failed while the payment of $125.00 to ana@example.com was being recorded, so nothing was sent now",
			hint: `It may have been sent in an earlier run. ${ask(code)}`,
		});
	});

	it('of typed data that was sent for another payment', async () => {
		const { pay } = scene();
		await pay(payment);
		await expect(pay(invoice)).rejects.toMatchObject({
			message:
				'The typed data of the payment of $125.00 to ana@example.com was already sent by this node for another payment, so it was not sent again',
			field: 'paymentReference',
			hint: 'If it was sent with another Payment Reference, or with none, use that again. For a new payment, get new typed data.',
		});
		await pay({ ...again, reference: 'INV-2' });
		await expect(pay(again)).rejects.toMatchObject({
			field: 'paymentReference',
			hint: 'It was sent with a Payment Reference: fill that in again. For a new payment, get new typed data.',
		});
	});

	it('of a code of which the node has no record', async () => {
		const confirmedNotPaid = await scene().attempt(payment);
		await expect(scene().pay({ ...payment, confirmedNotPaid })).rejects.toMatchObject({
			message:
				'This node has no record of the attempt whose code is in “Confirmed Not Paid”, so the payment of $125.00 to ana@example.com was not sent',
			field: 'confirmedNotPaid',
			hint: 'A refused attempt leaves no record. Clear “Confirmed Not Paid” and run the node again.',
		});
	});

	it('of a refused payment whose record stays, and of a refused second attempt', async () => {
		const { pay, store, attempt } = scene();
		const remove = store.removeProcessed.bind(store);
		store.removeProcessed = async () => await Promise.reject(new Error('SQLITE_BUSY'));
		await expect(pay(payment, refusal(400, true))).rejects.toMatchObject({
			message:
				'The payment of $125.00 to ana@example.com was not made, but n8n could not clear its record of it. no',
			hint: 'No money moved. Fix the problem and run the node again. If it says that the payment was already sent, enter the code that it shows as “Confirmed Not Paid” under Options.',
		});
		store.removeProcessed = remove;
		const confirmedNotPaid = await attempt(again);
		await expect(
			pay({ ...again, confirmedNotPaid }, new Refusal('no', { hint: 'Do this.' })),
		).rejects.toMatchObject({
			message: 'The payment of $125.00 to ana@example.com was not made. no',
			hint: 'Do this.',
			note: 'This attempt paid nothing. If the service says that the payment exists already, an earlier attempt was made: ask the service before you pay again.',
		});
	});

	it('after something was thrown that is no error', async () => {
		const { ledger } = scene();
		await expect(ledger().pay(payment, async () => await Promise.reject('a text'))).rejects.toThrow(
			'may or may not have been made. The request failed',
		);
	});
});

describe('a check of several items', () => {
	it('counts the attempts, and lets different payments pass', async () => {
		const { ledger, attempt } = scene();
		const confirmedNotPaid = await attempt(payment);
		const run = ledger();
		expect(await run.check({ ...payment, confirmedNotPaid })).toBe(2);
		expect(await run.check({ ...invoice, typedData: { salt: '1' }, item: 1 })).toBe(1);
		expect(
			await run.check({ ...invoice, reference: 'INV-2', typedData: { salt: '2' }, item: 2 }),
		).toBe(1);
	});

	it.each<[string, Payment, Payment, string]>([
		['typed data', payment, payment, 'typedData'],
		['a reference', invoice, { ...invoice, typedData: { salt: '1' } }, 'paymentReference'],
		['typed data with references', invoice, { ...invoice, reference: 'INV-2' }, 'paymentReference'],
		['typed data with a reference and without', invoice, payment, 'typedData'],
	])('refuses the second of two with the same: %s', async (_what, one, other, field) => {
		const { ledger, store } = scene();
		const run = ledger();
		await run.check({ ...payment, typedData: { salt: 'other' }, item: 3 });
		expect(await run.check({ ...one, item: 4 })).toBe(1);
		await expect(run.check({ ...other, item: 5 })).rejects.toMatchObject({
			message:
				'The payment of $125.00 to ana@example.com would be refused, because item 4 has the same payment or typed data',
			field,
			hint: 'Remove one of the two, or get new typed data for a new payment. Nothing was signed or sent.',
		});
		expect(store.saved).toEqual([]);
	});
});

describe('the text of an attempt code', () => {
	it.each(['7F3A-91C2-1', '7f3a91c2-1', ' 7F3A-91C2-999 ', '00000000-10'])('%j is one', (text) => {
		expect(isAttemptCode(text)).toBe(true);
	});

	it.each([
		'',
		'7F3A-91C2',
		'7F3A-91C2-',
		'7F3A-91C2-0',
		'7F3A-91C2-1000',
		'7F3A-91C2-x',
		'7F3-91C2-1',
		'7F3A-91C-1',
		'GF3A-91C2-1',
		'7F3A--91C2-1',
		'x7F3A-91C2-1',
		'7F3A-91C2-1x',
		'7F3A 91C2 1',
	])('%j is none', (text) => {
		expect(isAttemptCode(text)).toBe(false);
	});

	it('may be entered without its first hyphen, and reaches two digits', async () => {
		const { attempt, pay, sent } = scene();
		let code = await attempt(payment);
		for (let count = 2; count <= 11; count++) {
			code = await attempt({ ...payment, confirmedNotPaid: code.replace('-', '') });
			expect(code).toMatch(new RegExp(`-${count}$`));
		}
		expect(await pay({ ...payment, confirmedNotPaid: code })).toEqual(paid);
		expect(sent).toHaveLength(12);
	});
});

describe('the record', () => {
	/*
	 * Keys worked out apart from the code, as SHA-256 of e.g. `["attempt","PAYMENT",1]`. They must stay:
	 * a payment that an earlier version has saved would else be made again.
	 */
	const saved = {
		...payment,
		typedData: {
			from: '0xAB',
			expires: 1_790_000_000,
			data: { to: '0xCd', amount: '60' },
			tags: ['a', true, null, ['0x10'], 'Z 0xA', '0xA Z'],
		},
	};
	const typedDataKey = 'e12a71237d2526b12aabefb0843b4071ca2daf075a8e597373ed2fb1637d0e4a';

	/** All that version 0.1.0 recorded. */
	const firstVersionKey = 'ea0a655b52bb9baf7dd1a6e4d6aba4d46ba1946194e5a81584ed6c2d43a3ad27';

	it.each([
		[
			'typed data',
			saved,
			[
				'ce96405a5ebd4f131d26d01f70f4901abe0c4c36e4045da399400486ffc0b9eb',
				typedDataKey,
				firstVersionKey,
				'8e2c411b63532cb23d9d2cce04c3f2a2f0a14a9a997eb2aaa8e0a2db13554cc8',
			],
			'50B6-0013-1',
		],
		[
			'a reference',
			{ ...saved, reference: 'INV-1' },
			[
				'd3e410f71c05e856c3e5c53aa7aba3b4f73fc5dc021aad5c77ab2d6fe8d0739f',
				typedDataKey,
				firstVersionKey,
				'6934be4aa96b299fc4dcdc6bf2742ed6178be1ab6c3b597ead2ea4484881e706',
				'a6a5eb661b7abc164a3d02ec49f228f18c21309f93af687fc1aee3ac1998cf0b',
			],
			'5005-5932-1',
		],
	])('has the same keys and codes in every version: by %s', async (_, what, keys, code) => {
		const { attempt, pay, store } = scene();
		const keysIn = () => store.saved.filter((entry) => !/ [\da-f-]{36}$/.test(entry));
		expect(await attempt(what)).toBe(code);
		expect(keysIn()).toEqual(keys.slice(0, -1));
		await pay({ ...what, confirmedNotPaid: code });
		expect(keysIn()).toEqual(keys);
	});

	it.each([
		['typed data', saved, '50B6-0013-1'],
		['a reference', { ...saved, reference: 'INV-1' }, '5005-5932-1'],
	])('of version 0.1.0 lets a payment out only with its code: by %s', async (_, what, code) => {
		const { ledger, pay, sent, store } = scene();
		store.saved = [firstVersionKey, `${firstVersionKey} an owner`];
		const before = [...store.saved];
		const refused = {
			message:
				'The payment of $125.00 to ana@example.com was already sent by this node, so it was not sent again',
			hint: expect.stringContaining(`Only if it was not, enter ${code} as`),
		};
		await expect(ledger().check(what)).rejects.toMatchObject(refused);
		await expect(pay(what)).rejects.toMatchObject(refused);
		const confirmed = { ...what, confirmedNotPaid: code };
		await expect(pay(confirmed, refusal(400, true))).rejects.toThrow('was not made');
		expect(store.saved).toEqual(before);
		expect(await pay(confirmed)).toEqual(paid);
		for (const each of [what, confirmed]) {
			await expect(pay(each)).rejects.toThrow('was already sent');
		}
		expect(sent).toHaveLength(2);
	});

	it('of version 0.1.0 knows hex in any case, and no other payment', async () => {
		const { pay, store } = scene();
		store.saved = [firstVersionKey];
		for (const from of ['0xAb', '0xab']) {
			await expect(pay({ ...saved, typedData: { ...saved.typedData, from } })).rejects.toThrow(
				'was already sent',
			);
		}
		await pay({ ...saved, teamId: 'te-other' });
		await pay({ ...saved, typedData: { ...saved.typedData, tags: ['A'] } });
	});

	it('is looked up without a trace', async () => {
		const { pay, store, ledger } = scene();
		await pay(invoice);
		const before = [...store.saved];
		await expect(ledger().check(invoice)).rejects.toThrow('was already sent');
		await ledger().check({ ...payment, typedData: { ...typedData, salt: '1' } });
		expect(store.saved).toEqual(before);
	});
});

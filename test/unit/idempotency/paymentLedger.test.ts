import {
	NoResponseError,
	Refusal,
	ServiceError,
	SignInFailed,
} from '../../../nodes/PayrollPayments/shared/errors';
import type { ProcessedStore } from '../../../nodes/PayrollPayments/idempotency/keyStore';
import {
	PaymentLedger,
	type Payment,
	type PaymentRecord,
} from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import { MemoryStore, runVirtualClock } from './memoryStore';

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
		...['0x3c', '0X3C', '060', '0060', ' 60', '60 ', '+60', '0b111100', '0o74', '0x003c'].map(
			(amount): [string, Partial<Payment>] => [
				`the amount ${JSON.stringify(amount)}`,
				{ typedData: { ...typedData, data: { to: '0xcd', amount } } },
			],
		),
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

describe('the record', () => {
	it('is looked up without a trace', async () => {
		const { pay, store, ledger } = scene();
		await pay(invoice);
		const before = [...store.saved];
		await expect(ledger().check(invoice)).rejects.toThrow('was already sent');
		await ledger().check({ ...payment, typedData: { ...typedData, salt: '1' } });
		expect(store.saved).toEqual(before);
	});
});

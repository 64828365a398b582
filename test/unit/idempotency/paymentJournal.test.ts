import type { Payment } from '../../../nodes/PayrollPayments/idempotency/paymentKeys';
import { ProcessMemory } from '../../../nodes/PayrollPayments/idempotency/processMemory';
import {
	NoResponseError,
	ServiceError,
	SignInFailed,
	UserError,
} from '../../../nodes/PayrollPayments/shared/errors';
import { refusalFrom as failureOf } from '../../support/refusals';
import { fail, MemoryStore, moment, never, pass, runVirtualClock } from './memoryStore';
import {
	broken,
	codeOf,
	invoice,
	journalOf,
	ofItem,
	paid,
	payment,
	refused,
	scene,
	typedData,
	withSalt,
} from './paymentScene';

runVirtualClock();

let { store, sent, open, look, is, pay } = scene();

beforeEach(() => {
	({ store, sent, open, look, is, pay } = scene());
});

const refusal = (status: number, nothingDone: boolean, mayHaveSucceeded = false) =>
	new ServiceError('The service refused: no', { status, nothingDone, mayHaveSucceeded });
const unreachable = new NoResponseError('It refused the connection', { outcome: 'refused' });
/** What may not be sent. */
const send = jest.fn();

beforeEach(() => send.mockReset());
afterEach(() => expect(send).not.toHaveBeenCalled());

/** What a look-up that is killed in its middle leaves behind. */
const leftBy = async (looked: Payment): Promise<string[]> => {
	let left: string[] = [];
	store.once('afterwards', () => (left = store.saved));
	await look([looked]);
	return left;
};

/** What is known of a payment that is refused. */
const refusedWith = (message: string, hint: string) => ({
	is: 'refused',
	error: { message, hint, context: { outcome: 'refused' } },
});

const UNKNOWN_OUTCOME = 'payments.md#when-the-outcome-is-unknown';
const WAS_PAID =
	'The payment of $125.00 to ana@example.com was already paid, so it was not sent again';
const WAS_SENT =
	'The payment of $125.00 to ana@example.com was already sent, so it was not sent again. Whether it was made isn’t known';
const BEING_SENT =
	'The payment of $125.00 to ana@example.com was not sent, because another execution is sending it right now';
const BEING_SENT_HINT =
	'Wait until that one has ended, or stop it, then run the node again. It may be waiting for a person to confirm in the wallet.';
const CHECK_DATABASE =
	'Save the workflow and check that n8n can write to its database, then run the node again.';
const askFirst = (code?: string) =>
	`Ask the service whether this payment was made: name team, recipient, amount and time, since it doesn’t know this code. If it was, leave it out of the next run. Only if it was not, enter ${code} as “Confirmed Not Paid” under Options and run the node again.`;

describe('a payment that was made', () => {
	it.each([
		['authorization', withSalt('2')],
		['reference where it had none', withSalt('2', 'INV-2')],
	])('is not sent again, whatever %s Retry On Fail gives its item', async (what, other) => {
		for (const outcome of [paid, broken]) {
			const again = { executionId: `${what} ${outcome === paid}` };
			const confirmedNotPaid = [await codeOf(pay(other, broken))];
			const first = await pay(payment, outcome, again).catch((error: unknown) => error);
			const changed = { ...other, confirmedNotPaid };
			const next = await pay(changed, paid, again).catch((error: unknown) => error);
			const isPaid = outcome === paid;
			expect(next).toEqual(isPaid ? { ...paid, already_sent: true } : first);
			expect(await look([{ ...changed, cents: 1, summary: '$0.01' }], again)).toMatchObject([
				isPaid
					? refusedWith(
							'The payment of $0.01 was not sent, because an earlier try of this run paid $125.00 to ana@example.com for the item (tx-123456789012)',
							'Retry On Fail runs the node again: use a reference, an amount and a recipient that stay the same.',
						)
					: { is: 'unknown', when: 'earlierTry' },
			]);
			expect(sent.splice(0)).toEqual([other, payment]);
			store.saved = [];
		}
	});

	it('is paid in a retry with its reference in any spelling, and with no other', async () => {
		const again = { executionId: 'references' };
		await pay(invoice, paid, again);
		const same = { ...invoice, reference: ' inv-1' };
		expect(await look([same], again)).toMatchObject([{ is: 'done', when: 'earlierTry' }]);
		const unasked = open(again).perform(same, async () => await Promise.reject(new Error('sent')));
		await expect(unasked).resolves.toEqual({ ...paid, already_sent: true });
		const other = withSalt('2', 'INV-2');
		expect(await look([other], again)).toMatchObject([{ is: 'refused', when: 'earlierTry' }]);
	});

	it.each([
		['another recipient', 'an earlier try of this run paid', withSalt('2')],
		['the same reference', 'because reference INV-1 was used for another', invoice],
	])('is not said to be paid in a retry for %s', async (what, because, other) => {
		const again = { executionId: what };
		await pay(invoice, paid, again);
		const toBen = { ...other, recipient: 'ben@example.com' };
		expect(await look([toBen], again)).toMatchObject([
			{ is: 'refused', error: { message: expect.stringContaining(because) } },
		]);
		await expect(pay(toBen, paid, again)).rejects.toThrow(because);
		expect(sent).toHaveLength(1);
	});

	it.each([
		['by its typed data', payment, payment],
		['by its reference', withSalt('1', 'INV-1'), withSalt('2', 'INV-1')],
		['as another item of the same run', payment, ofItem(1)],
	])('is refused as paid, and without a code: %s', async (_what, first, second) => {
		await pay(first, paid, { executionId: 'run' });
		const options = { executionId: second.number === 1 ? 'run' : undefined };
		const error = await failureOf(pay(second, paid, options));
		expect(error).toMatchObject({
			message: WAS_PAID,
			hint: 'If it is another payment, give it a Payment Reference and an authorization that were not used before. To leave paid rows alone, set If Already Paid to Skip.',
			context: { outcome: 'refused', page: 'payments.md#the-same-payment-is-sent-once' },
		});
		expect(error.context.attemptCode).toBeUndefined();
		expect(await look([second])).toEqual([{ is: 'done', when: 'earlierRun', error }]);
		expect(sent).toHaveLength(1);
	});

	it('is recorded as paid with the next payment, should the process end before the run does', async () => {
		const interrupted = open();
		const rows = ['1', '2', '3'].map((salt, item) => ofItem(item, withSalt(salt, salt)));
		for (const row of rows) await interrupted.perform(row, async () => paid);
		expect((await look(rows)).map((known) => known.is)).toEqual(['done', 'done', 'unknown']);
		await interrupted.close();
		const { calls } = store;
		await interrupted.close();
		expect([await is(withSalt('3', '3')), store.calls - calls]).toEqual(['done', 4]);
	});

	it('is recorded as paid although the next payment was refused in the meantime', async () => {
		const journal = open();
		const other = ofItem(1, withSalt('2', 'INV-2'));
		await journal.perform(invoice, async () => paid);
		await journal.look([other]);
		await pay(other);
		await expect(journal.perform(other, send)).rejects.toThrow(WAS_PAID);
		store.saved = store.saved.slice(0, -20);
		await journal.close();
		expect(await is(invoice)).toBe('done');
	});

	it('is never sent again if that it was paid could not be recorded', async () => {
		const journal = open();
		await journal.perform(payment, async () => {
			store.meanwhile = fail('SQLITE_FULL');
			return paid;
		});
		await journal.close();
		store.meanwhile = () => {};
		await expect(pay(payment)).rejects.toThrow(WAS_SENT);
	});

	const recipient = 'ben@example.com';
	const toBen = { recipient, cents: 99_000, summary: `$990.00 to ${recipient}` };
	const newlyAuthorized = { ...withSalt('1', 'INV-1'), ...toBen };

	it.each<[string, Payment, Partial<Payment>, string]>([
		['to another recipient', invoice, { recipient }, 'reference INV-1'],
		['with another amount', invoice, { cents: 12_501 }, 'reference INV-1'],
		['by a new authorization to someone else', invoice, newlyAuthorized, 'reference INV-1'],
		['by one that names no recipient', payment, toBen, 'this authorization'],
	])('is neither said to be paid nor sent %s', async (_what, first, change, what) => {
		await pay(first);
		const other = { ...first, ...change };
		const before = [...store.saved];
		expect(await look([other])).toMatchObject([
			refusedWith(
				`The payment of ${other.summary} was not sent, because ${what} was used for another recipient or amount`,
				'Look up what was paid with it. If this is another payment, give it a Payment Reference and an authorization that were not used before.',
			),
		]);
		await expect(open().perform(other, send)).rejects.toThrow('was used for another');
		expect([sent.length, store.saved]).toEqual([1, before]);
		expect(await is({ ...first, recipient: 'ANA@Example.com' })).toBe('done');
	});

	it('is said to be paid to whom the last attempt paid', async () => {
		const code = await codeOf(pay(invoice, broken));
		const { hint } = await failureOf(pay({ ...withSalt('1', 'INV-1'), ...toBen }));
		expect(hint).toContain(
			'If reference INV-1 was sent for another recipient or amount, ask about that payment',
		);
		await pay({ ...withSalt('2', 'INV-1'), ...toBen, confirmedNotPaid: [`${code}N`] });
		expect(await is(invoice)).toBe('refused');
		expect(await is({ ...invoice, ...toBen })).toBe('done');
	});

	it('stays refused while n8n has kept only a part of its record', async () => {
		await pay(invoice);
		const saved = [...store.saved];
		for (const forgotten of saved) {
			store.saved = saved.filter((entry) => entry !== forgotten);
			expect(await is(withSalt('1', 'INV-1'))).toMatch(/^(done|refused)$/);
		}
		store.saved = saved.slice(-2);
		expect(await is(withSalt('1', 'INV-1'))).toBe('done');
	});
});

describe('a payment that was sent', () => {
	it.each([
		['no answer', broken],
		['no connection', new NoResponseError('It refused the connection', { wasSent: false })],
		['429', refusal(429, false)],
		['500', refusal(500, false)],
		['a 401 without the envelope', refusal(401, false)],
		['a success without a transaction', refusal(200, false)],
		['a fault of our own', new TypeError('x')],
		['an error that leaves it open', new UserError('x', { outcome: 'unknown' })],
		['a refusal because it exists already', refusal(400, true, true)],
	])('has an unknown outcome after %s, and is not sent again', async (what, fault) => {
		const options = { executionId: what };
		const error = await failureOf(pay(payment, fault, options));
		const code = error.context.attemptCode;
		expect(code).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}-1$/);
		expect([error.message, error.hint]).toEqual([
			`The payment of $125.00 to ana@example.com may or may not have been made. ${fault.message}`,
			`Don’t pay this again in another way. ${askFirst(code)}`,
		]);
		expect(error.context).toMatchObject({
			outcome: 'unknown',
			page: 'payments.md#when-the-outcome-is-unknown',
		});
		expect(Object(error).status).toBe(Object(fault).status);
		expect(await look([payment], options)).toEqual([
			{ is: 'unknown', when: 'earlierTry', code, error },
		]);
		const later = await failureOf(pay(payment));
		expect([later.message, later.hint]).toEqual([
			WAS_SENT,
			`${askFirst(code)} If this authorization was sent for another recipient or amount, ask about that payment. A check that was interrupted can also have left this record.`,
		]);
		expect(await look([payment])).toEqual([
			{ is: 'unknown', when: 'earlierRun', code, error: later },
		]);
		expect(sent).toHaveLength(1);
	});

	it.each([
		['1790000000', '2026-09-21 14:13 UTC'],
		/* In seconds, it would be the year 58693. */
		[' 1790000000000 ', '2026-09-21 14:13 UTC (1790000000000)'],
		['9999999999', '2286-11-20 17:46 UTC'],
		['2026-09-21T14:13:20Z', '2026-09-21 14:13 UTC'],
		['0x6ab13b80', '2026-09-21 14:13 UTC (0x6ab13b80)'],
		[1_790_000_000, '2026-09-21 14:13 UTC'],
	])('says until when its authorization is valid: %j', async (expires, time) => {
		const valid = { ...payment, typedData: { ...typedData, expires } };
		const sentence = `Its authorization is valid until ${time}: until then, the service can still make it. Ask the service`;
		expect((await failureOf(pay(valid, broken))).hint).toContain(sentence);
		expect((await failureOf(pay(valid))).hint).toContain(sentence);
		const known = { ...valid, typedData: { ...valid.typedData, salt: '2' }, reference: 'INV-1' };
		expect((await failureOf(pay(known, broken))).hint).toContain(sentence);
		/* Which authorization the reference was sent with isn’t known later. */
		const later = await failureOf(pay(known));
		expect(later.hint).toBe(
			`If it was sent with this authorization, the service can still make it until ${time}. ${askFirst(later.context.attemptCode)} If reference INV-1 was sent for another recipient or amount, ask about that payment. A check that was interrupted can also have left this record.`,
		);
	});

	it.each([
		...[null, {}],
		...['', '0', '3600', '-1790000000', 'soon', '1e10'].map((expires) => ({ expires })),
	])('says nothing of an expiry that does not read as a time: %j', async (authorization) => {
		const odd = { ...payment, typedData: authorization };
		expect((await failureOf(pay(odd, broken))).hint).not.toContain('valid until');
	});

	it.each([
		['a 400 with the envelope', refused, 'wasn’t accepted'],
		['a failed sign-in', new SignInFailed('no role'), 'was not sent'],
		['a refusal of our own before sending', new UserError('not permitted'), 'was not sent'],
		['a signer that can’t be reached', unreachable, 'was not sent'],
		['a stop after signing', new UserError('Stopped', { outcome: 'notSent' }), 'was not sent'],
		[
			'a refusal with a hint',
			new UserError('no', { hint: 'Ask the bank.' }),
			'was not sent',
			'Ask the bank. ',
		],
	])('leaves the record as it was after %s', async (_what, fault, what, hint = '') => {
		await pay(invoice);
		const before = [...store.saved];
		const memory = new ProcessMemory();
		const other = withSalt('1');
		const error = await failureOf(pay(other, fault, { memory }));
		expect([error.message, error.hint]).toEqual([
			`The payment of $125.00 to ana@example.com ${what}. ${fault.message}`,
			`${hint}Fix the problem, then run the node again.`,
		]);
		expect(error.cause).toBe(fault);
		const outcome = fault.context.outcome ?? 'refused';
		expect(error.context).toMatchObject({ outcome, page: 'payments.md' });
		expect(error.context.attemptCode).toBeUndefined();
		expect(store.saved).toEqual(before);
		expect(await pay(other, paid, { memory })).toEqual(paid);
		expect(sent).toHaveLength(3);
	});
});

it('a payment that was refused is sent in a later try of the run, until one’s outcome is unknown', async () => {
	const again = { executionId: 'tries' };
	const [first = payment, second = payment, third = payment] = ['1', '2', '3'].map((salt, item) =>
		ofItem(item, withSalt(salt)),
	);
	const error = await failureOf(pay(first, refused, again));
	await pay(second, paid, again);
	expect(await look([first], again)).toEqual([{ is: 'sendable', attempt: 1 }]);
	await failureOf(pay(third, broken, again));
	expect(open(again).paymentsOfEarlierTries()).toEqual([second, third]);
	expect(await look([first], again)).toEqual([{ is: 'refused', when: 'earlierTry', error }]);
	await expect(open(again).perform(first, send)).rejects.toBe(error);
	expect(await is(first)).toBe('sendable');
	expect(await pay(first, paid, { executionId: 'another run' })).toEqual(paid);
});

describe('n8n’s store', () => {
	it('isn’t asked for a workflow that n8n doesn’t keep, and then nothing is sent', async () => {
		store.meanwhile = fail('The expression evaluated to a falsy value');
		const memory = new ProcessMemory();
		const other = ofItem(1, withSalt('other'));
		await pay(other, paid, { memory, nodeId: 'other' });
		const journal = open({ workflowId: '', memory });
		const known = await journal.look([payment, other]);
		expect(known.map((each) => each.is)).toEqual(['sendable', 'done']);
		await expect(journal.perform(payment, send)).rejects.toThrow('so it was not sent');
	});

	it('keeps no copy of a workflow waiting, whose nodes have the same IDs', async () => {
		store.takesTime = never;
		void journalOf(store, { nodeId: 'copied' }).look([payment]);
		const copy = journalOf(new MemoryStore(), { nodeId: 'copied', workflowId: 'copy' });
		expect(await copy.look([payment])).toEqual([{ is: 'sendable', attempt: 1 }]);
	});

	it('leaves a payment alone where it cannot be asked, unless its fate is known', async () => {
		const memory = new ProcessMemory();
		const other = withSalt('other');
		await pay(invoice, paid, { executionId: 'tried' });
		await pay(other, paid, { memory });
		const journal = open({ executionId: 'tried', memory });
		await journal.look([withSalt('2')]);
		store.meanwhile = fail('SQLITE_BUSY');
		const payments = [invoice, other, withSalt('2')].map((each, item) => ofItem(item, each));
		const unread = refusedWith('n8n’s record of payments could not be looked up', CHECK_DATABASE);
		expect(await journal.look(payments)).toMatchObject([
			{ is: 'done', when: 'earlierTry' },
			{ is: 'done', when: 'earlierRun' },
			unread,
		]);
		for (const each of payments.slice(2)) {
			await expect(journal.perform(each, send)).rejects.toMatchObject(unread.error);
		}
	});

	it.each([
		['cannot be written', () => (store.meanwhile = fail('SQLITE_BUSY'))],
		['keeps no record', () => (store.afterwards = () => (store.saved = []))],
	])('leaves a payment alone where it %s', async (_what, breakDown) => {
		const memory = new ProcessMemory();
		const journal = open({ memory });
		await journal.look([payment]);
		breakDown();
		const { error } = refusedWith(
			'The payment of $125.00 to ana@example.com could not be recorded, so it was not sent',
			CHECK_DATABASE,
		);
		await expect(journal.perform(payment, send)).rejects.toMatchObject(error);
		/* Another node of the process may pay it. */
		expect(await pay(payment, paid, { memory, nodeId: 'other' })).toEqual(paid);
	});

	it('may have recorded what it failed to answer: then the payment counts as sent', async () => {
		const journal = open();
		await journal.look([payment]);
		store.once('afterwards', fail('the connection broke after the write'));
		const error = await failureOf(journal.perform(payment, send));
		expect(error.message).toBe(WAS_SENT);
		const confirmedNotPaid = [await codeOf(Promise.reject(error))];
		expect(await pay({ ...payment, confirmedNotPaid })).toEqual(paid);
	});

	it('may fail to clear a refused payment: then the error has the code for it', async () => {
		const remove = jest.spyOn(store, 'removeProcessed');
		const error = await failureOf(
			open().perform(payment, async () => {
				remove.mockRejectedValue(new Error('SQLITE_BUSY'));
				return await Promise.reject(refused);
			}),
		);
		remove.mockRestore();
		expect(error.message).toContain('wasn’t accepted. The service refused: no');
		expect(error.hint).toBe(
			'n8n could not clear its record of this attempt. Fix the problem and run the node again. If it then says that the payment was already sent, enter E6C8-B6E6-1 as “Confirmed Not Paid” under Options.',
		);
		await expect(pay(payment)).rejects.toThrow(WAS_SENT);
		expect(await pay({ ...payment, confirmedNotPaid: ['E6C8-B6E6-1'] })).toEqual(paid);
	});

	it.each([
		['that was never sent', false],
		['that was paid', true],
	])('knows nothing of a payment %s after a look-up was killed', async (_what, wasPaid) => {
		if (wasPaid) await pay(payment);
		store.saved = await leftBy(payment);
		const error = await failureOf(pay(payment));
		expect(error.message).toBe(WAS_SENT);
		expect(error.hint).toMatch(/A check that was interrupted can also have left this record\.$/);
		/* Its code denies all attempts that were left behind, and frees the payment once. */
		const confirmed = { ...payment, confirmedNotPaid: [await codeOf(Promise.reject(error))] };
		expect(confirmed.confirmedNotPaid[0]).toMatch(/-4$/);
		expect(await look([confirmed])).toEqual([{ is: 'sendable', attempt: 5 }]);
		await expect(pay(confirmed, refused)).rejects.toThrow('wasn’t accepted');
		expect(await is(payment)).toBe('unknown');
		expect(await pay(confirmed)).toEqual(paid);
		expect(await is(payment)).toBe('done');
		await expect(pay(confirmed)).rejects.toThrow(WAS_PAID);
	});

	it('is rid of a killed look-up of another recipient once the next attempt is claimed', async () => {
		store.saved = await leftBy({ ...payment, recipient: 'ben@example.com' });
		const confirmed = { ...payment, confirmedNotPaid: [await codeOf(pay(payment))] };
		const removed = jest.spyOn(store, 'removeProcessed');
		expect(await pay(confirmed)).toEqual(paid);
		expect(await is(payment)).toBe('done');
		removed.mockClear();
		await pay(withSalt('2'));
		expect(removed).toHaveBeenCalledTimes(2);
		removed.mockRestore();
	});

	it('asks for a new authorization where the killed look-up had one that may be another payment’s', async () => {
		store.saved = await leftBy(invoice);
		const codes = [await codeOf(pay(invoice))];
		const second = await codeOf(pay({ ...invoice, confirmedNotPaid: codes }));
		expect(second).toBe(`${codes[0]}N`);
		codes.push(second);
		await expect(pay({ ...invoice, confirmedNotPaid: codes })).rejects.toThrow(
			'was already sent for another payment',
		);
		expect(await pay({ ...withSalt('2', 'INV-1'), confirmedNotPaid: codes })).toEqual(paid);
		expect(await is(invoice)).toBe('done');
	});

	it('is not paid where one of two look-ups at once was killed, of another recipient', async () => {
		const other = { ...invoice, recipient: 'ben@example.com' };
		const first = await leftBy(invoice);
		store.saved = first;
		const both = await leftBy(other);
		/* The first has taken out its own. */
		store.saved = both.filter((key) => !first.includes(key));
		expect(store.saved).not.toEqual([]);
		expect(await is(other)).toBe('sendable');
	});

	it('is not sent where all but that it was paid is forgotten, and a look-up was killed', async () => {
		await pay(invoice);
		const left = await leftBy({ ...invoice, recipient: 'ben@example.com' });
		const lookUps = left.filter((entry) => !store.saved.includes(entry)).slice(-3);
		store.saved = [...store.saved.slice(-3), ...lookUps];
		expect(await is(invoice)).toBe('unknown');
	});

	it('may hold what another process looks for at that moment: then nothing is sent', async () => {
		const left = await leftBy(payment);
		const journal = open();
		await journal.look([payment]);
		store.saved = left;
		store.once('afterwards', () => (store.saved = []));
		const { error } = refusedWith(
			'The payment of $125.00 to ana@example.com was not sent, because another process was looking it up at the same moment',
			'Run the node again.',
		);
		await expect(journal.perform(payment, send)).rejects.toMatchObject(error);
	});

	it.each([
		['before the claim', 0],
		['while it is claimed', 1],
	])(
		'may hold an attempt for which another process looks: its code sends nothing once that has ended %s',
		async (_when, calls) => {
			const left = await leftBy(payment);
			store.saved = left;
			const confirmed = { ...payment, confirmedNotPaid: [await codeOf(pay(payment))] };
			const journal = open();
			expect(await journal.look([confirmed])).toEqual([{ is: 'sendable', attempt: 5 }]);
			const end = () => (store.saved = store.saved.filter((entry) => !left.includes(entry)));
			if (calls === 0) end();
			else store.once('afterwards', end);
			await expect(journal.perform(confirmed, send)).rejects.toThrow(
				'There is no record of the attempt whose code is in “Confirmed Not Paid”',
			);
			expect(store.saved).toEqual([]);
		},
	);
});

describe('two nodes of one process', () => {
	let memory: ProcessMemory;
	let copy: { readonly memory: ProcessMemory; readonly nodeId: string };

	beforeEach(() => {
		memory = new ProcessMemory();
		copy = { memory, nodeId: 'copy' };
	});

	it.each([
		['paid', paid, 'done'],
		['of an unknown outcome', broken, 'unknown'],
		['refused', refused, 'sendable'],
	] as const)('know a payment that is %s', async (_what, outcome, known) => {
		await pay(invoice, outcome, { memory }).catch(() => undefined);
		const again = withSalt('2', 'inv-1');
		expect(await is(again, copy)).toBe(known);
		/* A restart forgets it, as another service has its own. */
		expect(await is(again, { nodeId: 'copy' })).toBe('sendable');
		expect(await is({ ...again, baseUrl: 'https://test.example.com' }, copy)).toBe('sendable');
	});

	it('know by its authorization that it was sent, and what it paid', async () => {
		await pay(invoice, paid, { memory });
		await expect(pay({ ...payment }, paid, copy)).rejects.toThrow('sent for another payment');
		await expect(pay({ ...invoice, cents: 1 }, paid, copy)).rejects.toThrow('was used for another');
	});

	it('know it while it is under way, and send it once', async () => {
		const answer = await open({ memory }).perform(invoice, async () => {
			const error = await failureOf(pay(invoice, paid, copy));
			/* A code would deny what may still be sent. */
			expect(error).toMatchObject({ message: BEING_SENT, hint: BEING_SENT_HINT });
			expect(error.context.attemptCode).toBeUndefined();
			expect(await is(invoice, copy)).toBe('refused');
			/* Nor does the code of an attempt that is still under way. */
			const confirmedNotPaid = [await codeOf(pay(invoice))];
			for (const each of [invoice, withSalt('9', 'INV-1')]) {
				const work = open(copy).perform({ ...each, confirmedNotPaid }, send);
				await expect(work).rejects.toThrow(BEING_SENT);
			}
			return paid;
		});
		expect(answer).toEqual(paid);
		expect(sent).toEqual([]);
	});

	it('know that this process paid it, whatever a killed look-up of another process left', async () => {
		await pay(invoice, paid, { memory });
		store.saved = await leftBy(invoice);
		expect(await is(invoice, { memory })).toBe('done');
		expect(await is({ ...invoice, cents: 1 }, { memory })).toBe('refused');
	});

	it('send it once where both have looked at the same moment', async () => {
		const nodes = ['node', 'copy'].map((nodeId) => open({ memory, nodeId }));
		for (const each of nodes) await each.look([invoice]);
		const slowly = async () => {
			await pass(1_000);
			return paid;
		};
		const performed = nodes.map(async (each) => await each.perform(invoice, slowly));
		const outcomes = (await Promise.allSettled(performed)).map(({ status }) => status);
		expect(outcomes).toEqual(['fulfilled', 'rejected']);
	});

	it.each([
		['ana@example.com', 'already paid'],
		['ben@example.com', 'used for another'],
	])(
		'send it once where one waits for n8n’s store while the other makes its third attempt, to %s',
		async (recipient, said) => {
			/* Before a restart, which this process knows nothing of. */
			const confirmedNotPaid = [await codeOf(pay(invoice, broken, { nodeId: 'copy' }))];
			const second = pay({ ...invoice, confirmedNotPaid }, broken, { nodeId: 'copy' });
			const third = { ...invoice, recipient, confirmedNotPaid: [await codeOf(second)] };
			const journal = open({ memory });
			await journal.look([invoice]);
			let answer: unknown;
			store.takesTime = async () => {
				store.takesTime = moment;
				answer = await pay(third, paid, copy);
			};
			await expect(journal.perform(invoice, send)).rejects.toThrow(`was ${said}`);
			expect(answer).toEqual(paid);
		},
	);

	it('take the same code, once', async () => {
		const confirmedNotPaid = [await codeOf(pay(invoice, broken, { memory }))];
		const second = await codeOf(pay({ ...invoice, confirmedNotPaid }, broken, copy));
		expect(second).toMatch(/-2$/);
		await expect(pay({ ...invoice, confirmedNotPaid }, paid, { memory })).rejects.toThrow(WAS_SENT);
		confirmedNotPaid.push(second);
		expect(await pay({ ...invoice, confirmedNotPaid }, paid, copy)).toEqual(paid);
		expect(await is(invoice, { memory })).toBe('done');
		/* After a restart, each node knows what it sent itself. */
		expect(await is(invoice)).toBe('unknown');
		expect(await is(invoice, { nodeId: 'copy' })).toBe('done');
		expect(sent).toHaveLength(3);
	});
});

describe('after the execution was stopped', () => {
	const stopped = {
		message: 'The execution was stopped, so this was not sent',
		context: { outcome: 'notSent' },
	};

	let stop: AbortController;
	let journal: ReturnType<typeof open>;

	beforeEach(() => {
		stop = new AbortController();
		journal = open({ signal: stop.signal });
	});

	it('nothing is looked up, claimed or sent', async () => {
		await journal.look([payment]);
		const { calls } = store;
		stop.abort();
		await expect(journal.perform(payment, send)).rejects.toMatchObject(stopped);
		await expect(journal.look([payment])).rejects.toMatchObject(stopped);
		await journal.close();
		expect(store.calls).toBe(calls);
	});

	it.each([
		['looked for', 1],
		['claimed', 3],
		['verified', 4],
	])('nothing is sent, and no trace left, where it was %s in the meantime', async (_what, call) => {
		store.meanwhile = () => {
			if (store.calls === call) stop.abort();
		};
		await expect(journal.perform(payment, send)).rejects.toMatchObject(stopped);
		expect(store.saved).toEqual([]);
	});

	it('what was under way is recorded as paid', async () => {
		await journal.perform(payment, async () => {
			stop.abort();
			return await Promise.resolve(paid);
		});
		await journal.close();
		expect(await is(payment)).toBe('done');
	});
});

describe('a code', () => {
	it('leads from attempt to attempt, each with a code of its own', async () => {
		const codes = [await codeOf(pay(payment, broken))];
		for (let count = 2; count <= 11; count++) {
			const confirmedNotPaid = [...codes, '0000-0000-1', 'no code'].reverse();
			codes.push(await codeOf(pay({ ...payment, confirmedNotPaid }, broken)));
		}
		expect(codes.map((code) => code.split('-').at(-1))).toEqual(
			codes.map((_, index) => `${index + 1}`),
		);
		expect(new Set(codes.map((code) => code.slice(0, 9))).size).toBe(11);
		for (const code of codes.slice(0, -1)) {
			expect(await is({ ...payment, confirmedNotPaid: [code] })).toBe('unknown');
		}
		const confirmed = { ...payment, confirmedNotPaid: codes };
		expect(await pay(confirmed)).toEqual(paid);
		expect([await is(payment), await is(confirmed)]).toEqual(['done', 'done']);
		expect(sent).toHaveLength(12);
	});

	it('of one payment releases no other, and the error says so', async () => {
		const confirmedNotPaid = [await codeOf(pay(payment, broken))];
		const other = { ...payment, teamId: 'te-other', confirmedNotPaid };
		await failureOf(pay(other, broken));
		await expect(pay(other)).rejects.toMatchObject({
			hint: expect.stringMatching(/^No code in “Confirmed Not Paid” belongs to this payment\. Ask/),
		});
		expect(sent).toHaveLength(2);
	});

	it('leaves earlier attempts recorded when its own is refused', async () => {
		const confirmed = { ...payment, confirmedNotPaid: [await codeOf(pay(payment, broken))] };
		const before = [...store.saved];
		await expect(pay(confirmed, refused)).rejects.toMatchObject({
			status: 400,
			hint: 'Fix the problem, then run the node again. An earlier attempt may have been made: ask the service before you pay again.',
		});
		expect(store.saved).toEqual(before);
		expect(await is(payment)).toBe('unknown');
		expect(await pay(confirmed)).toEqual(paid);
		expect(sent).toHaveLength(3);
	});

	it('keeps the authorization of the next attempt recorded when an earlier one is refused late', async () => {
		const late = open();
		const failure = late.perform(invoice, async () => {
			await pay({ ...invoice, confirmedNotPaid: [await codeOf(pay(invoice))] });
			throw refused;
		});
		await expect(failure).rejects.toThrow('wasn’t accepted');
		expect(await is(invoice)).toBe('done');
		await expect(pay(payment)).rejects.toThrow('was already sent for another payment');
		expect(sent).toHaveLength(1);
	});

	it('sends nothing where there is no record of that attempt', async () => {
		const confirmedNotPaid = [await codeOf(scene().pay(payment, broken))];
		const [known] = await look([{ ...payment, confirmedNotPaid }]);
		expect(known).toMatchObject(
			refusedWith(
				'There is no record of the attempt whose code is in “Confirmed Not Paid”, so the payment of $125.00 to ana@example.com was not sent',
				'A refused attempt leaves no record, and after a restart of n8n only the node that sent it has one. If no other node sent it, clear “Confirmed Not Paid” and run the node again.',
			),
		);
		expect(known).toMatchObject({ error: { context: { page: UNKNOWN_OUTCOME } } });
		expect(store.saved).toEqual([]);
	});
});

describe('a second code', () => {
	const other = withSalt('2', 'INV-1');

	it('is needed for another authorization, which the error explains', async () => {
		const code = await codeOf(pay(invoice, broken));
		expect(await codeOf(pay(other))).toBe(code);
		const error = await failureOf(pay({ ...other, confirmedNotPaid: [code] }));
		expect([error.message, error.hint]).toEqual([
			'The payment of $125.00 to ana@example.com was already sent with another authorization, so it was not sent with this one. Whether it was made isn’t known',
			`Until the first authorization has expired, the service can still use it, and this one would be a second payment. Send the first one again with the code that you entered, or wait until it has expired. ${askFirst(`${code}N`)}`,
		]);
		expect(error.context).toMatchObject({ outcome: 'unknown', attemptCode: `${code}N` });
		expect(await look([{ ...other, confirmedNotPaid: [code] }])).toMatchObject([
			{ is: 'unknown', when: 'earlierRun', code: `${code}N` },
		]);
		/* The same authorization needs none, but may have it. */
		for (const each of [code, `${code}N`]) {
			expect(await look([{ ...invoice, confirmedNotPaid: [each] }])).toEqual([
				{ is: 'sendable', attempt: 2 },
			]);
		}
		expect(sent).toHaveLength(1);
	});

	it.each([[false], [true]])(
		'allows one attempt, with a code of its own (both: %j)',
		async (both) => {
			const code = await codeOf(pay(invoice, broken));
			const confirmedNotPaid = both ? [`${code}N`, code] : [`${code}N`];
			const second = await codeOf(pay({ ...other, confirmedNotPaid }, broken));
			expect(second).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}-2$/);
			expect(await codeOf(pay({ ...withSalt('3', 'INV-1'), confirmedNotPaid }))).toBe(second);
			/* It holds for the authorization of the second attempt. */
			confirmedNotPaid.push(second);
			expect(await codeOf(pay({ ...withSalt('3', 'INV-1'), confirmedNotPaid }))).toBe(`${second}N`);
			expect(await codeOf(pay({ ...invoice, confirmedNotPaid }))).toBe(`${second}N`);
			expect(await pay({ ...other, confirmedNotPaid })).toEqual(paid);
			expect(sent).toHaveLength(3);
		},
	);

	it('does not let an authorization be sent again that was sent before the last attempt', async () => {
		const codes = [`${await codeOf(pay(invoice, broken))}N`];
		codes.push(`${await codeOf(pay({ ...other, confirmedNotPaid: codes }, broken))}N`);
		await expect(pay({ ...invoice, confirmedNotPaid: codes })).rejects.toThrow(
			'was already sent for another payment',
		);
		/* Nor one of another payment. */
		await pay(withSalt('3', 'INV-3'));
		await expect(pay({ ...withSalt('3', 'INV-1'), confirmedNotPaid: codes })).rejects.toThrow(
			'was already sent for another payment',
		);
		expect(await pay({ ...withSalt('4', 'INV-1'), confirmedNotPaid: codes })).toEqual(paid);
	});

	it.each([[false], [true]])(
		'lets an authorization out once where another payment takes it at the same moment (copy: %j)',
		async (isCopy) => {
			/* The codes of a copy of the node are this one's, though its list is another. */
			const memory = new ProcessMemory();
			const copied = isCopy ? { memory, nodeId: 'copy' } : {};
			const first = isCopy ? other : invoice;
			const confirmedNotPaid = [`${await codeOf(pay(first, broken, copied))}N`];
			const runs: Array<[Payment, ProcessMemory]> = [
				[withSalt('2'), new ProcessMemory()],
				[{ ...other, confirmedNotPaid }, memory],
			];
			const works = runs.map(([each, own]) => ({ each, journal: open({ memory: own }) }));
			for (const { journal, each } of works) await journal.look([each]);
			const performed = works.map(
				async ({ journal, each }) => await journal.perform(each, async () => paid),
			);
			const outcomes = (await Promise.allSettled(performed)).map(({ status }) => status);
			expect(outcomes).toEqual(['fulfilled', 'rejected']);
		},
	);

	it('is never asked for where there is no reference: another authorization is another payment', async () => {
		const confirmedNotPaid = [await codeOf(pay(payment, broken))];
		expect(await pay({ ...withSalt('2'), confirmedNotPaid })).toEqual(paid);
		expect(await pay({ ...payment, confirmedNotPaid })).toEqual(paid);
	});
});

/* n8n forgets the oldest entries, beyond 10,000 payments. */
it.each([2, 3, 4])(
	'of %d attempts none goes out again without its code while n8n still knows the last one',
	async (attempts) => {
		const codes: string[] = [];
		let forgotten = 0;
		for (let attempt = 1; attempt <= attempts; attempt++) {
			forgotten = store.saved.length;
			codes.push(await codeOf(pay({ ...invoice, confirmedNotPaid: [...codes] }, broken)));
		}
		store.saved = store.saved.slice(forgotten);
		for (let entered = 0; entered < attempts; entered++) {
			const confirmedNotPaid = codes.slice(0, entered);
			await codeOf(pay({ ...withSalt('fresh', 'INV-1'), confirmedNotPaid }));
		}
		expect(sent).toHaveLength(attempts);
		expect(await pay({ ...invoice, confirmedNotPaid: codes })).toEqual(paid);
	},
);

describe('a look at several payments', () => {
	const again = 'Remove one of the two, or get a new authorization for a new payment.';
	const sameReference =
		'If both are the same payment, remove one of the two. If not, give each its own reference.';
	const once =
		'If the node read one list for several input items, turn on Execute Once in its settings. ';
	const inList = (row: Payment) => ({ ...row, listIndex: 0 });
	const listed = inList(payment);

	it.each([
		['typed data', payment, payment, 'authorization', again],
		['a reference', invoice, withSalt('1', ' inv-1'), 'reference', sameReference],
		['data by two names', invoice, { ...invoice, reference: 'INV-2' }, 'authorization', again],
		['typed data with a reference and without', invoice, payment, 'authorization', again],
		['place in two lists', listed, listed, 'authorization', once + again],
		[
			'typed data elsewhere in the list',
			listed,
			{ ...listed, listIndex: 1 },
			'authorization',
			again,
		],
		['typed data, not the amount', listed, { ...listed, cents: 1 }, 'authorization', again],
		[
			'place and reference',
			inList(invoice),
			inList(withSalt('1', 'INV-1')),
			'reference',
			sameReference,
		],
	])('refuses the second of two with the same: %s', async (_which, one, other, what, hint) => {
		const rows = [withSalt('other'), one, other, other].map((row, index) => ofItem(3 + index, row));
		const [, first, second, third] = await look(rows);
		expect(first).toEqual({ is: 'sendable', attempt: 1 });
		expect(second).toMatchObject(
			refusedWith(
				`The payment of $125.00 to ana@example.com would be refused, because row 5 has the same ${what}`,
				hint,
			),
		);
		expect(third).toEqual(second);
		expect(store.saved).toEqual([]);
	});

	it('of 1,100 asks n8n’s store a few times, and leaves no trace', async () => {
		expect([await look([]), store.calls]).toEqual([[], 0]);
		const rows = Array.from({ length: 1_100 }, (_, item) => ofItem(item, withSalt(`${item}`)));
		expect((await look(rows)).every((each) => each.is === 'sendable')).toBe(true);
		expect(store.calls).toBe(4);
		expect(store.saved).toEqual([]);
	});
});

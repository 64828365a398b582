import {
	isAttemptCode,
	type Payment,
} from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import {
	NoResponseError,
	ServiceError,
	SignInFailed,
	UserError,
} from '../../../nodes/PayrollPayments/shared/errors';
import { codeOf, failureOf, paid, payment, scene, typedData } from './ledgerScene';
import { fail, moment, runVirtualClock } from './memoryStore';

runVirtualClock();

let { store, sent, run, pay } = scene();

beforeEach(() => {
	({ store, sent, run, pay } = scene());
});

const invoice: Payment = { ...payment, reference: 'INV-1' };
const withSalt = (salt: string, reference?: string): Payment => ({
	...payment,
	reference,
	typedData: { ...typedData, salt },
});
const refusal = (status: number, nothingDone: boolean, saysItExists = false) =>
	new ServiceError('The service refused: no', { status, nothingDone, saysItExists });
const refused = refusal(400, true);
const broken = new NoResponseError('The connection broke');
const unreachable = new NoResponseError('It refused the connection', { outcome: 'refused' });

/** What a check says of a payment that is refused. */
const refusedWith = (message: string, hint: string) => ({
	status: 'refused',
	error: { message, hint, context: { outcome: 'refused' } },
});

const WAS_PAID =
	'The payment of $125.00 to ana@example.com was already paid by this node, so it was not sent again';
const CHECK_DATABASE =
	'Save the workflow and check that n8n can write to its database, then run the node again.';
const WAS_SENT =
	'The payment of $125.00 to ana@example.com was already sent by this node, so it was not sent again. Whether it was made isn’t known';

const BY_TYPED_DATA = ['E6C8-B6E6-1', 'ea37 96a0 790f ec36 d149 3439 3fe3 0d6a b0da ea37'] as const;
const BY_REFERENCE = [
	'1872-A404-1',
	'1279 96a0 adf6 8843 461f 9357 b296 52d4 22f1 76ec 1279',
] as const;

/* With other keys, every payment that is recorded would be free again. */
it.each<[string, string, string, Payment]>([
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
])('is known as %s with the keys %s by %s in every release', async (code, keys, _what, known) => {
	const asked = jest.spyOn(store, 'checkProcessedAndRecord');
	const removed = jest.spyOn(store, 'removeProcessed');
	expect(await codeOf(pay(known, broken))).toBe(code);
	expect(removed).toHaveBeenCalledTimes(2);
	expect(asked.mock.calls[0]?.[0].map((key) => `${key}`.slice(0, 4)).join(' ')).toBe(keys);
});

describe('a payment that was made', () => {
	it('is answered from memory within one run of the node', async () => {
		const records = new Map();
		expect(await pay(payment, paid, { records })).toEqual(paid);
		expect(await pay(payment, paid, { records })).toEqual({ ...paid, already_sent: true });
		expect(await run({ records }).check(payment)).toMatchObject([{ status: 'paid' }]);
		expect(sent).toHaveLength(1);
	});

	it.each([
		['authorization', withSalt('2')],
		['reference', withSalt('2', 'INV-2')],
	])('is not sent again, whatever %s Retry On Fail gives its item', async (_what, other) => {
		for (const outcome of [paid, broken]) {
			const again = { ...other, confirmedNotPaid: [await codeOf(pay(other, broken))] };
			const records = new Map();
			const first = await pay(payment, outcome, { records }).catch((error: unknown) => error);
			const next = await pay(again, paid, { records }).catch((error: unknown) => error);
			const isPaid = outcome === paid;
			expect(next).toEqual(isPaid ? { ...paid, already_sent: true } : first);
			const changed = refusedWith(
				'The payment of $0.01 was not sent, because an earlier try of this run paid $125.00 to ana@example.com for the item',
				'Retry On Fail runs the node again: use an amount and a recipient that stay the same.',
			);
			const [state] = await run({ records }).check({ ...again, cents: 1, summary: '$0.01' });
			expect(state).toMatchObject(isPaid ? changed : { status: 'unknown' });
			expect(sent.splice(0)).toEqual([other, payment]);
			store.saved = [];
		}
	});

	it.each([
		['by its typed data', payment, payment, new Map()],
		['by its reference', withSalt('1', 'INV-1'), withSalt('2', 'INV-1'), new Map()],
		['as another item of the same run', payment, { ...payment, item: 1 }, undefined],
	])('is refused as paid, and without a code: %s', async (_what, first, second, memory) => {
		const records = new Map();
		await pay(first, paid, { records });
		const error = await failureOf(pay(second, paid, { records: memory ?? records }));
		expect(error).toMatchObject({
			message: WAS_PAID,
			hint: 'If it is another payment, give it a Payment Reference and an authorization that were not used before. To leave paid rows alone, set If Already Paid to Skip.',
			context: { outcome: 'refused' },
		});
		expect(error.context.attemptCode).toBeUndefined();
		expect(`${error.message} ${error.hint}`).not.toMatch(/[0-9A-F]{4}-[0-9A-F]{4}-\d/);
		expect(await run().check(second)).toMatchObject([{ status: 'paid' }]);
		expect(sent).toHaveLength(1);
	});

	it('has an unknown outcome, in words, while it is under way', async () => {
		const records = new Map();
		let error: UserError | undefined;
		await run({ records }).pay(payment, async () => {
			error = await failureOf(run({ records }).pay(payment, async () => paid));
			return paid;
		});
		expect(error?.message).toBe(
			'The payment of $125.00 to ana@example.com may or may not have been made. The node failed without a message',
		);
	});

	it('stays paid when its code is entered', async () => {
		const code = await codeOf(pay(payment, broken));
		const confirmed = { ...payment, confirmedNotPaid: [code] };
		expect(await pay(confirmed)).toEqual(paid);
		await expect(pay(confirmed)).rejects.toThrow(WAS_PAID);
		await expect(pay(payment)).rejects.toThrow(WAS_PAID);
		expect(sent).toHaveLength(2);
	});

	it('is recorded as paid with the next payment, should the process end before the run does', async () => {
		const interrupted = run();
		for (const item of [1, 2, 3]) {
			await interrupted.pay({ ...withSalt(`${item}`, `${item}`), item }, async () => paid);
		}
		const states = await run().check(...['1', '2', '3'].map((salt) => withSalt(salt, salt)));
		expect(states.map(({ status }) => status)).toEqual(['paid', 'paid', 'unknown']);
	});

	it('is never sent again if that it was paid could not be recorded', async () => {
		const own = run();
		await own.pay(payment, async () => {
			store.meanwhile = fail('SQLITE_FULL');
			return paid;
		});
		await own.close();
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
		const records = new Map();
		await pay(first, paid, { records });
		const other = { ...first, ...change };
		const before = [...store.saved];
		expect(await run({ records }).check(other)).toMatchObject([
			refusedWith(
				`The payment of ${other.summary} was not sent, because ${what} was used by this node for another recipient or amount`,
				'Look up what was paid with it. For another payment, enter a Payment Reference and get an authorization that were not used before.',
			),
		]);
		await expect(run().ledger.pay(other, 1, async () => paid)).rejects.toThrow(
			'was used by this node for another',
		);
		expect([sent.length, store.saved]).toEqual([1, before]);
		expect(await run().check({ ...first, recipient: 'ANA@Example.com' })).toMatchObject([
			{ status: 'paid' },
		]);
	});

	it('is said to be paid to whom the last attempt paid', async () => {
		const confirmedNotPaid = [await codeOf(pay(invoice, broken))];
		const error = await failureOf(pay({ ...withSalt('1', 'INV-1'), ...toBen }));
		expect(error.hint).toContain(
			'If reference INV-1 was sent for another recipient or amount, ask about that payment',
		);
		await pay({ ...withSalt('2', 'INV-1'), ...toBen, confirmedNotPaid });
		expect(await run().check(invoice)).toMatchObject([{ status: 'refused' }]);
		expect(await run().check({ ...invoice, ...toBen })).toMatchObject([{ status: 'paid' }]);
	});

	it('stays refused while n8n has kept only that its reference was paid', async () => {
		await pay(invoice);
		const saved = [...store.saved];
		for (const forgotten of saved) {
			store.saved = saved.filter((entry) => entry !== forgotten);
			const [state] = await run().check(withSalt('1', 'INV-1'));
			expect(state?.status).toMatch(/^(paid|refused)$/);
		}
		expect(sent).toHaveLength(1);
	});

	it('is refused as paid where another execution paid it after the check', async () => {
		const late = run();
		expect(await late.check(payment)).toEqual([{ status: 'payable', attempt: 1 }]);
		await pay(payment);
		await expect(late.ledger.pay(payment, 1, async () => paid)).rejects.toThrow(WAS_PAID);
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
	])('has an unknown outcome after %s, and is not sent again', async (_what, fault) => {
		const records = new Map();
		const codes = new Set<string>();
		for (let count = 0; count < 3; count++) {
			const error = await failureOf(pay(payment, fault, { records }));
			expect(error.message).toBe(
				`The payment of $125.00 to ana@example.com may or may not have been made. ${fault.message}`,
			);
			expect(error.context).toMatchObject({ outcome: 'unknown', page: 'payments.md' });
			codes.add(error.context.attemptCode ?? '');
			expect(error.hint).toBe(
				`Don’t pay this again in another way. Ask the service whether this payment was made. If it was, leave it out of the next run. Only if it was not, enter ${error.context.attemptCode} as “Confirmed Not Paid” under Options and run the node again.`,
			);
		}
		const later = await failureOf(pay(payment));
		expect([later.message, later.hint]).toEqual([
			WAS_SENT,
			`Ask the service whether this payment was made. If it was, leave it out of the next run. Only if it was not, enter ${later.context.attemptCode} as “Confirmed Not Paid” under Options and run the node again. If this authorization was sent for another recipient or amount, ask about that payment. A check that was interrupted can also have left this record.`,
		]);
		codes.add(later.context.attemptCode ?? '');
		expect([...codes]).toEqual([expect.stringMatching(/^[0-9A-F]{4}-[0-9A-F]{4}-1$/)]);
		expect(await run({ records }).check(payment)).toMatchObject([
			{ status: 'unknown', code: later.context.attemptCode, isOfThisRun: true },
		]);
		expect(sent).toHaveLength(1);
	});

	it.each([
		['a 400 with the envelope', refused, 'wasn’t accepted'],
		['a failed sign-in', new SignInFailed('no role'), 'was not sent'],
		['a refusal of our own before sending', new UserError('not permitted'), 'was not sent'],
		['a signer that can’t be reached', unreachable, 'was not sent'],
		['a stop after signing', new UserError('Stopped', { outcome: 'not_sent' }), 'was not sent'],
	])('leaves the record as it was after %s', async (_what, fault, what) => {
		await pay(invoice);
		const before = [...store.saved];
		const other = withSalt('1');
		const error = await failureOf(pay(other, fault));
		expect([error.message, error.hint]).toEqual([
			`The payment of $125.00 to ana@example.com ${what}. ${fault.message}`,
			'Fix the problem, then run the node again.',
		]);
		expect(error.cause).toBe(fault);
		expect(error.context.outcome).toBe(fault.context.outcome ?? 'refused');
		expect(error.context.attemptCode).toBeUndefined();
		expect(store.saved).toEqual(before);
		expect(await pay(other)).toEqual(paid);
		expect(sent).toHaveLength(3);
	});

	it('keeps the status that left it unknown', async () => {
		const records = new Map();
		for (let count = 0; count < 2; count++) {
			await expect(pay(payment, refusal(503, false), { records })).rejects.toMatchObject({
				status: 503,
			});
		}
	});

	it('goes out once of many at the same time', async () => {
		const own = run();
		const send = async () => {
			sent.push(payment);
			await moment();
			return paid;
		};
		const outcomes = await Promise.allSettled(
			Array.from({ length: 20 }, async (_, item) => await own.pay({ ...payment, item }, send)),
		);
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
		expect(sent).toHaveLength(1);
	});
});

describe('n8n’s store', () => {
	it('leaves a payment alone where it cannot be asked', async () => {
		store.meanwhile = fail('SQLITE_BUSY');
		const error = await failureOf(pay(payment));
		expect(error).toMatchObject({
			message: 'n8n’s record of payments could not be looked up',
			hint: `${CHECK_DATABASE} Nothing was signed or sent now.`,
			context: { outcome: 'refused' },
		});
		expect(sent).toHaveLength(0);
	});

	const send = jest.fn();

	beforeEach(() => send.mockClear());

	it.each([
		['cannot be written', () => (store.meanwhile = fail('SQLITE_BUSY'))],
		['keeps no record', () => (store.afterwards = () => (store.saved = []))],
	])('leaves a payment alone where it %s', async (_what, breakDown) => {
		breakDown();
		await expect(run().ledger.pay(payment, 1, send)).rejects.toMatchObject({
			message:
				'The payment of $125.00 to ana@example.com could not be recorded, so nothing was sent',
			hint: CHECK_DATABASE,
			context: { outcome: 'refused' },
		});
		expect(send).not.toHaveBeenCalled();
	});

	it('may have recorded what it failed to answer: then the payment counts as sent', async () => {
		store.once('afterwards', fail('the connection broke after the write'));
		const error = await failureOf(run().ledger.pay(payment, 1, send));
		expect([error.message, error.hint]).toEqual([
			'n8n’s database failed while the payment of $125.00 to ana@example.com was being recorded, so nothing was sent now',
			'It may have been sent in an earlier run. Ask the service whether this payment was made. If it was, leave it out of the next run. Only if it was not, enter E6C8-B6E6-1 as “Confirmed Not Paid” under Options and run the node again.',
		]);
		expect(send).not.toHaveBeenCalled();
		const confirmedNotPaid = [await codeOf(Promise.reject(error))];
		expect(await pay({ ...payment, confirmedNotPaid })).toEqual(paid);
	});

	it('may fail to clear a refused payment: then the error has the code for it', async () => {
		const remove = jest.spyOn(store, 'removeProcessed');
		const error = await failureOf(
			run().ledger.pay(payment, 1, async () => {
				remove.mockRejectedValue(new Error('SQLITE_BUSY'));
				return await Promise.reject(refused);
			}),
		);
		remove.mockRestore();
		expect(error.message).toContain('wasn’t accepted. The service refused: no');
		const confirmedNotPaid = [/enter (\S+) as/.exec(error.hint ?? '')?.[1] ?? ''];
		await expect(pay(payment)).rejects.toThrow(WAS_SENT);
		/* The removal asks for the next attempt, and may leave that behind as well. */
		confirmedNotPaid.push(await codeOf(pay({ ...payment, confirmedNotPaid })));
		expect(await pay({ ...payment, confirmedNotPaid })).toEqual(paid);
	});

	/** What is recorded in the middle of a check. */
	const leftBy = async (checked: Payment): Promise<string[]> => {
		let left: string[] = [];
		store.once('afterwards', () => (left = store.saved));
		await run().check(checked);
		return left;
	};

	it('is not paid where one of two checks at once was interrupted, of another recipient', async () => {
		const other = { ...invoice, recipient: 'ben@example.com' };
		const first = await leftBy(invoice);
		store.saved = first;
		const both = await leftBy(other);
		/* The first has taken out its own. */
		store.saved = both.filter((key) => !first.includes(key));
		expect(store.saved).not.toEqual([]);
		expect(await run().check(other)).toMatchObject([{ status: 'payable' }]);
	});

	it('is not sent where all but that it was paid is forgotten, and a check was interrupted', async () => {
		await pay(invoice);
		const left = await leftBy({ ...invoice, recipient: 'ben@example.com' });
		store.saved = [...store.saved.slice(-3, -1), ...left.slice(-3)];
		expect(await run().check(invoice)).toMatchObject([{ status: 'unknown' }]);
	});

	it('keeps as paid what was paid, though a check was interrupted, unless a second one was', async () => {
		await pay(invoice);
		store.saved = await leftBy({ ...invoice, recipient: 'ben@example.com' });
		const left: string[][] = [];
		store.afterwards = () => left.push(store.saved);
		const asked = jest.spyOn(store, 'checkProcessedAndRecord');
		expect(await run().check(invoice)).toMatchObject([{ status: 'paid' }]);
		expect(asked.mock.calls[4]?.[0].slice(0, 2).map((key) => `${key}`.slice(0, 4))).toEqual([
			'83b0',
			'e447',
		]);
		store.saved = left[4] ?? [];
		expect(await run().check(invoice)).toMatchObject([{ status: 'unknown' }]);
	});

	it('may hold what an interrupted check left behind: then the payment is not known as paid', async () => {
		store.saved = await leftBy(payment);
		const hint = /A check that was interrupted can also have left this record\.$/;
		const [state] = await run().check(payment);
		expect(state).toMatchObject({
			status: 'unknown',
			error: { message: WAS_SENT, hint: expect.stringMatching(hint) },
		});
		/* Its code frees the payment, once, and what was left is gone. */
		const confirmedNotPaid = [state?.status === 'unknown' ? state.code : ''];
		const confirmed = { ...payment, confirmedNotPaid };
		await expect(pay(confirmed, refused)).rejects.toThrow('wasn’t accepted');
		expect(await run().check(payment)).toMatchObject([{ status: 'unknown' }]);
		expect(await pay(confirmed)).toEqual(paid);
		expect(await run().check(payment)).toMatchObject([{ status: 'paid' }]);
	});

	it('may hold what another process looks for at that moment: then nothing is sent', async () => {
		store.saved = await leftBy(payment);
		store.once('afterwards', () => (store.saved = []));
		const error = await failureOf(run().ledger.pay(payment, 1, fail('sent')));
		expect([error.message, error.hint, error.context.outcome]).toEqual([
			'The payment of $125.00 to ana@example.com was not sent, because another process was looking it up at the same moment',
			'Run the node again.',
			'refused',
		]);
	});

	it('is looked up without a trace', async () => {
		await pay(invoice);
		const before = [...store.saved];
		expect(await run().check(invoice, withSalt('1'))).toMatchObject([
			{ status: 'paid' },
			{ status: 'payable', attempt: 1 },
		]);
		expect(store.saved).toEqual(before);
	});
});

describe('after the execution was stopped', () => {
	const stopped = {
		message: 'The execution was stopped, so this was not sent',
		context: { outcome: 'not_sent' },
	};

	let stop: AbortController;
	let own: ReturnType<typeof run>;
	const send = jest.fn();

	beforeEach(() => {
		send.mockClear();
		stop = new AbortController();
		own = run({ signal: stop.signal });
	});

	afterEach(() => expect(send).not.toHaveBeenCalled());

	it('nothing is claimed or sent', async () => {
		stop.abort();
		await expect(own.pay(payment, send)).rejects.toMatchObject(stopped);
		expect(store.saved).toEqual([]);
	});

	it('nothing is claimed that was checked before', async () => {
		await own.check(payment);
		const { calls } = store;
		stop.abort();
		await expect(own.ledger.pay(payment, 1, send)).rejects.toMatchObject(stopped);
		await own.close();
		expect(store.calls).toBe(calls);
	});

	it('nothing is sent that was just claimed, and the claim is released', async () => {
		store.once('afterwards', () => stop.abort());
		await expect(own.ledger.pay(payment, 1, send)).rejects.toMatchObject(stopped);
		expect(await run().check(payment)).toEqual([{ status: 'payable', attempt: 1 }]);
	});

	it('nothing is sent that was claimed with a code', async () => {
		const confirmedNotPaid = [await codeOf(pay(payment, broken))];
		store.afterRemoval = () => stop.abort();
		const paying = own.ledger.pay({ ...payment, confirmedNotPaid }, 2, send);
		await expect(paying).rejects.toMatchObject({ context: stopped.context });
	});

	it('what was under way is recorded as paid', async () => {
		const answer = await own.pay(payment, async () => {
			stop.abort();
			return await Promise.resolve(paid);
		});
		expect(answer).toEqual(paid);
		await own.close();
		expect(await run().check(payment)).toMatchObject([{ status: 'paid' }]);
	});
});

describe('one payment in many spellings', () => {
	it.each<[string, Partial<Payment>]>([
		['another case of an address', { signer: '0xef' }],
		['another order', { typedData: { data: { to: '0xCd', amount: '60' }, from: '0xAB' } }],
		['a member that JSON leaves out', { typedData: { ...typedData, memo: undefined } }],
		...[
			...['0x3c', '0X3C', '060', '0060', ' 60', '60 ', '+60', '+0x3c', '0b111100', '0o74'],
			'0x003c',
		].map((amount): [string, Partial<Payment>] => [
			`the amount ${JSON.stringify(amount)}`,
			{ typedData: { ...typedData, data: { to: '0xcd', amount } } },
		]),
	])('is the same with %s', async (_what, change) => {
		await pay(payment);
		await expect(pay({ ...payment, ...change })).rejects.toThrow('already');
		expect(sent).toHaveLength(1);
	});

	it.each([
		{ teamId: 'te-2' },
		{ signer: '0xee' },
		{ typedData: { ...typedData, from: '0xAC' } },
		{ typedData: { ...typedData, data: { to: '0xCd', amount: '61' } } },
		{ typedData: { ...typedData, more: 1 } },
	])('is another one with %j', async (change) => {
		await pay(payment);
		await pay({ ...payment, ...change });
		expect(sent).toHaveLength(2);
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
		['INV-1', 'INV–1\ufe0f'],
		['INV-1', 'INV−1\u3164'],
		['INV-1', 'INV\u0007-1\u0085\u2800'],
	])('%j is the same as %j', async (one, other) => {
		await pay(withSalt('1', one));
		await expect(pay(withSalt('2', other))).rejects.toThrow(WAS_PAID);
		expect(sent).toHaveLength(1);
	});

	it('is another one with other characters, or for another team', async () => {
		for (const [salt, reference] of ['INV-1', 'INV 1', 'INV1', '1', '01', '0x1', ''].entries()) {
			await pay(withSalt(`${salt}`, reference));
		}
		await pay({ ...withSalt('team', 'INV-1'), teamId: 'te-other' });
		expect(sent).toHaveLength(8);
	});

	it.each([
		['INV-1', 'INV-2'],
		['INV-1', undefined],
		[undefined, 'INV-1'],
	])('%j does not let its typed data pay for %j', async (first, reference) => {
		await pay({ ...payment, reference: first });
		expect(await run().check({ ...payment, reference })).toMatchObject([
			refusedWith(
				'The authorization of the payment of $125.00 to ana@example.com was already sent by this node for another payment, so it was not sent again',
				'If it was sent with another Payment Reference, or with none, use that again to see what became of it: it may have been paid. Only for another payment, get a new authorization.',
			),
		]);
	});
});

describe('an attempt code', () => {
	it('lets exactly this payment be sent once more, however often the node runs with it', async () => {
		const code = await codeOf(pay(payment, broken));
		const confirmed = { ...payment, confirmedNotPaid: [` ${code.toLowerCase()} `] };
		const second = await codeOf(pay(confirmed, broken));
		for (let count = 0; count < 3; count++) {
			const error = await failureOf(pay(confirmed));
			expect(error.message).toContain('was already sent by this node, as attempt 2');
			expect(error.hint).toMatch(/^Ask the service/);
			expect(error.context.attemptCode).toBe(second);
		}
		await expect(pay(payment)).rejects.toThrow(WAS_SENT);
		expect(sent).toHaveLength(2);
	});

	it('lets one of many at the same time through', async () => {
		const confirmedNotPaid = [await codeOf(pay(payment, broken))];
		const outcomes = await Promise.allSettled(
			Array.from(
				{ length: 20 },
				async (_, item) => await pay({ ...payment, item, confirmedNotPaid }),
			),
		);
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
		expect(sent).toHaveLength(2);
	});

	it('may be one of several, and leads from attempt to attempt, each with a code of its own', async () => {
		const records = new Map();
		const codes = [await codeOf(pay(payment, broken, { records }))];
		for (let count = 2; count <= 11; count++) {
			const confirmedNotPaid = [...codes, '0000-0000-1'].map((code) => code.replace('-', ''));
			codes.push(await codeOf(pay({ ...payment, confirmedNotPaid }, broken, { records })));
		}
		expect(codes.map((code) => code.split('-').at(-1))).toEqual(
			codes.map((_, index) => `${index + 1}`),
		);
		expect(new Set(codes.map((code) => code.slice(0, 9))).size).toBe(11);
		for (const code of codes.slice(0, -1)) {
			await expect(pay({ ...payment, confirmedNotPaid: [code] })).rejects.toThrow('already sent');
		}
		expect(await pay({ ...payment, confirmedNotPaid: codes })).toEqual(paid);
		expect(sent).toHaveLength(12);
	});

	it('of one payment releases no other, and the error says so', async () => {
		const confirmedNotPaid = [await codeOf(pay(payment, broken))];
		const other = { ...payment, teamId: 'te-other', confirmedNotPaid };
		await failureOf(pay(other, broken));
		await expect(pay(other)).rejects.toMatchObject({
			hint: expect.stringMatching(/^No code in “Confirmed Not Paid” belongs to this payment\. /),
		});
		expect(sent).toHaveLength(2);
	});

	it('cannot be made from another by counting on', async () => {
		const code = await codeOf(pay(payment, broken));
		const confirmedNotPaid = [code.replace(/\d+$/, '2')];
		await expect(pay({ ...payment, confirmedNotPaid })).rejects.toThrow(WAS_SENT);
		expect(sent).toHaveLength(1);
	});

	it('leaves earlier attempts recorded when its own is refused', async () => {
		const confirmed = { ...payment, confirmedNotPaid: [await codeOf(pay(payment, broken))] };
		const before = [...store.saved];
		await expect(pay(confirmed, refused)).rejects.toMatchObject({
			status: 400,
			hint: 'Fix the problem, then run the node again. An earlier attempt may have been made: ask the service before you pay again.',
		});
		expect(store.saved).toEqual(before);
		await expect(pay(payment)).rejects.toThrow(WAS_SENT);
		expect(await pay(confirmed)).toEqual(paid);
		expect(sent).toHaveLength(3);
	});

	it('of a reference fits freshly made typed data, and not that of another payment', async () => {
		const confirmedNotPaid = [await codeOf(pay(withSalt('1', 'INV-1'), broken))];
		await pay(withSalt('2', 'INV-2'));
		await expect(pay({ ...withSalt('2', 'INV-1'), confirmedNotPaid })).rejects.toThrow(
			'for another payment',
		);
		expect(await pay({ ...withSalt('3', 'inv-1'), confirmedNotPaid })).toEqual(paid);
		await expect(pay({ ...withSalt('1', 'INV-1') })).rejects.toThrow(WAS_PAID);
		expect(sent).toHaveLength(3);
	});

	it('sends nothing where the node has no record of that attempt', async () => {
		const confirmedNotPaid = [await codeOf(scene().pay(payment, broken))];
		expect(await run().check({ ...payment, confirmedNotPaid })).toMatchObject([
			refusedWith(
				'This node has no record of the attempt whose code is in “Confirmed Not Paid”, so the payment of $125.00 to ana@example.com was not sent',
				'A refused attempt leaves no record. Clear “Confirmed Not Paid” and run the node again.',
			),
		]);
		expect(store.saved).toEqual([]);
	});

	it.each(['7F3A-91C2-1', '7f3a91c2-1', ' 7F3A-91C2-999 ', '00000000-10'])('%j is one', (text) => {
		expect(isAttemptCode(text)).toBe(true);
	});

	it.each([
		...['', '7F3A-91C2', '7F3A-91C2-', '7F3A-91C2-0', '7F3A-91C2-1000', '7F3A-91C2-x'],
		...['7F3-91C2-1', 'GF3A-91C2-1', '7F3A--91C2-1', 'x7F3A-91C2-1', '7F3A 91C2 1'],
	])('%j is none', (text) => {
		expect(isAttemptCode(text)).toBe(false);
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
		expect(await pay({ ...withSalt('fresh', 'INV-1'), confirmedNotPaid: codes })).toEqual(paid);
	},
);

describe('a check of several payments', () => {
	it('counts the attempts, and lets different payments pass', async () => {
		const confirmedNotPaid = [await codeOf(pay(payment, broken))];
		const others = ['1', '2'].map((salt, item) => ({ ...withSalt(salt, salt), item: 1 + item }));
		const states = await run().check({ ...payment, confirmedNotPaid }, ...others);
		expect(states).toEqual([2, 1, 1].map((attempt) => ({ status: 'payable', attempt })));
	});

	it.each([
		['typed data', payment, payment],
		['a reference', invoice, withSalt('1', ' inv-1')],
		['typed data with references', invoice, { ...invoice, reference: 'INV-2' }],
		['typed data with a reference and without', invoice, payment],
	])('refuses the second of two with the same: %s', async (_what, one, other) => {
		const rows = [withSalt('other'), one, other].map((row, index) => ({ ...row, item: 3 + index }));
		const [, first, second] = await run().check(...rows);
		expect(first).toEqual({ status: 'payable', attempt: 1 });
		expect(second).toMatchObject(
			refusedWith(
				'The payment of $125.00 to ana@example.com would be refused, because row 5 has the same payment or authorization',
				'Remove one of the two, or get a new authorization for a new payment. Nothing was signed or sent.',
			),
		);
		expect(store.saved).toEqual([]);
	});

	it('of 1,100 asks n8n’s store a few times, and leaves no trace', async () => {
		expect([await run().check(), store.calls]).toEqual([[], 0]);
		const rows = Array.from({ length: 1_100 }, (_, item) => ({ ...withSalt(`${item}`), item }));
		const states = await run().check(...rows);
		expect(states.every(({ status }) => status === 'payable')).toBe(true);
		expect(store.calls).toBe(4);
		expect(store.saved).toEqual([]);
	});
});

import { setTimeout as pause } from 'node:timers/promises';

import { Refusal, SignInFailed } from '../../../nodes/PayrollPayments/contract';
import {
	PaymentGuard,
	paymentKey,
	type GuardedPayment,
	type PaymentAttempt,
} from '../../../nodes/PayrollPayments/transport/paymentGuard';
import { NoAnswer, ServiceError } from '../../../nodes/PayrollPayments/transport/serviceError';

const payment: GuardedPayment = {
	key: 'key',
	wording: '$125.00 to ana@example.com',
	item: 0,
	isConfirmedNotPaid: false,
};
const paid = { transaction: 'tx-123456789012' };
const refusal = (status: number, refused: boolean) =>
	new ServiceError('no', { status, refused, hint: '' });

/** n8n's store and what was sent; a new guard stands for another run of the node. */
function scene() {
	const recorded = new Set<string>();
	let sent = 0;
	const guard = (attempts = new Map<string, PaymentAttempt>()) =>
		new PaymentGuard(
			{
				record: async (key) => {
					if (recorded.has(key)) return 'seen';
					recorded.add(key);
					return 'first';
				},
				forget: async (key) => {
					recorded.delete(key);
				},
			},
			attempts,
		);
	const sending = (outcome: typeof paid | Error) => async () => {
		sent += 1;
		if (outcome instanceof Error) throw outcome;
		return outcome;
	};
	return { recorded, guard, sending, sent: () => sent };
}

it('answers a payment that succeeded from memory within one execution', async () => {
	const { guard, sending, sent } = scene();
	const attempts = new Map<string, PaymentAttempt>();
	expect(await guard(attempts).pay(payment, sending(paid))).toEqual(paid);
	expect(await guard(attempts).pay(payment, sending(paid))).toEqual({ ...paid, already_sent: true });
	expect(sent()).toBe(1);
});

it('refuses it in another execution, and for a second item of the same one', async () => {
	const { guard, sending, sent } = scene();
	const attempts = new Map<string, PaymentAttempt>();
	await guard(attempts).pay(payment, sending(paid));
	await expect(guard().pay(payment, sending(paid))).rejects.toThrow('was sent before');
	await expect(guard(attempts).pay({ ...payment, item: 1 }, sending(paid))).rejects.toThrow(
		'The payment of $125.00 to ana@example.com was sent before',
	);
	expect(sent()).toBe(1);
});

it.each([
	['no answer', new NoAnswer('The connection broke')],
	['429', refusal(429, false)],
	['500', refusal(500, false)],
	['a 400 without the envelope', refusal(400, false)],
	['a success without a transaction', refusal(200, false)],
	['a fault of our own', new TypeError('x')],
])('keeps the record after %s, also over three tries', async (_, fault) => {
	const { guard, sending, sent, recorded } = scene();
	const attempts = new Map<string, PaymentAttempt>();
	for (let attempt = 0; attempt < 3; attempt++) {
		await expect(guard(attempts).pay(payment, sending(fault))).rejects.toThrow(
			'It is not known whether the payment of $125.00 to ana@example.com was made',
		);
	}
	await expect(guard().pay(payment, sending(paid))).rejects.toThrow('was sent before');
	expect(sent()).toBe(1);
	expect(recorded.size).toBe(1);
});

it.each([
	['a 400 with the envelope', refusal(400, true)],
	['a failed sign-in', new SignInFailed('no role')],
])('clears the record after %s, and says that nothing was paid', async (_, fault) => {
	const { guard, sending, sent } = scene();
	await expect(guard().pay(payment, sending(fault))).rejects.toBe(fault);
	expect(fault.message).toMatch(/^The payment of \$125\.00 to ana@example\.com was not made\. no/);
	expect(fault.done).toBe('Nothing was paid; it may be sent again once the cause is mended.');
	expect(await guard().pay(payment, sending(paid))).toEqual(paid);
	expect(sent()).toBe(2);
});

it('releases exactly this payment once a person has asked the service, and once an execution', async () => {
	const { guard, sending, sent } = scene();
	await expect(guard().pay(payment, sending(new NoAnswer('x')))).rejects.toThrow('not known');
	const attempts = new Map<string, PaymentAttempt>();
	const confirmed = { ...payment, isConfirmedNotPaid: true };
	for (let attempt = 0; attempt < 3; attempt++) {
		await expect(
			guard(attempts).pay(confirmed, sending(new NoAnswer('x'))),
		).rejects.toThrow('not known');
	}
	expect(sent()).toBe(2);
	expect(await guard().pay(confirmed, sending(paid))).toEqual(paid);
});

it('sends nothing that cannot be recorded', async () => {
	const { sending, sent } = scene();
	const broken = new PaymentGuard(
		{
			record: async () => await Promise.reject(new Error('SQLITE_BUSY')),
			forget: async () => undefined,
		},
		new Map(),
	);
	await expect(broken.pay(payment, sending(paid))).rejects.toThrow(
		'could not be recorded, so nothing was sent',
	);
	expect(sent()).toBe(0);
});

it('sends one of many at once', async () => {
	const { guard, sending, sent } = scene();
	const attempts = new Map<string, PaymentAttempt>();
	const outcomes = await Promise.allSettled(
		Array.from({ length: 20 }, async (_, item) =>
			await guard(attempts).pay({ ...payment, item }, sending(paid)),
		),
	);
	expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
	expect(sent()).toBe(1);
});

it.each([[0, 0, 0], [0, 0, 30], [0, 10, 20], [0, 20, 40]])(
	'sends one of three confirmed as not paid, %d, %d and %d ms apart, in one or three executions',
	async (...offsets) => {
		const { recorded, sending, sent } = scene();
		/* As with n8n's store: recorded at once, known to stand a while later. */
		const record = async (key: string) => {
			if (recorded.has(key)) return 'seen';
			recorded.add(key);
			await pause(50);
			return 'first';
		};
		const forget = async (key: string) => {
			recorded.delete(key);
		};
		for (const [key, isOneExecution] of [['one', true], ['three', false]] as const) {
			const before = sent();
			const attempts = new Map<string, PaymentAttempt>();
			const outcomes = await Promise.allSettled(
				offsets.map(async (offset, item) => {
					await pause(offset);
					const own = isOneExecution ? attempts : new Map<string, PaymentAttempt>();
					const confirmed = { ...payment, key, item, isConfirmedNotPaid: true };
					return await new PaymentGuard({ record, forget }, own).pay(confirmed, sending(paid));
				}),
			);
			expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
			expect(sent() - before).toBe(1);
		}
	},
);

it('keeps what the service answered with an outcome that is not known', async () => {
	const { guard, sending } = scene();
	const attempts = new Map<string, PaymentAttempt>();
	for (let attempt = 0; attempt < 2; attempt++) {
		await expect(guard(attempts).pay(payment, sending(refusal(503, false)))).rejects.toMatchObject({
			message: expect.stringContaining('It is not known whether'),
			status: 503,
		});
	}
});

it('does not say that nothing was paid after a refusal that may be about an earlier attempt', async () => {
	const { guard, sending } = scene();
	const fault = refusal(400, true);
	const confirmed = { ...payment, isConfirmedNotPaid: true };
	await expect(guard().pay(confirmed, sending(fault))).rejects.toBe(fault);
	expect(fault.done).toContain('This attempt paid nothing');
});

describe('the key', () => {
	const typedData = { from: '0xAB', data: { b: '1', a: '0xCd' } };
	const base = { baseUrl: 'https://a.example/x', teamId: 'te-1', signer: '0xEF', typedData };

	it('is the same for every spelling of one payment', () => {
		expect(
			paymentKey({
				...base,
				baseUrl: 'https://a.example',
				signer: '0xef',
				typedData: { data: { a: '0xcD', b: '1' }, from: '0xab' },
			}),
		).toBe(paymentKey(base));
	});

	it.each([
		{ baseUrl: 'https://b.example' },
		{ teamId: 'te-2' },
		{ signer: '0xee' },
		{ typedData: { ...typedData, from: '0xAC' } },
		{ typedData: { ...typedData, more: 1 } },
	])('differs with %j', (change) => {
		expect(paymentKey({ ...base, ...change })).not.toBe(paymentKey(base));
	});
});

it('says what a person has to do, without jargon', async () => {
	const { guard, sending } = scene();
	const error = await guard().pay(payment, sending(new NoAnswer('x'))).catch((caught: unknown) => caught);
	expect(error).toBeInstanceOf(Refusal);
	expect(error).toMatchObject({ hint: expect.stringContaining('do not pay again by other means') });
});

import { ServiceError } from '../../../nodes/PayrollPayments/shared/errors';
import {
	PaymentLedger,
	type Payment,
} from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import { MemoryStore, runVirtualClock } from './memoryStore';

runVirtualClock();

const payment = {
	baseUrl: 'https://api.example.com/base',
	teamId: 'te-123456789012',
	signer: '0xEF',
	typedData: { from: '0xAB', data: { amount: '60', to: '0xCd' } },
	summary: '$125.00 to ana@example.com',
	item: 0,
};
const paid = { transaction: 'tx-123456789012' };
const refused = new ServiceError('no', { status: 400, refused: true, hint: '' });

it('keeps 10,000 payments, however many are refused', async () => {
	const store = new MemoryStore();
	/* A new ledger stands for another run of the node. */
	const pay = async (what: Payment, outcome: typeof paid | Error = paid) =>
		await new PaymentLedger(store, 'node', new Map()).pay(what, async () => {
			if (outcome instanceof Error) throw outcome;
			return outcome;
		});
	const numbered = (salt: string): Payment => ({
		...payment,
		reference: salt,
		typedData: { ...payment.typedData, salt },
	});
	/* Recorded through the store in one go: 10,000 payments one by one take a minute. */
	for (let first = 0; first < 10_000; first += 1_000) {
		await Promise.all(
			Array.from(
				{ length: 1_000 },
				async (_, index) => await pay(numbered(`paid ${first + index}`)),
			),
		);
	}
	const before = [...store.saved];
	for (let count = 0; count < 60; count++) {
		await pay(numbered(`refused ${count}`), refused).catch(() => undefined);
	}
	expect(store.saved).toEqual(before);
	await expect(pay(numbered('paid 0'))).rejects.toThrow('was already sent');
	for (let count = 0; count < 10; count++) await pay(numbered(`later ${count}`));
	await expect(pay(numbered('paid 10'))).rejects.toThrow('was already sent');
}, 60_000);

import { ServiceError } from '../../../nodes/PayrollPayments/shared/errors';
import type { Payment } from '../../../nodes/PayrollPayments/idempotency/paymentLedger';
import { paid, payment, scene, typedData } from './ledgerScene';
import { runVirtualClock } from './memoryStore';

runVirtualClock();

const refused = new ServiceError('no', { status: 400, nothingDone: true });

const numbered = (salt: string): Payment => ({
	...payment,
	reference: salt,
	typedData: { ...typedData, salt },
});

it('keeps 10,000 payments, however many are refused or looked up', async () => {
	const { store, run, pay } = scene();
	/* Recorded through the store in one go: 10,000 payments one by one take a minute. */
	for (let first = 0; first < 10_000; first += 1_000) {
		const own = run();
		await Promise.all(
			Array.from({ length: 1_000 }, async (_, index) => {
				await own.ledger.pay(numbered(`paid ${first + index}`), 1, async () => paid);
			}),
		);
		await own.close();
	}
	const before = [...store.saved];
	for (let count = 0; count < 30; count++) {
		await pay(numbered(`refused ${count}`), refused).catch(() => undefined);
	}
	const others = Array.from({ length: 1_000 }, (_, item) => numbered(`other ${item}`));
	let whileLookedUp = before;
	store.once('afterwards', () => (whileLookedUp = store.saved));
	await run().check(...others);
	expect(store.saved).toEqual(before);
	/* Another process may pay in the middle of it. */
	store.saved = whileLookedUp;
	await pay(numbered('refused meanwhile'), refused).catch(() => undefined);
	expect(store.saved.slice(0, before.length)).toEqual(before);
	store.saved = before;
	await expect(pay(numbered('paid 0'))).rejects.toThrow('was already paid');
	for (let count = 0; count < 10; count++) await pay(numbered(`later ${count}`));
	await expect(pay(numbered('paid 10'))).rejects.toThrow('was already paid');
}, 60_000);

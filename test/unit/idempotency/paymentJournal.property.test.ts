import { runVirtualClock } from './memoryStore';
import { refused, scene, withSalt } from './paymentScene';

runVirtualClock();

const numbered = (name: string) => withSalt(name, name);

it('keeps 10,000 payments, however many are refused or looked up', async () => {
	const { store, look, pay } = scene();
	for (let count = 0; count <= 10; count++) await pay(numbered(`paid ${count}`));
	const entriesPerPayment = store.saved.length / 11;
	/* As if the others had been paid as well, which would take a minute. */
	for (let count = 11; count < 10_000; count++) {
		for (let entry = 0; entry < entriesPerPayment; entry++) store.saved.push(`${count} ${entry}`);
	}
	const before = [...store.saved];
	for (let count = 0; count < 30; count++) {
		await pay(numbered(`refused ${count}`), refused).catch(() => undefined);
	}
	let whileLookedUp = before;
	store.once('afterwards', () => (whileLookedUp = store.saved));
	await look(Array.from({ length: 1_000 }, (_, item) => numbered(`other ${item}`)));
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

import { codeOf, identityOf } from '../../../nodes/PayrollPayments/idempotency/paymentKeys';
import { ProcessMemory } from '../../../nodes/PayrollPayments/idempotency/processMemory';
import { MemoryStore, runVirtualClock } from './memoryStore';
import { journalOf, paid, payment } from './paymentScene';

runVirtualClock();

const known = (memory: ProcessMemory, keys: readonly string[]) =>
	keys.filter((key) => memory.has(key));

it('removes exactly what a claim has recorded', () => {
	const memory = new ProcessMemory();
	memory.record(['a']);
	const claim = memory.claim(['a', 'b']);
	expect(known(memory, ['a', 'b', 'c'])).toEqual(['a', 'b']);
	claim.release();
	expect(known(memory, ['a', 'b'])).toEqual(['a']);
});

it('forgets the oldest, but nothing that is in flight', () => {
	const memory = new ProcessMemory(3);
	const first = memory.claim(['first']);
	const second = memory.claim(['second']);
	for (const key of ['a', 'b', 'c', 'd']) memory.record([key]);
	expect(known(memory, ['first', 'second', 'a', 'b', 'c', 'd'])).toEqual([
		...['first', 'second', 'b', 'c', 'd'],
	]);
	first.keep();
	second.release();
	memory.record(['e']);
	expect(known(memory, ['first', 'second', 'b', 'c', 'd', 'e'])).toEqual(['c', 'd', 'e']);
});

it('remembers 50,000 keys', () => {
	const memory = new ProcessMemory();
	for (let count = 0; count <= 50_000; count++) memory.record([`${count}`]);
	expect(known(memory, ['0', '1', '50000'])).toEqual(['1', '50000']);
});

it('sends no second attempt while the first is under way, which no code denies', async () => {
	const memory = new ProcessMemory();
	let answer: (given: typeof paid) => void = () => {};
	let begin = () => {};
	const begun = new Promise<void>((resolve) => (begin = resolve));
	const first = journalOf(new MemoryStore(), { memory }).perform(payment, async () => {
		begin();
		return await new Promise((resolve) => (answer = resolve));
	});
	await begun;
	const send = jest.fn(async () => paid);
	const confirmed = { ...payment, confirmedNotPaid: [codeOf(identityOf(payment), 1)] };
	const copy = journalOf(new MemoryStore(), { memory, nodeId: 'copy' });
	await expect(copy.perform(confirmed, send)).rejects.toThrow('is sending it right now');
	answer(paid);
	expect(await first).toEqual(paid);
	expect(send).not.toHaveBeenCalled();
});

import { ProcessMemory } from '../../../nodes/PayrollPayments/idempotency/processMemory';

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

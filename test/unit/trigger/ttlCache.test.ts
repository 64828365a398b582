import { TtlCache } from '../../../nodes/PayrollPayments/trigger/ttlCache';

describe('TTL cache', () => {
	let time = 1_000_000;
	let reads: string[] = [];
	let cache = new TtlCache<string>(1_000, () => time);

	const get = async (name: string) =>
		await cache.get(name, async () => {
			reads.push(name);
			return `${name} at ${time}`;
		});

	beforeEach(() => {
		time = 1_000_000;
		reads = [];
		cache = new TtlCache(1_000, () => time);
	});

	it('reads once for all that ask at the same moment', async () => {
		const values = await Promise.all([get('a'), get('a'), get('b')]);
		expect(values).toEqual(['a at 1000000', 'a at 1000000', 'b at 1000000']);
		expect(reads).toEqual(['a', 'b']);
	});

	it.each([
		[999, 1],
		[1_000, 2],
		[-1, 2],
	])('%d ms later, has read the value %d times', async (later, times) => {
		await get('a');
		time += later;
		await get('a');
		expect(reads).toHaveLength(times);
	});

	it('keeps the latest 1,000 values', async () => {
		const names = Array.from({ length: 5_000 }, (_, index) => `${index}`);
		for (const name of names) await get(name);
		for (const name of names.slice(-1_000)) await get(name);
		expect(reads).toHaveLength(5_000);
		await get('0');
		expect(reads).toHaveLength(5_001);
	});

	it('reads again after a failure', async () => {
		const failing = cache.get('a', async () => await Promise.reject(new Error('no database')));
		await expect(failing).rejects.toThrow('no database');
		expect(await get('a')).toBe('a at 1000000');
	});
});

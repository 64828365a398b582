/** Math.random, by which calls pause, gives the same numbers in every run of the calling file. */
export function fixPauses(): void {
	beforeEach(() => void jest.spyOn(Math, 'random').mockImplementation(randomFrom(1)));
	afterEach(() => jest.restoreAllMocks());
}

/** Numbers from 0 up to, but not including, 1: the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** What was measured of us and of a peer in the same run, and what we are to reach. */
export interface Comparison {
	/** What was done, with its size. */
	readonly what: string;
	/** Who did the same, or what it is held against. */
	readonly peer: string;
	readonly unit: 'ms' | 'MB' | 'sign-ins';
	/** Raw samples in the order in which they were taken. */
	readonly ours: readonly number[];
	readonly peers: readonly number[];
	/**
	 * `times better` divides the peer's median by ours and must reach at least the limit; `share`
	 * divides ours by the peer's and must stay at or below it.
	 */
	readonly reading: 'times better' | 'share';
	readonly limit: number;
	/** What a reader must know to judge the figures. */
	readonly notes?: readonly string[];
}

/** One measurement that can be run alone. */
export interface Part {
	readonly name: string;
	readonly title: string;
	measure(size: Size): Promise<Comparison[]>;
}

/** How much is measured; `small` is for trying the benchmark itself and is never written down. */
interface Size {
	readonly small: boolean;
	/** Samples of each side. */
	readonly runs: number;
}

export function median(samples: readonly number[]): number {
	const sorted = [...samples].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	const [upper, lower] = [sorted[middle], sorted[middle - 1]];
	if (upper === undefined) throw new Error('There are no samples.');
	return sorted.length % 2 === 1 || lower === undefined ? upper : (lower + upper) / 2;
}

export function ratioOf({ ours, peers, reading }: Comparison): number {
	const [a, b] = [median(ours), median(peers)];
	return reading === 'share' ? a / b : b / a;
}

export function isReached(comparison: Comparison): boolean {
	const ratio = ratioOf(comparison);
	return comparison.reading === 'share' ? ratio <= comparison.limit : ratio >= comparison.limit;
}

/**
 * Runs both sides in turn, so many times each, changing who is first: what else the machine does
 * then falls on both.
 */
export async function interleaved<Ours, Peers>(
	runs: number,
	ours: (run: number) => Promise<Ours>,
	peer: (run: number) => Promise<Peers>,
): Promise<{ ours: Ours[]; peers: Peers[] }> {
	const results: { ours: Ours[]; peers: Peers[] } = { ours: [], peers: [] };
	for (let run = 0; run < runs; run++) {
		if (run % 2 === 0) results.ours.push(await ours(run));
		results.peers.push(await peer(run));
		if (run % 2 === 1) results.ours.push(await ours(run));
	}
	return results;
}

/** @throws {Error} where two sides that must have done the same have not. */
export function mustBeSame(what: string, ours: unknown, peers: unknown): void {
	const [a, b] = [ours, peers].map((each) => JSON.stringify(each));
	if (a !== b) throw new Error(`${what}: ours ${a?.slice(0, 300)}, the peer's ${b?.slice(0, 300)}`);
}

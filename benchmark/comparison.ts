/** Measurements of ours and of a peer in the same run, and the limit that ours has to meet. */
export interface Comparison {
	/** The task, with its size. */
	readonly what: string;
	/** Who did the same, or the baseline. */
	readonly peer: string;
	readonly unit: 'ms' | 's' | 'MB' | 'bytes' | 'sign-ins' | 'requests';
	/** Raw samples in order. */
	readonly ours: readonly number[];
	readonly peers: readonly number[];
	/** Whether the samples are compared one by one, as {@link interleaved} took them. */
	readonly isPaired?: boolean;
	/**
	 * `times better` divides the peer's median by ours and must reach at least the limit; `share`
	 * divides ours by the peer's and must stay at or below it. Of pairs, the median ratio counts.
	 */
	readonly reading: 'times better' | 'share';
	readonly limit: number;
	/** What a reader needs to know to interpret the figures. */
	readonly notes?: readonly string[];
	/** Why the limit is out of reach; shown only if it's missed. */
	readonly reason?: string;
}

/** One measurement that can be run alone. */
export interface Part {
	readonly name: string;
	readonly title: string;
	measure(size: Size): Promise<Comparison[]>;
}

/** How much to measure; results of `small`, which tries out the benchmark, are never saved. */
interface Size {
	readonly small: boolean;
	/** Samples per side. */
	readonly runs: number;
}

export function median(samples: readonly number[]): number {
	const sorted = [...samples].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	const [upper, lower] = [sorted[middle], sorted[middle - 1]];
	if (upper === undefined) throw new Error('There are no samples.');
	return sorted.length % 2 === 1 || lower === undefined ? upper : (lower + upper) / 2;
}

export function ratioOf({ ours, peers, reading, isPaired }: Comparison): number {
	const ratio = (own: number, peer: number) => (reading === 'share' ? own / peer : peer / own);
	if (isPaired !== true) return ratio(median(ours), median(peers));
	return median(ours.map((own, index) => ratio(own, peers[index] ?? Number.NaN)));
}

export function isReached(comparison: Comparison): boolean {
	const ratio = ratioOf(comparison);
	return comparison.reading === 'share' ? ratio <= comparison.limit : ratio >= comparison.limit;
}

/**
 * Runs both sides in turn, alternating who goes first, so that other load on the machine affects
 * both.
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

/** Runs any number of sides in turn, each round beginning with the next one. */
export async function rotated<Side extends string, Result>(
	rounds: number,
	sides: ReadonlyArray<readonly [Side, () => Promise<Result>]>,
): Promise<(side: Side) => Result[]> {
	const results = new Map<Side, Result[]>();
	for (let round = 0; round < rounds; round++) {
		const first = round % sides.length;
		for (const [side, take] of [...sides.slice(first), ...sides.slice(0, first)]) {
			results.set(side, [...(results.get(side) ?? []), await take()]);
		}
	}
	return (side) => results.get(side) ?? [];
}

/** @throws {Error} if two sides that should have done the same differ */
export function mustBeSame(what: string, ours: unknown, peers: unknown): void {
	const [a, b] = [ours, peers].map((each) => JSON.stringify(each));
	if (a !== b) throw new Error(`${what}: ours ${a?.slice(0, 300)}, the peer's ${b?.slice(0, 300)}`);
}

/** A figure of ours against the goal that it has to meet. */
export function goal(
	what: string,
	unit: Comparison['unit'],
	ours: number,
	most: number,
	notes: readonly string[] = [],
): Comparison {
	const peer = 'the goal';
	return { what, peer, unit, ours: [ours], peers: [most], reading: 'share', limit: 1, notes };
}

/** The lines of a script's output that begin with the seconds since it started. */
export const phases = (output: string): string[] =>
	output
		.split('\n')
		.filter((line) => /^ *\d+\.\d s {2}/.test(line))
		.map((line) => line.trim());

/** The seconds that a line of {@link phases} begins with. */
export const seconds = (line = ''): number => Number.parseFloat(line);

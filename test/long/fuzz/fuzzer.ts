import { createHash } from 'node:crypto';
import * as files from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import path from 'node:path';

import { z } from 'zod';

import type { Randomness } from '../../../sandbox/randomness';

/** The code to fuzz. */
export interface Target {
	/** Words that random changes wouldn't find. */
	readonly dictionary: readonly string[];
	/** Runs the code under test; throws if its behavior is wrong. */
	check(input: Buffer): void;
}

/** Words of a dictionary without white space in them. */
export const words = (text: string): string[] => text.split(' ');

/** The results of one run. */
export const findings = z.object({
	executions: z.number(),
	/** Functions of the code under test that were entered. */
	functions: z.number(),
	/** Blocks as V8 counts them: branches taken, and branches not taken. */
	edges: z.number(),
	/** Inputs that took a new path through a function. */
	corpus: z.number(),
	/** The shortest of them that together reach all edges. */
	kept: z.number(),
	/** The longest execution. */
	milliseconds: z.number(),
	crashes: z.array(z.string()),
});

export type Findings = z.infer<typeof findings>;

/** An execution that takes longer counts as a hang. */
const HANG_MILLISECONDS = 1_000;
const LONGEST_INPUT = 4_096;
/** Executions between two readings of the counters, which take longer than most executions. */
const BATCH = 32;

/** V8's counters, as shown in DevTools: how often each block of our code ran. */
class Coverage {
	private readonly session = new Session();

	constructor(private readonly codeUnderTest: string) {
		this.session.connect();
		this.session.post('Profiler.enable');
		this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
	}

	/** The functions that ran since the last call, with a count for each block. */
	take(): { name: string; blocks: Profiler.CoverageRange[] }[] {
		let scripts: Profiler.ScriptCoverage[] = [];
		this.session.post('Profiler.takePreciseCoverage', (error, { result }) => {
			if (error) throw error;
			scripts = result;
		});
		return scripts
			.filter(({ url }) => url.includes(this.codeUnderTest))
			.flatMap(({ url, functions }) =>
				functions.map(({ ranges }) => ({
					name: `${url}#${ranges[0]?.startOffset}`,
					blocks: ranges,
				})),
			)
			.filter(({ blocks }) => (blocks[0]?.count ?? 0) > 0);
	}
}

/** Changes an input in one to four ways. */
function mutated(
	input: Buffer,
	other: Buffer,
	words: readonly string[],
	chance: Randomness,
): Buffer {
	let bytes = input;
	for (let left = 1 + chance.below(4); left > 0; left--) {
		const from = chance.below(bytes.length + 1);
		const to = Math.min(bytes.length, from + 1 + chance.below(chance.below(2) === 0 ? 4 : 64));
		const [head, span, tail] = [
			bytes.subarray(0, from),
			bytes.subarray(from, to),
			bytes.subarray(to),
		];
		const word = Buffer.from(words[chance.below(words.length)] ?? '');
		const start = chance.below(other.length + 1);
		const changes = [
			() => [head, Buffer.from([chance.below(256)]), bytes.subarray(from + 1)],
			() => [head, Buffer.from(span.map((byte) => byte ^ (1 << chance.below(8)))), tail],
			() => [head, tail],
			() => [head, span, span, tail],
			() => [head, word, bytes.subarray(from)],
			() => [head, word, tail],
			() => [head, other.subarray(start, start + 1 + chance.below(64)), tail],
			() => [head, other.subarray(start)],
		];
		bytes = Buffer.concat(changes[chance.below(changes.length)]?.() ?? []);
	}
	return bytes.subarray(0, LONGEST_INPUT);
}

const hashOf = (input: Buffer) => createHash('sha256').update(input).digest('hex').slice(0, 12);

/**
 * Mutates inputs for a number of minutes, and continues with those that take a new path.
 *
 * @param where.corpusFolder the first inputs
 * @param where.workFolder gets `current` (the batch under test, for after a kill), `crash-…` (inputs
 * that failed) and `keepers/` (the shortest inputs that together reach every edge)
 */
export function fuzz(
	{ dictionary, check }: Target,
	chance: Randomness,
	where: { codeUnderTest: string; corpusFolder: string; workFolder: string; minutes: number },
): Findings {
	const write = (name: string, input: Buffer) => {
		files.writeFileSync(path.join(where.workFolder, name), input);
	};
	files.rmSync(where.workFolder, { recursive: true, force: true });
	files.mkdirSync(path.join(where.workFolder, 'keepers'), { recursive: true });
	const coverage = new Coverage(where.codeUnderTest);
	const corpus: Buffer[] = [];
	const shortest = new Map<string, Buffer>();
	const functions = new Set<string>();
	const [batchWays, ways] = [new Set<string>(), new Set<string>()];
	const crashes = new Map<string, Buffer>();
	let [executions, milliseconds] = [0, 0];

	const run = (input: Buffer) => {
		const begun = performance.now();
		try {
			check(input);
		} catch (error) {
			crashes.set(error instanceof Error ? error.message : String(error), input);
		}
		const lasted = performance.now() - begun;
		if (lasted > HANG_MILLISECONDS) crashes.set(`takes more than ${HANG_MILLISECONDS} ms`, input);
		milliseconds = Math.max(milliseconds, lasted);
		executions += 1;
	};
	/** Whether anything since the last call took a path that is new to `seen`. */
	const isNew = (seen: Set<string>, input?: Buffer): boolean => {
		const before = seen.size;
		for (const { name, blocks } of coverage.take()) {
			functions.add(name);
			const counted = blocks.map(({ startOffset, endOffset, count }) => {
				const edge = `${name} ${startOffset}-${endOffset} ${count > 0}`;
				const known = shortest.get(edge);
				if (input && input.length < (known?.length ?? Infinity)) shortest.set(edge, input);
				return `${startOffset}-${endOffset}:${Math.ceil(Math.log2(count + 1))}`;
			});
			seen.add(`${name} ${counted.join()}`);
		}
		return seen.size > before;
	};
	const runBatch = (batch: readonly Buffer[]) => {
		write('current', Buffer.concat(batch));
		batch.forEach(run);
		if (!isNew(batchWays)) return;
		for (const input of batch) {
			run(input);
			if (isNew(ways, input)) corpus.push(input);
		}
	};
	const any = () => corpus[chance.below(corpus.length)] ?? Buffer.alloc(0);

	const names = files.readdirSync(where.corpusFolder).sort();
	runBatch(names.map((name) => files.readFileSync(path.join(where.corpusFolder, name))));
	for (const end = Date.now() + where.minutes * 60_000; Date.now() < end; ) {
		runBatch(Array.from({ length: BATCH }, () => mutated(any(), any(), dictionary, chance)));
	}
	const keepers = new Set(shortest.values());
	for (const input of keepers) write(`keepers/${hashOf(input)}`, input);
	for (const input of crashes.values()) write(`crash-${hashOf(input)}`, input);
	return {
		executions,
		functions: functions.size,
		edges: shortest.size,
		corpus: corpus.length,
		kept: keepers.size,
		milliseconds: Math.round(milliseconds),
		crashes: [...crashes.keys()],
	};
}

/**
 * How long a run stays in memory after its last use, in milliseconds. n8n's *Retry On Fail* starts
 * the next try at most five seconds after the last one (workflow-execute.ts), so a day is ample.
 */
const RETENTION_MS = 24 * 60 * 60 * 1000;

/** One run of one node: a node in a loop has several runs in one execution. */
export interface RunScope {
	readonly workflowId: string;
	readonly nodeId: string;
	/** Empty or missing where n8n gave the execution no ID: then nothing is remembered. */
	readonly executionId?: string;
	readonly runIndex: number;
}

/** What one run of a node has done so far. */
export interface RunEntries<Entry> {
	get(key: string): Entry | undefined;
	set(key: string, entry: Entry): void;
	delete(key: string): void;
}

interface CachedRun<Entry> {
	readonly entries: Map<string, Entry>;
	/** On the clock that only moves forward, in milliseconds. */
	lastUsed: number;
}

/**
 * What nodes have done within their current run, kept in this process only. *Retry On Fail* runs
 * the whole node again, every item, so what was done must be known then.
 *
 * A run takes room only once it has remembered something, and loses it only by age: no amount of
 * other work can push it out while n8n may still retry it.
 */
export class ExecutionCache<Entry> {
	private readonly runs = new Map<string, CachedRun<Entry>>();

	/** @param now milliseconds on a clock that is never set back */
	constructor(private readonly now: () => number = () => performance.now()) {}

	/** The entries of one run of a node. */
	of({ workflowId, nodeId, executionId, runIndex }: RunScope): RunEntries<Entry> {
		if (executionId === undefined || executionId === '') return new Map<string, Entry>();
		const name = JSON.stringify([workflowId, nodeId, executionId, runIndex]);
		return {
			get: (key) => this.touch(name)?.entries.get(key),
			set: (key, entry) => {
				const run = this.touch(name) ?? this.begin(name);
				run.entries.set(key, entry);
			},
			delete: (key) => {
				this.touch(name)?.entries.delete(key);
			},
		};
	}

	/** How many runs are held in memory. */
	get size(): number {
		return this.runs.size;
	}

	/** Runs stand in the order of their last use, so that the oldest are found first. */
	private touch(name: string): CachedRun<Entry> | undefined {
		const run = this.runs.get(name);
		if (run === undefined) return undefined;
		run.lastUsed = this.now();
		this.runs.delete(name);
		this.runs.set(name, run);
		return run;
	}

	private begin(name: string): CachedRun<Entry> {
		const now = this.now();
		for (const [oldest, { lastUsed }] of this.runs) {
			if (now - lastUsed < RETENTION_MS) break;
			this.runs.delete(oldest);
		}
		const run: CachedRun<Entry> = { entries: new Map(), lastUsed: now };
		this.runs.set(name, run);
		return run;
	}
}

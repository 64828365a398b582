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

/** Empty for an execution without an ID. */
function nameOf({ workflowId, nodeId, executionId, runIndex }: RunScope): string {
	if (executionId === undefined || executionId === '') return '';
	return JSON.stringify([workflowId, nodeId, executionId, runIndex]);
}

/** What one run of a node has done so far. */
export interface RunEntries<Entry> {
	get(key: string): Entry | undefined;
	set(key: string, entry: Entry): unknown;
	delete(key: string): unknown;
}

/**
 * What nodes have done within their current run, kept in this process only: *Retry On Fail* runs the
 * whole node again. A run takes room once it has remembered something, and loses it only by age, so
 * that no other work can push it out while n8n may still retry it.
 */
export class ExecutionCache<Entry> {
	/** In the order of their last use. */
	private readonly runs = new Map<string, { entries: Map<string, Entry>; lastUsed: number }>();

	/** @param now milliseconds on a clock that is never set back */
	constructor(private readonly now: () => number = () => performance.now()) {}

	/** The entries of one run of a node. */
	of(scope: RunScope): RunEntries<Entry> {
		const name = nameOf(scope);
		if (name === '') return new Map<string, Entry>();
		return {
			get: (key) => this.use(name)?.get(key),
			set: (key, entry) => {
				const entries = this.runs.get(name)?.entries ?? new Map<string, Entry>();
				this.use(name, entries.set(key, entry));
			},
			delete: (key) => this.use(name)?.delete(key),
		};
	}

	/** Whether a run has done anything yet. */
	has(scope: RunScope): boolean {
		return this.runs.has(nameOf(scope));
	}

	/** How many runs are held in memory. */
	get size(): number {
		return this.runs.size;
	}

	private use(
		name: string,
		entries = this.runs.get(name)?.entries,
	): Map<string, Entry> | undefined {
		if (entries === undefined) return undefined;
		const lastUsed = this.now();
		this.runs.delete(name);
		this.runs.set(name, { entries, lastUsed });
		for (const [oldest, run] of this.runs) {
			if (lastUsed - run.lastUsed < RETENTION_MS) break;
			this.runs.delete(oldest);
		}
		return entries;
	}
}

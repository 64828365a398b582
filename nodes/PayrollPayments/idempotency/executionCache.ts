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

/**
 * What nodes have done within their current run, kept in this process only: *Retry On Fail* runs the
 * whole node again. A run is forgotten only by age, so that no other work can push it out while n8n may
 * still retry it.
 */
export class ExecutionCache<Entry> {
	/** In the order of their last use. */
	private readonly runs = new Map<string, { entries: Map<string, Entry>; lastUsed: number }>();

	/** @param now milliseconds on a clock that is never set back */
	constructor(private readonly now: () => number = () => performance.now()) {}

	/** What one run of a node has done so far. */
	of(scope: RunScope): Map<string, Entry> {
		const name = nameOf(scope);
		const entries = this.runs.get(name)?.entries ?? new Map<string, Entry>();
		if (name === '') return entries;
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

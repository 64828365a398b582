/**
 * How long a run stays in memory after its last use, in milliseconds. n8n's *Retry On Fail* starts
 * the next try at most five seconds after the last one (workflow-execute.ts), so a day is ample.
 */
const RETENTION_MS = 24 * 60 * 60 * 1000;

/** One run of one node: a node in a loop has several runs in one execution. */
export interface RunScope {
	readonly workflowId: string;
	readonly nodeId: string;
	/** Unique in a workflow, where two nodes can have one ID, e.g. after they were pasted by a program. */
	readonly nodeName: string;
	/** Empty or missing where n8n gave the execution no ID: then nothing is remembered. */
	readonly executionId?: string;
	readonly runIndex: number;
	/** Whether an AI agent runs the node. */
	readonly isTool: boolean;
	/**
	 * Whether all tries, and no other call, have this `runIndex`. Not for a tool that is called outside n8n's
	 * engine: there each try has a new one, and two calls at the same moment can share one.
	 */
	readonly hasOwnRun: boolean;
}

/**
 * What nodes have done within their current run, kept in this process only: *Retry On Fail* runs the
 * whole node again. A run is forgotten only by age, so that no other work can push it out while n8n may
 * still retry it.
 */
export class ExecutionMemory<Entry> {
	/** In the order of their last use. */
	private readonly runs = new Map<string, { entries: Map<string, Entry>; lastUsed: number }>();

	/** @param now milliseconds on a clock that is never set back */
	constructor(private readonly now: () => number = () => performance.now()) {}

	/** What one run of a node has done so far. */
	of({ workflowId, nodeId, nodeName, executionId, runIndex }: RunScope): Map<string, Entry> {
		if (executionId === undefined || executionId === '') return new Map();
		const name = JSON.stringify([workflowId, nodeId, nodeName, executionId, runIndex]);
		const entries = this.runs.get(name)?.entries ?? new Map<string, Entry>();
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

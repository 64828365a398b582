/** Executions remembered at most; the oldest is forgotten first. */
const MOST_EXECUTIONS = 500;

/** The id of one node's part in one execution. */
export interface ExecutionScope {
	readonly workflowId: string;
	readonly nodeId: string;
	/** Empty or missing where n8n gave the execution no id: then nothing is remembered. */
	readonly executionId?: string;
}

/**
 * What a node has done within one execution, kept in this process only. n8n's *Retry On Fail* runs
 * the whole node again, every item: what was done must be known then.
 */
export class ExecutionMemory<Entry> {
	private readonly executions = new Map<string, Map<string, Entry>>();

	/** The entries of one node in one execution. */
	of({ workflowId, nodeId, executionId }: ExecutionScope): Map<string, Entry> {
		if (executionId === undefined || executionId === '') return new Map();
		const name = JSON.stringify([workflowId, nodeId, executionId]);
		const entries = this.executions.get(name) ?? new Map<string, Entry>();
		this.executions.delete(name);
		this.executions.set(name, entries);
		const oldest = this.executions.keys().next();
		if (this.executions.size > MOST_EXECUTIONS && !oldest.done) {
			this.executions.delete(oldest.value);
		}
		return entries;
	}
}

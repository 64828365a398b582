import { parse } from 'flatted';

interface Item {
	readonly json: Record<string, unknown>;
}

interface ExecutionError {
	readonly message: string;
	readonly description?: string | null;
}

/** One run of a node within an execution. */
interface NodeRun {
	readonly data?: { readonly main?: readonly (readonly Item[] | null)[] };
	readonly error?: ExecutionError;
}

export interface Execution {
	readonly id: string;
	readonly status: string;
	/** The runs of each node, by the node's name. */
	readonly runs: Readonly<Record<string, readonly NodeRun[]>>;
	readonly error: ExecutionError | undefined;
}

/** An execution as n8n's REST interface gives it. */
export interface StoredExecution {
	readonly status: string;
	/** In the format of the library flatted. */
	readonly data: string;
}

interface StoredData {
	readonly resultData?: {
		readonly runData?: Execution['runs'];
		readonly error?: ExecutionError;
	};
}

export function readExecution(id: string, { status, data }: StoredExecution): Execution {
	// n8n stores an empty list while an execution is running.
	const stored: StoredData | undefined = parse(data);
	const { runData = {}, error } = stored?.resultData ?? {};
	return { id, status, runs: runData, error };
}

export function hasEnded({ status }: Execution): boolean {
	return !['new', 'running', 'waiting'].includes(status);
}

/** The output of a node's first run; empty if it didn't run. */
export function outputOf({ runs }: Execution, node: string): Record<string, unknown>[] {
	return (runs[node]?.[0]?.data?.main?.[0] ?? []).map(({ json }) => json);
}

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
	readonly mode: string;
	/** The runs of each node, by the node's name. */
	readonly runs: Readonly<Record<string, readonly NodeRun[]>>;
	readonly error: ExecutionError | undefined;
}

/** An execution as n8n's REST interface gives it. */
export interface StoredExecution {
	readonly status: string;
	readonly mode: string;
	/** In the format of the library flatted. */
	readonly data: string;
}

interface StoredData {
	readonly resultData?: {
		readonly runData?: Execution['runs'];
		readonly error?: ExecutionError;
	};
}

export function readExecution(id: string, { status, mode, data }: StoredExecution): Execution {
	// While an execution runs, n8n stores an empty list, which holds no value.
	const stored: StoredData | undefined = parse(data);
	const { runData = {}, error } = stored?.resultData ?? {};
	return { id, status, mode, runs: runData, error };
}

export function hasEnded({ status, runs, error }: Execution): boolean {
	if (['new', 'running', 'waiting'].includes(status)) return false;
	// n8n 1.x stores how an execution ended, and a moment later what it did.
	return (
		!['success', 'error'].includes(status) || Object.keys(runs).length > 0 || error !== undefined
	);
}

/** What the first run of a node put out; empty if it did not run. */
export function outputOf({ runs }: Execution, node: string): Record<string, unknown>[] {
	return (runs[node]?.[0]?.data?.main?.[0] ?? []).map(({ json }) => json);
}

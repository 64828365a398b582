import { createHash } from 'node:crypto';

/** A request as the service received it, and its outcome. */
export interface WireLogEntry {
	/** Given by the sandbox; an event that the request causes has it as `request_id`. */
	readonly requestId: string;
	/** ISO time of arrival. */
	readonly at: string;
	readonly method: string;
	readonly path: string;
	/** An array if the key was repeated. */
	readonly query: Readonly<Record<string, string | string[]>>;
	/** Tokens are replaced by their scheme and a short hash. */
	readonly headers: Readonly<Record<string, string>>;
	/** The parsed JSON, or the text if it isn't JSON. */
	readonly body?: unknown;
	/** `operationId` in openapi.yaml, or `unknown`. */
	readonly operation: string;
	/** Whether the request matches openapi.yaml. */
	readonly valid: boolean;
	readonly problems: readonly string[];
	/** Status of the answer; missing if there is none yet or the connection broke. */
	status?: number;
	/** `received`, `answered`, `client gone`, or `fault:` and the fault's kind. */
	outcome: string;
}

/** Requests to /v2, oldest first. */
export class WireLog {
	private entries: WireLogEntry[] = [];
	private counts = new Map<string, number>();

	/** Adds a request on arrival, so that the log also has those that never get an answer. */
	add(entry: WireLogEntry, limit: number): void {
		this.entries.push(entry);
		// Trims many entries at once: shifting a long array for every request is slow.
		if (this.entries.length > limit * 1.2) this.entries = this.entries.slice(-limit);
		this.counts.set(entry.operation, (this.counts.get(entry.operation) ?? 0) + 1);
	}

	clear(): void {
		this.entries = [];
		this.counts = new Map();
	}

	/** The entries, and the number of requests per operation. */
	read(): { entries: readonly WireLogEntry[]; counts: Record<string, number> } {
		return { entries: this.entries, counts: Object.fromEntries(this.counts) };
	}
}

/** Headers for the log; tokens can be told apart but not used. */
export function headersForLog(
	headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
	const shown: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers)) {
		if (value === undefined) continue;
		const text = Array.isArray(value) ? value.join(', ') : value;
		if (name === 'authorization') {
			const [scheme = '', ...rest] = text.split(' ');
			shown[name] = `${scheme} ${shortHash(rest.join(' '))}`;
		} else {
			shown[name] = name === 'x-auth-token' ? shortHash(text) : text;
		}
	}
	return shown;
}

function shortHash(secret: string): string {
	return `#${createHash('sha256').update(secret).digest('hex').slice(0, 10)}`;
}

import { createHash } from 'node:crypto';

/** One request as the service received it, and what became of it. */
export interface WireLogEntry {
	/** ISO time of arrival. */
	readonly at: string;
	readonly method: string;
	readonly path: string;
	/** Values in order where a key was repeated. */
	readonly query: Readonly<Record<string, string | string[]>>;
	/** Tokens reduced to their scheme and a short hash. */
	readonly headers: Readonly<Record<string, string>>;
	/** Parsed where it is JSON, else the text. */
	readonly body?: unknown;
	/** Operation of openapi.yaml, or `unknown`. */
	readonly operation: string;
	/** Whether the request is as openapi.yaml describes it. */
	readonly valid: boolean;
	readonly problems: readonly string[];
	/** Status of the answer; absent while there is none, and for a cut connection. */
	status?: number;
	/** `received`, `answered`, or what went wrong: the fault's kind, `client gone`. */
	outcome: string;
}

/** Every request to /v2 in the order of arrival. */
export class WireLog {
	private entries: WireLogEntry[] = [];
	private counted = new Map<string, number>();

	/** Notes a request at its arrival, so that cut and hanging ones are there too. */
	note(entry: WireLogEntry, limit: number): void {
		this.entries.push(entry);
		// Trimmed by a fifth at a time: shifting a long array for every request is slow.
		if (this.entries.length > limit * 1.2) this.entries = this.entries.slice(-limit);
		this.counted.set(entry.operation, (this.counted.get(entry.operation) ?? 0) + 1);
	}

	clear(): void {
		this.entries = [];
		this.counted = new Map();
	}

	/** The entries and the number of requests by operation. */
	read(): { entries: readonly WireLogEntry[]; counts: Record<string, number> } {
		return { entries: this.entries, counts: Object.fromEntries(this.counted) };
	}
}

/** Headers for the log: what proves who calls is recognisable but not usable. */
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

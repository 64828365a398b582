import type { JsonObject } from '../shared/json';

interface Details {
	/** What to do next, in full sentences. */
	readonly hint?: string;
	/** What is wrong with the event, if it can be told field by field. */
	readonly issues?: readonly string[];
	/** For n8n's log only, since the sender may be anyone. */
	readonly logged?: string;
}

/** A delivery that starts no execution because something is wrong, and its answer. */
export class Rejected extends Error {
	constructor(
		readonly status: 400 | 401 | 403 | 500,
		message: string,
		readonly details: Details = {},
	) {
		super(message);
	}

	get body(): JsonObject {
		const { hint, issues } = this.details;
		const error = [this.message, hint].filter(Boolean).join('. ');
		return { error, ...(issues && { validation_issues: [...issues] }) };
	}
}

/** What rejected a delivery. @throws anything else, since it's a defect */
export function asRejection(error: unknown): Rejected {
	if (error instanceof Rejected) return error;
	throw error;
}

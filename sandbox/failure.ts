/** Failure statuses (docs/api.md, Errors), and 200 and 429, which services of this kind use too. */
export type FailureStatus = 200 | 400 | 401 | 403 | 404 | 429 | 500;

/** What is wrong with one field of a request, as zod says it. */
export interface Issue {
	readonly path: ReadonlyArray<string | number>;
	readonly message: string;
}

/** The service rejects a request with the failure envelope (docs/api.md, Response envelope). */
export class ServiceFailure extends Error {
	constructor(
		readonly status: FailureStatus,
		message: string,
		readonly errorCode?: string,
		/** Members beside the documented ones. */
		readonly more: Readonly<Record<string, unknown>> = {},
	) {
		super(message);
	}
}

/** The failure envelope; without a code, `error_code` is left out. */
export function failureEnvelope(message: string, errorCode?: string, more = {}): object {
	return {
		success: false,
		data: message,
		...(errorCode ? { error_code: errorCode } : {}),
		...more,
	};
}

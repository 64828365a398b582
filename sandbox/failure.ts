/** Failure statuses (docs/api.md, Errors). */
export type FailureStatus = 400 | 401 | 403 | 404 | 500;

/** The service rejects a request with the failure envelope (docs/api.md, Response envelope). */
export class ServiceFailure extends Error {
	constructor(
		readonly status: FailureStatus,
		message: string,
		readonly errorCode?: string,
	) {
		super(message);
	}
}

/** The failure envelope; without a code, `error_code` is left out. */
export function failureEnvelope(message: string, errorCode?: string): object {
	return { success: false, data: message, ...(errorCode ? { error_code: errorCode } : {}) };
}

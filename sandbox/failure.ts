/** Statuses that the document lists for failures (Errors 1). */
export type FailureStatus = 400 | 401 | 403 | 404 | 500;

/** The service refuses a request; answered with the failure envelope (Errors 2). */
export class ServiceFailure extends Error {
	constructor(
		readonly status: FailureStatus,
		message: string,
		readonly errorCode?: string,
	) {
		super(message);
	}
}

/** The failure envelope; `error_code` only when there is one. */
export function failureEnvelope(message: string, errorCode?: string): object {
	return { success: false, data: message, ...(errorCode ? { error_code: errorCode } : {}) };
}

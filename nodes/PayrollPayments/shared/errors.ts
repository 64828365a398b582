/** What an error says in addition to its message. */
export interface ErrorContext {
	/** What to do next, in full sentences. */
	readonly hint?: string;
	/** The parameter or credential field that is wrong, by its internal name. */
	readonly field?: string;
	/** The error that this one replaces. Only errors of this family: others may hold secrets. */
	readonly cause?: Refusal;
	/** Whether the service may have done what was requested, so that it must not be sent again blindly. */
	readonly isOutcomeUnknown?: boolean;
}

/**
 * An expected failure that the user can do something about. The base of all errors here.
 *
 * The message says what happened, `hint` what to do next. n8n shows both as they are, so neither may
 * contain a key, a token or a stack trace.
 */
export class Refusal extends Error {
	override readonly name: string = 'Refusal';
	readonly hint?: string;
	readonly field?: string;
	readonly isOutcomeUnknown: boolean;
	/** What was already done before the failure, as data, so that the user can finish it. */
	details?: Readonly<Record<string, unknown>>;
	/** What was already done, in full sentences, for people. */
	note?: string;

	constructor(
		message: string,
		{ hint, field, cause, isOutcomeUnknown = false }: ErrorContext = {},
	) {
		super(message, cause && { cause });
		this.hint = hint;
		this.field = field;
		this.isOutcomeUnknown = isOutcomeUnknown;
	}

	/** The hint, under the name that n8n reads from an error that credentials throw. */
	get description(): string | undefined {
		return this.hint;
	}

	addDetails(details: Readonly<Record<string, unknown>>): this {
		this.details = { ...this.details, ...details };
		return this;
	}

	/** Puts a full sentence in front of the notes so far. */
	addNote(note: string): this {
		this.note = this.note === undefined ? note : `${note} ${this.note}`;
		return this;
	}
}

/** The service answered, but not with success (docs/api.md, Errors). */
export class ServiceError extends Refusal {
	override readonly name = 'ServiceError';
	/** HTTP status of the response. */
	readonly status: number;
	/** The service's own error code, if it sent one. */
	readonly errorCode?: string;
	/** Whether the service certainly did nothing: a documented failure status in its own envelope. */
	readonly refused: boolean;

	constructor(
		message: string,
		response: ErrorContext & { status: number; errorCode?: string; refused: boolean },
	) {
		super(message, response);
		this.status = response.status;
		this.errorCode = response.errorCode;
		this.refused = response.refused;
	}
}

/** No response arrived. Unless `wasSent` is false, the service may have acted on the request. */
export class NoResponseError extends Refusal {
	override readonly name = 'NoResponseError';

	/** @param wasSent false if the connection was never made */
	constructor(
		message: string,
		context: ErrorContext = {},
		readonly wasSent = true,
	) {
		super(message, context);
	}
}

/** Signing in failed, so the request that needed the token was not accepted. */
export class SignInFailed extends Refusal {
	override readonly name = 'SignInFailed';
}

/**
 * A new error with another message and hint, and the given one as its cause. Keeps the status and
 * the error code of a {@link ServiceError}.
 */
export function wrapError(
	error: unknown,
	message: string,
	context: Pick<ErrorContext, 'hint' | 'isOutcomeUnknown'>,
): Refusal {
	if (!(error instanceof Refusal)) return new Refusal(message, context);
	const wrapped = { ...context, field: error.field, cause: error };
	if (!(error instanceof ServiceError)) return new Refusal(message, wrapped);
	const { status, errorCode, refused } = error;
	return new ServiceError(message, { ...wrapped, status, errorCode, refused });
}

/** Whether the service may have done what was requested, although it didn't confirm it. */
export function mayHaveActed(error: unknown): error is ServiceError | NoResponseError {
	if (error instanceof ServiceError) return error.status < 300 || error.status >= 500;
	return error instanceof NoResponseError && error.wasSent;
}

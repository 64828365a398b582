import type { SheetPlace } from './sheetPlace';

/** The outcome of a change that failed. With `unknown`, all or part of it may have been made. */
type FailedOutcome = 'refused' | 'unknown' | 'notSent';

export interface ErrorContext {
	/** What to do next, in full sentences. */
	readonly hint?: string;
	/** The error that this one replaces. Only errors of this family: others may hold secrets. */
	readonly cause?: UserError;
	/** What became of the change, if the class of the error doesn't tell (`outcomeOf`). */
	readonly outcome?: FailedOutcome;
	/** False if no answer arrived because there was no connection. */
	readonly wasSent?: boolean;
	/** Set if a request before the change failed, so that the change itself wasn't sent. */
	readonly precedesChange?: boolean;
	/**
	 * Of a failed signature: true if the signer may have signed, false if nobody was asked. If unset, a person
	 * may have been asked, and declined.
	 */
	readonly mayBeSigned?: boolean;
	/** Of a failed sign-in: whether a person may have been asked to confirm it. */
	readonly wasAsked?: boolean;
	/** Of a failed sign-in: whether the service refused it in its own words. */
	readonly isRefusal?: boolean;
	/** The code that a person enters once the service says that this payment wasn't made. */
	readonly attemptCode?: string;
	/** Data for the user: what was done before, each failure, what the service answered. */
	readonly details?: Readonly<Record<string, unknown>>;
	/** What was already done, in full sentences, for people. */
	readonly note?: string;
	readonly item?: number;
	/** The row of a sheet that it is about; shown in place of the item. */
	readonly row?: SheetPlace;
	/** The page below docs/ that explains it, and the place on it, e.g. `credentials.md#limits`. */
	readonly page?: string;
}

/**
 * An expected failure that the user can do something about. The base of all errors here.
 *
 * The message says what happened, `hint` what to do next. n8n shows both as they are, so neither may
 * contain a key, a token or a stack trace. Errors are values: {@link with} makes another one.
 */
export class UserError extends Error {
	override readonly name: string = 'UserError';
	readonly hint: ErrorContext['hint'];
	/** The hint, under the name that n8n reads from an error that credentials throw. */
	readonly description: ErrorContext['hint'];

	constructor(
		message: string,
		readonly context: ErrorContext = {},
	) {
		super(message, context.cause && { cause: context.cause });
		this.hint = this.description = context.hint;
	}

	/** The same kind of error with another message or context. */
	with({ message = this.message, ...change }: ErrorContext & { readonly message?: string }): this {
		return Reflect.construct(this.constructor, [message, { ...this.context, ...change }]);
	}

	/** The same error with further details, and a sentence in front of its notes. */
	withDone(details: Readonly<Record<string, unknown>>, note?: string): this {
		const all = { ...this.context.details, ...details };
		return this.with({
			details: Object.keys(all).length === 0 ? undefined : all,
			note: [note, this.context.note].filter(Boolean).join(' ') || undefined,
		});
	}
}

interface ServiceContext extends ErrorContext {
	readonly status: number;
	readonly errorCode?: string;
	/** Whether the service said so itself, in its failure envelope. */
	readonly inEnvelope?: boolean;
	/**
	 * Whether the service certainly did nothing: a status by which it refuses,
	 * in its own envelope, or a 407 of a proxy, which passed nothing on.
	 */
	readonly nothingDone: boolean;
	/** Whether its words leave open that this request, or an earlier one of the same kind, succeeded. */
	readonly mayHaveSucceeded?: boolean;
}

/** The service answered, but not with success (docs/api.md, Errors). */
export class ServiceError extends UserError {
	override readonly name = 'ServiceError';
	readonly status: number;
	readonly errorCode?: string;
	readonly inEnvelope: boolean;
	readonly nothingDone: boolean;
	readonly mayHaveSucceeded: boolean;

	constructor(message: string, context: ServiceContext) {
		super(message, context);
		this.status = context.status;
		this.errorCode = context.errorCode;
		this.inEnvelope = context.inEnvelope === true;
		this.nothingDone = context.nothingDone;
		this.mayHaveSucceeded = context.mayHaveSucceeded === true;
	}
}

/** No answer arrived. Unless `wasSent` is false, the service may have acted on the request. */
export class NoResponseError extends UserError {
	override readonly name = 'NoResponseError';
}

/** Signing in failed, so the request that needed the token was not accepted. */
export class SignInFailed extends UserError {
	override readonly name = 'SignInFailed';
}

/** The error with another message and context, as one of its kind if it is one of ours. */
export function wrapError(error: unknown, message: string, context: ErrorContext): UserError {
	if (!(error instanceof UserError)) return new UserError(message, context);
	return error.with({ message, ...context, cause: error });
}

/** Whether the service may have done what was requested, although it didn't confirm it. */
export function mayHaveActed(error: unknown): error is ServiceError | NoResponseError {
	if (error instanceof ServiceError) return !error.nothingDone;
	return error instanceof NoResponseError && error.context.wasSent !== false;
}

/** What is known of an error; nothing of one that isn't ours. */
export function contextOf(error: unknown): ErrorContext {
	return error instanceof UserError ? error.context : {};
}

/** What became of a change that failed with this. An error that isn't ours counts as refused: nothing was sent. */
export function outcomeOf(error: unknown): FailedOutcome {
	return contextOf(error).outcome ?? (mayHaveActed(error) ? 'unknown' : 'refused');
}

export function messageOf(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error ?? '');
	return message === '' ? 'The node failed without a message' : message;
}

/** For what was asked for after the execution was stopped. */
export function stoppedError(): UserError {
	return new UserError('The execution was stopped, so this was not sent', { outcome: 'notSent' });
}

/** Whether something wasn't sent because the execution was stopped. */
export function isStop(error: unknown): boolean {
	return contextOf(error).outcome === 'notSent';
}

/** @throws {UserError} once the execution was stopped */
export function throwIfStopped(signal: AbortSignal | undefined): void {
	if (signal?.aborted === true) throw stoppedError();
}

/** What a person needs beside the message to mend the cause of a {@link Refusal}. */
export interface RefusalContext {
	/** What to do next, as a full sentence. */
	readonly hint?: string;
	/** The parameter or column that is at fault, by the name it has on the form. */
	readonly field?: string;
}

/**
 * The package declines to go on, for a reason that the person at the form can mend.
 *
 * The message says what happened in plain words, `hint` what to do next. Neither may hold a key, a
 * token or a stack trace: both are shown in n8n as they stand.
 */
export class Refusal extends Error {
	override readonly name: string = 'Refusal';
	readonly hint?: string;
	readonly field?: string;
	/** What was already done when the refusal came, as data, so that it can be finished. */
	details?: Readonly<Record<string, unknown>>;
	/** The same in words, in the order in which it was done. */
	done?: string;
	/** Whether the service may have done what was asked, so that it must not be asked again blindly. */
	isOutcomeUnknown = false;

	constructor(message: string, context: RefusalContext = {}) {
		super(message);
		this.hint = context.hint;
		this.field = context.field;
	}

	/** The hint under the name by which n8n takes it from an error that the credentials throw. */
	get description(): string | undefined {
		return this.hint;
	}

	/** Adds what was already done when the refusal came. */
	carrying(details: Readonly<Record<string, unknown>>): this {
		this.details = { ...this.details, ...details };
		return this;
	}

	/** Says in a full sentence what was already done, before what is said so far. */
	telling(done: string): this {
		this.done = this.done === undefined ? done : `${done} ${this.done}`;
		return this;
	}
}

/** No token could be obtained, so the request that needed it was not accepted. */
export class SignInFailed extends Refusal {
	override readonly name = 'SignInFailed';
}

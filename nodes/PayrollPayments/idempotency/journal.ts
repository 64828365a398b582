import type { UserError } from '../shared/errors';

/** What a journal knows of a change before it is sent. */
export type Known<Answer> =
	/** It may be sent, as this attempt: the first, unless a person entered the code of an earlier one. */
	| { readonly is: 'sendable'; readonly attempt: number }
	/** An earlier try of this run made it, and its answer is known. */
	| { readonly is: 'done'; readonly when: 'earlierTry'; readonly answer: Answer }
	/** Another run made it. Its answer isn't kept, so sending it again is an error. */
	| { readonly is: 'done'; readonly when: 'earlierRun'; readonly error: UserError }
	/** It may have been made. Only the code, if it has one, lets it be sent once more. */
	| {
			readonly is: 'unknown';
			readonly when: 'earlierTry' | 'earlierRun';
			readonly code?: string;
			readonly error: UserError;
	  }
	/** It may not be sent now; `when` is set if that is because of what an earlier try of this run did. */
	| { readonly is: 'refused'; readonly when?: 'earlierTry'; readonly error: UserError };

/**
 * Keeps a change from being made twice. A payment is recorded before it is signed and sent; of another change,
 * only what came of it is recorded.
 */
export interface Journal<Change, Answer> {
	/** What is known of each change, in their order. Sends nothing, and leaves nothing recorded. */
	look(changes: readonly Change[]): Promise<ReadonlyArray<Known<Answer>>>;
	/**
	 * Sends a change, or repeats the answer of an earlier try.
	 * @throws {UserError} where it may not be sent, or what `send` threw, with what is known of the change
	 */
	perform(change: Change, send: () => Promise<Answer>): Promise<Answer>;
}

/** A change, with the journal that performs it. */
export interface JournalEntry<Change, Answer> {
	readonly journal: Journal<Change, Answer>;
	readonly change: Change;
}

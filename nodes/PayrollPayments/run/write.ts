import type { z } from 'zod';

import type { WriteCall } from '../api/call';
import type { JournalEntry } from '../idempotency/journal';
import { UserError } from '../shared/errors';
import type { JsonValue } from '../shared/json';
import type { GuardedTypedData, Wallet } from '../signing';
import type { checkRecord, signed, writeRequest } from './checkRecord';

/** One item of the node's output, before it is paired with its input: only JSON, under the service's own names. */
export type OutputRecord = Readonly<Record<string, JsonValue>>;

export type Signs = Readonly<z.infer<typeof signed>>;

/** What all writes of a run have in common. */
export interface Approvable {
	readonly operation: string;
	readonly baseUrl: string;
}

/** A change that passed every check, as it is shown and approved. */
export interface ShownWrite
	extends Readonly<Pick<z.infer<typeof checkRecord>, 'summary' | 'request'>> {
	readonly signs: Signs | null;
	/** What is signed, in words. It ends the sentence, since most of it is addresses. */
	readonly signsSummary?: string;
	/** The user's own number for it, which isn't sent. */
	readonly reference?: string;
	/** Whether an approval covers it as not sent: its outcome isn't known, or its check refused it. */
	readonly isLeftAlone?: boolean;
	/** What its check puts out in addition. */
	readonly columns?: OutputRecord;
	/** The team or company that it is about, if it says so. */
	readonly entityId?: string;
}

/** A change that can be sent. What it holds is what is sent: nothing is read or guarded again. */
export interface Write<Data, Recorded = unknown> extends ShownWrite {
	/** Numbers in the run, as in `Row` (rows.ts). */
	readonly numbers: readonly number[];
	readonly call: Omit<WriteCall<Data>, 'body'> & Readonly<z.infer<typeof writeRequest>>;
	/** Signs, and returns the signature as the property that the body lacks. */
	sign?(): Promise<Readonly<Record<string, string>>>;
	/** Whether it must not be sent again in this execution where its outcome isn't known. */
	readonly isUnrepeatable?: boolean;
	/** Whether a later run of the node in this execution, as in a loop, gets its answer in place of sending it again. */
	readonly isOncePerExecution?: boolean;
	/** The journal that sends it, and how it is named there; by default that of the execution. */
	readonly entry?: JournalEntry<Recorded, Data>;
}

/** The only way of a change to the service (runContext.ts); operations get it once every row was checked. */
export type Perform = <Data, Recorded>(write: Write<Data, Recorded>) => Promise<Data>;

/** One step of a row: what it does is shown and approved before, and it may take several requests. */
export interface Step<Result extends OutputRecord = OutputRecord> {
	readonly shown: ShownWrite;
	/** The addresses of the people it invites. */
	readonly people?: readonly string[];
	/** What is still to be done for them, if a later step fails; the same in all steps of a row. */
	readonly next?: string;
	take(perform: Perform): Promise<Result>;
}

export function stepOf<Data extends OutputRecord>(
	write: Write<Data>,
	people?: readonly string[],
	next?: string,
): Step<Data> {
	return { shown: write, people, next, take: async (perform) => await perform(write) };
}

/**
 * What is signed, and how: by the wallet of the credentials, unless a signature was provided.
 * @throws {UserError} if that isn't the signer's
 */
export async function signatureOver(
	typedData: GuardedTypedData,
	wallet: () => Promise<Wallet>,
	{ signer, signature }: { readonly signer: string; readonly signature?: string },
) {
	const { domain, types, primaryType, message } = typedData;
	const { checkSigner } = await import('../signing');
	const provided = signature && (await checkSigner(typedData, { signer, signature }));
	const sign = async () => provided ?? (await (await wallet()).signTypedData(typedData));
	return { signs: { domain, types, primaryType, message }, sign };
}

/** Marks the outcome as unknown, because a part of the change was made before the error. */
export function partlyDone(
	error: UserError,
	done: Readonly<Record<string, unknown>>,
	note: string,
): UserError {
	return error.with({ outcome: 'unknown' }).withDone(done, note);
}

/** Some of the people of a list, in its order: "a, b", or "5 people, from a to e". */
function fromTo(people: readonly string[]): string {
	const { length } = people;
	return length > 3
		? `${length} people, from ${people[0]} to ${people[length - 1]}`
		: people.join(', ');
}

/**
 * Takes the steps of one row in order. An error then also says whom the steps before it have invited, and
 * whom it and those after it haven't.
 */
export async function takeInOrder<Result extends OutputRecord>(
	steps: ReadonlyArray<Step<Result>>,
	perform: Perform,
): Promise<Result[]> {
	const results: Result[] = [];
	for (const step of steps) {
		const result = await step.take(perform).catch((error: unknown) => {
			if (!(error instanceof UserError) || results.length === 0) throw error;
			const [own = [], ...others] = steps.slice(results.length).map(({ people = [] }) => people);
			const done = results.map((each, index) => ({ emails: steps[index]?.people ?? [], ...each }));
			const note = [
				`Already invited: ${fromTo(done.flatMap(({ emails }) => emails))}. Leave them out of the next run.`,
				steps[0]?.next,
				`This request was for ${fromTo(own)}.`,
				others.length > 0 && `Not sent: ${fromTo(others.flat())}.`,
			];
			throw partlyDone(error, { completed: done }, note.filter(Boolean).join(' '));
		});
		results.push(result);
	}
	return results;
}

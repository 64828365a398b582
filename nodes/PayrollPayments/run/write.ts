import { z } from 'zod';

import type { Call } from '../api/client';
import { throwIfStopped, UserError } from '../shared/errors';
import type { JsonValue } from '../shared/json';
import { listed } from '../shared/lists';
import type { GuardedTypedData } from '../signing';
import type { RunContext } from './runContext';

/** One item of the node's output, before it is paired with its input: only JSON, under the service's own names. */
export type OutputRecord = Readonly<Record<string, JsonValue>>;

const json = z.record(z.custom<JsonValue>());

/** What is signed, or what a provided signature covers (EIP-712). */
const signed = z.object({ domain: json, primaryType: z.string(), message: json });

/** A request that changes something. Its body is without the signature. */
const writeRequest = z.object({ method: z.enum(['POST', 'PUT']), path: z.string(), body: json });

/** What *Check Only* puts out about one request. */
export const checkOutput = z
	.object({
		check: z.literal('passed'),
		/** What the request does, as a sentence for the person who approves it. */
		summary: z.string(),
		/** What Approved Check takes, so that exactly this is sent. */
		approval: z.string(),
		/** Null if nothing is signed, or it isn't known what a provided signature covers. */
		signs: signed.nullable(),
		/** Null if there is nothing to send. */
		request: writeRequest.nullable(),
	})
	.passthrough();

/** What is signed. Its types are approved, too, though no check shows them. */
export type Signs = Readonly<z.infer<typeof signed>> & Partial<Pick<GuardedTypedData, 'types'>>;

type Checked = Readonly<z.infer<typeof checkOutput>>;

/** A change that passed every check, as it is shown and approved. */
export interface WritePlan extends Pick<Checked, 'summary' | 'request'> {
	readonly signs: Signs | null;
	/** A payment's reference, which isn't sent. */
	readonly reference?: string;
	/** What its check puts out in addition. */
	readonly columns?: OutputRecord;
}

/** A change that can be sent. What it holds is what is sent: nothing is read or guarded again. */
export interface CheckedWrite<Result extends OutputRecord = OutputRecord> extends WritePlan {
	send(): Promise<Result>;
}

interface CheckedCall<Data>
	extends Pick<Call<Data>, 'answer' | 'withoutToken'>,
		Readonly<z.infer<typeof writeRequest>> {
	readonly summary: string;
	readonly signs?: Signs | null;
	/** Whether it must not be sent again in this execution where its outcome isn't known. */
	readonly isUnrepeatable?: boolean;
	/** Signs, and returns the signature as the property that the body lacks. */
	sign?(): Promise<Readonly<Record<string, string>>>;
}

/** A checked change that takes one request, and is made once in an execution. */
export function checkedCall<Data extends OutputRecord>(
	context: RunContext,
	call: CheckedCall<Data>,
): CheckedWrite<Data> {
	const { summary, signs = null, isUnrepeatable, sign, answer, withoutToken, ...request } = call;
	const send = async () => {
		throwIfStopped(context.signal);
		const body = { ...request.body, ...(await sign?.()) };
		return await context.send<Data>({ ...request, body, answer, withoutToken });
	};
	const { method, path, body } = request;
	const key = { identity: [context.items, method, path, body], isUnrepeatable };
	/* Without a token it is a sign-in, whose answer isn't kept in memory. */
	const sendOnce =
		withoutToken === undefined ? async () => await context.once(key, answer, send) : send;
	return { summary, request, signs, send: sendOnce };
}

/**
 * What is signed, and how: by the wallet of the credentials, unless a signature was provided.
 * @throws {UserError} if that isn't the signer's
 */
export async function signatureOver(
	typedData: GuardedTypedData,
	context: RunContext,
	{ signer, signature }: { readonly signer: string; readonly signature?: string },
) {
	const { domain, types, primaryType, message } = typedData;
	const { checkSigner } = await import('../signing');
	if (signature !== undefined) await checkSigner(typedData, { signer, signature });
	const sign = async () => signature ?? (await (await context.wallet()).signTypedData(typedData));
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

/** Sends the writes of one job in order. An error then also says what was done before. */
export async function sendInOrder<Result extends OutputRecord>(
	writes: ReadonlyArray<CheckedWrite<Result>>,
): Promise<Result[]> {
	const results: Result[] = [];
	for (const write of writes) {
		const result = await write.send().catch((error: unknown) => {
			if (!(error instanceof UserError) || results.length === 0) throw error;
			const done = writes.slice(0, results.length).map(({ summary }) => `“${summary}”`);
			const note = `Already done: ${listed(done)}. Don’t do this again; Retry On Fail continues after it.`;
			throw partlyDone(error, { completed: results }, note);
		});
		results.push(result);
	}
	return results;
}

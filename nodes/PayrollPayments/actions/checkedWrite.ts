import type { Call } from '../api/client';
import { throwIfStopped, UserError } from '../shared/errors';
import type { JsonValue } from '../shared/json';
import type { OnceKey, RunContext } from './runContext';

/** One item of the node's output, before it is paired with its input: only JSON, under the service's own names. */
export type OutputRecord = Readonly<Record<string, JsonValue>>;

/** A request that changes something. Its body is without the signature. */
interface WriteRequest {
	readonly method: 'POST' | 'PUT';
	readonly path: string;
	readonly body: Readonly<Record<string, JsonValue>>;
}

/** What is signed, or what a provided signature covers (EIP-712). */
export interface Signs {
	readonly domain: OutputRecord;
	readonly primaryType: string;
	readonly message: OutputRecord;
}

/**
 * A change that passed every check. What it holds is what is sent: nothing is read, parsed or guarded
 * again.
 */
export interface CheckedWrite<Result extends OutputRecord = OutputRecord> {
	/** What it does, as a sentence for the person who approves it. */
	readonly summary: string;
	/** Null if there is nothing to send. */
	readonly request: WriteRequest | null;
	/** Null where nothing is signed, or it isn't known what a provided signature covers. */
	readonly signs: Signs | null;
	/** A payment's reference, which isn't sent. */
	readonly reference?: string;
	/** What its check puts out in addition. */
	readonly columns?: OutputRecord;
	/** Signs and sends. */
	send(): Promise<Result>;
	/** What the writes before it in the same job have done by the time this one fails, in sentences. */
	doneBefore?(): string;
}

/** A change that takes one request. */
interface CheckedCall<Data> extends Pick<Call<Data>, 'answer' | 'withoutToken'>, WriteRequest {
	readonly summary: string;
	readonly signs?: Signs;
	/** Set where it is made once per execution. */
	readonly once?: OnceKey;
	/** Signs, and returns the signature as the property that the body lacks. */
	sign?(): Promise<Readonly<Record<string, string>>>;
}

/** A checked change that takes one request. */
export function checkedCall<Data extends OutputRecord>(
	context: RunContext,
	{ summary, signs, once, sign, answer, withoutToken, ...request }: CheckedCall<Data>,
): CheckedWrite<Data> {
	const send = async () => {
		throwIfStopped(context.signal);
		const signature = await sign?.();
		const body = { ...request.body, ...signature };
		return await context.send<Data>({ ...request, body, answer, withoutToken });
	};
	const key = once && { ...once, identity: [request.method, request.path, once.identity] };
	return {
		summary,
		request,
		signs: signs ?? null,
		send: async () => (key === undefined ? await send() : await context.once(key, answer, send)),
	};
}

/**
 * Sends the writes of one job, one after the other.
 * @throws whatever a write throws. A {@link UserError} then also says what was done before, in words
 * and as `completed`.
 */
export async function sendInOrder<Result extends OutputRecord>(
	writes: ReadonlyArray<CheckedWrite<Result>>,
): Promise<Result[]> {
	const results: Result[] = [];
	for (const write of writes) {
		const result = await write.send().catch((error: unknown) => {
			if (!(error instanceof UserError) || results.length === 0) throw error;
			throw error.withDone({ completed: results }, write.doneBefore?.());
		});
		results.push(result);
	}
	return results;
}

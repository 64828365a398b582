import { z } from 'zod';

import type { Call } from '../api/client';
import { Refusal } from '../shared/errors';
import type { JsonValue } from '../shared/json';
import type { OutputRecord } from './plan';
import { call, callOnce, type CallOnce, type Service } from './service';

/** What *Check Only* outputs about one request. */
export const checkOutput = z.object({
	check: z.literal('passed'),
	/** What the request does, as a sentence for the person who approves it. */
	summary: z.string(),
	/** The request, its body without the signature. Null if there is nothing to send. */
	request: z
		.object({
			method: z.enum(['POST', 'PUT']),
			path: z.string(),
			body: z.record(z.custom<JsonValue>()),
		})
		.nullable(),
});

/** A request that changes something. Its body is without the signature. */
type WriteRequest = NonNullable<CheckedWrite['request']>;

/** What the check of one write gives. */
type CheckedWrite = Readonly<Omit<z.infer<typeof checkOutput>, 'check'>>;

/** One change at the service, planned before anything is signed or sent. */
export interface PlannedWrite<Result extends OutputRecord = OutputRecord> {
	/** Reads, checks and guards everything that {@link send} does. Leaves no trace. */
	check(): Promise<CheckedWrite>;
	/** Checks the same, then signs and sends. */
	send(service: Service): Promise<Result>;
	/** What the writes before it in the same job have done by the time this one fails, in sentences. */
	doneBefore?(): string;
}

/** Signs, and returns the signature as the property that the body lacks. */
export type Sign = (service: Service) => Promise<Readonly<Record<string, string>>>;

/** A body and its summary, after all checks. */
interface Prepared extends Pick<CheckedWrite, 'summary'>, Pick<WriteRequest, 'body'> {
	readonly sign?: Sign;
}

/** A change that takes one request. */
interface WriteCall<Data extends OutputRecord>
	extends Pick<Call<Data>, 'answer' | 'path' | 'withoutToken'> {
	readonly method: WriteRequest['method'];
	/** Set where it is sent once per execution; see {@link callOnce}. */
	readonly once?: Pick<CallOnce<Data>, 'identity' | 'isRepeatable'>;
	/** Checks and guards what is about to be signed and sent. */
	prepare(): Promise<Prepared>;
}

/** Plans a change that takes one request. */
export function planCall<Data extends OutputRecord>({
	prepare,
	once,
	...request
}: WriteCall<Data>): PlannedWrite<Data> {
	const { method, path } = request;
	return {
		check: async () => {
			const { summary, body } = await prepare();
			return { summary, request: { method, path, body } };
		},
		send: async (service) => {
			const body = async () => {
				const prepared = await prepare();
				return { ...prepared.body, ...(await prepared.sign?.(service)) };
			};
			if (once === undefined) return await call(service, { ...request, body: await body() });
			return await callOnce(service, { ...request, ...once, body });
		},
	};
}

/** What *Check Only* outputs about one request. */
export function checkRecord({ summary, request }: CheckedWrite): z.infer<typeof checkOutput> {
	return { check: 'passed', summary, request: request === null ? null : { ...request } };
}

/** Checks the writes of one job, and puts out one record for each. */
export async function checkWrites(writes: readonly PlannedWrite[]): Promise<OutputRecord[]> {
	const records: OutputRecord[] = [];
	for (const write of writes) records.push(checkRecord(await write.check()));
	return records;
}

/**
 * Sends the writes of one job, one after the other.
 * @throws whatever a write throws. A {@link Refusal} then also says what was done before, in words
 * and as `completed`.
 */
export async function sendWrites<Result extends OutputRecord>(
	writes: ReadonlyArray<PlannedWrite<Result>>,
	service: Service,
): Promise<Result[]> {
	const results: Result[] = [];
	for (const write of writes) {
		const result = await write.send(service).catch((error: unknown) => {
			if (error instanceof Refusal && results.length > 0) {
				error.addDetails({ completed: results });
				if (write.doneBefore !== undefined) error.addNote(write.doneBefore());
			}
			throw error;
		});
		results.push(result);
	}
	return results;
}

/** Sends the writes of one job, or with *Check Only* checks and outputs them instead. */
export async function perform(
	writes: readonly PlannedWrite[],
	service: Service,
): Promise<OutputRecord[]> {
	return service.sending.checkOnly ? await checkWrites(writes) : await sendWrites(writes, service);
}

import type { Call } from '../api/client';
import { Refusal } from '../shared/errors';
import type { JsonValue } from '../shared/json';
import type { OutputRecord } from './plan';
import { call, callOnce, type CallOnce, type Service } from './service';

/** A request that changes something. Its body is without the signature. */
interface WriteRequest {
	readonly method: 'POST' | 'PUT';
	readonly path: string;
	readonly body: Readonly<Record<string, JsonValue>>;
}

/** What *Check Only* outputs about one request. */
interface CheckedWrite {
	/** What the request does, as a sentence for the person who approves it. */
	readonly summary: string;
	readonly request: WriteRequest;
}

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

async function checked(write: PlannedWrite): Promise<OutputRecord> {
	const { summary, request } = await write.check();
	return { check: 'passed', summary, request: { ...request } };
}

/**
 * Sends the writes of one job, one after the other. With *Check Only*, it checks and outputs them
 * instead.
 * @throws whatever a write throws. A {@link Refusal} then also says what was done before, in words
 * and as `completed`.
 */
export async function perform(
	writes: readonly PlannedWrite[],
	service: Service,
): Promise<OutputRecord[]> {
	const records: OutputRecord[] = [];
	for (const write of writes) {
		if (service.sending.checkOnly) {
			records.push(await checked(write));
			continue;
		}
		const record = await write.send(service).catch((error: unknown) => {
			if (error instanceof Refusal && records.length > 0) {
				error.addDetails({ completed: records });
				if (write.doneBefore !== undefined) error.addNote(write.doneBefore());
			}
			throw error;
		});
		records.push(record);
	}
	return records;
}

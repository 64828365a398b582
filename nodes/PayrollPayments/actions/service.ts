import { createHash } from 'node:crypto';

import { sendCall, type Call, type ReadCall, type Sending } from '../api/client';
import type { ServiceCredentials } from '../api/credentials';
import type { RunEntries } from '../idempotency/executionCache';
import type { PaymentLedger } from '../idempotency/paymentLedger';
import { mayHaveActed, wrapError, type Refusal } from '../shared/errors';
import type { Wallet } from '../signing';
import type { SendingOptions } from './commonOptions';

/** The outcome of a call in this execution: its answer, or an error that leaves it unknown. */
export type CallOutcome = { readonly answer: unknown } | { readonly failure: Refusal };

/** What all jobs of one run share; see connect.ts. */
export interface Connection {
	readonly credentials: ServiceCredentials;
	readonly transport: Omit<Sending, 'timeout' | 'retries'>;
	/** The wallet that signs. @throws {Refusal} if the credentials have none */
	wallet(): Promise<Wallet>;
	/** The payments that this node has sent. */
	payments(): PaymentLedger;
	/** The outcomes of {@link callOnce} in this execution. */
	outcomes(): RunEntries<CallOutcome>;
}

/** The service while a job is planned and checked: it can read, but neither sign nor change anything. */
export interface ReadingService extends Pick<Connection, 'credentials' | 'transport'> {
	/** The input items that the job is for, at least one. */
	readonly items: readonly number[];
	readonly sending: SendingOptions;
	wallet(): Promise<Pick<Wallet, 'address'>>;
	payments(): Pick<PaymentLedger, 'check'>;
}

/** The service as one job uses it. */
export interface Service extends Connection, Pick<ReadingService, 'items' | 'sending'> {}

/** A call that is sent once per execution. */
export interface CallOnce<Data> extends Omit<Call<Data>, 'body'> {
	/** What identifies the call. The body may differ, since two signatures over the same data can. */
	readonly identity: unknown;
	/** Whether sending it again is harmless if the first outcome is unknown. */
	readonly isRepeatable: boolean;
	/** Makes the body, only if the call is sent. */
	body(): Promise<NonNullable<Call<Data>['body']>>;
}

/** Sends one call. Only reads (GET) are retried. */
export async function call<Data>(service: ReadingService, request: ReadCall<Data>): Promise<Data>;
export async function call<Data>(service: Service, request: Call<Data>): Promise<Data>;
export async function call<Data>(service: ReadingService, request: Call<Data>): Promise<Data> {
	const { timeout, retries } = service.sending;
	return await sendCall(service.credentials.baseUrl, request, {
		...service.transport,
		timeout,
		retries,
	});
}

/**
 * Sends a call that must not be repeated in one execution. *Retry On Fail* runs every item again;
 * the second time, this returns the first answer.
 * @throws {Refusal} if the first outcome is unknown and the call isn't repeatable
 */
export async function callOnce<Data>(service: Service, request: CallOnce<Data>): Promise<Data> {
	const { identity, isRepeatable, ...rest } = request;
	const outcomes = service.outcomes();
	const key = createHash('sha256')
		.update(JSON.stringify([service.items, request.method, request.path, identity]))
		.digest('hex');
	const earlier = outcomes.get(key);
	if (earlier !== undefined && 'answer' in earlier) return request.answer.parse(earlier.answer);
	if (earlier !== undefined) throw notSentAgain(earlier.failure);
	const body = await request.body();
	const answer = await call(service, { ...rest, body }).catch((error: unknown) => {
		if (!isRepeatable && mayHaveActed(error)) outcomes.set(key, { failure: error });
		throw error;
	});
	outcomes.set(key, { answer });
	return answer;
}

function notSentAgain(failure: Refusal): Refusal {
	return wrapError(
		failure,
		`${failure.message.replace(/\.$/, '')}. The request wasn't sent again, because the first one may have succeeded`,
		{ hint: "Check the result in the service, then run the workflow again for what's missing." },
	);
}

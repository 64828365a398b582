import type { Call, SendCall } from '../api/client';
import type { ServiceCredentials } from '../api/credentials';
import type { PaymentLedger } from '../idempotency/paymentLedger';
import type { Wallet } from '../signing';

/** A call that is sent once per execution. Its body is created only when it is sent. */
export interface CallOnce<Data> extends Omit<Call<Data>, 'body'> {
	/** What makes two calls the same. The body may differ: signatures need not be deterministic. */
	readonly identity: unknown;
	/** Whether sending it again after an unknown outcome does no harm. */
	readonly isRepeatable: boolean;
	body(): Promise<NonNullable<Call<Data>['body']>>;
}

/** The service as an operation sees it. */
export interface Service {
	readonly credentials: ServiceCredentials;
	/** Sends one call. Reads (GET) are retried after temporary failures, writes never. */
	readonly call: SendCall;
	/**
	 * Sends a call that must not be done twice in one execution. n8n's *Retry On Fail* runs every
	 * item again, and then gets the first response.
	 * @throws {Refusal} instead of sending it again after an unknown outcome, unless it is repeatable
	 */
	callOnce<Data>(call: CallOnce<Data>): Promise<Data>;
	/** The wallet that signs. @throws {Refusal} if the credentials have none */
	wallet(): Promise<Wallet>;
	readonly payments: PaymentLedger;
	/** The number of the item, or of the first of several that share a request. */
	readonly item: number;
}

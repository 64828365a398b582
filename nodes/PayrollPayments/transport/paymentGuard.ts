import { createHash } from 'node:crypto';

import { Refusal, SignInFailed, type instantPaymentAnswer, type z } from '../contract';

import { reworded, ServiceError } from './serviceError';

/** Where payments are recorded: n8n's store, behind a lock. */
export interface PaymentRecord {
	/** @returns whether this call recorded the key ('first') or it was there already ('seen') */
	record(key: string): Promise<'first' | 'seen'>;
	forget(key: string): Promise<void>;
}

/** What the service answered to a payment. */
export type PaymentAnswer = z.infer<typeof instantPaymentAnswer> & { already_sent?: true };

/** An attempt at a payment within one execution; without an answer its outcome is unknown. */
export interface PaymentAttempt {
	/** The item that the attempt was made for. */
	readonly item: number;
	readonly answer?: PaymentAnswer;
	/** What came instead of an answer. */
	readonly failure?: unknown;
}

/** A payment as it is recorded, apart from its key. */
export interface GuardedPayment {
	readonly key: string;
	/** For messages: the amount in dollars and the recipient. */
	readonly wording: string;
	readonly item: number;
	/** Whether a person has confirmed with the service that this payment was not made. */
	readonly isConfirmedNotPaid: boolean;
}

const HEX = /^0x[0-9a-fA-F]*$/;

/** JSON with sorted members and hex in lower case, so that one payment has one spelling. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (typeof value === 'object' && value !== null) {
		const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
		return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
	}
	if (typeof value === 'string' && HEX.test(value)) return JSON.stringify(value.toLowerCase());
	return JSON.stringify(value);
}

/**
 * The name of a payment in n8n's store: a hash of where it goes, who pays and signs, and what is
 * signed. Never of the signature, since signers need not be deterministic.
 */
export function paymentKey(payment: {
	readonly baseUrl: string;
	readonly teamId: string;
	readonly signer: string;
	readonly typedData: unknown;
}): string {
	const { baseUrl, teamId, signer, typedData } = payment;
	return createHash('sha256')
		.update(canonical([new URL(baseUrl).origin, teamId, signer, typedData]))
		.digest('hex');
}

const ASK_THE_SERVICE =
	'Ask the service whether the payment was made. If it was not, run once more with “Payment Outcome Confirmed” under Options set to “Not Paid”.';

function outcomeUnknown({ wording }: GuardedPayment, happened: string, failure: unknown): Refusal {
	return reworded(
		failure,
		`It is not known whether the payment of ${wording} was made. ${happened}`,
		`The money may be on its way: do not pay again by other means. ${ASK_THE_SERVICE}`,
	);
}

function sentBefore({ wording }: GuardedPayment): Refusal {
	return new Refusal(
		`The payment of ${wording} was sent before by this node, so it was not sent again`,
		{ hint: ASK_THE_SERVICE },
	);
}

/**
 * The payments that this n8n process is sending: no one else, in whatever execution, may release the
 * record of such a payment before its outcome is known.
 */
const underWay = new Set<string>();

/**
 * Sends a payment once (interface.md, Double-payment guard). It is recorded before it is sent; the
 * record is cleared only by the service's own refusal.
 */
export class PaymentGuard {
	/**
	 * @param attempts what this node did in this execution, kept across *Retry On Fail*
	 */
	constructor(
		private readonly record: PaymentRecord,
		private readonly attempts: Map<string, PaymentAttempt>,
	) {}

	/**
	 * Looks for the payment among what was done for this item in this execution, before anything is
	 * signed anew.
	 *
	 * @returns the earlier answer, or undefined where there was no attempt
	 * @throws {Refusal} where the outcome of the attempt is not known
	 */
	earlier(payment: GuardedPayment): PaymentAnswer | undefined {
		const before = this.attempts.get(payment.key);
		if (before?.item !== payment.item) return undefined;
		if (before.answer !== undefined) return { ...before.answer, already_sent: true };
		throw outcomeUnknown(payment, 'It was not sent again', before.failure);
	}

	/**
	 * @returns the answer, with `already_sent` where it is that of an earlier attempt
	 * @param send sends the payment and answers with what the service said
	 * @throws {Refusal} where the payment was or may have been sent before, or cannot be recorded:
	 *   then nothing is sent
	 * @throws what `send` threw, with what is known about the money
	 */
	async pay(payment: GuardedPayment, send: () => Promise<PaymentAnswer>): Promise<PaymentAnswer> {
		const earlier = this.earlier(payment);
		if (earlier !== undefined) return earlier;
		const { item, key } = payment;
		if (underWay.has(key) || this.attempts.has(key)) throw sentBefore(payment);
		underWay.add(key);
		try {
			if (payment.isConfirmedNotPaid) await this.release(payment);
			await this.claim(payment);
			this.attempts.set(key, { item });
			const answer = await this.settle(payment, send);
			this.attempts.set(key, { item, answer });
			return answer;
		} finally {
			underWay.delete(key);
		}
	}

	private async release({ key, wording }: GuardedPayment): Promise<void> {
		await this.record.forget(key).catch(() => {
			throw new Refusal(`The record of the payment of ${wording} could not be released; nothing was sent`, {
				hint: 'n8n could not write to its database. Try again when it can.',
			});
		});
	}

	private async claim(payment: GuardedPayment): Promise<void> {
		const { key, wording } = payment;
		const claim = await this.record.record(key).catch(() => {
			throw new Refusal(`The payment of ${wording} could not be recorded, so nothing was sent`, {
				hint: 'Save the workflow and check that n8n can write to its database, then run again.',
			});
		});
		if (claim === 'seen') throw sentBefore(payment);
	}

	private async settle(
		payment: GuardedPayment,
		send: () => Promise<PaymentAnswer>,
	): Promise<PaymentAnswer> {
		return await send().catch(async (error: unknown) => {
			const wasNotMade =
				error instanceof SignInFailed || (error instanceof ServiceError && error.refused);
			if (!wasNotMade) {
				this.attempts.set(payment.key, { item: payment.item, failure: error });
				const happened = error instanceof Error ? error.message : 'The request failed';
				throw outcomeUnknown(payment, happened, error);
			}
			await this.clear(payment);
			error.message = `The payment of ${payment.wording} was not made. ${error.message}`;
			throw error.telling(
				payment.isConfirmedNotPaid
					? 'This attempt paid nothing. If the service says that the payment exists already, an earlier one was made: ask before you pay anew.'
					: 'Nothing was paid; it may be sent again once the cause is mended.',
			);
		});
	}

	private async clear({ key, wording }: GuardedPayment): Promise<void> {
		this.attempts.delete(key);
		await this.record.forget(key).catch(() => {
			throw new Refusal(
				`The service refused the payment of ${wording}, but n8n could not clear its record of it`,
				{
					hint: 'Nothing was paid. To send it again, set “Payment Outcome Confirmed” under Options to “Not Paid”.',
				},
			);
		});
	}
}

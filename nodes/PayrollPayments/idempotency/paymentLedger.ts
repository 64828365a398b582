import { createHash, randomUUID } from 'node:crypto';

import {
	messageOf,
	NoResponseError,
	outcomeOf,
	ServiceError,
	stoppedError,
	throwIfStopped,
	UserError,
	wrapError,
} from '../shared/errors';
import { canonicalJson, type JsonValue } from '../shared/json';

import type { RunEntries } from './executionCache';
import { claimKeys, findKeys, recordKeys, type Claimed, type ProcessedStore } from './keyStore';

/** How many payments a node remembers at least; n8n forgets the oldest beyond that. */
const PAYMENT_HISTORY = 10_000;

/** The attempt, its typed data, both together, that it was paid, and the mark of who recorded them. */
const ENTRIES_PER_PAYMENT = 5;

/** Payments that are looked up together. */
const PAYMENTS_PER_LOOKUP = 1_000;

/** Attempts after the one in question that are looked for, since n8n forgets the oldest first. */
const LATER_ATTEMPTS = 3;

/** Room for lookups and payments under way, so that they make no other payment forgotten. */
const MAX_ENTRIES = ENTRIES_PER_PAYMENT * PAYMENT_HISTORY + 10 * PAYMENTS_PER_LOOKUP;

/** The service's response to a payment. */
export interface PaymentAnswer {
	readonly [name: string]: JsonValue;
	readonly transaction: string;
}

/** What makes two payments the same, whatever name the service is reached by. */
interface PaymentIdentity {
	readonly teamId: string;
	/** Address of the wallet that signs. */
	readonly signer: string;
	readonly typedData: unknown;
	/** The user's own number for it, e.g. of an invoice: freshly made typed data is the same payment. */
	readonly reference?: string;
}

/** A payment that is to be sent. */
export interface Payment extends PaymentIdentity {
	/** For messages: the amount in dollars and the recipient. */
	readonly summary: string;
	/** Number of the input item. */
	readonly item: number;
	/** The codes of attempts that, as the service says, were not made; as the user typed them. */
	readonly confirmedNotPaid?: readonly string[];
}

/** What came of a payment in this run of the node; without an answer its outcome is unknown. */
export interface PaymentRecord {
	readonly item: number;
	readonly attempt: number;
	readonly answer?: PaymentAnswer;
	/** What came instead of an answer. */
	readonly failure?: unknown;
}

/** What is known about a payment before it is sent. */
export type PaymentState =
	/** It may be sent, as this attempt. */
	| { readonly status: 'payable'; readonly attempt: number }
	/** This node paid it, in this execution (then with the answer) or in an earlier one. */
	| { readonly status: 'paid'; readonly answer?: PaymentAnswer; readonly error: UserError }
	/** It may have been made; its code lets it be sent once more. */
	| { readonly status: 'unknown'; readonly code: string; readonly error: UserError }
	/** It can't be sent. */
	| { readonly status: 'refused'; readonly error: UserError };

/** Decimal, hexadecimal, octal or binary digits, as BigInt reads them. */
const INTEGER = /^(?:-?\d+|0x[\da-f]+|0o[0-7]+|0b[01]+)$/i;

/** The text, or in decimal digits if a library reads an integer from it: "60", "060" and "0x3c". */
function inDigits(text: string): string {
	const digits = text.trim().replace(/^\+/, '');
	return INTEGER.test(digits) ? BigInt(digits).toString() : text;
}

function hash(...parts: unknown[]): string {
	return createHash('sha256').update(canonicalJson(parts, inDigits)).digest('hex');
}

/** A reference as people compare it: look-alike characters, white space and case don't count. */
function referenceKey(reference: string): string {
	return reference
		.replace(/\p{Cf}/gu, '')
		.normalize('NFKC')
		.replace(/\s+/g, ' ')
		.trim()
		.toLowerCase();
}

/** The keys under which a payment is recorded. */
interface PaymentKeys {
	/** Of what is signed. Never of the signature, since signers need not be deterministic. */
	readonly typedData: string;
	/** Of the reference where there is one, else of the typed data: attempts are counted by it. */
	readonly payment: string;
	/** That the typed data belongs to the payment. */
	readonly pair: string;
	/** That the payment was made. */
	readonly paid: string;
	/** That the payment was looked up: n8n records what is looked for, until it is taken out again. */
	readonly lookedUp: string;
	readonly hasReference: boolean;
}

function paymentKeys({ teamId, signer, typedData, reference }: PaymentIdentity): PaymentKeys {
	const typedDataKey = hash('typed data', teamId, signer.toLowerCase(), typedData);
	const payment =
		reference === undefined
			? hash('payment by typed data', typedDataKey)
			: hash('payment by reference', teamId, `reference ${referenceKey(reference)}`);
	return {
		typedData: typedDataKey,
		payment,
		pair: hash('pair', typedDataKey, payment),
		paid: hash('paid', payment),
		lookedUp: hash('looked up', payment),
		hasReference: reference !== undefined,
	};
}

function attemptKey({ payment }: PaymentKeys, attempt: number): string {
	return hash('attempt', payment, attempt);
}

/** The code of one attempt at one payment, e.g. `7F3A-91C2-1`. Not to be guessed from another one. */
function attemptCode(keys: PaymentKeys, attempt: number): string {
	const digits = hash('code', keys.payment, attempt).slice(0, 8).toUpperCase();
	return `${digits.slice(0, 4)}-${digits.slice(4)}-${attempt}`;
}

const CODE = /^([0-9A-F]{4})-?([0-9A-F]{4})-([1-9]\d{0,2})$/i;

/** Whether the text is an attempt code, of whichever payment. */
export function isAttemptCode(text: string): boolean {
	return CODE.test(text.trim());
}

/**
 * Which attempt is to be made: the first, or the one after the latest attempt whose code was given.
 * A code that belongs to another payment changes nothing for this one.
 */
function nextAttempt(keys: PaymentKeys, confirmedNotPaid: readonly string[] = []): number {
	const confirmed = confirmedNotPaid.map((given) => {
		const attempt = Number(given.split('-').at(-1));
		const isOwn =
			attemptCode(keys, attempt).replaceAll('-', '') ===
			given.trim().toUpperCase().replaceAll('-', '');
		return isOwn ? attempt : 0;
	});
	return Math.max(0, ...confirmed) + 1;
}

/** What has to be recorded for an attempt. */
function recordedFor(keys: PaymentKeys, attempt: number): string[] {
	return [
		...(attempt === 1 ? [] : [attemptKey(keys, attempt - 1)]),
		attemptKey(keys, attempt),
		keys.typedData,
		...(keys.hasReference ? [keys.pair] : []),
	];
}

/** What has to be looked for before an attempt. */
function lookedForBefore(keys: PaymentKeys, attempt: number): string[] {
	const later = Array.from({ length: LATER_ATTEMPTS }, (_, index) =>
		attemptKey(keys, attempt + 1 + index),
	);
	return [...recordedFor(keys, attempt), ...later, keys.paid, keys.lookedUp];
}

type IsRecorded = (key: string) => boolean;

/** Whether the attempt was made: n8n may have forgotten it, but not yet a later one. */
function isMade(keys: PaymentKeys, attempt: number, isRecorded: IsRecorded): boolean {
	const attempts = Array.from({ length: LATER_ATTEMPTS + 1 }, (_, index) => attempt + index);
	return attempts.some((each) => isRecorded(attemptKey(keys, each)));
}

/** Whether the payment was made: a lookup that was interrupted leaves both keys behind, so it isn't known. */
function isPaid({ paid, lookedUp }: PaymentKeys, isRecorded: IsRecorded): boolean {
	return isRecorded(paid) && !isRecorded(lookedUp);
}

/** Whether the attempt may be made, given what is recorded. */
function mayAttempt(keys: PaymentKeys, attempt: number, isRecorded: IsRecorded): boolean {
	if (isRecorded(keys.paid) || isMade(keys, attempt, isRecorded)) return false;
	if (attempt === 1) return !isRecorded(keys.typedData);
	if (!isRecorded(attemptKey(keys, attempt - 1))) return false;
	return !keys.hasReference || !isRecorded(keys.typedData) || isRecorded(keys.pair);
}

/** Words with which a service says that it has the payment already. */
const SAID_BEFORE = /already|duplicate|exists|processed/i;

/**
 * Whether the payment was certainly not made by this attempt: the service refused it in its own words,
 * which don't say that it was there before, or it was never sent.
 */
function wasNotMade(error: unknown): error is UserError {
	if (!(error instanceof UserError)) return false;
	const { outcome } = error.context;
	if (outcome !== undefined) return outcome !== 'unknown';
	if (error instanceof ServiceError) return error.nothingDone && !SAID_BEFORE.test(error.message);
	/* That a connection failed says too little about what had left before. */
	return !(error instanceof NoResponseError);
}

const PAGE = { page: 'payments.md' };

function askFirst(code: string): string {
	return `Ask the service whether this payment was made. Only if it was not, enter ${code} as “Confirmed Not Paid” under Options and run the node again.`;
}

function outcomeUnknown(payment: Payment, code: string, failure: unknown): UserError {
	return wrapError(
		failure,
		`The payment of ${payment.summary} may or may not have been made. ${messageOf(failure)}`,
		{
			hint: `Don't pay this again in another way. ${askFirst(code)}`,
			outcome: 'unknown',
			attemptCode: code,
			...PAGE,
		},
	);
}

function unknown(payment: Payment, code: string, error: UserError): PaymentState {
	return {
		status: 'unknown',
		code,
		error: error.with({ outcome: 'unknown', attemptCode: code, ...PAGE }),
	};
}

function refused(message: string, field: string | undefined, hint: string): PaymentState {
	return {
		status: 'refused',
		error: new UserError(message, { field, hint, outcome: 'refused', ...PAGE }),
	};
}

/** What is recorded about a payment. */
function stateOf(
	payment: Payment,
	keys: PaymentKeys,
	attempt: number,
	isRecorded: IsRecorded,
): PaymentState {
	if (mayAttempt(keys, attempt, isRecorded)) return { status: 'payable', attempt };
	const { summary } = payment;
	if (isPaid(keys, isRecorded)) {
		const message = `The payment of ${summary} was already paid by this node, so it was not sent again`;
		return {
			status: 'paid',
			error: new UserError(message, {
				hint: 'If it is another payment, give it a Payment Reference and an authorization that were not used before. To leave paid rows alone, set If Already Paid to Skip.',
				outcome: 'refused',
				...PAGE,
			}),
		};
	}
	if (isRecorded(keys.paid) || isMade(keys, attempt, isRecorded)) {
		const code = attemptCode(keys, attempt);
		const again = attempt === 1 ? '' : `, as attempt ${attempt}`;
		const stranger =
			attempt === 1 && (payment.confirmedNotPaid ?? []).length > 0
				? 'No code in “Confirmed Not Paid” belongs to this payment. '
				: '';
		const error = new UserError(
			`The payment of ${summary} was already sent by this node${again}, so it was not sent again. Whether it was made isn't known`,
			{
				hint: `${stranger}${askFirst(code)} A check that was interrupted can also have left this record.`,
			},
		);
		return unknown(payment, code, error);
	}
	if (attempt > 1 && !isRecorded(attemptKey(keys, attempt - 1))) {
		return refused(
			`This node has no record of the attempt whose code is in “Confirmed Not Paid”, so the payment of ${summary} was not sent`,
			'confirmedNotPaid',
			'A refused attempt leaves no record. Clear “Confirmed Not Paid” and run the node again.',
		);
	}
	return refused(
		`The authorization of the payment of ${summary} was already sent by this node for another payment, so it was not sent again`,
		'paymentReference',
		keys.hasReference
			? 'If it was sent with another Payment Reference, or with none, use that again. For a new payment, get a new authorization.'
			: 'It was sent with a Payment Reference: fill that in again. For a new payment, get a new authorization.',
	);
}

/**
 * Sends each payment once. An attempt is recorded before it is sent, and its record is taken out
 * only where the payment was certainly not made. That it was paid is a record too, without a code. An
 * attempt whose outcome is unknown stays recorded for good; a person who knows from the service that
 * it was not made enters its code, which allows the next attempt, a record of its own.
 */
export class PaymentLedger {
	/** Payments that were made and are not recorded as paid yet: the next claim takes them along. */
	private justPaid: string[] = [];

	/**
	 * @param nodeKey names the workflow and the node
	 * @param records what this run of the node did, kept across *Retry On Fail*
	 * @param signal ends what waits once the execution was stopped
	 */
	constructor(
		private readonly store: ProcessedStore,
		private readonly nodeKey: string,
		private readonly records: RunEntries<PaymentRecord>,
		private readonly signal?: AbortSignal,
	) {}

	/**
	 * What is known about each payment, in their order. Leaves no trace in the store. Of two payments
	 * that are the same, or have the same typed data, the second is refused.
	 */
	async check(payments: readonly Payment[]): Promise<PaymentState[]> {
		const states: PaymentState[] = [];
		const taken = new Map<string, number>();
		for (let start = 0; start < payments.length; start += PAYMENTS_PER_LOOKUP) {
			const some = payments.slice(start, start + PAYMENTS_PER_LOOKUP);
			const isRecorded = await this.find(some).catch((error: unknown) => {
				throwIfStopped(this.signal);
				return wrapError(error, "n8n's record of payments could not be looked up", {
					hint: 'Save the workflow and check that n8n can write to its database, then run the node again. Nothing was signed or sent.',
					outcome: 'refused',
				});
			});
			for (const payment of some) {
				states.push(
					isRecorded instanceof UserError
						? { status: 'refused', error: isRecorded }
						: this.stateIn(payment, isRecorded, taken),
				);
			}
		}
		return states;
	}

	private async find(payments: readonly Payment[]): Promise<IsRecorded> {
		const keys = payments.flatMap((payment) => {
			const own = paymentKeys(payment);
			return lookedForBefore(own, nextAttempt(own, payment.confirmedNotPaid));
		});
		return await findKeys(this.store, this.nodeKey, {
			keys: [...new Set(keys)],
			maxEntries: MAX_ENTRIES,
			signal: this.signal,
		});
	}

	private stateIn(
		payment: Payment,
		isRecorded: IsRecorded,
		taken: Map<string, number>,
	): PaymentState {
		const keys = paymentKeys(payment);
		const attempt = nextAttempt(keys, payment.confirmedNotPaid);
		const own = this.records.get(keys.payment);
		const identity = [keys.payment, keys.typedData];
		const other = identity.map((key) => taken.get(key)).find((item) => item !== undefined);
		if (other !== undefined) {
			return refused(
				`The payment of ${payment.summary} would be refused, because an earlier row, item ${other}, has the same payment or authorization`,
				keys.hasReference ? 'paymentReference' : 'typedData',
				'Remove one of the two, or get a new authorization for a new payment. Nothing was signed or sent.',
			);
		}
		for (const key of identity) taken.set(key, payment.item);
		if (own?.item === payment.item) {
			if (own.answer !== undefined) {
				const error = new UserError(`The payment of ${payment.summary} was already sent`);
				return { status: 'paid', answer: { ...own.answer, already_sent: true }, error };
			}
			if (own.attempt >= attempt) {
				const code = attemptCode(keys, own.attempt);
				return unknown(payment, code, outcomeUnknown(payment, code, own.failure));
			}
		}
		return stateOf(payment, keys, attempt, isRecorded);
	}

	/**
	 * Records the attempt, sends the payment, and records what came of it.
	 * @param attempt as {@link check} gave it
	 * @param send signs and sends the payment
	 * @throws {UserError} where the payment was or may have been sent before, or can't be recorded: then
	 *   nothing is sent
	 * @throws what `send` threw, with what is known about the money
	 */
	async pay(
		payment: Payment,
		attempt: number,
		send: () => Promise<PaymentAnswer>,
	): Promise<PaymentAnswer> {
		throwIfStopped(this.signal);
		const keys = paymentKeys(payment);
		const claim = await this.claim(payment, keys, attempt);
		if (this.signal?.aborted === true) {
			await claim.release().catch(() => undefined);
			throw stoppedError();
		}
		const { item } = payment;
		this.records.set(keys.payment, { item, attempt });
		try {
			const answer = await send();
			this.records.set(keys.payment, { item, attempt, answer });
			this.justPaid.push(keys.paid);
			return answer;
		} catch (error) {
			if (wasNotMade(error)) throw await this.notMade(error, { payment, keys, attempt }, claim);
			this.records.set(keys.payment, { item, attempt, failure: error });
			throw outcomeUnknown(payment, attemptCode(keys, attempt), error);
		}
	}

	/** Records what was paid since the last claim. Call it when the last payment has ended. */
	async close(): Promise<void> {
		const keys = this.takePaid();
		if (keys.length === 0) return;
		/* If it fails, these payments stay recorded as sent, and are not sent again. */
		await recordKeys(this.store, this.nodeKey, { keys, maxEntries: MAX_ENTRIES }).catch(
			() => undefined,
		);
	}

	private takePaid(): string[] {
		const keys = this.justPaid;
		this.justPaid = [];
		return keys;
	}

	private async claim(payment: Payment, keys: PaymentKeys, attempt: number): Promise<Claimed> {
		const also = this.takePaid();
		const claim = await claimKeys(this.store, this.nodeKey, {
			keys: recordedFor(keys, attempt),
			/* New each time: no attempt may take the record of an earlier one for its own. */
			owner: randomUUID(),
			mayClaim: (isRecorded) => mayAttempt(keys, attempt, isRecorded),
			maxEntries: MAX_ENTRIES,
			/* After the next attempt was made, this one must not become free again. */
			successorKey: attemptKey(keys, attempt + 1),
			isStrict: true,
			also,
			signal: this.signal,
		}).catch((error: unknown) => {
			this.justPaid.push(...also);
			throwIfStopped(this.signal);
			throw wrapError(
				error,
				`The payment of ${payment.summary} could not be recorded, so nothing was sent`,
				{
					hint: 'Save the workflow and check that n8n can write to its database, then run the node again.',
					outcome: 'refused',
				},
			);
		});
		if (claim.status === 'claimed') return claim;
		if (!claim.isUncertain) {
			/* The claim asked only for its own keys; by now the payment may be known as paid. */
			const isRecorded = await this.find([payment]).catch(() => claim.isRecorded);
			const state = stateOf(payment, keys, attempt, isRecorded);
			if (state.status !== 'payable') throw state.error;
		}
		const code = attemptCode(keys, attempt);
		throw new UserError(
			`n8n's database failed while the payment of ${payment.summary} was being recorded, so nothing was sent now`,
			{
				hint: `It may have been sent in an earlier run. ${askFirst(code)}`,
				outcome: 'unknown',
				attemptCode: code,
				...PAGE,
			},
		);
	}

	private async notMade(
		error: UserError,
		{ payment, keys, attempt }: { payment: Payment; keys: PaymentKeys; attempt: number },
		claim: Claimed,
	): Promise<UserError> {
		this.records.delete(keys.payment);
		const { summary } = payment;
		const isCleared = await claim.release().then(
			() => true,
			() => false,
		);
		const what = error instanceof ServiceError ? "wasn't accepted" : 'was not sent';
		const message = `The payment of ${summary} ${what}. ${messageOf(error)}`;
		if (!isCleared) {
			const code = attemptCode(keys, attempt);
			return wrapError(error, message, {
				hint: `n8n could not clear its record of this attempt. Fix the problem and run the node again. If it then says that the payment was already sent, enter ${code} as “Confirmed Not Paid” under Options.`,
				outcome: outcomeOf(error),
				...PAGE,
			});
		}
		const earlier =
			attempt === 1
				? ''
				: ' An earlier attempt may have been made: ask the service before you pay again.';
		return wrapError(error, message, {
			hint: [error.hint, `Fix the problem, then run the node again.${earlier}`]
				.filter(Boolean)
				.join(' '),
			outcome: outcomeOf(error),
			...PAGE,
		});
	}
}

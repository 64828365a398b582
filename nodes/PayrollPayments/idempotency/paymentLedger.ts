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
import {
	claimKeys,
	findKeys,
	recordKeys,
	type Claimed,
	type IsRecorded,
	type ProcessedStore,
} from './keyStore';

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

/** A payment that is to be sent. The first four say which payment it is. */
export interface Payment {
	readonly teamId: string;
	/** Address of the wallet that signs. */
	readonly signer: string;
	readonly typedData: unknown;
	/** The user's own number for it, e.g. of an invoice: freshly made typed data is the same payment. */
	readonly reference?: string;
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

type PaymentKeys = ReturnType<typeof paymentKeys>;

/** The keys under which a payment is recorded. */
function paymentKeys({ teamId, signer, typedData: signed, reference }: Payment) {
	/* Never of the signature, since signers need not be deterministic. */
	const typedData = hash('typed data', teamId, signer.toLowerCase(), signed);
	/* Attempts are counted by it. */
	const payment =
		reference === undefined
			? hash('payment by typed data', typedData)
			: hash('payment by reference', teamId, `reference ${referenceKey(reference)}`);
	return {
		typedData,
		payment,
		/** That the typed data belongs to the payment. */
		pair: hash('pair', typedData, payment),
		paid: hash('paid', payment),
		/** That the payment was looked up: n8n records what is looked for, until it is taken out again. */
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
	const plain = (code: string) => code.trim().toUpperCase().replaceAll('-', '');
	const confirmed = confirmedNotPaid
		.map((given) => ({ given, attempt: Number(given.split('-').at(-1)) }))
		.filter(({ given, attempt }) => plain(given) === plain(attemptCode(keys, attempt)));
	return Math.max(0, ...confirmed.map(({ attempt }) => attempt)) + 1;
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

/** The attempt and those after it: n8n may have forgotten it, but not yet a later one. */
function attemptsFrom(keys: PaymentKeys, attempt: number): string[] {
	return Array.from({ length: LATER_ATTEMPTS + 1 }, (_, index) =>
		attemptKey(keys, attempt + index),
	);
}

/** Whether the attempt may be made, given what is recorded. */
function mayAttempt(keys: PaymentKeys, attempt: number, isRecorded: IsRecorded): boolean {
	if ([keys.paid, ...attemptsFrom(keys, attempt)].some(isRecorded)) return false;
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

const PAGE = 'payments.md';
const CHECK_DATABASE =
	'Save the workflow and check that n8n can write to its database, then run the node again.';

function askFirst(code: string): string {
	return `Ask the service whether this payment was made. Only if it was not, enter ${code} as “Confirmed Not Paid” under Options and run the node again.`;
}

function unknownError(code: string, message: string, hint: string, failure?: unknown): UserError {
	return wrapError(failure, message, { hint, outcome: 'unknown', attemptCode: code, page: PAGE });
}

function outcomeUnknown({ summary }: Payment, code: string, failure: unknown): UserError {
	const message = `The payment of ${summary} may or may not have been made. ${messageOf(failure)}`;
	return unknownError(
		code,
		message,
		`Don't pay this again in another way. ${askFirst(code)}`,
		failure,
	);
}

function refused(
	message: string,
	field: string | undefined,
	hint: string,
): PaymentState & { readonly status: 'refused' } {
	return {
		status: 'refused',
		error: new UserError(message, { field, hint, outcome: 'refused', page: PAGE }),
	};
}

/** What is recorded about a payment. */
function stateOf(
	{ summary, confirmedNotPaid = [] }: Payment,
	keys: PaymentKeys,
	attempt: number,
	isRecorded: IsRecorded,
): PaymentState {
	if (mayAttempt(keys, attempt, isRecorded)) return { status: 'payable', attempt };
	/* A look-up that was interrupted leaves both keys behind: then it isn't known. */
	if (isRecorded(keys.paid) && !isRecorded(keys.lookedUp)) {
		const { error } = refused(
			`The payment of ${summary} was already paid by this node, so it was not sent again`,
			undefined,
			'If it is another payment, give it a Payment Reference and an authorization that were not used before. To leave paid rows alone, set If Already Paid to Skip.',
		);
		return { status: 'paid', error };
	}
	if ([keys.paid, ...attemptsFrom(keys, attempt)].some(isRecorded)) {
		const code = attemptCode(keys, attempt);
		const again = attempt === 1 ? '' : `, as attempt ${attempt}`;
		const stranger =
			attempt === 1 && confirmedNotPaid.length > 0
				? 'No code in “Confirmed Not Paid” belongs to this payment. '
				: '';
		const error = unknownError(
			code,
			`The payment of ${summary} was already sent by this node${again}, so it was not sent again. Whether it was made isn't known`,
			`${stranger}${askFirst(code)} A check that was interrupted can also have left this record.`,
		);
		return { status: 'unknown', code, error };
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
		'If it was sent with another Payment Reference, or with none, use that again. For a new payment, get a new authorization.',
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
			try {
				const isRecorded = await this.find(some);
				states.push(...some.map((payment) => this.stateIn(payment, isRecorded, taken)));
			} catch (failure) {
				throwIfStopped(this.signal);
				const error = wrapError(failure, "n8n's record of payments could not be looked up", {
					hint: `${CHECK_DATABASE} Nothing was signed or sent.`,
					outcome: 'refused',
				});
				states.push(...some.map(() => ({ status: 'refused' as const, error })));
			}
		}
		return states;
	}

	private async find(payments: readonly Payment[]): Promise<IsRecorded> {
		const keys = payments.flatMap((payment) => {
			const own = paymentKeys(payment);
			const attempt = nextAttempt(own, payment.confirmedNotPaid);
			const attempts = attemptsFrom(own, attempt);
			return [...recordedFor(own, attempt), ...attempts, own.paid, own.lookedUp];
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
		const other = taken.get(keys.payment) ?? taken.get(keys.typedData);
		if (other !== undefined) {
			return refused(
				`The payment of ${payment.summary} would be refused, because an earlier row, item ${other}, has the same payment or authorization`,
				keys.hasReference ? 'paymentReference' : 'typedData',
				'Remove one of the two, or get a new authorization for a new payment. Nothing was signed or sent.',
			);
		}
		taken.set(keys.payment, payment.item).set(keys.typedData, payment.item);
		const own = this.records.get(keys.payment);
		if (own?.item === payment.item) {
			if (own.answer !== undefined) {
				const error = new UserError(`The payment of ${payment.summary} was already sent`);
				return { status: 'paid', answer: { ...own.answer, already_sent: true }, error };
			}
			if (own.attempt >= attempt) {
				const code = attemptCode(keys, own.attempt);
				return { status: 'unknown', code, error: outcomeUnknown(payment, code, own.failure) };
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
		const record = { item: payment.item, attempt };
		this.records.set(keys.payment, record);
		try {
			const answer = await send();
			this.records.set(keys.payment, { ...record, answer });
			this.justPaid.push(keys.paid);
			return answer;
		} catch (error) {
			const code = attemptCode(keys, attempt);
			if (!wasNotMade(error)) {
				this.records.set(keys.payment, { ...record, failure: error });
				throw outcomeUnknown(payment, code, error);
			}
			this.records.delete(keys.payment);
			const isCleared = await claim.release().then(
				() => true,
				() => false,
			);
			const what = error instanceof ServiceError ? "wasn't accepted" : 'was not sent';
			const earlier =
				' An earlier attempt may have been made: ask the service before you pay again.';
			const hint = isCleared
				? `${error.hint ?? ''} Fix the problem, then run the node again.${attempt === 1 ? '' : earlier}`
				: `n8n could not clear its record of this attempt. Fix the problem and run the node again. If it then says that the payment was already sent, enter ${code} as “Confirmed Not Paid” under Options.`;
			throw wrapError(error, `The payment of ${payment.summary} ${what}. ${messageOf(error)}`, {
				hint: hint.trim(),
				outcome: outcomeOf(error),
				page: PAGE,
			});
		}
	}

	/** Records what was paid since the last claim. Call it when the last payment has ended. */
	async close(): Promise<void> {
		const keys = this.justPaid.splice(0);
		if (keys.length === 0) return;
		/* If it fails, these payments stay recorded as sent, and are not sent again. */
		await recordKeys(this.store, this.nodeKey, { keys, maxEntries: MAX_ENTRIES }).catch(
			() => undefined,
		);
	}

	private async claim(payment: Payment, keys: PaymentKeys, attempt: number): Promise<Claimed> {
		const also = this.justPaid.splice(0);
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
			const what = `The payment of ${payment.summary} could not be recorded, so nothing was sent`;
			throw wrapError(error, what, { hint: CHECK_DATABASE, outcome: 'refused' });
		});
		if (claim.status === 'claimed') return claim;
		if (!claim.isUncertain) {
			/* The claim asked only for its own keys; by now the payment may be known as paid. */
			const isRecorded = await this.find([payment]).catch(() => claim.isRecorded);
			const state = stateOf(payment, keys, attempt, isRecorded);
			if (state.status !== 'payable') throw state.error;
		}
		const code = attemptCode(keys, attempt);
		throw unknownError(
			code,
			`n8n's database failed while the payment of ${payment.summary} was being recorded, so nothing was sent now`,
			`It may have been sent in an earlier run. ${askFirst(code)}`,
		);
	}
}

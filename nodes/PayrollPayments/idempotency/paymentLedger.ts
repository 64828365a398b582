import { createHash, randomUUID } from 'node:crypto';

import { NoResponseError, Refusal, ServiceError, wrapError } from '../shared/errors';
import { isRecord, type JsonValue } from '../shared/json';

import type { RunEntries } from './executionCache';
import { claimKeys, findKeys, type Claimed, type ProcessedStore } from './keyStore';

/** How many payments a node remembers at least; n8n forgets the oldest beyond that. */
const PAYMENT_HISTORY = 10_000;

/** Room for payments under way, so that one that is refused later makes no other forgotten. */
const PAYMENTS_UNDER_WAY = 100;

/** Typed data, its name in version 0.1.0, its reference, both together, and the mark of who recorded them. */
const ENTRIES_PER_PAYMENT = 5;

const MAX_ENTRIES = ENTRIES_PER_PAYMENT * (PAYMENT_HISTORY + PAYMENTS_UNDER_WAY);

/** The service's response to a payment. */
export interface PaymentAnswer {
	readonly [name: string]: JsonValue;
	readonly transaction: string;
}

/** What makes two payments the same. */
interface PaymentIdentity {
	readonly baseUrl: string;
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
	/** The code of an attempt that, as the service says, was not made; as the user typed it. */
	readonly confirmedNotPaid?: string;
}

/** What came of a payment in this run of the node; without an answer its outcome is unknown. */
export interface PaymentRecord {
	readonly item: number;
	readonly attempt: number;
	readonly answer?: PaymentAnswer;
	/** What came instead of an answer. */
	readonly failure?: unknown;
}

/** Decimal, hexadecimal, octal or binary digits, as BigInt reads them. */
const INTEGER = /^(?:-?\d+|0x[\da-f]+|0o[0-7]+|0b[01]+)$/i;

/** The integer that some library reads from the text, or undefined. */
function integerIn(text: string): bigint | undefined {
	const digits = text.trim().replace(/^\+/, '');
	return INTEGER.test(digits) ? BigInt(digits) : undefined;
}

/** Every integer in decimal digits: "60", "060" and "0x3c" are signed as the same bytes. */
const inDigits = (text: string): string => integerIn(text)?.toString() ?? text;

/** As version 0.1.0 spelled what it recorded. */
const hexInLowerCase = (text: string): string =>
	/^0x[0-9a-f]*$/i.test(text) ? text.toLowerCase() : text;

/** JSON with sorted members and texts in one spelling, so that one payment has one name. */
function canonical(value: unknown, spelled: (text: string) => string): string {
	if (Array.isArray(value)) return `[${value.map((each) => canonical(each, spelled)).join(',')}]`;
	if (isRecord(value)) {
		const members = Object.keys(value)
			.sort()
			.map((name) => `${JSON.stringify(name)}:${canonical(value[name], spelled)}`);
		return `{${members.join(',')}}`;
	}
	return JSON.stringify(typeof value === 'string' ? spelled(value) : value);
}

function hashSpelled(spelled: (text: string) => string, parts: readonly unknown[]): string {
	/* What n8n saves and sends: without the members that are undefined. */
	const sent: unknown = JSON.parse(JSON.stringify(parts));
	return createHash('sha256').update(canonical(sent, spelled)).digest('hex');
}

const hash = (...parts: unknown[]): string => hashSpelled(inDigits, parts);

/** The keys under which a payment is recorded. */
interface PaymentKeys {
	/** Of what is signed. Never of the signature, since signers need not be deterministic. */
	readonly typedData: string;
	/** Of what is signed, too: all that version 0.1.0 recorded. */
	readonly firstVersion: string;
	/** Of the reference where there is one, else of the typed data: attempts are counted by it. */
	readonly payment: string;
	/** That the typed data belongs to the payment. */
	readonly pair: string;
	readonly hasReference: boolean;
}

function keysOf(identity: PaymentIdentity): PaymentKeys {
	const { baseUrl, teamId, signer, typedData, reference } = identity;
	const { origin } = new URL(baseUrl);
	const typedDataKey = hash('typed data', origin, teamId, signer, typedData);
	const payment =
		reference === undefined
			? hash('payment by typed data', typedDataKey)
			: hash('payment by reference', origin, teamId, `reference ${reference.normalize()}`);
	return {
		typedData: typedDataKey,
		firstVersion: hashSpelled(hexInLowerCase, [origin, teamId, signer, typedData]),
		payment,
		pair: hash('pair', typedDataKey, payment),
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
 * Which attempt is to be made: the first, or the one after the attempt whose code was given. A code
 * that belongs to another payment changes nothing for this one.
 */
function nextAttempt(keys: PaymentKeys, confirmedNotPaid: string | undefined): number {
	if (confirmedNotPaid === undefined) return 1;
	const given = confirmedNotPaid.trim().toUpperCase().replaceAll('-', '');
	const attempt = Number(confirmedNotPaid.split('-').at(-1));
	return attemptCode(keys, attempt).replaceAll('-', '') === given ? attempt + 1 : 1;
}

/** What has to be recorded for an attempt. */
function recordedFor(keys: PaymentKeys, attempt: number): string[] {
	return [
		...(attempt === 1 ? [] : [attemptKey(keys, attempt - 1)]),
		attemptKey(keys, attempt),
		keys.typedData,
		keys.firstVersion,
		...(keys.hasReference ? [keys.pair] : []),
	];
}

/** Whether version 0.1.0 made this attempt, the only one that it could record. */
function isOfFirstVersion(
	keys: PaymentKeys,
	attempt: number,
	isRecorded: (key: string) => boolean,
): boolean {
	return attempt === 1 && isRecorded(keys.firstVersion) && !isRecorded(keys.typedData);
}

/** Whether the attempt was made, given what is recorded. */
function isMade(keys: PaymentKeys, attempt: number, isRecorded: (key: string) => boolean): boolean {
	return isRecorded(attemptKey(keys, attempt)) || isOfFirstVersion(keys, attempt, isRecorded);
}

/** Whether the attempt may be made, given what is recorded. */
function mayAttempt(
	keys: PaymentKeys,
	attempt: number,
	isRecorded: (key: string) => boolean,
): boolean {
	if (isMade(keys, attempt, isRecorded)) return false;
	if (attempt === 1) return !isRecorded(keys.typedData);
	if (!isMade(keys, attempt - 1, isRecorded)) return false;
	return !keys.hasReference || !isRecorded(keys.typedData) || isRecorded(keys.pair);
}

function askFirst(code: string): string {
	return `Ask the service whether this payment was made. Only if it was not, enter ${code} as “Confirmed Not Paid” under Options and run the node again.`;
}

function outcomeUnknown({ summary }: Payment, code: string, failure: unknown): Refusal {
	const happened = failure instanceof Error ? failure.message : 'The request failed';
	return wrapError(
		failure,
		`The payment of ${summary} may or may not have been made. ${happened}`,
		{ hint: `Don't pay this again in another way. ${askFirst(code)}`, isOutcomeUnknown: true },
	);
}

function sentBefore(
	payment: Payment,
	keys: PaymentKeys,
	attempt: number,
	isRecorded: (key: string) => boolean,
): Refusal {
	const { summary, confirmedNotPaid } = payment;
	if (isMade(keys, attempt, isRecorded)) {
		const again = attempt === 1 ? '' : `, as attempt ${attempt}`;
		const stranger =
			attempt === 1 && confirmedNotPaid !== undefined && confirmedNotPaid.trim() !== ''
				? 'The code in “Confirmed Not Paid” belongs to another payment. '
				: '';
		return new Refusal(
			`The payment of ${summary} was already sent by this node${again}, so it was not sent again`,
			{ hint: stranger + askFirst(attemptCode(keys, attempt)) },
		);
	}
	if (attempt > 1 && !isMade(keys, attempt - 1, isRecorded)) {
		return new Refusal(
			`This node has no record of the attempt whose code is in “Confirmed Not Paid”, so the payment of ${summary} was not sent`,
			{
				field: 'confirmedNotPaid',
				hint: 'A refused attempt leaves no record. Clear “Confirmed Not Paid” and run the node again.',
			},
		);
	}
	return new Refusal(
		`The typed data of the payment of ${summary} was already sent by this node for another payment, so it was not sent again`,
		{
			field: 'paymentReference',
			hint: keys.hasReference
				? 'If it was sent with another Payment Reference, or with none, use that again. For a new payment, get new typed data.'
				: 'It was sent with a Payment Reference: fill that in again. For a new payment, get new typed data.',
		},
	);
}

/** Whether the service, or a check of ours before sending, has certainly not made the payment. */
function wasNotMade(error: unknown): error is Refusal {
	if (error instanceof ServiceError) return error.refused;
	return error instanceof Refusal && !(error instanceof NoResponseError);
}

/**
 * Sends each payment once. An attempt is recorded before it is sent, and its record is taken out
 * only where the payment was certainly not made. An attempt whose outcome is unknown stays recorded
 * for good; a person who knows from the service that it was not made enters its code, which allows
 * the next attempt, a record of its own.
 */
export class PaymentLedger {
	/** What checked payments would have recorded, and their items: of two equal ones, one is sent. */
	private readonly checked = new Map<string, number>();

	/**
	 * @param nodeKey names the workflow and the node
	 * @param records what this run of the node did, kept across *Retry On Fail*
	 */
	constructor(
		private readonly store: ProcessedStore,
		private readonly nodeKey: string,
		private readonly records: RunEntries<PaymentRecord>,
	) {}

	/**
	 * Looks for the payment among what was done for this item in this run of the node, before
	 * anything is signed again.
	 *
	 * @returns the earlier answer, or undefined where there was no attempt
	 * @throws {Refusal} where the outcome of the attempt is not known
	 */
	earlier(payment: Payment): PaymentAnswer | undefined {
		const keys = keysOf(payment);
		const before = this.records.get(keys.payment);
		if (before?.item !== payment.item) return undefined;
		if (before.answer !== undefined) return { ...before.answer, already_sent: true };
		throw outcomeUnknown(payment, attemptCode(keys, before.attempt), before.failure);
	}

	/**
	 * Checks that the payment may be sent, without leaving a trace in the store.
	 * @returns the number of the attempt that it would be
	 * @throws {Refusal} where it was or may have been sent before, would be sent before by another item
	 *   of this run, or cannot be looked up
	 */
	async check(payment: Payment): Promise<number> {
		const { summary, item } = payment;
		const keys = keysOf(payment);
		const attempt = nextAttempt(keys, payment.confirmedNotPaid);
		const request = { keys: recordedFor(keys, attempt), maxEntries: MAX_ENTRIES };
		const isRecorded = await findKeys(this.store, this.nodeKey, request).catch(() => {
			throw new Refusal(
				`The payment of ${summary} could not be looked up in n8n's record of payments`,
				{
					hint: 'Save the workflow and check that n8n can write to its database, then run the node again. Nothing was signed or sent.',
				},
			);
		});
		if (!mayAttempt(keys, attempt, isRecorded)) {
			throw sentBefore(payment, keys, attempt, isRecorded);
		}
		const isTaken = (key: string) => isRecorded(key) || this.checked.has(key);
		if (!mayAttempt(keys, attempt, isTaken)) {
			const other = request.keys
				.map((key) => this.checked.get(key))
				.find((each) => each !== undefined);
			throw new Refusal(
				`The payment of ${summary} would be refused, because item ${other} has the same payment or typed data`,
				{
					field: keys.hasReference ? 'paymentReference' : 'typedData',
					hint: 'Remove one of the two, or get new typed data for a new payment. Nothing was signed or sent.',
				},
			);
		}
		for (const key of request.keys) this.checked.set(key, item);
		return attempt;
	}

	/**
	 * @returns the answer, with `already_sent` where it is that of an earlier try in this run
	 * @param send sends the payment and answers with what the service said
	 * @throws {Refusal} where the payment was or may have been sent before, or cannot be recorded:
	 *   then nothing is sent
	 * @throws what `send` threw, with what is known about the money
	 */
	async pay(payment: Payment, send: () => Promise<PaymentAnswer>): Promise<PaymentAnswer> {
		const earlier = this.earlier(payment);
		if (earlier !== undefined) return earlier;
		const keys = keysOf(payment);
		const attempt = nextAttempt(keys, payment.confirmedNotPaid);
		const claim = await this.claim(payment, keys, attempt);
		const { item } = payment;
		this.records.set(keys.payment, { item, attempt });
		try {
			const answer = await send();
			this.records.set(keys.payment, { item, attempt, answer });
			return answer;
		} catch (error) {
			if (wasNotMade(error)) throw await this.notMade(error, { payment, keys, attempt }, claim);
			this.records.set(keys.payment, { item, attempt, failure: error });
			throw outcomeUnknown(payment, attemptCode(keys, attempt), error);
		}
	}

	private async claim(payment: Payment, keys: PaymentKeys, attempt: number): Promise<Claimed> {
		const claim = await claimKeys(this.store, this.nodeKey, {
			keys: recordedFor(keys, attempt),
			/* New each time: no attempt may take the record of an earlier one for its own. */
			owner: randomUUID(),
			mayClaim: (isRecorded) => mayAttempt(keys, attempt, isRecorded),
			maxEntries: MAX_ENTRIES,
			/* After the next attempt was made, this one must not become free again. */
			keptFor: attemptKey(keys, attempt + 1),
			isStrict: true,
		}).catch(() => {
			throw new Refusal(
				`The payment of ${payment.summary} could not be recorded, so nothing was sent`,
				{
					hint: 'Save the workflow and check that n8n can write to its database, then run the node again.',
				},
			);
		});
		if (claim.status === 'claimed') return claim;
		if (!claim.isUncertain) throw sentBefore(payment, keys, attempt, claim.isRecorded);
		throw new Refusal(
			`n8n's database failed while the payment of ${payment.summary} was being recorded, so nothing was sent now`,
			{ hint: `It may have been sent in an earlier run. ${askFirst(attemptCode(keys, attempt))}` },
		);
	}

	private async notMade(
		error: Refusal,
		{ payment, keys, attempt }: { payment: Payment; keys: PaymentKeys; attempt: number },
		claim: Claimed,
	): Promise<Refusal> {
		this.records.delete(keys.payment);
		const { summary } = payment;
		const happened = error.message;
		try {
			await claim.release();
		} catch {
			return wrapError(
				error,
				`The payment of ${summary} was not made, but n8n could not clear its record of it. ${happened}`,
				{
					hint: 'No money moved. Fix the problem and run the node again. If it says that the payment was already sent, enter the code that it shows as “Confirmed Not Paid” under Options.',
				},
			);
		}
		const message = `The payment of ${summary} was not made. ${happened}`;
		return wrapError(error, message, { hint: error.hint }).addNote(
			attempt === 1
				? 'No payment was made. Fix the problem, then run the node again.'
				: 'This attempt paid nothing. If the service says that the payment exists already, an earlier attempt was made: ask the service before you pay again.',
		);
	}
}

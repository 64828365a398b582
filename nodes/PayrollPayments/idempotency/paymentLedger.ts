import { createHash, randomUUID } from 'node:crypto';

import {
	messageOf,
	NoResponseError,
	outcomeOf,
	ServiceError,
	throwIfStopped,
	UserError,
	wrapError,
} from '../shared/errors';
import { emailKey } from '../contract/formats';
import { canonicalJson, type JsonValue } from '../shared/json';
import { asWord } from '../shared/redaction';

import {
	claimKeys,
	findKeys,
	forgetKeys,
	recordKeys,
	type Claimed,
	type IsRecorded,
	type ProcessedStore,
} from './keyStore';

/** How many payments a node remembers at least; n8n forgets the oldest beyond that. */
const PAYMENT_HISTORY = 10_000;

/**
 * The attempt, its typed data, both together, that it was paid, to whom and how much, the proof of
 * that, and the mark of who recorded them.
 */
const ENTRIES_PER_PAYMENT = 7;

/** Payments that are looked up together. */
const PAYMENTS_PER_LOOKUP = 1_000;

/** Attempts after the one in question that are looked for, since n8n forgets the oldest first. */
const LATER_ATTEMPTS = 3;

/** Room for lookups and payments under way, so that they make no other payment forgotten. */
const MAX_ENTRIES = ENTRIES_PER_PAYMENT * PAYMENT_HISTORY + 11 * PAYMENTS_PER_LOOKUP;

/** The service's response to a payment. */
export interface PaymentAnswer {
	readonly [name: string]: JsonValue;
	readonly transaction: string;
}

/** A payment that is to be sent. Team, signer, typed data and reference say which payment it is. */
export interface Payment {
	readonly teamId: string;
	/** Address of the wallet that signs. */
	readonly signer: string;
	readonly typedData: unknown;
	/** The user's own number for it, e.g. of an invoice: freshly made typed data is the same payment. */
	readonly reference?: string;
	/** Email address. That a payment was made says nothing of another recipient or amount. */
	readonly recipient: string;
	readonly cents: number;
	/** For messages: the amount in dollars and the recipient. */
	readonly summary: string;
	/** Number of the input item. */
	readonly item: number;
	/** The codes of attempts that, as the service says, were not made; as the user typed them. */
	readonly confirmedNotPaid?: readonly string[];
}

/** What came of an item's payment in this run of the node; without an answer its outcome is unknown. */
export interface PaymentRecord {
	/** Which payment it is, and how much it pays to whom, as hashes. */
	readonly exactId: string;
	readonly terms: string;
	readonly attempt: number;
	readonly code: string;
	readonly summary: string;
	readonly answer?: PaymentAnswer;
	/** What came instead of an answer. */
	readonly failure?: unknown;
}

/** What is known about a payment before it is sent. */
export type PaymentState =
	/** It may be sent, as this attempt. */
	| { readonly status: 'payable'; readonly attempt: number }
	/** This node paid it, in this execution or in an earlier one. */
	| { readonly status: 'paid'; readonly answer: PaymentAnswer }
	| { readonly status: 'paid'; readonly error: UserError }
	/** It may have been made; its code lets it be sent once more. */
	| {
			readonly status: 'unknown';
			readonly code: string;
			readonly error: UserError;
			/** Whether it was sent in this run of the node, by an earlier try of *Retry On Fail*. */
			readonly isOfThisRun?: true;
	  }
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

/** A reference as people compare it: kinds of dashes, invisible characters, white space and case don't count. */
function referenceKey(reference: string): string {
	return reference
		.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]|(?!\s)\p{Cc}/gu, '')
		.normalize('NFKC')
		.replace(/[\p{Pd}\u2212]/gu, '-')
		.replace(/\s+/g, ' ')
		.trim()
		.toLowerCase();
}

type Attempt = ReturnType<typeof attemptAt>;

/**
 * An attempt at a payment, and the keys of its record: the first, or the one after the latest attempt
 * whose code was given. A code that belongs to another payment changes nothing for this one.
 */
function attemptAt(payment: Payment, given?: number) {
	const { teamId, signer, reference, recipient, cents, confirmedNotPaid } = payment;
	/*
	 * Never of the signature, since signers need not be deterministic. The case of the signer’s address
	 * doesn't matter: hex digits are read as a number.
	 */
	const typedData = hash('typed data', teamId, signer, payment.typedData);
	/* Attempts are counted by it. */
	const id =
		reference === undefined
			? hash('payment by typed data', typedData)
			: hash('payment by reference', teamId, `reference ${referenceKey(reference)}`);
	const exactId = hash('exact payment', id, emailKey(recipient), cents);
	const keyOf = (attempt: number) => hash('attempt', id, attempt);
	/** E.g. `7F3A-91C2-1`. Not to be guessed from the code of another attempt. */
	const codeOf = (attempt: number) => {
		const digits = hash('code', id, attempt).slice(0, 8).toUpperCase();
		return `${digits.slice(0, 4)}-${digits.slice(4)}-${attempt}`;
	};
	const withoutHyphens = (code: string) => code.replaceAll('-', '');
	const confirmed = [...new Set(confirmedNotPaid)]
		.map((code) => ({ code: code.trim().toUpperCase(), attempt: Number(code.split('-').at(-1)) }))
		.filter(({ code, attempt }) => withoutHyphens(code) === withoutHyphens(codeOf(attempt)));
	const number = given ?? Math.max(0, ...confirmed.map(({ attempt }) => attempt)) + 1;
	const previous = number === 1 ? undefined : keyOf(number - 1);
	/** That the typed data belongs to the payment. */
	const pair = reference === undefined ? undefined : hash('pair', typedData, id);
	return {
		payment,
		number,
		codeOf,
		code: codeOf(number),
		id,
		exactId,
		/** How much it pays to whom. */
		terms: hash(emailKey(recipient), cents),
		typedData,
		previous,
		pair,
		/** What has to be recorded for it. */
		recorded: [previous, keyOf(number), typedData, pair].flatMap((key) => key ?? []),
		/** It and those after it: n8n may have forgotten it, but not yet a later one. */
		fromIt: Array.from({ length: LATER_ATTEMPTS + 1 }, (_, index) => keyOf(number + index)),
		next: keyOf(number + 1),
		paid: hash('paid', id),
		/** The same, of exactly this recipient and amount. */
		paidExactly: hash('paid', exactId),
		/**
		 * That the payment was looked up: n8n records what is looked for, until it is taken out again. Two,
		 * since two look-ups at once share what they have in common, and either may be interrupted.
		 */
		lookedUp: [hash('looked up', id), hash('looked up', exactId)],
		/** That it was paid, once more: looked up only where an interrupted look-up has put it in doubt. */
		proof: hash('proof', exactId),
		/** That the proof was looked up. */
		proofLookedUp: hash('proof looked up', exactId),
	};
}

const CODE = /^[0-9A-F]{4}-?[0-9A-F]{4}-[1-9]\d{0,2}$/i;

/** Whether the text is an attempt code, of whichever payment. */
export function isAttemptCode(text: string): boolean {
	return CODE.test(text.trim());
}

/**
 * Whether the payment was certainly not made by this attempt: the service refused it in its own words,
 * which don't say that it was there before, or it was never sent.
 */
function wasNotMade(error: unknown): error is UserError {
	if (!(error instanceof UserError)) return false;
	const { outcome } = error.context;
	if (outcome !== undefined) return outcome !== 'unknown';
	if (error instanceof ServiceError) return error.nothingDone && !error.saysItExists;
	/* That a connection failed says too little about what had left before. */
	return !(error instanceof NoResponseError);
}

const PAGE = 'payments.md';
const CHECK_DATABASE =
	'Save the workflow and check that n8n can write to its database, then run the node again.';

function askFirst(code: string): string {
	return `Ask the service whether this payment was made. If it was, leave it out of the next run. Only if it was not, enter ${code} as “Confirmed Not Paid” under Options and run the node again.`;
}

function unknownError(code: string, message: string, hint: string, failure?: unknown): UserError {
	return wrapError(failure, message, { hint, outcome: 'unknown', attemptCode: code, page: PAGE });
}

function outcomeUnknown(
	{ summary }: Pick<Payment, 'summary'>,
	code: string,
	failure: unknown,
): UserError {
	const message = `The payment of ${summary} may or may not have been made. ${messageOf(failure)}`;
	const hint = `Don’t pay this again in another way. ${askFirst(code)}`;
	return unknownError(code, message, hint, failure);
}

function refusal(message: string, hint: string): UserError {
	return new UserError(message, { hint, outcome: 'refused', page: PAGE });
}

/** Whether the attempt may be made, given what is recorded. */
function stateOf(attempt: Attempt, isRecorded: IsRecorded): PaymentState {
	const { number, codeOf, paid, paidExactly, fromIt, previous, typedData, pair } = attempt;
	const { summary, reference, confirmedNotPaid = [] } = attempt.payment;
	const name = reference === undefined ? 'this authorization' : `reference ${asWord(reference)}`;
	/* A look-up that was interrupted leaves all but the proof behind: then it isn't known. */
	const isProven = isRecorded(attempt.proof) && !isRecorded(attempt.proofLookedUp);
	const isLeftOver = attempt.lookedUp.some(isRecorded) && !isProven;
	const wasPaid = (key: string) => isRecorded(key) && !isLeftOver;
	if (wasPaid(paidExactly)) {
		const error = refusal(
			`The payment of ${summary} was already paid by this node, so it was not sent again`,
			'If it is another payment, give it a Payment Reference and an authorization that were not used before. To leave paid rows alone, set If Already Paid to Skip.',
		);
		return { status: 'paid', error };
	}
	if (wasPaid(paid)) {
		const error = refusal(
			`The payment of ${summary} was not sent, because ${name} was used by this node for another recipient or amount`,
			'Look up what was paid with it. For another payment, enter a Payment Reference and get an authorization that were not used before.',
		);
		return { status: 'refused', error };
	}
	/* What was paid has both records, so `paidExactly` alone was left behind. A code denies `paid`. */
	const mayBePaid = number === 1 && isRecorded(paid);
	if (mayBePaid || fromIt.some(isRecorded)) {
		/* The code denies all attempts that were left behind, too. */
		const leftOver = isLeftOver ? Math.max(0, fromIt.findLastIndex(isRecorded)) : 0;
		const code = codeOf(number + leftOver);
		const again = number === 1 || isLeftOver ? '' : `, as attempt ${number}`;
		const stranger =
			number === 1 && confirmedNotPaid.length > 0
				? 'No code in “Confirmed Not Paid” belongs to this payment. '
				: '';
		const error = unknownError(
			code,
			`The payment of ${summary} was already sent by this node${again}, so it was not sent again. Whether it was made isn’t known`,
			`${stranger}${askFirst(code)} If ${name} was sent for another recipient or amount, ask about that payment. A check that was interrupted can also have left this record.`,
		);
		return { status: 'unknown', code, error };
	}
	if (previous !== undefined && !isRecorded(previous)) {
		const error = refusal(
			`This node has no record of the attempt whose code is in “Confirmed Not Paid”, so the payment of ${summary} was not sent`,
			'A refused attempt leaves no record. Clear “Confirmed Not Paid” and run the node again.',
		);
		return { status: 'refused', error };
	}
	const isOwn = previous !== undefined && (pair === undefined || isRecorded(pair));
	if (isRecorded(typedData) && !isOwn) {
		const error = refusal(
			`The authorization of the payment of ${summary} was already sent by this node for another payment, so it was not sent again`,
			'If it was sent with another Payment Reference, or with none, use that again to see what became of it: it may have been paid. Only for another payment, get a new authorization.',
		);
		return { status: 'refused', error };
	}
	return { status: 'payable', attempt: number };
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
	 * @param records what this run of the node did, by item, kept across *Retry On Fail*
	 * @param signal ends what waits once the execution was stopped
	 */
	constructor(
		private readonly store: ProcessedStore,
		private readonly nodeKey: string,
		private readonly records: Map<string, PaymentRecord>,
		private readonly signal?: AbortSignal,
	) {}

	/**
	 * Adds to each payment what is known about it. Leaves no trace in the store. Of two payments that are
	 * the same, or have the same typed data, the second is refused.
	 */
	async check<Row extends { readonly payment: Payment }>(
		rows: readonly Row[],
	): Promise<Array<Row & { readonly state: PaymentState }>> {
		const checked: Array<Row & { readonly state: PaymentState }> = [];
		const taken = new Map<string, number>();
		for (let left = rows; left.length > 0; left = left.slice(PAYMENTS_PER_LOOKUP)) {
			const some = left
				.slice(0, PAYMENTS_PER_LOOKUP)
				.map((row) => ({ row, attempt: attemptAt(row.payment) }));
			let judge: (attempt: Attempt) => PaymentState;
			try {
				const isRecorded = await this.find(some.map(({ attempt }) => attempt));
				judge = (attempt) => this.stateIn(attempt, isRecorded, taken);
			} catch (failure) {
				throwIfStopped(this.signal);
				const error = wrapError(failure, 'n8n’s record of payments could not be looked up', {
					hint: `${CHECK_DATABASE} Nothing was signed or sent now.`,
					outcome: 'refused',
				});
				const refused = { status: 'refused', error } as const;
				/* What an earlier try of this run did, this process knows itself. */
				judge = (attempt) => this.ownState(attempt) ?? refused;
			}
			checked.push(...some.map(({ row, attempt }) => ({ ...row, state: judge(attempt) })));
		}
		return checked;
	}

	private async find(attempts: readonly Attempt[]): Promise<IsRecorded> {
		const isRecorded = await this.findSome(
			attempts.flatMap(({ recorded, fromIt, paid, paidExactly, lookedUp }) => [
				...recorded,
				...fromIt,
				paid,
				paidExactly,
				...lookedUp,
			]),
		);
		const doubtful = attempts.filter(({ lookedUp }) => lookedUp.some(isRecorded));
		const isProven = await this.findSome(
			doubtful.flatMap(({ proof, proofLookedUp }) => [proof, proofLookedUp]),
		);
		return (key) => isRecorded(key) || isProven(key);
	}

	private async findSome(keys: readonly string[]): Promise<IsRecorded> {
		return await findKeys(this.store, this.nodeKey, {
			keys: [...new Set(keys)],
			maxEntries: MAX_ENTRIES,
			signal: this.signal,
		});
	}

	/** @param taken the items that have a payment or its typed data */
	private stateIn(
		attempt: Attempt,
		isRecorded: IsRecorded,
		taken: Map<string, number>,
	): PaymentState {
		const { payment, id, typedData } = attempt;
		const { summary, item } = payment;
		const other = taken.get(id) ?? taken.get(typedData);
		if (other !== undefined) {
			const error = refusal(
				`The payment of ${summary} would be refused, because row ${other + 1} has the same payment or authorization`,
				'Remove one of the two, or get a new authorization for a new payment. Nothing was signed or sent.',
			);
			return { status: 'refused', error };
		}
		taken.set(id, item).set(typedData, item);
		const state = this.ownState(attempt) ?? stateOf(attempt, isRecorded);
		const own = this.records.get(`${item}`);
		if (state.status !== 'payable' || own?.answer === undefined) return state;
		const error = refusal(
			`The payment of ${summary} was not sent, because an earlier try of this run paid ${own.summary} for the item`,
			'Retry On Fail runs the node again: use an amount and a recipient that stay the same.',
		);
		return { status: 'refused', error };
	}

	/**
	 * What an earlier try of this run did with the item; undefined if it doesn't count. An expression may
	 * have given the item another authorization or reference since: it is the same payment nevertheless.
	 */
	private ownState({ payment, exactId, terms, number }: Attempt): PaymentState | undefined {
		const own = this.records.get(`${payment.item}`);
		if (own === undefined) return undefined;
		const { answer, code, summary, failure } = own;
		if (answer !== undefined) {
			const isSame = own.terms === terms;
			return isSame ? { status: 'paid', answer: { ...answer, already_sent: true } } : undefined;
		}
		if (own.exactId === exactId && own.attempt < number) return undefined;
		const error = outcomeUnknown({ summary }, code, failure);
		return { status: 'unknown', code, error, isOfThisRun: true };
	}

	/**
	 * Records the attempt, sends the payment, and records what came of it.
	 * @param number of the attempt, as {@link check} gave it
	 * @param send signs and sends the payment
	 * @throws {UserError} where the payment was or may have been sent before, or can't be recorded: then
	 *   nothing is sent
	 * @throws what `send` threw, with what is known about the money
	 */
	async pay(
		payment: Payment,
		number: number,
		send: () => Promise<PaymentAnswer>,
	): Promise<PaymentAnswer> {
		throwIfStopped(this.signal);
		const attempt = attemptAt(payment, number);
		const { exactId, terms, code, paid, paidExactly, proof } = attempt;
		const claim = await this.claim(attempt);
		if (number > 1) await this.forgetDenied(attempt);
		const record = { exactId, terms, attempt: number, code, summary: payment.summary };
		const item = `${payment.item}`;
		this.records.set(item, record);
		try {
			throwIfStopped(this.signal);
			const answer = await send();
			this.records.set(item, { ...record, answer });
			this.justPaid.push(paid, paidExactly, proof);
			return answer;
		} catch (error) {
			if (!wasNotMade(error)) {
				this.records.set(item, { ...record, failure: error });
				throw outcomeUnknown(payment, code, error);
			}
			this.records.delete(item);
			const what = error instanceof ServiceError ? 'wasn’t accepted' : 'was not sent';
			const earlier =
				' An earlier attempt may have been made: ask the service before you pay again.';
			const hint = await claim.release().then(
				() =>
					`${error.hint ?? ''} Fix the problem, then run the node again.${number === 1 ? '' : earlier}`,
				() =>
					`n8n could not clear its record of this attempt. Fix the problem and run the node again. If it then says that the payment was already sent, enter ${code} as “Confirmed Not Paid” under Options.`,
			);
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

	/**
	 * A code says that the payment was not made: what an interrupted look-up left must not put that in
	 * doubt again once it is. If this fails, it isn't known then.
	 */
	private async forgetDenied({ paid, paidExactly, lookedUp }: Attempt): Promise<void> {
		const keys = [paid, paidExactly, ...lookedUp];
		await forgetKeys(this.store, this.nodeKey, { keys, maxEntries: MAX_ENTRIES }).catch(
			() => undefined,
		);
	}

	private async claim(attempt: Attempt): Promise<Claimed> {
		const { summary } = attempt.payment;
		const also = this.justPaid.splice(0);
		const claim = await claimKeys(this.store, this.nodeKey, {
			keys: attempt.recorded,
			/* New each time: no attempt may take the record of an earlier one for its own. */
			owner: randomUUID(),
			mayClaim: (isRecorded) => stateOf(attempt, isRecorded).status === 'payable',
			maxEntries: MAX_ENTRIES,
			/* After the next attempt was made, this one must not become free again. */
			successorKey: attempt.next,
			isStrict: true,
			also,
			signal: this.signal,
		}).catch((error: unknown) => {
			this.justPaid.push(...also);
			throwIfStopped(this.signal);
			const what = `The payment of ${summary} could not be recorded, so nothing was sent`;
			throw wrapError(error, what, { hint: CHECK_DATABASE, outcome: 'refused' });
		});
		if (claim.status === 'claimed') return claim;
		if (!claim.isUncertain) {
			/* The claim asked only for its own keys; by now the payment may be known as paid. */
			const isRecorded = await this.find([attempt]).catch(() => claim.isRecorded);
			const state = stateOf(attempt, isRecorded);
			if ('error' in state) throw state.error;
			throw refusal(
				`The payment of ${summary} was not sent, because another process was looking it up at the same moment`,
				'Run the node again.',
			);
		}
		throw unknownError(
			attempt.code,
			`n8n’s database failed while the payment of ${summary} was being recorded, so nothing was sent now`,
			`It may have been sent in an earlier run. ${askFirst(attempt.code)}`,
		);
	}
}

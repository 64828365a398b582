import { createHash } from 'node:crypto';

import { emailKey } from '../contract/formats';
import { canonicalJson } from '../shared/json';

/*
 * WHAT IS RECORDED OF A PAYMENT
 *
 * A payment is known by its reference or, without one, by its authorization: what is signed, by whom, for
 * which team. It is sent as attempt 1; each later attempt takes the code of the one before.
 *
 * | key           | says                                   | is recorded       | is removed           |
 * |---------------|----------------------------------------|-------------------|----------------------|
 * | sent:n        | attempt n was sent, or is about to be  | before it is sent | if it is refused     |
 * | sentWith:n    | it was sent with this authorization    | with sent:n       | with sent:n          |
 * | authorization | this authorization was sent, for       | with sent:n       | with sent:n          |
 * |               | whichever payment (see below)          |                   |                      |
 * | paid          | the payment was made                   | with the next     | never; if in doubt,  |
 * |               |                                        | claim, or by      | by the next attempt, |
 * |               |                                        | `close`           | as its code denies it |
 * | paidSame      | it went to this recipient, in this     | with paid         | with paid            |
 * |               | amount                                 |                   |                      |
 * | lookUp        | keys of this payment are looked up     | with these keys   | with these keys      |
 * | lookUpSame    | those of this recipient and amount are | with these keys   | with these keys      |
 *
 * `paymentKeysOf` has sent:n as `sent[0]`, followed by those of later attempts, and the last two as `lookUps`.
 *
 * There are two `authorization` keys. The first is taken by whichever payment sends the authorization
 * first, so of two payments only one can. An attempt that repeats the authorization of the attempt before
 * takes the second: if that earlier attempt is refused late, and its keys are cleared, this one's stay.
 *
 * n8n has no read-only look-up: asking for a key records it, until we remove it. A `lookUp` that we find was
 * left by a look-up that was killed. The payment's other keys may be left over, too, so they don't tell then
 * whether it was made. There are two, since two look-ups of one reference with different amounts can run at
 * once: each leaves behind only what the other one didn't ask for.
 */

/** A payment that is to be sent. Team, signer, typed data and reference say which payment it is. */
export interface Payment {
	/** Of the service; no part of a payment's identity in n8n's store. */
	readonly baseUrl: string;
	readonly teamId: string;
	/** Address of the wallet that signs. */
	readonly signer: string;
	readonly typedData: unknown;
	/** The user's own number for it, e.g. of an invoice: freshly made typed data is the same payment. */
	readonly reference?: string;
	/** Email address. That a payment was made says nothing of another recipient or amount. */
	readonly recipient: string;
	readonly cents: number;
	/** The amount that is signed, in cents; undefined where its unit isn't known. */
	readonly signedCents: bigint | undefined;
	/** For messages: the amount in dollars and the recipient. */
	readonly summary: string;
	/** Its number in the run, as in `Row` (run/rows.ts). */
	readonly number: number;
	/** The item or row, by what stays the same in each try of a run. */
	readonly slot: string;
	/** Its place in the list that it comes from, if it comes from one. */
	readonly listIndex?: number;
	/** The row as people call it, e.g. "row 7 of the sheet (PAY-007)". */
	readonly row?: string;
	/** The codes of attempts that, as the service says, were not made; as the user typed them. */
	readonly confirmedNotPaid: readonly string[];
}

/** Attempts after the one in question that are looked for, since n8n forgets the oldest first. */
const LATER_ATTEMPTS = 3;

/** Decimal, hexadecimal, octal or binary digits, as BigInt reads them. */
const INTEGER = /^(?:-?\d+|0x[\da-f]+|0o[0-7]+|0b[01]+)$/i;

/** The text, or in decimal digits if a library reads an integer from it: "60", "060" and "0x3c". */
function inDigits(text: string): string {
	const digits = text.trim().replace(/^\+/, '');
	return INTEGER.test(digits) ? BigInt(digits).toString() : text;
}

/** Nothing that goes into a hash may ever change, or every payment that is recorded would be free again. */
function hash(...parts: unknown[]): string {
	return createHash('sha256').update(canonicalJson(parts, inDigits)).digest('hex');
}

/**
 * A reference as people compare it: kinds of dashes, invisible characters, the amount of white space and
 * case don't count. The two cases are for ß, which is SS in capitals, and σ, which has two small forms;
 * the dot is for the Turkish İ. NFKC would make INV-72 of INV-7².
 */
function referenceKey(reference: string): string {
	return reference
		.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]|(?!\s)\p{Cc}/gu, '')
		.replace(/\p{No}/gu, '^$&')
		.normalize('NFKC')
		.replace(/[\p{Pd}\u2212]/gu, '-')
		.replace(/\s+/g, ' ')
		.trim()
		.toLowerCase()
		.toUpperCase()
		.toLowerCase()
		.replace(/i\u0307/g, 'i')
		.normalize('NFKC');
}

/** Whether two references name different payments. A payment without one can be the same as one that has one. */
export function isOtherReference(one: string | undefined, other: string | undefined): boolean {
	return one !== undefined && other !== undefined && referenceKey(one) !== referenceKey(other);
}

interface PaymentIdentity {
	/**
	 * Says which authorization: team, signer and typed data. The signature isn't part of it, since a signer
	 * may sign the same data differently each time; nor is the case of the signer's address, since hex digits
	 * are read as a number.
	 */
	readonly authorizationHash: string;
	/** Says which payment: team and reference or, without one, the authorization. Attempts are counted by it. */
	readonly paymentHash: string;
	/** Says which payment, to whom and how much. */
	readonly termsHash: string;
	readonly hasReference: boolean;
}

export function identityOf(payment: Payment): PaymentIdentity {
	const { teamId, signer, typedData, reference, recipient, cents } = payment;
	const authorizationHash = hash('typed data', teamId, signer, typedData);
	const paymentHash =
		reference === undefined
			? hash('payment by typed data', authorizationHash)
			: hash('payment by reference', teamId, `reference ${referenceKey(reference)}`);
	const termsHash = hash('exact payment', paymentHash, emailKey(recipient), cents);
	return { authorizationHash, paymentHash, termsHash, hasReference: reference !== undefined };
}

/** The keys of an attempt. */
export function paymentKeysOf(identity: PaymentIdentity, attempt: number) {
	const { authorizationHash, paymentHash, termsHash, hasReference } = identity;
	const sent = (number: number) => hash('attempt', paymentHash, number);
	/* The pair of an authorization and a payment; without a reference, they are the same. */
	const sentWith = (number: number) =>
		hasReference
			? hash('pair', authorizationHash, paymentHash, ...(number === 1 ? [] : [number]))
			: sent(number);
	const keys = {
		/** This attempt's key, then those of later ones: n8n forgets the oldest first, so only theirs may be left. */
		sent: Array.from({ length: LATER_ATTEMPTS + 1 }, (_, index) => sent(attempt + index)),
		previousSent: sent(attempt - 1),
		previousSentWith: sentWith(attempt - 1),
		sentWith: sentWith(attempt),
		authorization: authorizationHash,
		sameAuthorization: hash('again', authorizationHash),
		paid: hash('paid', paymentHash),
		paidSame: hash('paid', termsHash),
		lookUps: [hash('looked up', paymentHash), hash('looked up', termsHash)],
	};
	const previous = attempt === 1 ? [] : [keys.previousSent, keys.previousSentWith];
	return {
		...keys,
		previous,
		lookedUp: [
			...keys.sent,
			...previous,
			keys.authorization,
			keys.sameAuthorization,
			keys.paid,
			keys.paidSame,
			...keys.lookUps,
		],
	};
}

type PaymentKeys = ReturnType<typeof paymentKeysOf>;

/** The keys to record before an attempt is sent, given which of them are recorded already. */
export function claimedKeys(keys: PaymentKeys, isRecorded: (key: string) => boolean): string[] {
	const { sent, sentWith, authorization, sameAuthorization } = keys;
	const own = isRecorded(authorization) ? sameAuthorization : authorization;
	return [...sent.slice(0, 1), own, sentWith];
}

/**
 * An attempt code such as 7F3A-91C2-1. It can't be guessed from the code of another attempt. It has no time
 * limit: it works for as long as its attempt is recorded (`PAYMENT_HISTORY` in paymentJournal.ts); after that,
 * `decide` says `noRecord`.
 */
export function codeOf({ paymentHash }: PaymentIdentity, attempt: number): string {
	const digits = hash('code', paymentHash, attempt).slice(0, 8).toUpperCase();
	return `${digits.slice(0, 4)}-${digits.slice(4)}-${attempt}`;
}

/** The second code of an attempt, which allows another authorization than the attempt's. */
export function secondCodeOf(identity: PaymentIdentity, attempt: number): string {
	return `${codeOf(identity, attempt)}N`;
}

/** A code as people type it, without dashes, quotes, full stops and white space of any kind. */
function plainCode(typed: string): string {
	return typed
		.normalize('NFKC')
		.replace(/[\s\p{Pd}\p{Pi}\p{Pf}\p{Cf}\u2212"'`´.]/gu, '')
		.toUpperCase();
}

const PLAIN_CODE = /^[\dA-F]{8}([1-9]\d{0,2})N?$/;

/** Whether the text is an attempt code, of whichever payment. */
export function isAttemptCode(text: string): boolean {
	return PLAIN_CODE.test(plainCode(text));
}

/** Which attempt may be sent next. */
export interface Allowed {
	readonly attempt: number;
	/** Whether it may have another authorization than the attempt before. */
	readonly withAnyAuthorization: boolean;
}

/** What the codes allow that a person entered. Codes of other payments change nothing. */
export function allowedBy(typed: readonly string[], identity: PaymentIdentity): Allowed {
	const codes = new Set(typed.map(plainCode));
	const isEntered = (code: string) => codes.has(plainCode(code));
	const denied = [...codes]
		.map((code) => Number(PLAIN_CODE.exec(code)?.[1] ?? 0))
		.filter((attempt) => [codeOf, secondCodeOf].some((of) => isEntered(of(identity, attempt))));
	const last = Math.max(0, ...denied);
	return { attempt: last + 1, withAnyAuthorization: isEntered(secondCodeOf(identity, last)) };
}

export type Decision =
	| 'sendable'
	/** It was made, to this recipient and with this amount. */
	| 'paid'
	/** It was made, to another recipient or with another amount. */
	| 'paidOther'
	/** It, or a later attempt, was sent, and may have been made. */
	| 'unknown'
	/** The attempt before was sent with another authorization, which may still be carried out. */
	| 'otherAuthorization'
	/** The attempt whose code was entered isn't recorded. */
	| 'noRecord'
	/** The authorization was sent, but not by the attempt before. */
	| 'usedAuthorization';

/**
 * Whether an attempt may be sent.
 * @param isRecorded what n8n's store or this process has recorded
 * @param isCertain what this process has, whatever a killed look-up left in n8n's store
 */
export function decide(
	keys: PaymentKeys,
	{ attempt, withAnyAuthorization }: Allowed,
	isRecorded: (key: string) => boolean,
	isCertain: (key: string) => boolean,
): Decision {
	if (isCertain(keys.paidSame)) return 'paid';
	if (isCertain(keys.paid)) return 'paidOther';
	const isDoubtful = keys.lookUps.some(isRecorded);
	if (isRecorded(keys.paidSame) && !isDoubtful) return 'paid';
	if (isRecorded(keys.paid) && !isDoubtful) return 'paidOther';
	/* For a later attempt, a person has said that the one before wasn't made: a doubtful `paid` doesn't count. */
	if (keys.sent.some(isRecorded) || (isRecorded(keys.paid) && attempt === 1)) return 'unknown';
	const isSame = isRecorded(keys.previousSentWith);
	if (attempt > 1) {
		if (!isRecorded(keys.previousSent)) return 'noRecord';
		if (!isSame && !withAnyAuthorization) return 'otherAuthorization';
	}
	const isUsed = [keys.authorization, keys.sameAuthorization].some(isRecorded);
	return isUsed && !isSame ? 'usedAuthorization' : 'sendable';
}

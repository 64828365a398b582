import { messageOf, outcomeOf, ServiceError, UserError, wrapError } from '../shared/errors';
import { isRecord } from '../shared/json';
import { expiryAsDate } from '../shared/time';
import { asWord } from '../shared/redaction';
import type { Allowed, Decision, Payment } from './paymentKeys';

const PAGE = 'payments.md';
const SENT_ONCE = `${PAGE}#the-same-payment-is-sent-once`;
const UNKNOWN = `${PAGE}#when-the-outcome-is-unknown`;

const CHECK_DATABASE =
	'Save the workflow and check that n8n can write to its database, then run the node again.';

const ANOTHER_PAYMENT =
	'give it a Payment Reference and an authorization that were not used before';

function askFirst(code: string): string {
	return `Ask the service whether this payment was made: name team, recipient, amount and time, since it doesn’t know this code. If it was, leave it out of the next run. Only if it was not, enter ${code} as “Confirmed Not Paid” under Options and run the node again.`;
}

function nameOf({ reference }: Payment): string {
	return reference === undefined ? 'this authorization' : `reference ${asWord(reference)}`;
}

/**
 * Until when the service can make a payment that may be on its way; empty if that isn't a time.
 * @param mayBeOther whether it may have been sent with another authorization
 */
function validityNote({ typedData }: Payment, mayBeOther = false): string {
	const { expires } = isRecord(typedData) ? typedData : {};
	const time = expiryAsDate(String(expires));
	if (time === undefined) return '';
	if (mayBeOther) {
		return `If it was sent with this authorization, the service can still make it until ${time}. `;
	}
	return `Its authorization is valid until ${time}: until then, the service can still make it. `;
}

/** The decisions that leave it open whether the payment was made, and have a code. */
type Unresolved = 'unknown' | 'otherAuthorization';

type Text = readonly [message: string, hint: string];

/** What is said of a payment for each decision that refuses it without a code. */
const REFUSED: Record<Exclude<Decision, Unresolved | 'sendable'>, (payment: Payment) => Text> = {
	paid: ({ summary }) => [
		`The payment of ${summary} was already paid, so it was not sent again`,
		`If it is another payment, ${ANOTHER_PAYMENT}. To leave paid rows alone, set If Already Paid to Skip.`,
	],
	paidOther: (payment) => [
		`The payment of ${payment.summary} was not sent, because ${nameOf(payment)} was used for another recipient or amount`,
		`Look up what was paid with it. If this is another payment, ${ANOTHER_PAYMENT}.`,
	],
	noRecord: ({ summary }) => [
		`There is no record of the attempt whose code is in “Confirmed Not Paid”, so the payment of ${summary} was not sent`,
		'A refused attempt leaves no record, and after a restart of n8n only the node that sent it has one. If no other node sent it, clear “Confirmed Not Paid” and run the node again.',
	],
	usedAuthorization: ({ summary }) => [
		`The authorization of the payment of ${summary} was already sent for another payment, so it was not sent again`,
		'If it was sent with another Payment Reference, or with none, use that again to see what became of it: it may have been paid. Only for another payment, or once the service says that nothing was paid with it, get a new authorization.',
	],
};

/** What is said of a payment for each decision that comes with a code. */
const UNRESOLVED: Record<Unresolved, (payment: Payment, code: string) => Text> = {
	unknown: (payment, code) => [
		`The payment of ${payment.summary} was already sent, so it was not sent again. Whether it was made isn’t known`,
		`${validityNote(payment, payment.reference !== undefined)}${askFirst(code)} If ${nameOf(payment)} was sent for another recipient or amount, ask about that payment. A check that was interrupted can also have left this record.`,
	],
	otherAuthorization: ({ summary }, code) => [
		`The payment of ${summary} was already sent with another authorization, so it was not sent with this one. Whether it was made isn’t known`,
		`Until the first authorization has expired, the service can still use it, and this one would be a second payment. Send the first one again with the code that you entered, or wait until it has expired. ${askFirst(code)}`,
	],
};

// Each of these returns an error; the journal throws it, or puts it into what is known.

function refusal([message, hint]: Text, failure?: unknown): UserError {
	return wrapError(failure, message, { hint, outcome: 'refused', page: SENT_ONCE });
}

export function refusedBy(decision: keyof typeof REFUSED, payment: Payment): UserError {
	const error = refusal(REFUSED[decision](payment));
	return decision === 'noRecord' ? error.with({ page: UNKNOWN }) : error;
}

function unknownOutcome([message, hint]: Text, code: string, failure?: unknown): UserError {
	return wrapError(failure, message, {
		hint,
		outcome: 'unknown',
		attemptCode: code,
		page: UNKNOWN,
	});
}

export function unresolvedBy(
	decision: Unresolved,
	payment: Payment,
	{ code, isFirst }: { readonly code: string; readonly isFirst: boolean },
): UserError {
	const [message, hint] = UNRESOLVED[decision](payment, code);
	const isForeign = isFirst && payment.confirmedNotPaid.length > 0;
	const foreign = isForeign ? 'No code in “Confirmed Not Paid” belongs to this payment. ' : '';
	return unknownOutcome([message, foreign + hint], code);
}

export function outcomeUnknown(payment: Payment, code: string, failure: unknown): UserError {
	const message = `The payment of ${payment.summary} may or may not have been made. ${messageOf(failure)}`;
	const hint = `Don’t pay this again in another way. ${validityNote(payment)}${askFirst(code)}`;
	return unknownOutcome([message, hint], code, failure);
}

const SAME_HINTS = {
	reference:
		'If both are the same payment, remove one of the two. If not, give each its own reference.',
	authorization: 'Remove one of the two, or get a new authorization for a new payment.',
};

/**
 * @param what both rows have in common
 * @param isListed whether they are one payment, at the same place in the lists of two items
 */
export function sameAsRow(
	{ summary }: Payment,
	row: string,
	what: keyof typeof SAME_HINTS,
	isListed: boolean,
): UserError {
	const message = `The payment of ${summary} would be refused, because ${row} has the same ${what}`;
	const once =
		'If the node read one list for several input items, turn on Execute Once in its settings. ';
	return refusal([message, `${isListed ? once : ''}${SAME_HINTS[what]}`]);
}

/** @param paid what an earlier try paid for the item, and its transaction */
export function changedSince({ summary }: Payment, paid: string, transaction: string): UserError {
	return refusal([
		`The payment of ${summary} was not sent, because an earlier try of this run paid ${paid} for the item (${asWord(transaction)})`,
		'Retry On Fail runs the node again: use a reference, an amount and a recipient that stay the same.',
	]);
}

export function beingSent({ summary }: Payment): UserError {
	return refusal([
		`The payment of ${summary} was not sent, because another execution is sending it right now`,
		'Wait until that one has ended, or stop it, then run the node again. It may be waiting for a person to confirm in the wallet.',
	]);
}

export function beingLookedUp({ summary }: Payment): UserError {
	return refusal([
		`The payment of ${summary} was not sent, because another process was looking it up at the same moment`,
		'Run the node again.',
	]);
}

export function notLookedUp(failure: unknown): UserError {
	return refusal(['n8n’s record of payments could not be looked up', CHECK_DATABASE], failure);
}

export function notRecorded({ summary }: Payment, failure: unknown): UserError {
	const message = `The payment of ${summary} could not be recorded, so it was not sent`;
	return refusal([message, CHECK_DATABASE], failure);
}

/** @param isCleared whether the record of the attempt was removed */
export function notMade(
	{ payment, allowed, code }: { payment: Payment; allowed: Allowed; code: string },
	error: UserError,
	isCleared: boolean,
): UserError {
	const what = error instanceof ServiceError ? 'wasn’t accepted' : 'was not sent';
	const earlier =
		allowed.attempt === 1
			? ''
			: ' An earlier attempt may have been made: ask the service before you pay again.';
	const hint = isCleared
		? `${error.hint ?? ''} Fix the problem, then run the node again.${earlier}`
		: `n8n could not clear its record of this attempt. Fix the problem and run the node again. If it then says that the payment was already sent, enter ${code} as “Confirmed Not Paid” under Options.`;
	return wrapError(error, `The payment of ${payment.summary} ${what}. ${messageOf(error)}`, {
		hint: hint.trim(),
		outcome: outcomeOf(error),
		page: PAGE,
	});
}

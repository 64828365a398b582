import { isRecord } from '../shared/json';

/** Names of checks. If such a flag is false, what the rest of its name says can be so: "not_duplicate". */
const OF_CHECKS = /\b(?:no|not|new|fresh|valid|available|ok|checks?|checked|passed|protection)\b/i;

/** Flags that, if they are false, say by themselves that it was done: "unspent", "not_paid", "reference_unique", "is_new". */
const OF_BEING_UNDONE =
	/^(?:is )?(?:new|fresh)(?: (?:payment|request|transaction|transfer))?$|\b(?:unique(?:ness)?|(?:un|(?:not|never) (?:yet )?(?:been )?)(?:used|spent|paid|sent|processed|claimed|consumed|executed|redeemed|settled|submitted))\b/i;

/** What can be used only once. Whatever is said of it, "is invalid" or false, can mean that it was. */
const OF_ONE_USE = /\b(?:nonce|salt)s?\b/i;

/** Names of what another request has made: "duplicate_of", "existing_payment", "transaction_hash". */
const OF_ANOTHER = /\b(?:duplicated?|existing|previous|conflicting|transaction|txn?)\b/i;

/** Names of what became of something. */
const OF_STATE = /\b(?:outcome|result|status(?: code)?|state)$/i;

/** Names of when it was paid: "paid_at". */
const OF_TIME = /^(?:executed|paid|settled) (?:at|on)$/i;

/** Names of what a failure says. One word there, "PAID", says what the status is. */
const OF_SAYING =
	/^(?:(?:error|failure|reason)[_-]?)?(?:code|data|detail|error|message|reason)s?$/i;

/** What a validator says of a field that isn't there, and so was never used. */
const OF_ABSENCE =
	/^(?:(?:this )?field )?(?:is )?(?:required|missing)$|\breceived (?:undefined|null)$/i;

/** The words of a name, or of a code. */
function wordsIn(name: string): string {
	return name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
}

/** Whether it repeats what the request had, "salt": "57824", and says nothing of it. */
function isRepeated(name: string, member: unknown): boolean {
	const isValue = typeof member === 'number' || typeof member === 'string';
	return isValue && /^\S*\d\S*$/.test(String(member)) && /^(?:nonce|salt)s?$/i.test(name);
}

/** What a member says by its name. */
function toldByName(name: string, member: unknown, isDocumented: boolean): string[] {
	const words = wordsIn(name);
	if (OF_ONE_USE.test(words)) return isRepeated(name, member) ? [] : [name];
	/* Of more words, "email_confirmed" for instance, it may not be the payment that is so. */
	if (member === true) return [words.includes(' ') ? name : `is ${name}`];
	if (OF_TIME.test(words) && member !== 0 && member !== '') return [`was ${name}`];
	const isState = ['string', 'number'].includes(typeof member) && OF_STATE.test(words);
	if (member !== false) return isDocumented || isState || OF_ANOTHER.test(words) ? [name] : [];
	if (OF_BEING_UNDONE.test(words)) return [`already ${name}`];
	return OF_CHECKS.test(words) ? [name] : [];
}

/**
 * All texts in a value, and the names in it that tell something.
 * @param name of the member that has it
 * @param isDocumented else its members can be about anything, so few of their names count: "limit": { "used": 3 }
 */
function textsToldBy(name: string, value: unknown, isDocumented: boolean): string[] {
	if (typeof value === 'string' || typeof value === 'number') {
		const isStatus = OF_SAYING.test(name) && /^[A-Za-z]+$/.test(String(value));
		return [String(value), ...(isStatus ? [`status ${value}`] : [])];
	}
	if (Array.isArray(value)) {
		return value.flatMap((member) => textsToldBy(name, member, isDocumented));
	}
	if (!isRecord(value)) return [];
	const isOfAbsence = typeof value.message === 'string' && OF_ABSENCE.test(value.message);
	return Object.entries(value)
		.filter(([key, member]) => member !== null && !(isOfAbsence && key === 'path'))
		.flatMap(([key, member]) => [
			...toldByName(key, member, isDocumented),
			...textsToldBy(key, member, isDocumented),
		]);
}

/** All that a failure body says in words, in full: `mayHaveSucceeded` looks in it. */
export function allTextsOf({
	data,
	code,
	rest,
}: {
	readonly data: unknown;
	readonly code: string;
	/** The members that aren't documented. */
	readonly rest: unknown;
}): string {
	return [
		...textsToldBy('data', data, true),
		...textsToldBy('code', code, true),
		...textsToldBy('', rest, false),
	].join('.\n');
}

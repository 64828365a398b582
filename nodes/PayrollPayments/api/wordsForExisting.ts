/** Words that say in any sentence that it was done before. Nonces and salts are only mentioned if they were used. */
const WORDS =
	/already|duplicat|exists|processed|replay|conflict|\bin (?:progress|use|flight)\b|\b(?:re ?)?used\b|\bspent\b|\bconsumed\b|\bnonces?\b|\bsalts?\b|\btwice\b|\bsecond (?:payment|time)\b|\b(?:paid|made|sent|executed) (?:again|before|only once)\b|\bunique(?:ness)? (?:constraint|set|violation)\b|\bdup\b|\btaken\b|\b(?:be|not) unique\b|\bpayment (?:completed|confirmed|executed|settled|received|went out)\b|\bwe (?:have )?(?:paid|made|sent)\b/;

/**
 * Of another request, as chains, relays and services write it: "Known transaction", "replacement
 * underpriced", "an identical request", "has a status of succeeded".
 */
const OTHER =
	/\bknown transaction\b|\brepla(?:ced|cement)\b|\brepeated\b|\bdouble (?:payment|spend|submission)\b|\b(?:another|previous|earlier|same|identical|similar) (?:payment(?! method)|request|transfer|transaction)\b|\b(?:status|state)(?: \.)? (?:of |is |was )?(?:paid|sent|submitted|executed|completed?|confirmed|settled|succeeded)\b/;

/** Of a request that was sent, without what came of it: "Timed out while waiting for transaction with hash 0x…". */
const TIMED_OUT = /\btime(?:d )?out\b/;

/** As codes and names of events say it: PAYMENT_SENT, payment.sent, "invoice paid on 3 March"; not "payment made by …". */
const SENT =
	/\b(?:payment|transaction|transfer|invoice|authorization)(?: \.)? (?:is |has )?(?:paid|made|sent|submitted|executed|completed|confirmed|settled|received|succeeded|initiated|redeemed|claimed|broadcast|captured|dispatched)(?= \.| ?$| (?:on|at|but|earlier|previously|successfully)\b)/;

/** "A payment with this id is pending", and PAYMENT_PROCESSING; not "payment processing failed". */
const UNDER_WAY =
	/\b(?:payment|transaction|transfer)(?: \w+){0,5} is (?:still )?(?:pending|processing|queued)(?= \.| ?$)|(?:^|\.) ?(?:payment|transaction|transfer) (?:pending|processing|queued)(?= \.| ?$)/;

/** A transaction ID: a service that names one knows of a payment. */
const TRANSACTION = /\btx-[\w-]{12}/;

/** "was paid", "has since been sent"; not "was never paid", "has not yet been sent" or "nothing was made". */
const DONE =
	/(?<!\b(?:no|nothing|none|neither) (?:\w+ ){0,2})(?<!(?:\bnot|\bnever|n't) (?:\w+ )?(?=been))\b(?:was|were|is|been) (?:(?!not |never |to )\w+ ){0,2}(?:paid|made|sent|submitted|executed|completed|settled|received|confirmed|initiated|queued|redeemed|transferred|credited|disbursed|relayed|broadcast|captured|debited|dispatched)\b/;

/**
 * Whether a refusal can mean that the request had succeeded before, e.g. because a proxy repeated it. A
 * payment that was refused so counts as unknown rather than refused (`wasNotMade` in paymentJournal.ts).
 */
export function saysItExists(text: string): boolean {
	/* In JSON, a line break is a backslash and a letter, which isn't the next word's. */
	return [text, text.replace(/\\[nrt]/g, '\n')].some(saysSo);
}

function saysSo(text: string): boolean {
	const plain = text
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.replaceAll('’', "'")
		.replace(/[.,:;!?\n]+/g, ' . ')
		.replace(/[^\p{L}\p{N}'. ]/gu, ' ')
		.replace(/ +/g, ' ');
	return (
		TRANSACTION.test(text) ||
		WORDS.test(plain) ||
		OTHER.test(plain) ||
		TIMED_OUT.test(plain) ||
		SENT.test(plain) ||
		UNDER_WAY.test(plain) ||
		DONE.test(plain)
	);
}

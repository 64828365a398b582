/** Words that say in any sentence that it was done before. Nonces and salts are only mentioned if they were used. */
const WORDS =
	/already|duplicat|exists|processed|replay|conflict|in progress|\b(?:re ?)?used\b|\bspent\b|\bconsumed\b|\bnonces?\b|\bsalts?\b|\btwice\b|\bsecond (?:payment|time)\b|\b(?:paid|made|sent|executed) (?:again|before|only once)\b|\bunique constraint\b|\b(?:be|not) unique\b|\bpayment (?:completed|confirmed|executed|settled|received|went out)\b|\bwe (?:have )?(?:paid|made|sent)\b/;

/** As codes and names of events say it: PAYMENT_SENT, payment.sent, "invoice paid on 3 March"; not "payment made by …". */
const SENT =
	/\b(?:payment|transaction|transfer|invoice|authorization)(?: \.)? (?:is )?(?:paid|made|sent|submitted|executed|completed|confirmed|settled|received|succeeded|initiated|redeemed|claimed)(?= \.| ?$| (?:on|at|earlier|previously|successfully)\b)/;

/** "A payment with this id is pending", and PAYMENT_PROCESSING; not "payment processing failed". */
const UNDER_WAY =
	/\b(?:payment|transaction|transfer)(?: \w+){0,5} is (?:still )?(?:pending|processing|queued)(?= \.| ?$)|(?:^|\.) ?(?:payment|transaction|transfer) (?:pending|processing|queued)(?= \.| ?$)/;

/** A transaction ID: a service that names one knows of a payment. */
const TRANSACTION = /\btx-[\w-]{12}/;

/** "was paid", "has since been sent"; not "was never paid", "has not yet been sent" or "nothing was made". */
const DONE =
	/(?<!\b(?:no|nothing|none|neither) (?:\w+ ){0,2})(?<!(?:\bnot|\bnever|n't) (?:\w+ )?(?=been))\b(?:was|were|is|been) (?:(?!not |never |to )\w+ ){0,2}(?:paid|made|sent|submitted|executed|completed|settled|received|confirmed|initiated|queued|redeemed|transferred|credited|disbursed|relayed)\b/;

/**
 * Whether a refusal can mean that the request had succeeded before, e.g. because a proxy repeated it. A
 * payment that was refused so counts as unknown rather than refused (`wasNotMade` in paymentJournal.ts).
 */
export function saysItExists(text: string): boolean {
	/* In JSON, a line break is a backslash and a letter, which isn't the next word's. */
	return [text, text.replace(/\\+[nrt]/g, '\n')].some(saysSo);
}

function saysSo(text: string): boolean {
	const plain = text
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.replaceAll('’', "'")
		.replace(/[.,:;!?\n]+/g, ' . ')
		.replace(/[^\p{L}\p{N}'. ]+/gu, ' ')
		.replace(/ +/g, ' ');
	return (
		TRANSACTION.test(text) ||
		WORDS.test(plain) ||
		SENT.test(plain) ||
		UNDER_WAY.test(plain) ||
		DONE.test(plain)
	);
}

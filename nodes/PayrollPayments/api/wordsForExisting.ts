/** Words that say it in any sentence; a nonce or a salt is mentioned because it was used before. */
const WORDS =
	/already|duplicat|exists|processed|replay|conflict|in progress|\b(?:re ?)?used\b|\bspent\b|\bconsumed\b|\bnonces?\b|\bsalts?\b|\btwice\b|\bsecond (?:payment|time)\b|\b(?:paid|made|sent|executed) (?:again|before|only once)\b|\bpayment (?:completed|confirmed|executed|settled|received|went out)\b|\bwe (?:have )?(?:paid|made|sent)\b/;

/** What names a transaction knows of one. */
const TRANSACTION = /\btx-[\w-]{12}/;

/** "was paid", "has since been sent"; not "was never paid", "has not yet been sent" or "nothing was made". */
const DONE =
	/(?<!\b(?:no|nothing|none|neither) (?:\w+ ){0,2})(?<!(?:\bnot|\bnever|n't) (?:\w+ )?(?=been))\b(?:was|were|is|been) (?:(?!not |never |to )\w+ ){0,2}(?:paid|made|sent|submitted|executed|completed|settled|received|confirmed)\b/;

/**
 * Whether a service's message or code can mean that what was requested was there before: a proxy may
 * have repeated a request that had succeeded. In doubt it can.
 */
export function saysItExists(text: string): boolean {
	const plain = text
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.replaceAll('’', "'")
		.replace(/[.,:;!?\n]+/g, ' . ')
		.replace(/[^\p{L}\p{N}'. ]+/gu, ' ')
		.replace(/ +/g, ' ');
	return TRANSACTION.test(text) || WORDS.test(plain) || DONE.test(plain);
}

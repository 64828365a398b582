/** What is said of a payment that was made, perhaps only in part. */
const MADE =
	'paid|made|sent|submitted|executed|completed|confirmed|settled|received|succeeded|initiated|queued|redeemed|claimed|transferred|credited|debited|disbursed|relayed|broadcast|captured|dispatched';

/** A payout account or a transaction limit isn't a payment. */
const PAYMENT =
	'(?:payment|transaction|transfer|payout)(?! (?:account|limit|method|profile|recipient)s?\\b)';

/** Words that say in any sentence that it was done before. Hardly anyone mentions a nonce or a salt that wasn't used. */
const WORDS =
	/already|duplicat|exists|processed|replay|conflict|\bin (?:progress|use|flight)\b|\b(?:re ?)?used\b|\bre ?use\b|\bspent\b|\bconsumed\b|\bnonces?\b|\bsalts?\b|\btwice\b|\bmempool\b|\bsecond (?:payment|time)\b|\b(?:paid|made|sent|executed) (?:again|before|only once)\b|\bunique(?:ness)? (?:constraint|set|violation)\b|\bdupe?\b|\btaken\b|\b(?:be|not) unique\b|\bpayment (?:completed|confirmed|executed|settled|received|went out)\b|\bwe (?:have )?(?:paid|made|sent)\b/;

/**
 * Of another request, as chains, relays, databases and services write it: "Known transaction", "replacement
 * underpriced", "an identical request", "has a status of succeeded", Prisma's P2002.
 */
const OTHER = new RegExp(
	[
		String.raw`\bknown transaction\b|\brepla(?:ced|cement)\b|\brepeated\b|\bdouble (?:payment|spend|submission)\b`,
		String.raw`\b(?:another|previous|earlier|same|identical|similar|existing|repeat|concurrent) (?:api )?(?:${PAYMENT}|request|tx)\b`,
		String.raw`(?<!\b(?:account|compliance|kyc|moderation|onboarding|verification) )\b(?:status|state)(?: \.)? (?:of |is |was )?(?:${MADE}|complete|processing)\b`,
		String.raw`\b(?:acquire|obtain) (?:an? |the )?lock\b|\block the resource\b|\bresource (?:is )?locked\b`,
		String.raw`\b(?:p2002|23505|e11000)\b|\bconditional (?:request|check) failed\b`,
	].join('|'),
);

/**
 * Of a request that was sent, without what came of it: "Timed out while waiting for transaction with hash
 * 0x…", "socket hang up". Services pass on what their own calls to a relay or chain failed with.
 */
const UNANSWERED =
	/(?<!\bsession (?:has |is )?)\btime(?:d )?out\b|\be(?:connreset|connaborted|pipe|(?:socket)?timedout)\b|\bsocket hang up\b|\bfetch failed\b|\bhttp request failed\b|(?<!\b(?:invalid|unsupported|wrong) )\bnetwork error\b|\bconnection (?:was )?(?:closed|reset|lost)\b|\b(?:context|4) (?:deadline exceeded|canceled)\b|\bbad gateway\b|\binternal server error\b|\bstatus(?: code)?(?: \.)? (?:409|5\d\d)\b/;

/** As codes and names of events say it: PAYMENT_SENT, payment.sent, "invoice paid on 3 March"; not "payment made by …". */
const SENT = new RegExp(
	String.raw`(?<!\bno (?:\w+ ){0,2}|\binvalid )\b(?:${PAYMENT}|invoice|authorization)(?: \.)? (?:(?:is|was|has(?: been)?) )?(?:${MADE}|created|scheduled|successful|complete)(?= \.| ?$| (?:on|at|but|earlier|previously|successfully)\b)`,
);

/**
 * "A payment with this id is pending", "a pending payment", and PAYMENT_PROCESSING; not "payment processing
 * failed", and not "payment refused because the account is under review".
 */
const UNDER_WAY = new RegExp(
	[
		String.raw`\b${PAYMENT}(?: \w+){0,5}(?<!\b(?:as|because|since|while)(?: \w+){0,2} (?:account|company|compliance|kyc|onboarding|profile|recipient|team|user|verification|wallet)) is (?:still )?(?:pending|processing|queued|on hold|under review)(?= \.| ?$| for\b)`,
		String.raw`(?:^|\.) ?${PAYMENT} (?:pending|processing|queued|on hold|under review)(?= \.| ?$| (?:for|review)\b)`,
		String.raw`\bpending ${PAYMENT}\b`,
	].join('|'),
);

/** A transaction ID: a service that names one knows of a payment. */
const TRANSACTION = /\btx-[\w-]{12}/;

/** The same of a chain. */
const TRANSACTION_HASH = /\b(?:transaction|txn?)(?: (?:hash|id))?(?: \.)? 0x[\da-f]{64}\b/;

/** "was paid", "has since been sent"; not "was never paid", "has not yet been sent" or "nothing was made". */
const DONE = new RegExp(
	String.raw`(?<!\b(?:no|nothing|none|neither) (?:\w+ ){0,2})(?<!(?:\bnot|\bnever|n't) (?:\w+ )?(?=been))\b(?:was|were|is|been) (?:(?!not |never |to )\w+ ){0,2}(?:${MADE}|scheduled(?! maintenance))\b`,
);

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
		[TRANSACTION_HASH, WORDS, OTHER, UNANSWERED, SENT, UNDER_WAY, DONE].some((words) =>
			words.test(plain),
		)
	);
}

/*
 * Where a new wording goes. Every text is made lower case, with one space between words and " . " in place of
 * punctuation, and what NOT_OF_A_PAYMENT takes is left out; one match of any other pattern then leaves the
 * outcome unknown.
 *
 * | the wording                                              | goes into                        |
 * | -------------------------------------------------------- | -------------------------------- |
 * | a verb for paying: "disbursed"                           | MADE, which others are made of   |
 * | says so in any sentence: "already"                       | WORDS                            |
 * | about another request, or a state that nothing leaves    | OTHER                            |
 * | of a request that nobody knows the end of                | UNANSWERED                       |
 * | as codes and names of events say it: "payment sent"      | SENT; in whole sentences, DONE   |
 * | on its way                                               | UNDER_WAY                        |
 * | says nothing of a payment, but matches one of these      | NOT_OF_A_PAYMENT                 |
 */

/** What is said of a payment that was made, perhaps only in part. */
const MADE =
	'paid|made|sent|submitted|executed|completed|confirmed|settled|received|succeeded|initiated|queued|redeemed|claimed|transferred|credited|debited|disbursed|relayed|broadcast(?:ed)?|captured|dispatched|mined|finali[sz]ed';

/** What names what became of something. */
const STATE = '(?:outcome|result|state|status)';

/** What is said of a payment that isn't made yet. */
const WAITING =
	'pending|processing|in process|executing|on its way|underway|(?:in (?:the )?)?queued?|on hold|under review';

/** A state that a payment, an invoice or a request doesn't go on from. */
const AT_REST = 'complete|scheduled(?= \\.| ?$)';

/** A state in which it still can be made. */
const OPEN = 'draft|intent|open|payable|pending';

const PAYMENT = '(?:payment|transaction|transfer|payout|tx)';

/** What names a payment: “Invoice INV-1001 paid”, “Payment of $125.00 completed”. */
const NUMBER = String.raw`(?:(?: [a-z]+){0,2} (?=\w{0,80}\d)\w{1,100}\b(?: \. \d{1,40})?(?: usdc?)?)?`;

/** The same without words that name someone or something else: "payment because account 1234 is closed". */
const OWN_NUMBER = String.raw`(?:(?: (?:id|intent|inv|group|no|number|ref|reference)){0,2} (?=\w{0,80}\d)\w{1,100}\b)?`;

/** Whom a payment is for or from. */
const PARTY = '(?:account|company|email|member|profile|recipient|role|team|user|wallet)s?';

/** What a person or a company passes, not a payment. */
const EXAMINATION = '(?:kyc|moderation|name review|onboarding|(?:identity|recipient) verification)';

/** Everyday phrases that hold words of the lists below, but say nothing of a payment. They aren't read. */
const NOT_OF_A_PAYMENT = new RegExp(
	[
		String.raw`${PAYMENT} (?:account|limit|method|profile|recipient)s?`,
		/* "No user with this email exists", "Make sure that the recipient exists". */
		String.raw`(?:no|check|ensure|sure|verify) (?:(?:a|if|such|that|the|whether|your) )*${PARTY}(?: (?!${PAYMENT}|authorization|invoice|request)\w+){0,4} exists`,
		String.raw`${PARTY} no longer exists`,
		String.raw`(?:account|compliance|verification|${EXAMINATION}) (?:status|state)(?:(?: \.)? in progress)?`,
		String.raw`${EXAMINATION} (?:is|has been) (?:still )?(?:in progress|${WAITING}|${MADE})`,
		String.raw`(?:as|because|since|while)(?: \w+){0,2} (?:compliance|verification|${PARTY}) is (?:still )?(?:${WAITING})`,
		String.raw`(?:invite|invitation) (?:was|has been) (?:delivered|sent)`,
		/* At the beginning: "a transfer with this code was sent" is about a payment. */
		String.raw`(?<=(?:^|\. )(?:(?:a|an|the|your|new) ){0,2}(?:(?:confirmation|invite|login|one time|otp|security|sign in|verification) )?)(?:code|e ?mail|link) (?:was|has been) (?:delivered|sent)`,
		/* "You have used up your daily limit", "Too many payments were made today". */
		String.raw`(?:have|'ve) used (?:\w+ ){0,3}your (?:\w+ ){0,3}limit`,
		String.raw`too many (?:(?:api )?(?:attempts|calls|logins|requests) (?:were|have been) \w+|(?:\w+ )?(?:were|have been) \w+(?= \.| ?$| (?:by|in|per|recently|this|today|within)\b))(?!.{0,100}\b(?:authorization|invoice|payment|reference|request|salt)\b)`,
		/* The usual words of a refusal for another reason; not “… in its current state” or “…: invalid state”. */
		String.raw`(?:cannot|can't|couldn't|(?:can|could) not) be processed(?= \.| ?$| (?:because of|due to) (?:insufficient|low)\b)(?!.{0,200}\b(?:draft|final|stage|state|status|transition)\b)`,
		String.raw`session (?:has |is )?time(?:d )?out`,
		String.raw`(?:invalid|unsupported|wrong) network error`,
		String.raw`scheduled maintenance`,
	]
		.map((each) => String.raw`\b(?:${each})\b`)
		.join('|'),
	'g',
);

/** Words that say in any sentence that it was done before. Hardly anyone mentions a nonce or a salt that wasn't used. */
const WORDS = new RegExp(
	[
		String.raw`already|duplicat|exists|processed|replay|conflict|\bin (?:progress|use|flight)\b`,
		String.raw`\b(?:re ?)?used\b|\bre ?use\b|\bspent\b|\bconsumed\b|\bnonces?\b|\bsalts?\b|\btwice\b|\bmempool\b`,
		String.raw`\bcollision\b|\brecord of (?:this|the) payment\b|\bonly one payment\b|\bidempotency (?:key )?mismatch\b`,
		String.raw`\bsecond (?:payment|time)\b|\b(?:paid|made|sent|executed) (?:again|before|only once)\b`,
		String.raw`\bunique(?:ness)? (?:constraint|set|violation)\b|\bdupe?\b|\btaken\b|\b(?:be|not) unique\b`,
		String.raw`\bpayment (?:completed|confirmed|executed|settled|received|went out)\b`,
		String.raw`\b(?:we|you) (?:have )?(?:recently )?(?:paid|made|sent|submitted)\b`,
		String.raw`(?<!\bnot )\b(?:earlier|previously) (?:${MADE})\b|\bonly (?:be )?(?:executed|made|paid|processed|redeemed|sent|submitted|used) once(?= \.| ?$)|\bmore than once(?! per)\b`,
	].join('|'),
);

/**
 * Of another request, as chains, relays, databases and services write it: "Known transaction", "replacement
 * underpriced", "an identical request", "has a status of succeeded", Prisma's P2002.
 */
const OTHER = new RegExp(
	[
		String.raw`\bknown transaction\b|\brepla(?:ced|cement)\b|\brepeated\b|\bdouble (?:payment|spend|submission)\b`,
		String.raw`\b(?:another|previous|prior|earlier|same|identical|similar|existing|repeat|concurrent) (?:api )?(?:${PAYMENT}|request|tx)\b`,
		String.raw`\b${STATE}(?: \.)? (?:of |is |was )?(?:transition from )?(?:${MADE}|${AT_REST}|processing)\b`,
		String.raw`\b(?:got|found|current|actual)(?: \.)? (?:${MADE}|${AT_REST})\b|\bno longer (?:a )?(?:draft|open|pending)\b|\b(?:authorization|request) (?:is )?no longer valid\b`,
		/* "Payment is not in intent state", "PAYMENT_CLOSED". */
		String.raw`\b${PAYMENT} (?:group )?(?:state|status)\b(?!(?: \.)? (?:is |was )?(?:cancell?ed|declined|denied|disabled|failed|license|refused|rejected|unpaid)\b)`,
		String.raw`\b(?:state|status) transition\b(?! of (?:${EXAMINATION}|${PARTY})\b)|\bexpected (?:state|status)(?: \.)? (?:to be )?(?:${OPEN})\b`,
		String.raw`\b(?:${PAYMENT}(?: group| intent)?|authorization|invoice|request)${OWN_NUMBER} (?:(?:is |has been )?(?:${AT_REST}|closed|final|locked|stale|not (?:in )?(?:${OPEN}))|isn't (?:in )?(?:${OPEN}))(?= \.| ?$| (?:state|status)\b)`,
		String.raw`\b${PAYMENT} (?:(?!${PARTY}\b)\w+ ){0,3}(?:be|executed|is|isn't|not) in (?:(?!supported )\w+ ){0,2}(?:state|status)\b|\bin state(?: \.)? (?:${AT_REST}|${MADE})\b`,
		String.raw`\bnothing (?:is )?(?:left )?to pay\b|\b(?:amount|balance) due(?: \.)? (?:is )?(?:0|zero)\b|\b(?:hash|request) (?:was |has been )?seen\b|\bseen (?:before|hash)\b|\brequest executed(?= \.| ?$)|\brepeat of\b|\bone time only(?= \.| ?$)`,
		String.raw`\bprimary ?key constraint\b|\bconstraint (?:unique|primary ?key)\b|\bunique index\b|\bora 00001\b|\b(?:am05|du0[1-5])\b`,
		String.raw`\bachieve a quorum\b|\banother process\b|\bsame (?:authorization|idempotency key)\b|\bwait for the current (?:${PAYMENT}|request)\b|\b(?:completed ${PAYMENT}|paid invoice)\b`,
		String.raw`(?<!\bno )\b${PAYMENT} with (?:(?!(?:can)?not |invalid |missing |never |no |un\w+ |\w+n't )\w+ ){1,9}found\b|(?<!\bno )\b${PAYMENT} (?:was |has been )?found for (?:this|that|the)\b|\bthere is an? ${PAYMENT} with (?:this|that|the same)\b`,
		String.raw`\b(?:acquire|obtain) (?:\w+ ){0,3}lock\b|\block the resource\b|\bresource (?:is )?locked\b|\bdeadlock\b`,
		String.raw`\b(?:p2002|23505|e11000)\b|\bconditional (?:request|check) failed\b|\bconcurrent update\b`,
	].join('|'),
);

/**
 * Of a request that was sent, without what came of it: "Timed out while waiting for transaction with hash
 * 0x…", "socket hang up". Services pass on what their own calls to a relay or chain failed with.
 */
const UNANSWERED = new RegExp(
	[
		String.raw`\btime(?:d )?out\b|\bgateway time out\b|\btook too long to respond\b|\b(?:context|4) (?:deadline exceeded|canceled)\b`,
		String.raw`\be(?:connreset|connaborted|pipe|(?:socket)?timedout)\b|\bsocket hang up\b|\bbroken pipe\b`,
		String.raw`\bfetch failed\b|\bfailed to fetch(?= \.| ?$)|\bunexpected eof\b|\bhttp request failed\b|\bnetwork error\b|\bother side closed\b|\bpremature close\b`,
		String.raw`\b(?:connection|socket) (?:was |has been )?(?:aborted|closed|dropped|lost|reset|terminated)\b|\bclosed (?:the )?connection\b`,
		String.raw`\babort error\b|\b(?:operation|request|stream) (?:was |has been )?aborted\b|\baborted a request\b`,
		/* Of a page that a relay, or a proxy before it, sent in place of JSON. */
		String.raw`\bunexpected (?:end of json|token .{0,40}\bjson)\b`,
		String.raw`\b(?:wait|await)ing (?:for )?confirmations\b|\bnot (?:yet )?(?:been )?mined\b`,
		String.raw`\b${PAYMENT}(?: is| was| has)? (?:still )?(?:(?:wait|await)ing (?:for )?confirmation|not (?:yet )?(?:been )?confirmed)\b`,
		String.raw`\b(?:no|missing) response\b|\bwithout response(?= \.| ?$)|\b(?:did not|didn't|does not|doesn't|not) (?:respond|answer)\b|\bdeadline exceeded after\b`,
		String.raw`\bdisconnect reset before headers\b|\btransport is closing\b|\bio exception\b|\bcode server error\b`,
		String.raw`\b(?:http|returned|answered|response code)(?: http| with)? (?:409|5\d\d)\b`,
		String.raw`\bbad gateway\b|\b503 service\b|\bstatus(?: code)?(?: \.)? (?:409|5\d\d)\b`,
		/* Who says so doesn't know what came of it. */
		String.raw`(?:\b(?:${PAYMENT} ${STATE}|${STATE} of (?:\w+ )?${PAYMENT})|(?:^|\. )outcome)(?: \.)? (?:is )?(?:not known|uncertain|unclear|unknown)(?= \.| ?$)`,
		String.raw`\b(?:(?:${PAYMENT}|outcome|result) (?:could not|couldn't|cannot|can't) be (?:confirmed|determined)|(?:failed|unable) to (?:confirm|determine) (?:(?:if|that|the|this|whether|your) )*(?:${PAYMENT}|outcome|result))\b(?!.{0,200}\b(?:insufficient|invalid|mismatch|onboarded|recipient|screening|signature|signer)\b)`,
		String.raw`\b(?:could|may|might) (?:already )?have (?:been (?:${MADE})|gone|succeeded)\b|\b(?:do not|don't) (?:re ?send|re ?submit|retry|try again)\b(?=.{0,100}\bcheck (?:if |the |whether )*(?:it|invoice|${PAYMENT})\b)`,
		String.raw`\b(?:internal|unexpected|unknown) (?:server |json rpc )?error\b|\bsomething went wrong\b`,
	].join('|'),
);

/** Between a payment and what is said of it. */
const IS = '(?: \\.)? (?:(?:is|was|has(?: been)?) )?(?:(?:expired|invalid) or )?(?:successfully )?';

/** What is said of a payment alone: of an authorization, "was issued" says nothing. */
const CARRIED_OUT =
	'accepted|cleared|delivered|released|carried out|done|finished|fulfilled|(?:went|gone) (?:out|through)|issued|performed|posted|recorded';

/** As codes and names of events say it: PAYMENT_SENT, payment.sent, "invoice paid on 3 March"; not "payment made by …". */
const SENT = new RegExp(
	String.raw`(?<!\bno (?:\w+ ){0,2}|\binvalid )\b(?:(?:${PAYMENT}|invoice|authorization|forward request)${NUMBER}${IS}(?:${MADE}|created|scheduled|successful|complete)|${PAYMENT}${IS}(?:${CARRIED_OUT}))(?= \.| ?$| (?:on|at|but|earlier|previously|successfully)\b)`,
);

/** "A payment with this id is pending", "a pending payment", and PAYMENT_PROCESSING; not "payment processing failed". And of money that has left. */
const UNDER_WAY = new RegExp(
	[
		String.raw`\b${PAYMENT}(?: \w+){0,5} is (?:still )?(?:${WAITING})(?= \.| ?$| for\b)`,
		String.raw`(?:^|\.) ?${PAYMENT} (?:${WAITING})(?= \.| ?$| (?:for|review)\b)`,
		String.raw`\bpending ${PAYMENT}\b`,
		String.raw`\bhas gone (?:out|through)(?= \.| ?$)|\b(?:${PAYMENT}|funds|money) (?:has|have) left\b|\bincluded in (?:a |the )?block\b`,
	].join('|'),
);

/** The ID of a transaction, a payment or a group: a service that names one knows of a payment. */
const ID = /\b(?:pa|pg|tx)-[\w-]{12}/;

/** The same of a chain. */
const TRANSACTION_HASH =
	/\b(?:transaction|txn?)(?: (?:hash|id|receipt|with))*(?: \.)? 0x[\da-f]{64}\b/;

/** "was paid", "has since been sent"; not "was never paid", "has not yet been sent" or "nothing was made". */
const DONE = new RegExp(
	String.raw`(?<!\b(?:no|nothing|none|neither) (?:\w+ ){0,2})(?<!(?:\bnot|\bnever|n't) (?:\w+ )?(?=been))\b(?:was|were|is|been) (?:(?!not |never |to )\w+ ){0,2}(?:${MADE}|scheduled)\b`,
);

/** A line break after which a sentence goes on. */
const INNER_BREAK = /\n(?=[\p{Ll}("'])/gu;

/** A denial, and what stands between it and its verb: "No payment (external) was sent". */
const DENIED =
	/\b((?:no|nothing|none|neither)(?: \w+){0,2}) [([][^()[\]]{1,60}[)\]] (?=(?:was|were|is|has|have)\b)/gi;

/** What stands between a verb and its participle, and isn't a denial: "was, however, sent". */
const ASIDE =
	/\b(was|were|is|been)(?:, (?![^,.:;!?]{0,40}\b(?:not|never)\b)[^,.:;!?]{1,40},| \((?![^()]{0,60}\b(?:not|never)\b)[^()]{1,60}\)) /gi;

/** “No” that isn't a denial: “Order no BATCH-11 was settled”. */
const NUMBERED = new RegExp(
	String.raw`\bno (?=(?!(?:${PAYMENT}|invoice|request|authorization)\b)\p{L}{5,20} ?\d\w{0,60}(?: \w+){0,3} (?:was|were|has|have)\b)`,
	'gu',
);

/**
 * Whether the words of a refusal leave open that this request, or an earlier one, succeeded: a proxy may
 * have repeated it, or the service doesn't know itself. A payment that was refused so counts as unknown
 * rather than refused (`wasNotMade` in paymentJournal.ts).
 */
export function mayHaveSucceeded(text: string): boolean {
	/* In JSON, a line break is a backslash and a letter, which isn't the next word's. */
	const lines = text.replace(/\\[nrt]/g, '\n');
	/* Any of these is enough: nobody knows how a service breaks its lines and sentences. */
	const unwrapped = lines
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '')
		.join('\n')
		.replace(/\p{Ll}/u.test(lines) ? INNER_BREAK : /\n/g, ' ');
	const parts = unwrapped.replace(DENIED, '$1 ').replace(/[()[\]–—]| -+ /g, ' . ');
	const withoutAsides = unwrapped.replace(ASIDE, '$1 ');
	return [...new Set([text, lines, unwrapped, parts, withoutAsides])].some(saysSo);
}

function saysSo(text: string): boolean {
	const plain = text
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.replaceAll('’', "'")
		.replace(/[.,:;!?\n]+/g, ' . ')
		.replace(/[^\p{L}\p{N}'. ]/gu, ' ')
		.replace(/ +/g, ' ')
		.replace(/\b(it|that|this)'s\b/g, '$1 is')
		.replace(/\bno op\b/g, 'noop')
		/* “Payment no 7 was made” is no denial. */
		.replace(/\bno (?=\p{L}{0,4} ?\d)/gu, 'number ')
		/* A dash, so that what is left on both sides isn't read as one sentence. */
		.replace(NOT_OF_A_PAYMENT, '-');
	return (
		ID.test(text) ||
		[TRANSACTION_HASH, WORDS, OTHER, UNANSWERED, SENT, UNDER_WAY, DONE].some((words) =>
			words.test(plain),
		) ||
		DONE.test(plain.replace(NUMBERED, 'number '))
	);
}

/** What may stand around an email address: the ends, white space, and punctuation that no address has. */
const BEFORE_EMAIL = String.raw`(?<=^|[ \t\r\n<("[,;:])`;
const AFTER_EMAIL = String.raw`(?=\.*(?:$|[ \t\r\n>)"\],;]))`;
/** What would make a team ID longer, or look longer. */
const AFTER_TEAM = String.raw`(?![\p{Script=Latin}\p{N}\p{M}\p{Cf}])`;

/** Stands for the form's team ID, and is as long, so that nothing begins before it and ends in it. */
const OWN_TEAM = 'xx-xxxxxxxxxxxx';

/** How often a text is decoded until nothing changes. No reader decodes more often. */
const MOST_DECODINGS = 5;

/** Characters that people don't see, or see as part of another one. */
const INVISIBLE = /[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu;
/** Dashes, and other characters that look like one. */
const DASH = /[\p{Pd}\u02d7\u1173\u2043\u2212\u2500\u2501\u2796\u30fc\u4e00]/gu;
/** “te-” at the end of a word, as in “late-payment”, which doesn't begin a team ID, unless a JSON escape precedes it. */
const END_OF_WORD = /(?<!\\|\\u[\da-f]{3})\p{Script=Latin}\p{M}*te\p{M}*-/giu;
/** A team ID, with letters of any script that look like T and E. */
const TEAM_ID = /[tŧƭʈᴛτтҭⲧꓔꭲ][eɇɛᴇεеєҽⲉꓰꭼ℮ⴹ]-[\p{L}\p{N}_-]{12}/u;

function decodePercent(text: string): string {
	return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
		Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
	);
}

/** The text as a regular expression that matches just it. */
function escaped(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The text, and what each decoding makes of it; undefined if it is encoded too often. */
function readingsOf(text: string): string[] | undefined {
	const readings = [text];
	for (let last = text; readings.length <= MOST_DECODINGS; readings.push(last)) {
		const next = decodePercent(last.normalize('NFKD').replace(INVISIBLE, ''));
		if (next === last) return readings;
		last = next;
	}
	return undefined;
}

/** The text as people see it, in lower case. */
function seen(text: string): string {
	return text.normalize('NFKD').replace(INVISIBLE, '').toLowerCase().replace(DASH, '-');
}

/**
 * Finds email addresses and team IDs that aren't exactly those of the form anywhere in a signed text,
 * also full-width, percent-encoded, with invisible characters or with letters that look alike. Every
 * @ counts as an address.
 * @returns a function that says what a text contains
 */
export function foreignNamesFinder(form: {
	readonly teamId: string;
	readonly recipientEmail: string;
}): (text: string) => string | undefined {
	const { teamId, recipientEmail } = form;
	const ownEmail = new RegExp(BEFORE_EMAIL + escaped(recipientEmail) + AFTER_EMAIL, 'gi');
	const ownTeam = new RegExp(escaped(teamId) + AFTER_TEAM, 'gu');
	return (text) => {
		const readings = readingsOf(text.replace(ownEmail, ' ').replace(ownTeam, OWN_TEAM));
		if (readings === undefined) return 'text that is encoded several times';
		if (readings.some((each) => seen(each).includes('@'))) {
			return `an email address other than ${recipientEmail}`;
		}
		/* Masked in each reading separately, because a letter before “te-” may belong to an escape: %2Fte-. */
		const others = readings.map((each) => each.normalize('NFD').replace(END_OF_WORD, 'xxx-'));
		return others.some((each) => TEAM_ID.test(seen(each)))
			? `a team ID other than ${teamId}`
			: undefined;
	};
}

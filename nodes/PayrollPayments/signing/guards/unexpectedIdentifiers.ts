import { escapeRegExp } from '../../shared/text';

/** The team and the recipient of a payment's form. */
interface FormIdentifiers {
	readonly teamId: string;
	/** The team as errors call it. */
	readonly teamLabel: string;
	readonly recipientEmail: string;
}

/** What may stand around an email address: the ends, white space, and punctuation that no address has. */
const BEFORE_EMAIL = String.raw`(?<=^|[ \t\r\n<("[,;:])`;
const AFTER_EMAIL = String.raw`(?=\.*(?:$|[ \t\r\n>)"\],;]))`;
/** The end, or ASCII that can't make a team ID longer. */
const AFTER_TEAM = String.raw`(?![A-Za-z0-9]|[^\x00-\x7f])`;
/** A letter in front makes it the end of a word, as in "late-payment". */
const TEAM_ID = /(?<![a-z])te-[a-z0-9_-]{12}/i;
/** Stands for the form's team ID, and is as long, so that nothing begins before it and ends in it. */
const OWN_TEAM = 'xx-xxxxxxxxxxxx';
/** No honest text has as many readings. */
const MOST_READINGS = 20;
/** Characters of identifiers and escapes that HTML gives a name, and those that honest texts have. */
const HTML_NAMES = new Map(
	Object.entries({
		...{ amp: '&', bsol: '\\', commat: '@', lowbar: '_', num: '#', percnt: '%' },
		...{ apos: "'", gt: '>', lt: '<', nbsp: ' ', quot: '"' },
	}),
);
/** Any other of HTML's two thousand names. */
const OTHER_HTML_NAME = new RegExp(
	`&(?!(?:${[...HTML_NAMES.keys()].join('|')});)[A-Za-z][A-Za-z0-9]+;`,
);

const characterOf = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

/** Percent-encoding, JSON and HTML. Each makes a text shorter, or leaves it as it is. */
const DECODERS: ReadonlyArray<(text: string) => string> = [
	(text) =>
		text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
			Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
		),
	(text) =>
		text.replace(/\\(?:u([0-9a-f]{4})|[bfnrt]|(["\\/]))/gi, (_, code, character) =>
			code === undefined ? (character ?? ' ') : characterOf(parseInt(code, 16)),
		),
	(text) =>
		text
			.replace(/&#(?:(\d+)|x([0-9a-f]+));?/gi, (_, decimal, hex) =>
				characterOf(hex === undefined ? parseInt(decimal, 10) : parseInt(hex, 16)),
			)
			.replace(/&([a-z]+);/g, (escape, name) => HTML_NAMES.get(name) ?? escape)
			.replace(/&(?:amp|AMP)(?!;)/g, '&'),
];

/** The text and everything that decoding makes of it; undefined if it is encoded too often. */
function readingsOf(text: string): ReadonlySet<string> | undefined {
	const readings = new Set([text]);
	for (const reading of readings) {
		if (readings.size > MOST_READINGS) return undefined;
		for (const decode of DECODERS) readings.add(decode(reading));
	}
	return readings;
}

/** The ASCII part of a decoded text, after full-width and accented letters became plain ones. */
function plain(text: string): string {
	return text.normalize('NFKD').replace(/[^\x20-\x7e]/g, '');
}

/**
 * Finds email addresses and team IDs that aren't exactly those of the form anywhere in a signed text of
 * printable ASCII, also encoded ones. Every @ counts as an address. Characters that HTML has a name for are
 * refused where the name isn't known here.
 * @returns a function that says what a text contains
 */
export function unexpectedIdentifiers(form: FormIdentifiers): (text: string) => string | undefined {
	const { teamId, teamLabel, recipientEmail } = form;
	const ownEmail = new RegExp(BEFORE_EMAIL + escapeRegExp(recipientEmail) + AFTER_EMAIL, 'gi');
	const ownTeam = new RegExp(escapeRegExp(teamId) + AFTER_TEAM, 'gu');
	return (text) => {
		const readings = readingsOf(text);
		if (readings === undefined) return 'text that is encoded several times';
		const others = [...readings].flatMap((reading) => {
			const rest = reading.replace(ownEmail, ' ').replace(ownTeam, OWN_TEAM);
			return [rest, plain(rest)];
		});
		if (others.some((each) => each.includes('@'))) {
			return `an email address other than ${recipientEmail}`;
		}
		if (others.some((each) => TEAM_ID.test(each))) return `a team ID other than ${teamLabel}`;
		const [named] = [...readings].flatMap((reading) => OTHER_HTML_NAME.exec(reading)?.[0] ?? []);
		return named === undefined ? undefined : `${named}, which HTML reads as another character`;
	};
}

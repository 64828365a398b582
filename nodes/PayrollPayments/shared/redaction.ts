import { DEEPEST } from './json';

export const WITHHELD = '[…]';

/** Stands for a whole text in which secrets couldn't be looked for. */
const ALL_WITHHELD = 'Withheld, because it may contain a secret';

/** Characters. Shorter secrets would also match ordinary words. */
const SHORTEST_SECRET = 8;

export type Redact = (text: string) => string;

/** The first characters of a text, with "…" if it has more than `longest`. */
export function shorten(text: string, longest: number): string {
	if (text.length <= longest) return text;
	/* Not in the middle of a character of two units. */
	return `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Characters of a text that messages quote. A part of a longer one could be a part of a secret. */
const LONGEST_QUOTED = 100;

/** Characters that nobody sees, except those that only give an emoji its color. */
export const INVISIBLE =
	/[\p{Cf}\u2800]|(?<!\p{Extended_Pictographic})\p{Default_Ignorable_Code_Point}/gu;

/** A text in which a person sees that it has invisible characters. */
export function visible(text: string): string {
	return text.replace(INVISIBLE, '\ufffd');
}

/** A value for messages, without invisible characters. */
export function quoted(value: unknown): string {
	if (typeof value === 'string') {
		if (value.length > LONGEST_QUOTED) return `a text of ${value.length} characters`;
		return JSON.stringify(visible(value));
	}
	return typeof value === 'object' && value !== null ? 'not a plain value' : String(value);
}

/** A text of others inside a sentence, in quotes unless it is one word. */
export function asWord(text: string): string {
	return /^[\w.@+:-]{1,100}$/.test(text) ? text : quoted(text);
}

/** A character as JSON escapes it by its code, e.g. `\u002b` for a plus sign. */
function unicodeEscape(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Percent-encoded as Python, PHP and signers of requests do it. */
function asRfc3986(text: string): string {
	return encodeURIComponent(text).replace(
		/[!'()*]/g,
		(character) => `%${character.charCodeAt(0).toString(16)}`,
	);
}

/** The part of a Base64 text that a secret alone decides, wherever it stands in what was encoded. */
function inBase64(bytes: Buffer, before: number): string {
	const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
	return text.slice(before === 0 ? 0 : before + 1).replace(/.=+$/, '');
}

/**
 * How a secret is written in headers, URLs, JSON and dumps. Python leaves `/` as it is in URLs; PHP and
 * .NET escape more characters in JSON.
 */
const SPELLINGS: ReadonlyArray<(text: string, bytes: Buffer) => string> = [
	(text) => text,
	(text) => encodeURIComponent(text),
	(text) => encodeURIComponent(text).replaceAll('%2F', '/'),
	(text) => asRfc3986(text),
	(text) => asRfc3986(text).replaceAll('%2F', '/'),
	(text) => new URLSearchParams([['', text]]).toString().slice(1),
	(text) => JSON.stringify(text).slice(1, -1),
	(text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
	(text) => text.replaceAll('\\', '\\\\').replace(/[^ -~]|["&'+<>`]/g, unicodeEscape),
	(text) => text.replace(/[^A-Za-z0-9]/g, unicodeEscape),
	(text) => text.replace(/[^A-Za-z0-9]/g, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
	(text) => text.replace(/[^A-Za-z0-9]/g, (each) => `&#${each.charCodeAt(0)};`),
	(text) => encodeURIComponent(encodeURIComponent(text)),
	(_text, bytes) => bytes.toString('base64').replace(/=+$/, ''),
	(_text, bytes) => bytes.toString('base64url'),
	...[0, 1, 2].flatMap((before) => [
		(_text: string, bytes: Buffer) => inBase64(bytes, before),
		(_text: string, bytes: Buffer) =>
			inBase64(bytes, before).replaceAll('+', '-').replaceAll('/', '_'),
	]),
	(_text, bytes) => bytes.toString('hex'),
];

/** The text in upper case, as far as each character keeps its place. */
function inUpperCase(text: string): string {
	return text.replace(/[a-z]+|[^\x00-\x7f]/gu, (part) => {
		const upper = part.toUpperCase();
		return upper.length === part.length ? upper : part;
	});
}

/** All ways in which the secrets may be written, in upper case. */
function spellingsOf(secrets: ReadonlySet<string>): ReadonlySet<string> {
	const spelled = [...secrets].flatMap((secret) => {
		const bytes = Buffer.from(secret, 'utf8');
		const text = bytes.toString('utf8');
		return [secret, ...SPELLINGS.map((spell) => spell(text, bytes))];
	});
	return new Set(spelled.map(inUpperCase));
}

interface Span {
	readonly start: number;
	end: number;
}

/**
 * Where a text contains another one; places that overlap are one span. This is Knuth, Morris and Pratt's
 * search, whose time doesn't depend on the length of what is sought: the service chooses both its token
 * and what it answers, and could make other searches take minutes.
 */
function spansOf(sought: string, text: string): Span[] {
	const spans: Span[] = [];
	if (sought.length > text.length) return spans;
	/** After so many matching characters: how many still match if the next one doesn't. */
	const fallbacks = [0, 0];
	const afterNext = (matching: number, next: string | undefined): number => {
		let count = matching;
		while (count > 0 && sought[count] !== next) count = fallbacks[count] ?? 0;
		return sought[count] === next ? count + 1 : 0;
	};
	for (let index = 1; index < sought.length; index++) {
		fallbacks.push(afterNext(fallbacks[index] ?? 0, sought[index]));
	}
	let matching = 0;
	for (let end = 1; end <= text.length; end++) {
		matching = afterNext(matching, text[end - 1]);
		if (matching < sought.length) continue;
		const start = end - sought.length;
		const last = spans.at(-1);
		if (last !== undefined && start < last.end) last.end = end;
		else spans.push({ start, end });
	}
	return spans;
}

/** A line break in Base64, or in a long header, also as JSON writes it; in upper case. */
const FOLD = /((?:[\r\n]|\\[RN])+[ \t]*)/;

/** The text without its line breaks, and where each of its characters stood. */
function unfolded(text: string) {
	const places: number[] = [];
	const lines: string[] = [];
	let start = 0;
	for (const [index, part] of text.split(FOLD).entries()) {
		if (index % 2 === 0) {
			lines.push(part);
			for (let place = start; place < start + part.length; place++) places.push(place);
		}
		start += part.length;
	}
	return { line: lines.join(''), places };
}

/**
 * Removes known secrets from text from outside, because the service, a signer or a sender may echo what
 * it was sent. Finds whole secrets, as they are and in the spellings above, also over several lines.
 * Ignores secrets under 8 characters. Takes time linear in the length of the text, however long the secrets are.
 */
export class Redactor {
	private readonly secrets = new Set<string>();
	/** Created on first use, because most runs never need them. */
	private spellings?: ReadonlySet<string>;

	add(...secrets: readonly unknown[]): this {
		for (const secret of secrets) {
			const text = typeof secret === 'string' ? secret.trim() : '';
			if (text.length < SHORTEST_SECRET || this.secrets.has(text)) continue;
			// A key may be written without its 0x.
			this.secrets.add(text).add(text.replace(/^0x(?=[0-9a-f]{64}$)/i, ''));
			this.spellings = undefined;
		}
		return this;
	}

	readonly text: Redact = (text) => {
		if (this.secrets.size === 0) return text;
		try {
			return this.withhold(text);
		} catch {
			/* The error isn't passed on either: it may quote the secret. */
			return ALL_WITHHELD;
		}
	};

	private spansIn(searched: string): Span[] {
		this.spellings ??= spellingsOf(this.secrets);
		return [...this.spellings].flatMap((spelling) => spansOf(spelling, searched));
	}

	private withhold(text: string): string {
		const searched = inUpperCase(text);
		const spans = this.spansIn(searched);
		if (FOLD.test(searched)) {
			const { line, places } = unfolded(searched);
			for (const { start, end } of this.spansIn(line)) {
				spans.push({ start: places[start] ?? 0, end: (places[end - 1] ?? 0) + 1 });
			}
		}
		let shown = '';
		let last = 0;
		for (const { start, end } of spans.sort((one, other) => one.start - other.start)) {
			if (start >= last) shown += text.slice(last, start) + WITHHELD;
			last = Math.max(last, end);
		}
		return shown + text.slice(last);
	}

	/** An object of JSON data without the secrets, in its names, texts and numbers. */
	data(object: Readonly<Record<string, unknown>>, level = 0): Record<string, unknown> {
		return Object.fromEntries(
			Object.entries(object).map(([name, member]) => [this.text(name), this.value(member, level)]),
		);
	}

	private value(value: unknown, level: number): unknown {
		if (typeof value === 'string') return this.text(value);
		if (typeof value === 'number') {
			const digits = String(value);
			return this.text(digits) === digits ? value : WITHHELD;
		}
		if (typeof value !== 'object' || value === null) return value;
		if (level === DEEPEST) return WITHHELD;
		if (Array.isArray(value)) return value.map((entry: unknown) => this.value(entry, level + 1));
		return this.data({ ...value }, level + 1);
	}
}

/** What private keys, signatures and tokens look like, and where they stand in headers, URLs and JSON. */
const SECRET_LOOKING = [
	/0x[0-9a-f]{64}(?![0-9a-f])/gi,
	/(?:0x)?[0-9a-f]{128,}/gi,
	/eyJ[\w-]{8,}(?:\.[\w-]*)*/g,
	/(?<![\w-])[\w-]{16,}\.[\w-]{16,}\.[\w-]{16,}/g,
	/* In a header; not “Basic verification”. */
	/(?<=\b(?:[Bb]asic|BASIC|[Bb]earer|BEARER|[Dd]igest) )(?![A-Z]?[a-z-]+[.,;:!?)]?(?:\s|$))[^\s"]{8,}/g,
	/* The password in a URL. */
	/(?<=:\/\/[^\s/@":]*:)[^\s/@"]+(?=@)/g,
	/* By its name in JSON. A `token` may be a currency’s. */
	/(?<="[\w-]*(?:api[_-]?key|cookie|jwt|passw(?:or)?d|secret|(?:access|refresh|session)[_-]?token)" ?: ?")[^"\\]{8,}(?=")/gi,
];

/** The text on one line, without anything that looks like a key, a signature or a token. */
export function withoutSecrets(text: string): string {
	return SECRET_LOOKING.reduce(
		(shown, pattern) => shown.replace(pattern, WITHHELD),
		text.replace(/[\x00-\x1f\x7f]+/g, ' '),
	);
}

/** Text from outside as an error may quote it: without secrets, on one line, shortened. */
export function safeExcerpt(text: string, redact: Redact, longest: number): string {
	return shorten(withoutSecrets(redact(text)), longest);
}

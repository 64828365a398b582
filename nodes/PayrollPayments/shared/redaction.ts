import { DEEPEST } from './json';

/** Replaces a secret. */
export const WITHHELD = '[…]';

/** Marks where text was cut off. */
const CUT = '…';

/** Characters. Shorter secrets would also match ordinary words. */
const SHORTEST_SECRET = 8;

/** Characters of a secret that are removed even without the rest of it. */
const STRETCH = 12;

/** Characters of a secret's beginning that are removed if the text is cut off after them. */
const SHORTEST_BEGINNING = 4;

/** Removes secrets from text from outside. */
export type Redact = (text: string) => string;

/** The text, cut to so many characters. */
export function shorten(text: string, longest: number): string {
	return text.length > longest ? `${text.slice(0, longest)}${CUT}` : text;
}

/** Lower case, except for the few characters that would change their length. */
function foldCase(text: string): string {
	const folded = text.toLowerCase();
	if (folded.length === text.length) return folded;
	return text.replace(/\p{Lu}/gu, (letter) => {
		const lower = letter.toLowerCase();
		return lower.length === letter.length ? lower : letter;
	});
}

/**
 * The Base64 characters that the bytes determine, wherever in longer data they stand: the data
 * before them shifts the encoding by 0, 1 or 2 bytes.
 */
function base64Spellings(bytes: Buffer): string[] {
	return [0, 1, 2].map((shift) => {
		const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
		return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
	});
}

/** A secret as it is, and as it would appear in headers, URLs, JSON and hex dumps. */
function spellingsOf(secret: string): string[] {
	const bytes = Buffer.from(secret, 'utf8');
	const text = bytes.toString('utf8');
	const key = /^0x([0-9a-f]{64})$/i.exec(secret)?.[1];
	const spellings = [
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(text),
		new URLSearchParams([['', text]]).toString().slice(1),
		bytes.toString('hex'),
		...base64Spellings(bytes),
		...(key === undefined
			? []
			: [key, BigInt(secret).toString(), ...base64Spellings(Buffer.from(key, 'hex'))]),
	];
	return spellings.flatMap((spelling) => [
		foldCase(spelling),
		foldCase(spelling.replace(/\+/g, '-').replace(/\//g, '_')),
	]);
}

/** Pieces of secrets in every spelling, in lower case. */
interface Pieces {
	readonly stretches: ReadonlySet<string>;
	/** The lengths of the stretches. */
	readonly lengths: readonly number[];
	/** Beginnings of secrets that are shorter than a stretch. */
	readonly beginnings: ReadonlySet<string>;
}

function piecesOf(secrets: ReadonlySet<string>): Pieces {
	const stretches = new Set<string>();
	const beginnings = new Set<string>();
	for (const spelling of new Set([...secrets].flatMap(spellingsOf))) {
		if (spelling.length < SHORTEST_SECRET) continue;
		const length = Math.min(spelling.length, STRETCH);
		for (let start = 0; start + length <= spelling.length; start++) {
			stretches.add(spelling.slice(start, start + length));
		}
		for (let end = SHORTEST_BEGINNING; end < length; end++) beginnings.add(spelling.slice(0, end));
	}
	const lengths = [...new Set([...stretches].map((stretch) => stretch.length))];
	return { stretches, lengths, beginnings };
}

/**
 * Removes known secrets from text from outside, because the service, a signer or a sender may echo what
 * it was sent. Finds 12 characters of a secret in upper or lower case, percent-encoded, in Base64 or in
 * hex, and the beginning of one before a “…”, and removes the whole word around them. Ignores secrets
 * under 8 characters. Takes time linear in the length of the text.
 */
export class Redactor {
	private readonly secrets = new Set<string>();
	/** Created on first use, because most runs never need it. */
	private pieces?: Pieces;

	/** Adds secrets; ignores what isn't text. */
	add(...secrets: readonly unknown[]): this {
		for (const secret of secrets) {
			const text = typeof secret === 'string' ? secret.trim() : '';
			if (text.length < SHORTEST_SECRET || this.secrets.has(text)) continue;
			this.secrets.add(text);
			this.pieces = undefined;
		}
		return this;
	}

	/** The text without the secrets. */
	readonly text: Redact = (text) => {
		if (this.secrets.size === 0) return text;
		this.pieces ??= piecesOf(this.secrets);
		let shown = '';
		let shownTo = 0;
		for (const [start, end] of secretRanges(foldCase(text), this.pieces)) {
			if (end <= shownTo) continue;
			const wordStart = wordBoundary(text, Math.max(start, shownTo), -1, shownTo);
			shown += text.slice(shownTo, wordStart) + WITHHELD;
			shownTo = wordBoundary(text, end, 1, text.length);
		}
		return shown + text.slice(shownTo);
	};

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

/** The end of the word around a piece of a secret: the rest of the word may be secret, too. */
function wordBoundary(text: string, from: number, step: 1 | -1, limit: number): number {
	let position = from;
	while (position !== limit && /[\w.-]/.test(text[step === 1 ? position : position - 1] ?? '')) {
		position += step;
	}
	return position;
}

/** The positions of secrets in the folded text, in order and without overlaps. */
function secretRanges(
	text: string,
	{ stretches, lengths, beginnings }: Pieces,
): Array<[start: number, end: number]> {
	const ranges: Array<[start: number, end: number]> = [];
	const withhold = (start: number, end: number) => {
		let [from, to] = [start, end];
		for (let last = ranges.at(-1); last !== undefined && last[1] >= from; last = ranges.at(-1)) {
			ranges.pop();
			from = Math.min(from, last[0]);
			to = Math.max(to, last[1]);
		}
		ranges.push([from, to]);
	};
	for (let position = 0; position < text.length; position++) {
		for (const length of lengths) {
			const end = position + length;
			if (stretches.has(text.slice(position, end))) withhold(position, end);
		}
		if (text[position] !== CUT) continue;
		for (let length = STRETCH - 1; length >= SHORTEST_BEGINNING; length--) {
			const start = Math.max(0, position - length);
			if (beginnings.has(text.slice(start, position))) withhold(start, position);
		}
	}
	return ranges;
}

/** The text without anything that looks like a signature or a token. */
export function withoutSecrets(text: string): string {
	return text
		.slice(0, 5_000)
		.replace(/[\x00-\x1f\x7f]+/g, ' ')
		.replace(/(?:0x)?[0-9a-f]{128,}/gi, WITHHELD)
		.replace(/eyJ[\w-]{8,}(?:\.[\w-]*)*|(?<![\w-])[\w-]{16,}\.[\w-]{16,}\.[\w-]{16,}/g, WITHHELD);
}

/** Characters of a text from outside that are searched. */
const LONGEST_READ = 4_000;

/** Text from outside as an error may quote it: without secrets, on one line, shortened. */
export function safeExcerpt(text: string, redact: Redact, longest: number): string {
	return shorten(withoutSecrets(redact(shorten(text, LONGEST_READ))), longest);
}

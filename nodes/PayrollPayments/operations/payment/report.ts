import { visible } from '../../shared/redaction';

/** What a check or a run says to people, before it is a message or a page. */
export interface Report {
	readonly heading: string;
	readonly lines: readonly string[];
	/** What a person must look at, in front of the payments. */
	readonly lists: ReadonlyArray<{ readonly title: string; readonly entries: readonly string[] }>;
	/** Each payment in lines, the amount first. */
	readonly payments: ReadonlyArray<readonly string[]>;
}

/** How many payments a message lists before it only counts the rest. */
const MAX_LISTED = 10;

const IN_CHAT: Readonly<Record<string, string>> = {
	...{ '<': '‹', '>': '›', '[': '(', ']': ')', '`': '’', '*': '∗', '~': '∼', '|': '¦' },
};

/**
 * Text on one line of a chat. What others wrote can't mention anyone, hide a link or format the message;
 * underscores stay, since identifiers have them.
 */
export function inChat(text: string): string {
	return visible(text.replace(/[\s\p{Cc}]+/gu, ' '))
		.replace(/[<>[\]`*~|]/g, (mark) => IN_CHAT[mark] ?? '')
		.replace(/:\/\//g, ': //')
		.replace(/@(?=(?:all|channel|everyone|here)(?![a-z]))/gi, '@ ');
}

/** A few lines for a chat. */
export function chatMessageOf({ heading, lines, lists, payments }: Report): string {
	const listedIn = (entries: readonly string[]) => {
		const rest = entries.length - MAX_LISTED;
		return [...entries.slice(0, MAX_LISTED), ...(rest > 0 ? [`and ${rest} more`] : [])];
	};
	const notes = lists
		.filter(({ entries }) => entries.length > 0)
		.flatMap(({ title, entries }) => [
			`${title}:`,
			...listedIn(entries).map((each) => `• ${each}`),
		]);
	const rows = listedIn(payments.map((payment) => payment.join(', ')));
	return [heading, ...lines, ...notes, ...rows].map(inChat).join('\n');
}

/** Characters that every page has room for in one line. Longer words are broken. */
const WIDEST_WORD = 30;
const LONGEST_PART = 24;

/** Characters with a meaning in HTML, in n8n's expressions, or in the text that n8n puts into a form. */
const IN_HTML = /[&<>"'`{}$]/g;

function escapeHtml(text: string): string {
	return visible(text).replace(IN_HTML, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Text in a page. n8n's forms remove styles and `<wbr>`, so a long word gets line breaks, which are not
 * copied into a single-line field.
 */
function inHtml(text: string): string {
	return text
		.split(/[\s\p{Cc}]+/u)
		.map((word) => {
			if (word.length <= WIDEST_WORD) return escapeHtml(word);
			const parts = word.match(new RegExp(`.{1,${LONGEST_PART}}`, 'gsu')) ?? [];
			return parts.map(escapeHtml).join('<br>');
		})
		.join(' ');
}

function paragraph([first = '', ...others]: readonly string[]): string {
	return `<p>${[`<b>${inHtml(first)}</b>`, ...others.map(inHtml)].join('<br>')}</p>`;
}

/** For a form of n8n or a mail. It has only tags that n8n's forms keep, and reads at 320 pixels. */
export function htmlOf({ heading, lines, lists, payments }: Report): string {
	const parts = [
		paragraph([heading, ...lines]),
		...lists
			.filter(({ entries }) => entries.length > 0)
			.map(({ title, entries }) => paragraph([title, ...entries])),
		...payments.map(paragraph),
	];
	return `<div style="overflow-wrap:anywhere">${parts.join('')}</div>`;
}

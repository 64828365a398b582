import type { Message } from '../../inbox';
import { call } from './control';
import { element, timeOf, withLinks } from './elements';
import { cell, liveTable, pill } from './liveTable';

/** A channel shows the three characters that its texts escape. */
const unescaped = (text: string): string =>
	text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** A channel shows text between backticks as it is, without links. */
const inChannel = (text: string): (Node | string)[] =>
	unescaped(text)
		.split(/`([^`]*)`/)
		.flatMap((part, index) => (index % 2 === 1 ? [element('code', '', part)] : withLinks(part)));

/** The name of a file is a link to it. */
function subjectOf({ id, subject, hasFile }: Message): HTMLElement {
	if (!hasFile) return element('b', '', subject);
	const made = element('a', '', subject);
	made.href = `/sandbox/messages/${encodeURIComponent(id)}/file`;
	made.download = subject;
	return made;
}

function messageRow(message: Message): HTMLElement {
	const { at, by, to, from, subject, text } = message;
	return element(
		'tr',
		'',
		cell('time', '', timeOf(at)),
		cell('', 'To', to, ' ', pill(by, '')),
		cell(
			'message',
			'',
			...(subject === '' ? [] : [subjectOf(message), element('br', '')]),
			...(by === 'channel' ? inChannel(text) : withLinks(text)),
		),
		cell('', 'From', from),
	);
}

const showMessages = liveTable(
	'inbox',
	messageRow,
	'No messages yet. Run an example that sends one.',
);

/** Shows what has arrived. */
export async function refreshInbox(): Promise<void> {
	showMessages((await call<{ messages: Message[] }>('GET', 'messages?limit=40')).messages);
}

import { getAddress } from 'viem/utils';

import { quoted, safeExcerpt, type Redact } from '../../shared/redaction';
import { refuseToSign } from '../signature';

export type SignInMessage = ReturnType<typeof parseSignInMessage>;

const LONGEST = { message: 8192, quote: 99 };
const SCHEME = '[A-Za-z][A-Za-z0-9+.-]*';
const FIRST_LINE = new RegExp(
	`^(?:(${SCHEME})://)?(\\S+) wants you to sign in with your Ethereum account:$`,
);
/** Narrower than EIP-4361, where user names and punctuation can make one host look like another. */
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._~-]+)(?::\d{1,5})?$/;
const NOT_IN_STATEMENT = /[^A-Za-z0-9._~:/?#[\]@!$&'()*+,;= -]/u;
const PCHAR = "[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}";
/** RFC 3986. */
const URI = new RegExp(
	`^(${SCHEME}):(?://([^/?#]*)|(?!//))(?:[/?]|${PCHAR})*(?:#(?:[/?]|${PCHAR})*)?$`,
);
const REQUEST_ID = new RegExp(`^(?:${PCHAR})*$`);
const TIME =
	/^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The URL parser decides which addresses and ports are valid. */
function isPlainAuthority(authority: string): boolean {
	return AUTHORITY.test(authority) && URL.canParse(`http://${authority}`);
}

/** The scheme and the authority of a URI, which must be a plain host if it has one. */
export function readUri(value: string): { scheme: string; authority?: string } | undefined {
	const [, scheme, authority] = URI.exec(value) ?? [];
	const isPlain = authority === undefined || isPlainAuthority(authority);
	return scheme !== undefined && isPlain ? { scheme, authority } : undefined;
}

/** Milliseconds since 1970; NaN for what isn't a time, for leap seconds and for unusual spellings. */
export function timeOf(value: string): number {
	const [, day] = TIME.exec(value) ?? [];
	if (day === undefined) return NaN;
	/* Date.parse takes February 30 for March 2. */
	const start = Date.parse(`${day}T00:00:00Z`);
	const isDay = !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
	return isDay ? Date.parse(value) : NaN;
}

const isUri = (value: string) => readUri(value) !== undefined;
const isTime = (value: string) => !Number.isNaN(timeOf(value));
const isEip55 = (line: string) => /^0x[0-9a-fA-F]{40}$/.test(line) && getAddress(line) === line;
const isChainId = (value: string) =>
	/^[1-9]\d{0,15}$/.test(value) && Number.isSafeInteger(Number(value));

function malformed(what: string): never {
	return refuseToSign(
		what,
		'Check the Base URL in the credentials. If it is correct, report this to the service: its message doesn’t follow EIP-4361.',
	);
}

/** The lines of a message, each read once and in order. */
class Lines {
	private at = 0;

	constructor(
		private readonly lines: readonly string[],
		private readonly redact: Redact,
	) {}

	/** Undefined at the end. */
	peek(further = 0): string | undefined {
		return this.lines[this.at + further];
	}

	refuse(rule: string): never {
		const line = this.peek();
		const quote = quoted(safeExcerpt(line ?? '', this.redact, LONGEST.quote));
		const found = line === undefined ? 'is missing' : `is ${quote}`;
		return malformed(`Line ${this.at + 1} of the sign-in message must ${rule}, but ${found}`);
	}

	read(rule: string, isValid: (line: string) => boolean): string {
		const line = this.peek();
		if (line === undefined || !isValid(line)) return this.refuse(rule);
		this.at += 1;
		return line;
	}

	/** What follows the label. */
	readAfter(label: string, what: string, isValid: (value: string) => boolean): string {
		const { length } = label;
		const line = this.read(
			`be “${label}” and ${what}`,
			(each) => each.startsWith(label) && isValid(each.slice(length)),
		);
		return line.slice(length);
	}

	/** The same for a line that may be left out. */
	readAfterIf(...[label, ...rest]: Parameters<Lines['readAfter']>): string | undefined {
		return this.peek()?.startsWith(label.trim()) ? this.readAfter(label, ...rest) : undefined;
	}
}

function readStatement(lines: Lines): string | undefined {
	/* Without a statement, one empty line precedes the URI; siwe writes an empty statement as two. */
	if (lines.peek() === '' && lines.peek(1) !== '') return undefined;
	const [odd] = NOT_IN_STATEMENT.exec(lines.peek() ?? '') ?? [];
	const rule = odd === undefined ? 'be a statement' : `be a statement without ${quoted(odd)}`;
	return lines.read(rule, () => odd === undefined);
}

function readResources(lines: Lines): string[] | undefined {
	if (lines.peek() !== 'Resources:') return undefined;
	lines.read('', () => true);
	const resources: string[] = [];
	while (lines.peek() !== undefined) {
		resources.push(lines.readAfter('- ', 'a URI with a plain host', isUri));
	}
	return resources;
}

/**
 * Parses a sign-in message (https://eips.ethereum.org/EIPS/eip-4361); stricter about size, hosts, chain
 * IDs and times. Line ends may be CRLF, and the last line may have one.
 * @param redact what errors quote goes through it first
 */
export function parseSignInMessage(text: string, redact: Redact = (line) => line) {
	if (text.length > LONGEST.message) {
		malformed(`The sign-in message has more than ${LONGEST.message} characters`);
	}
	const lines = new Lines(text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n'), redact);
	const readEmpty = () => lines.read('be empty', (line) => line === '');
	const time = ['a time, e.g. 2026-11-21T12:00:00Z', isTime] as const;
	const [, scheme, domain = ''] =
		FIRST_LINE.exec(
			lines.read('be a plain host and “wants you to sign in with your Ethereum account:”', (line) =>
				isPlainAuthority(FIRST_LINE.exec(line)?.[2] ?? ''),
			),
		) ?? [];
	const address = lines.read('be an address in its EIP-55 spelling', isEip55);
	readEmpty();
	const statement = readStatement(lines);
	readEmpty();
	const message = {
		...{ scheme, domain, address, statement },
		uri: lines.readAfter('URI: ', 'a URI with a plain host', isUri),
		version: lines.readAfter('Version: ', '1', (value) => value === '1'),
		chainId: Number(lines.readAfter('Chain ID: ', 'a whole number above 0', isChainId)),
		nonce: lines.readAfter('Nonce: ', 'at least 8 letters and digits, nothing else', (value) =>
			/^[A-Za-z0-9]{8,}$/.test(value),
		),
		issuedAt: lines.readAfter('Issued At: ', ...time),
		expirationTime: lines.readAfterIf('Expiration Time: ', ...time),
		notBefore: lines.readAfterIf('Not Before: ', ...time),
		requestId: lines.readAfterIf('Request ID: ', 'an identifier without spaces', (value) =>
			REQUEST_ID.test(value),
		),
		resources: readResources(lines),
	};
	if (lines.peek() === undefined) return message;
	return lines.refuse('be Expiration Time, Not Before, Request ID or Resources, in this order');
}

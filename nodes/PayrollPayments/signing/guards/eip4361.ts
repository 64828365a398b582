import { getAddress } from 'viem/utils';

import { quoted, safeExcerpt, type Redact } from '../../shared/redaction';
import { refuseToSign } from '../signature';

export type SignInMessage = ReturnType<typeof parseSignInMessage>;

const LONGEST = { message: 8192, quote: 99 };
const SCHEME = '[A-Za-z][A-Za-z0-9+.-]*';
const FIRST_LINE = new RegExp(
	`^(?:(?<scheme>${SCHEME})://)?(?<domain>\\S+) wants you to sign in with your Ethereum account:$`,
);
/** Narrower than EIP-4361, where user names and punctuation can make one host look like another. */
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._~-]+)(?::\d{1,5})?$/;
const NOT_IN_STATEMENT = /[^A-Za-z0-9._~:/?#[\]@!$&'()*+,;= -]/u;
const PCHAR = "[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}";
/** RFC 3986. */
const URI = new RegExp(
	`^(?<scheme>${SCHEME}):(?://(?<authority>[^/?#]*)|(?!//))(?:[/?]|${PCHAR})*(?:#(?:[/?]|${PCHAR})*)?$`,
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
	const { scheme, authority } = URI.exec(value)?.groups ?? {};
	const isPlain = isPlainAuthority(authority ?? 'none');
	return scheme !== undefined && isPlain ? { scheme, authority } : undefined;
}

/** Milliseconds since 1970; NaN for what isn't a time, for leap seconds and for unusual spellings. */
export function timeOf(value: string): number {
	const day = Date.parse(String(TIME.exec(value)?.[1]));
	/* Date.parse takes February 30 for March 2. */
	const isDay = !Number.isNaN(day) && value.startsWith(new Date(day).toISOString().slice(0, 10));
	return isDay ? Date.parse(value) : NaN;
}

/** Takes a text that is valid as it is. */
const only = (isValid: (text: string) => boolean) => (text: string) =>
	isValid(text) ? text : undefined;

const uri = only((text) => readUri(text) !== undefined);
const time = only((text) => !Number.isNaN(timeOf(text)));
const empty = only((text) => text === '');
const version = only((text) => text === '1');
const nonce = only((text) => /^[A-Za-z0-9]{8,}$/.test(text));
const requestId = only((text) => REQUEST_ID.test(text));
const eip55 = only((text) => /^0x[0-9a-fA-F]{40}$/.test(text) && getAddress(text) === text);

function chainId(text: string): number | undefined {
	const id = Number(text);
	return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(id) ? id : undefined;
}

function firstLine(text: string) {
	const { scheme, domain } = FIRST_LINE.exec(text)?.groups ?? {};
	return domain !== undefined && isPlainAuthority(domain) ? { scheme, domain } : undefined;
}

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
		const found =
			line === undefined
				? 'is missing'
				: `is ${quoted(safeExcerpt(line, this.redact, LONGEST.quote))}`;
		return malformed(`Line ${this.at + 1} of the sign-in message must ${rule}, but ${found}`);
	}

	read<Value>(rule: string, parse: (line: string) => Value | undefined): Value {
		const line = this.peek();
		const value = line === undefined ? undefined : parse(line);
		if (value === undefined) return this.refuse(rule);
		this.at += 1;
		return value;
	}

	/** What follows the label. */
	readAfter<Value>(label: string, what: string, parse: (text: string) => Value | undefined): Value {
		return this.read(`be “${label}” and ${what}`, (line) =>
			line.startsWith(label) ? parse(line.slice(label.length)) : undefined,
		);
	}

	/** The same for a line that may be left out. */
	readAfterIf(
		label: string,
		what: string,
		parse: (text: string) => string | undefined,
	): string | undefined {
		return this.peek()?.startsWith(label.trim()) ? this.readAfter(label, what, parse) : undefined;
	}
}

function readStatement(lines: Lines): string | undefined {
	/* Without a statement, one empty line precedes the URI; siwe writes an empty statement as two. */
	if (lines.peek() === '' && lines.peek(1) !== '') return undefined;
	const odd = lines.peek()?.match(NOT_IN_STATEMENT)?.[0];
	const rule = odd === undefined ? 'be a statement' : `be a statement without ${quoted(odd)}`;
	return lines.read(rule, (line) => (odd === undefined ? line : undefined));
}

function readResources(lines: Lines): string[] | undefined {
	if (lines.readAfterIf('Resources:', 'nothing else', empty) === undefined) return undefined;
	const resources: string[] = [];
	while (lines.peek() !== undefined) {
		resources.push(lines.readAfter('- ', 'a URI with a plain host', uri));
	}
	return resources;
}

/**
 * Parses a sign-in message (https://eips.ethereum.org/EIPS/eip-4361); stricter about size, hosts, chain
 * IDs and times. Line ends may be CRLF, and the last line may have one.
 * @param redact what errors quote goes through it first
 */
export function parseSignInMessage(text: string, redact: Redact) {
	if (text.length > LONGEST.message) {
		malformed(`The sign-in message has more than ${LONGEST.message} characters`);
	}
	const lines = new Lines(text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n'), redact);
	const aTime = ['a time, e.g. 2026-11-21T12:00:00Z', time] as const;
	const { scheme, domain } = lines.read(
		'be a plain host and “wants you to sign in with your Ethereum account:”',
		firstLine,
	);
	const address = lines.read('be an address in its EIP-55 spelling', eip55);
	lines.read('be empty', empty);
	const statement = readStatement(lines);
	lines.read('be empty', empty);
	const message = {
		scheme,
		domain,
		address,
		statement,
		uri: lines.readAfter('URI: ', 'a URI with a plain host', uri),
		version: lines.readAfter('Version: ', '1', version),
		chainId: lines.readAfter('Chain ID: ', 'a whole number above 0', chainId),
		nonce: lines.readAfter('Nonce: ', 'at least 8 letters and digits, nothing else', nonce),
		issuedAt: lines.readAfter('Issued At: ', ...aTime),
		expirationTime: lines.readAfterIf('Expiration Time: ', ...aTime),
		notBefore: lines.readAfterIf('Not Before: ', ...aTime),
		requestId: lines.readAfterIf('Request ID: ', 'an identifier without spaces', requestId),
		resources: readResources(lines),
	};
	if (lines.peek() === undefined) return message;
	return lines.refuse('be Expiration Time, Not Before, Request ID or Resources, in this order');
}

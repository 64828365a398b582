import { getAddress } from 'viem/utils';

import { quoted, shorten, withoutSecrets } from '../../shared/redaction';
import { refuseToSign } from '../signature';

/** What a sign-in message says (https://eips.ethereum.org/EIPS/eip-4361). */
export interface SignInMessage {
	readonly scheme?: string;
	readonly domain: string;
	readonly address: string;
	/** siwe writes an empty one, which EIP-4361 doesn't have. */
	readonly statement?: string;
	readonly uri: string;
	readonly version: string;
	readonly chainId: number;
	readonly nonce: string;
	readonly issuedAt: string;
	readonly expirationTime?: string;
	readonly notBefore?: string;
	readonly requestId?: string;
	readonly resources?: readonly string[];
}

const LONGEST_MESSAGE = 8192;
/** Characters of a line that errors quote. */
const LONGEST_QUOTE = 99;

const SCHEME = '[A-Za-z][A-Za-z0-9+.-]*';
const FIRST_LINE = new RegExp(
	`^(?:(${SCHEME})://)?(\\S+) wants you to sign in with your Ethereum account:$`,
);
/** Narrower than EIP-4361, where user names and punctuation can make one host look like another. */
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._~-]+)(?::\d{1,5})?$/;
const PCHAR = "[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}";
/** RFC 3986. */
const URI = new RegExp(
	`^(${SCHEME}):(?://([^/?#]*)|(?!//))(?:[/?]|${PCHAR})*(?:#(?:[/?]|${PCHAR})*)?$`,
);
const REQUEST_ID = new RegExp(`^(?:${PCHAR})*$`);
const NOT_IN_STATEMENT = /["%<>\\^`{|}]/;
const TIME =
	/^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The URL parser decides which addresses and ports are valid. */
function isPlainAuthority(authority: string): boolean {
	return AUTHORITY.test(authority) && URL.canParse(`http://${authority}`);
}

/** The parts of a URI that errors and comparisons need. Undefined unless it's one with a plain host. */
export function readUri(value: string): { scheme: string; authority?: string } | undefined {
	const [, scheme = '', authority] = URI.exec(value) ?? [];
	const isPlain = authority === undefined || isPlainAuthority(authority);
	return scheme === '' || !isPlain ? undefined : { scheme, authority };
}

/** Milliseconds since 1970; NaN for what isn't a time, for leap seconds and for unusual spellings. */
export function timeOf(value: string): number {
	const [, day = ''] = TIME.exec(value) ?? [];
	/* Date.parse takes February 30 for March 2. */
	const start = Date.parse(`${day}T00:00:00Z`);
	const isDay = !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
	return isDay ? Date.parse(value) : NaN;
}

function isEip55(address: string): boolean {
	return /^0x[0-9a-fA-F]{40}$/.test(address) && getAddress(address) === address;
}

function isChainId(value: string): boolean {
	return /^[1-9]\d{0,15}$/.test(value) && Number.isSafeInteger(Number(value));
}

const isUri = (value: string) => readUri(value) !== undefined;
const isTime = (value: string) => !Number.isNaN(timeOf(value));
const A_TIME = 'a time, e.g. 2026-11-21T12:00:00Z';

function malformed(what: string): never {
	return refuseToSign(
		what,
		'Check the Base URL in the credentials. If it is correct, report this to the service: its message doesn’t follow EIP-4361.',
	);
}

/** The lines of a message, each read once and in order. */
class Lines {
	private at = 0;

	constructor(private readonly lines: readonly string[]) {
		const odd = lines.findIndex((line) => /[^\x20-\x7e]/.test(line));
		if (odd < 0) return;
		this.at = odd;
		this.refuse('have only printable ASCII characters');
	}

	refuse(rule: string): never {
		const line = this.lines[this.at];
		const found =
			line === undefined
				? 'is missing'
				: `is ${quoted(shorten(withoutSecrets(line), LONGEST_QUOTE))}`;
		return malformed(`Line ${this.at + 1} of the sign-in message must ${rule}, but ${found}`);
	}

	isAtEnd(): boolean {
		return this.at >= this.lines.length;
	}

	/** The line after the next one is looked at, not read. */
	peek(further = 0): string | undefined {
		return this.lines[this.at + further];
	}

	read(rule: string, isValid: (line: string) => boolean): string {
		const line = this.peek();
		if (line === undefined || !isValid(line)) return this.refuse(rule);
		this.at += 1;
		return line;
	}

	/** What follows the label. */
	readAfter(label: string, what: string, isValid: (value: string) => boolean): string {
		const line = this.read(
			`be “${label}” and ${what}`,
			(each) => each.startsWith(label) && isValid(each.slice(label.length)),
		);
		return line.slice(label.length);
	}

	/** The same for a line that may be left out. */
	readAfterIf(
		label: string,
		what: string,
		isValid: (value: string) => boolean,
	): string | undefined {
		const isThere = this.peek()?.startsWith(label.trim()) === true;
		return isThere ? this.readAfter(label, what, isValid) : undefined;
	}
}

function readStatement(lines: Lines): string | undefined {
	/* Without a statement, one empty line precedes the URI; with an empty one, two do. */
	if (lines.peek() === '' && lines.peek(1) !== '') return undefined;
	const [odd] = NOT_IN_STATEMENT.exec(lines.peek() ?? '') ?? [];
	const rule = odd === undefined ? 'be a statement, or empty' : `be a statement without ${odd}`;
	return lines.read(rule, () => odd === undefined);
}

function readResources(lines: Lines): string[] | undefined {
	if (lines.peek() !== 'Resources:') return undefined;
	lines.read('', () => true);
	const resources: string[] = [];
	while (!lines.isAtEnd()) resources.push(lines.readAfter('- ', 'a URI with a plain host', isUri));
	return resources;
}

/**
 * Parses EIP-4361; stricter about size, hosts, chain IDs and times. Line ends may be CRLF, and the last
 * line may have one: what is signed is the text as it came.
 */
export function parseSignInMessage(text: string): SignInMessage {
	if (text.length > LONGEST_MESSAGE) {
		malformed(`The sign-in message has more than ${LONGEST_MESSAGE} characters`);
	}
	const lines = new Lines(text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n'));
	const partsOf = (line: string) => FIRST_LINE.exec(line) ?? [];
	const first = lines.read(
		'be a plain host and “wants you to sign in with your Ethereum account:”',
		(line) => isPlainAuthority(partsOf(line)[2] ?? ''),
	);
	const [, scheme, domain = ''] = partsOf(first);
	const address = lines.read('be an address in its EIP-55 spelling', isEip55);
	const readEmpty = () => lines.read('be empty', (line) => line === '');
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
		issuedAt: lines.readAfter('Issued At: ', A_TIME, isTime),
		expirationTime: lines.readAfterIf('Expiration Time: ', A_TIME, isTime),
		notBefore: lines.readAfterIf('Not Before: ', A_TIME, isTime),
		requestId: lines.readAfterIf('Request ID: ', 'an identifier without spaces', (value) =>
			REQUEST_ID.test(value),
		),
		resources: readResources(lines),
	};
	if (!lines.isAtEnd()) {
		lines.refuse('be Expiration Time, Not Before, Request ID or Resources, in this order');
	}
	return message;
}

import { refuseToSign } from './refuseToSign';
import { isSameAddress, readAddress } from './signature';
import { quoted } from './typedData';
import type { Hex } from './wallet';

/** A sign-in message (EIP-4361). Times are as they stand in the text. */
export interface SignInMessage {
	/** Of the origin that asks, before `://` where the message has one. */
	scheme?: string;
	/** Host and perhaps port. */
	domain: string;
	/** With its EIP-55 checksum, whatever the text's. */
	address: Hex;
	statement?: string;
	uri: string;
	version: '1';
	chainId: number;
	nonce: string;
	issuedAt: string;
	expirationTime?: string;
	notBefore?: string;
	requestId?: string;
	resources?: string[];
}

export interface SignInExpectation {
	/** The wallet that is asked to sign. */
	walletAddress: string;
	/** The only domain that the message may name; its URI must then have that host. */
	domain?: string;
	/** The only chain that the message may name. */
	chainId?: number;
	/** Where the message came from, for errors. */
	baseUrl: string;
	/** Milliseconds; default: the clock. */
	now?: number;
}

/** How far the service's clock may run ahead of this one, in milliseconds. */
const CLOCK_SKEW = 5 * 60 * 1000;
const LONGEST_MESSAGE = 8192;

// The grammar of EIP-4361 and, for URIs, of RFC 3986. User names in authorities are left out: they
// serve to make one host look like another.
const PCHAR = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";
const HOST = String.raw`(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._~-]+)`;
const AUTHORITY = `${HOST}(?::\\d{1,5})?`;
const SCHEME = '[A-Za-z][A-Za-z0-9+.-]*';
const TAIL = `(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?`;
const HEADER = new RegExp(
	`^(?:(${SCHEME})://)?(${AUTHORITY}) wants you to sign in with your Ethereum account:$`,
);
const URI = new RegExp(
	`^${SCHEME}:(?://${AUTHORITY}(?:/${PCHAR}*)*|/?${PCHAR}+(?:/${PCHAR}*)*|/)?${TAIL}$`,
);
const URI_AUTHORITY = new RegExp(`^(${SCHEME})://(${AUTHORITY})(?:[/?#]|$)`);
const STATEMENT = /^[A-Za-z0-9 ._~:/?#[\]@!$&'()*+,;=-]+$/;
const NONCE = /^[A-Za-z0-9]{8,}$/;
const CHAIN_ID = /^[1-9]\d{0,15}$/;
const REQUEST_ID = new RegExp(`^${PCHAR}*$`);
const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const DATE_TIME = new RegExp(
	String.raw`^(\d{4}-\d{2}-\d{2})T${CLOCK}:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]${CLOCK})$`,
);

function malformed(what: string): never {
	return refuseToSign(`The sign-in message is not as EIP-4361 wants it: ${what}`, {
		field: 'baseUrl',
		hint: 'Check the base URL: the message does not look like one of the service.',
	});
}

/** Milliseconds since 1970, or undefined where the text is no RFC 3339 time on the calendar. */
function readTime(value: string): number | undefined {
	const day = DATE_TIME.exec(value)?.[1];
	const midnight = day === undefined ? NaN : Date.parse(`${day}T00:00:00Z`);
	// Date.parse takes 30 February for 1 March.
	if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) {
		return undefined;
	}
	return Date.parse(value);
}

/** Hands out the lines one by one; what is left at the end does not belong to the message. */
class Lines {
	private position = 0;
	constructor(private readonly lines: readonly string[]) {}

	next(): string | undefined {
		return this.lines[this.position++];
	}

	/** The rest of the next line if it begins with the label; otherwise the line stays. */
	optional(label: string): string | undefined {
		const line = this.lines[this.position];
		if (!line?.startsWith(label)) return undefined;
		this.position += 1;
		return line.slice(label.length);
	}

	required(label: string): string {
		const name = label.replace(': ', '');
		return this.optional(label) ?? malformed(`the line ${name} is missing or out of place`);
	}

	empty(): void {
		if (this.next() !== '') malformed('an empty line is missing');
	}

	end(): void {
		const line = this.lines[this.position];
		if (line === undefined) return;
		malformed(`the line ${quoted(line)} does not belong`);
	}
}

/** Only the URL parser knows which texts in brackets are IPv6 addresses. */
function hasOnlyRealHosts(authorityOrUri: string): boolean {
	const literal = /\[.*\]/.exec(authorityOrUri)?.[0];
	return literal === undefined || URL.canParse(`http://${literal}`);
}

function isUri(value: string): boolean {
	return URI.test(value) && hasOnlyRealHosts(value);
}

function matching(value: string, pattern: RegExp, name: string): string {
	return pattern.test(value) ? value : malformed(`its ${name} is not valid`);
}

function optionalTime(lines: Lines, label: string): string | undefined {
	const value = lines.optional(label);
	if (value !== undefined && readTime(value) === undefined) malformed(`the line ${label}is no time`);
	return value;
}

function readStatement(lines: Lines): string | undefined {
	lines.empty();
	const line = lines.next() ?? malformed('it ends too early');
	if (line === '') return undefined;
	lines.empty();
	return matching(line, STATEMENT, 'statement');
}

function readResources(lines: Lines): string[] | undefined {
	const rest = lines.optional('Resources:');
	if (rest === undefined) return undefined;
	if (rest !== '') malformed('its resources are not a list');
	const resources: string[] = [];
	for (;;) {
		const resource = lines.optional('- ');
		if (resource === undefined) return resources;
		if (!isUri(resource)) malformed('one of its resources is no URI');
		resources.push(resource);
	}
}

/**
 * Parses a sign-in message by the letter of EIP-4361: every line in its place, none besides, ASCII
 * only. Stricter in one thing (no user name before a host) and laxer in one: the address may be in
 * any case.
 *
 * Raises a {@link Refusal} that says what is wrong.
 */
export function parseSignInMessage(text: string): SignInMessage {
	if (text.length > LONGEST_MESSAGE) malformed(`it has more than ${LONGEST_MESSAGE} characters`);
	if (/[^\x20-\x7e\n]/.test(text)) {
		malformed('it holds control characters, or characters outside ASCII');
	}
	const lines = new Lines(text.split('\n'));
	const [, scheme, domain] = HEADER.exec(lines.next() ?? '') ?? [];
	if (domain === undefined || !hasOnlyRealHosts(domain)) {
		return malformed('it does not begin with a domain and the usual words');
	}
	const address = readAddress(lines.next() ?? '') ?? malformed('its address is not valid');
	const statement = readStatement(lines);
	const uri = lines.required('URI: ');
	if (!isUri(uri)) malformed('its URI is not valid');
	const version = lines.required('Version: ');
	if (version !== '1') return malformed('its version is not 1');
	const chainId = Number(matching(lines.required('Chain ID: '), CHAIN_ID, 'chain ID'));
	if (!Number.isSafeInteger(chainId)) malformed('its chain ID is not valid');
	const nonce = matching(lines.required('Nonce: '), NONCE, 'nonce (8 letters and digits at least)');
	const issuedAt = lines.required('Issued At: ');
	if (readTime(issuedAt) === undefined) malformed('the line Issued At: is no time');
	const expirationTime = optionalTime(lines, 'Expiration Time: ');
	const notBefore = optionalTime(lines, 'Not Before: ');
	const requestId = lines.optional('Request ID: ');
	if (requestId !== undefined) matching(requestId, REQUEST_ID, 'request ID');
	const resources = readResources(lines);
	lines.end();
	return {
		scheme,
		domain,
		address,
		statement,
		uri,
		version,
		chainId,
		nonce,
		issuedAt,
		expirationTime,
		notBefore,
		requestId,
		resources,
	};
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** An authority in lower case, without the port that its scheme implies. */
function hostOf(authority: string, scheme: string): string {
	const host = authority.toLowerCase();
	const port = DEFAULT_PORTS[scheme.toLowerCase()] ?? '';
	return port !== '' && host.endsWith(port) ? host.slice(0, -port.length) : host;
}

function checkDomain(message: SignInMessage, expected: string, baseUrl: string): void {
	const given = quoted(message.domain);
	if (message.domain.toLowerCase() !== expected.toLowerCase()) {
		refuseToSign(
			`The service at ${baseUrl} asked to sign in at ${given}, not at ${expected}`,
			{
				field: 'signInDomain',
				hint: 'If the service has moved, correct the sign-in domain in the credentials.',
			},
		);
	}
	const [, scheme = '', authority = ''] = URI_AUTHORITY.exec(message.uri) ?? [];
	if (hostOf(authority, scheme) !== hostOf(expected, scheme)) {
		refuseToSign(
			`The sign-in message is for ${expected}, but its URI ${quoted(message.uri)} has another host`,
			{ field: 'signInDomain', hint: 'Ask the service; its message contradicts itself.' },
		);
	}
}

function checkTimes(message: SignInMessage, now: number): void {
	const clock = {
		field: 'baseUrl',
		hint: 'Check the clock of this machine, and try again.',
	};
	const { issuedAt, notBefore, expirationTime } = message;
	const after = (time: string | undefined, limit: number) =>
		time !== undefined && (readTime(time) ?? Infinity) > limit;
	if (expirationTime !== undefined && !after(expirationTime, now)) {
		refuseToSign(`The sign-in message expired at ${expirationTime}`, clock);
	}
	if (after(notBefore, now + CLOCK_SKEW)) {
		refuseToSign(`The sign-in message is not valid before ${notBefore}`, clock);
	}
	if (after(issuedAt, now + CLOCK_SKEW)) {
		refuseToSign(`The sign-in message was issued in the future, at ${issuedAt}`, clock);
	}
}

/**
 * Parses a sign-in message and holds it to what is expected: this wallet's address, the domain and
 * the chain where they are set, not expired, and not before its time (5 minutes' grace for clocks
 * that differ).
 *
 * Raises a {@link Refusal} that says which check failed.
 */
export function checkSignInMessage(text: string, expectation: SignInExpectation): SignInMessage {
	const message = parseSignInMessage(text);
	const { walletAddress, domain, chainId, baseUrl, now = Date.now() } = expectation;
	if (!isSameAddress(message.address, walletAddress)) {
		refuseToSign(
			`The sign-in message is for the wallet ${message.address}, not for ${walletAddress}`,
			{
				field: 'walletAddress',
				hint: 'Check the wallet address and the platform identifier in the credentials.',
			},
		);
	}
	if (domain) checkDomain(message, domain, baseUrl);
	if (chainId && message.chainId !== chainId) {
		refuseToSign(
			`The sign-in message names the chain ${message.chainId}, not ${chainId}`,
			{
				field: 'signInChainId',
				hint: 'If the service has moved, correct the sign-in chain in the credentials.',
			},
		);
	}
	checkTimes(message, now);
	return message;
}

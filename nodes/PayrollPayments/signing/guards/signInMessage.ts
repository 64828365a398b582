import { ParsedMessage } from '@spruceid/siwe-parser';

import { quoted } from '../../shared/redaction';
import { isSameAddress, refuseToSign } from '../signature';

interface SignInExpectation {
	/** The wallet that is asked to sign. */
	walletAddress: string;
	/** The only domain that the message may name; its URI must then have that host. */
	domain?: string;
	/** The only chain that the message may name. */
	chainId?: number;
	/** Where the message came from, for errors. */
	baseUrl: string;
	/** Milliseconds since 1970. Default: the clock. */
	now?: number;
}

/** How far this machine's clock and the service's may be apart, in milliseconds. */
const CLOCK_TOLERANCE = 5 * 60 * 1000;
const LONGEST_MESSAGE = 8192;

// Stricter than EIP-4361's grammar, which also allows user names and punctuation that can make one
// host look like another.
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._~-]+)(?::\d{1,5})?$/;
const URI_AUTHORITY = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/;
// siwe's parser also takes small letters, and any number of digits after the second.
const USUAL_TIME = /T[\d:]{8}(?:\.\d{1,9})?[Z+-]/;
/** The part that siwe's parser reports as wrong. It quotes nothing of the message but addresses. */
const PARSER_FAULT = /^line \d+: ([A-Za-z0-9 -]{1,100})$/m;

function malformed(what: string): never {
	return refuseToSign(
		`The sign-in message isn’t a valid EIP-4361 message: ${what}`,
		'Check the Base URL in the credentials: the message may not come from the service.',
	);
}

/**
 * Milliseconds since 1970, of a time on a day that siwe's parser has found to exist. NaN for a leap
 * second, and for spellings that other libraries may refuse.
 */
function readTime(value = ''): number {
	return USUAL_TIME.test(value) ? Date.parse(value) : NaN;
}

function parse(text: string): ParsedMessage {
	try {
		return new ParsedMessage(text);
	} catch (error) {
		const fault = error instanceof Error ? PARSER_FAULT.exec(error.message)?.[1] : undefined;
		return malformed(fault ?? 'a line is missing, out of place or misspelled');
	}
}

/** The message as EIP-4361 text. */
function textOf(message: ParsedMessage): string {
	const { scheme, domain, statement, expirationTime, notBefore, requestId, resources } = message;
	const optional = (label: string, value: string | undefined) =>
		value === undefined ? [] : [`${label}: ${value}`];
	return [
		`${scheme === undefined ? '' : `${scheme}://`}${domain} wants you to sign in with your Ethereum account:`,
		message.address,
		'',
		...(statement === undefined ? [] : [statement]),
		'',
		`URI: ${message.uri}`,
		`Version: ${message.version}`,
		`Chain ID: ${message.chainId}`,
		`Nonce: ${message.nonce}`,
		`Issued At: ${message.issuedAt}`,
		...optional('Expiration Time', expirationTime),
		...optional('Not Before', notBefore),
		...optional('Request ID', requestId),
		...(resources === undefined ? [] : ['Resources:', ...resources.map((each) => `- ${each}`)]),
	].join('\n');
}

/** The URL parser decides which addresses and ports are valid. */
function isPlainAuthority(authority: string): boolean {
	return AUTHORITY.test(authority) && URL.canParse(`http://${authority}`);
}

/** Parses with siwe's EIP-4361 grammar; stricter about size, characters, hosts, chain IDs and times. */
export function parseSignInMessage(text: string): ParsedMessage {
	if (text.length > LONGEST_MESSAGE) malformed(`it has more than ${LONGEST_MESSAGE} characters`);
	if (/[^\x20-\x7e\n]/.test(text)) {
		malformed('it contains control characters, or characters outside ASCII');
	}
	const message = parse(text);
	const { domain, uri, chainId, issuedAt, expirationTime, notBefore, resources = [] } = message;
	// Ensures that only checked fields are signed; siwe also rebuilds the text to verify signatures.
	if (textOf(message) !== text) {
		malformed('its chain ID, or another field, is spelled in an unusual way');
	}
	const hosts = [uri, ...resources].map((each) => URI_AUTHORITY.exec(each)?.[2] ?? 'none');
	if (![domain, ...hosts].every(isPlainAuthority)) {
		malformed('the host of its domain, URI or a resource isn’t a plain host');
	}
	if (!Number.isSafeInteger(chainId) || chainId < 1) malformed('its chain ID isn’t valid');
	for (const time of [issuedAt, expirationTime, notBefore]) {
		if (time !== undefined && Number.isNaN(readTime(time))) {
			malformed(`${quoted(time)} isn’t a valid time`);
		}
	}
	return message;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** In lower case, without the port that the scheme implies. */
function hostOf(authority: string, scheme: string): string {
	const host = authority.toLowerCase();
	const port = DEFAULT_PORTS[scheme.toLowerCase()] ?? '';
	return port !== '' && host.endsWith(port) ? host.slice(0, -port.length) : host;
}

function checkDomain(message: ParsedMessage, expected: string, baseUrl: string): void {
	const given = quoted(message.domain);
	if (message.domain.toLowerCase() !== expected.toLowerCase()) {
		refuseToSign(
			`The service at ${baseUrl} asked to sign in at ${given}, not at ${expected}`,
			'If the service has moved, change Sign-In Domain in the credentials.',
		);
	}
	const [, scheme = '', authority = ''] = URI_AUTHORITY.exec(message.uri) ?? [];
	if (hostOf(authority, scheme) !== hostOf(message.domain, scheme)) {
		refuseToSign(
			`The sign-in message is for ${expected}, but its URI ${quoted(message.uri)} has another host`,
			'Report this to the service: its message contradicts itself.',
		);
	}
}

function checkTimes(message: ParsedMessage, now: number): void {
	const { issuedAt, notBefore, expirationTime } = message;
	/* A missing time reads as NaN, which is neither before nor after any other. */
	const fault = [
		readTime(expirationTime) <= now - CLOCK_TOLERANCE && `expired at ${expirationTime}`,
		readTime(notBefore) > now + CLOCK_TOLERANCE && `is not valid before ${notBefore}`,
		readTime(issuedAt) > now + CLOCK_TOLERANCE && `was issued in the future, at ${issuedAt}`,
	].find((each) => each !== false);
	if (fault === undefined) return;
	refuseToSign(
		`The sign-in message ${fault}, and the clock of this machine says ${new Date(now).toISOString()}`,
		'Check the clock of the machine that n8n runs on, then try again.',
	);
}

/** Signing such a resource (EIP-5573) would let its holder act as the wallet. */
function checkResources({ resources }: ParsedMessage): void {
	const decoded = (uri: string) =>
		uri.replace(/%[0-7][0-9a-f]/gi, (escape) =>
			String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
		);
	const delegation = resources?.find((resource) => /^urn:recap:/i.test(decoded(resource)));
	if (delegation === undefined) return;
	refuseToSign(
		`The sign-in message delegates rights of the wallet, with ${quoted(delegation)}`,
		'Signing in doesn’t need this. Ask the service why its message contains it.',
	);
}

/** Parses a sign-in message, and refuses it unless the wallet may sign it. */
export function checkSignInMessage(text: string, expectation: SignInExpectation): ParsedMessage {
	const message = parseSignInMessage(text);
	const { walletAddress, domain, chainId, baseUrl, now = Date.now() } = expectation;
	if (!isSameAddress(message.address, walletAddress)) {
		refuseToSign(
			`The sign-in message is for the wallet ${message.address}, not for ${walletAddress}`,
			'Check Wallet Address and Platform ID in the credentials.',
		);
	}
	if (domain) checkDomain(message, domain, baseUrl);
	if (chainId && message.chainId !== chainId) {
		refuseToSign(
			`The sign-in message names the chain ${message.chainId}, not ${chainId}`,
			'If the service has moved, change Sign-In Chain ID in the credentials.',
		);
	}
	checkResources(message);
	checkTimes(message, now);
	return message;
}

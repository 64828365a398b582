import { quoted, type Redact } from '../../shared/redaction';
import { isSameAddress, refuseToSign } from '../signature';
import { parseSignInMessage, readUri, timeOf, type SignInMessage } from './eip4361';

interface SignInExpectation {
	/** The wallet that is asked to sign. */
	readonly walletAddress: string;
	/** The only domain that the message may name; its URI must then have that host, or a related one. */
	readonly domain?: string;
	/** The only chain that the message may name. */
	readonly chainId?: number;
	/** Where the message came from. */
	readonly baseUrl: string;
	/** Milliseconds since 1970. Default: the clock. */
	readonly now?: number;
	/** Removes secrets from what errors quote of the message. */
	readonly redact: Redact;
}

/** How far this machine's clock and the service's may be apart, in milliseconds. */
const CLOCK_TOLERANCE = 5 * 60 * 1000;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** In lower case, without the port that the scheme implies. */
function withoutDefaultPort(authority: string, scheme: string): string {
	const host = authority.toLowerCase();
	const port = DEFAULT_PORTS[scheme.toLowerCase()];
	return port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host;
}

function checkSignInDomain(
	{ domain, scheme: signInScheme = 'https', uri }: SignInMessage,
	expected: string,
	baseUrl: string,
): void {
	const [named, wanted] = [domain, expected].map((each) => withoutDefaultPort(each, signInScheme));
	if (named !== wanted) {
		refuseToSign(
			`The service at ${baseUrl} asked to sign in at ${quoted(domain)}, not at ${quoted(expected)}`,
			'Another site may be asking for this signature: ask your provider why, before you change Sign-In Domain in the credentials.',
		);
	}
	const { scheme = '', authority = '' } = readUri(uri) ?? {};
	const [host, own] = [withoutDefaultPort(authority, scheme), withoutDefaultPort(domain, scheme)];
	if (host === own || host.endsWith(`.${own}`) || host === new URL(baseUrl).host) return;
	refuseToSign(
		`The sign-in message is for ${expected}, but its URI ${quoted(uri)} has another host`,
		'Report this to the service: its message contradicts itself.',
	);
}

function checkTimes(message: SignInMessage, now: number): void {
	const { issuedAt, notBefore, expirationTime } = message;
	/* A missing time reads as NaN, which is neither before nor after any other. */
	const fault = [
		timeOf(String(expirationTime)) <= now - CLOCK_TOLERANCE && `expired at ${expirationTime}`,
		timeOf(String(notBefore)) > now + CLOCK_TOLERANCE && `is not valid before ${notBefore}`,
		timeOf(issuedAt) > now + CLOCK_TOLERANCE && `was issued in the future, at ${issuedAt}`,
	].find((each) => each !== false);
	if (fault === undefined) return;
	refuseToSign(
		`The sign-in message ${fault}, and the clock of this machine says ${new Date(now).toISOString()}`,
		'Check the clock of the machine that n8n runs on, then try again.',
	);
}

/** Signing such a resource (EIP-5573) would let its holder act as the wallet. */
function checkResources({ resources }: SignInMessage): void {
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

/**
 * Parses a sign-in message, and refuses it unless the wallet may sign it. What is signed and sent back
 * is the text as it came, line ends included: the signature must recover over what the service gets.
 */
export function checkSignInMessage(text: string, expectation: SignInExpectation): SignInMessage {
	const message = parseSignInMessage(text, expectation.redact);
	const { walletAddress, domain, chainId, baseUrl, now = Date.now() } = expectation;
	if (!isSameAddress(message.address, walletAddress)) {
		refuseToSign(
			`The sign-in message is for the wallet ${message.address}, not for ${walletAddress}`,
			'Check Wallet Address and Platform ID in the credentials.',
		);
	}
	if (domain) checkSignInDomain(message, domain, baseUrl);
	if (chainId && message.chainId !== chainId) {
		refuseToSign(
			`The sign-in message names the chain ${message.chainId}, not ${chainId}`,
			'Ask your provider why, before you change Sign-In Chain ID in the credentials.',
		);
	}
	checkResources(message);
	checkTimes(message, now);
	return message;
}

import { SiweMessage } from 'siwe';

import {
	checkSignInMessage,
	parseSignInMessage,
} from '../../../nodes/PayrollPayments/signing/guards/signInMessage';
import { refusalOf } from '../../support/refusals';
import { address, expectation, LINES, meaning, MESSAGE, other } from './genuineMessage';

/** The message with the line that begins with `start` put as `line`, or left out. */
function having(start: string, line?: string): string {
	const position = LINES.findIndex((one) => one.startsWith(start));
	if (position < 0) throw new Error(`no line begins with ${start}`);
	return LINES.toSpliced(position, 1, ...(line === undefined ? [] : [line])).join('\n');
}

const check = (text: string, more: { domain?: string; chainId?: number } = {}) =>
	checkSignInMessage(text, { ...expectation, ...more });
const refusal = (text: string, more: { domain?: string; chainId?: number } = {}) =>
	refusalOf(() => check(text, more));
const DOMAIN = 'app.payroll.example';
/** The message at another domain: in its first line, or wherever it is named. */
const at = (domain: string) => MESSAGE.replace(DOMAIN, domain);
const everywhereAt = (domain: string) => MESSAGE.replaceAll(DOMAIN, domain);
const withUri = (uri: string) => having('URI', `URI: ${uri}`);
const expiring = (time: string) => having('Expiration', `Expiration Time: ${time}`);

describe('parsing a sign-in message', () => {
	const HOST = 'the host of its domain, URI or a resource isn’t a plain host';
	const UNUSUAL = 'its chain ID, or another field, is spelled in an unusual way';
	const MISSING = 'a line is missing, out of place or misspelled';

	it.each([
		['domain cannot be empty', ''],
		[MISSING, LINES.toSpliced(2, 1).join('\n')],
		['it has more than 8192 characters', having('Sign in', 'a'.repeat(9000))],
		['invalid version', having('Version', 'Version: 2')],
		['invalid nonce', having('Nonce', 'Nonce: abc1234')],
		['invalid URI', withUri('here')],
		['invalid chain-id', having('Chain ID', 'Chain ID: x')],
		['its chain ID isn’t valid', having('Chain ID', 'Chain ID: 0')],
		['its chain ID isn’t valid', having('Chain ID', 'Chain ID: 9007199254740992')],
		[UNUSUAL, having('Chain ID', 'Chain ID: 042161')],
		[`invalid EIP-55 address - ${address.toLowerCase()}`, having(address, address.toLowerCase())],
		[HOST, at('app,payroll.example')],
		[HOST, at('app.payroll.example:65536')],
		[HOST, at('app.payroll.example:')],
		[HOST, at('1.2.3.256')],
		[HOST, withUri('https://a,b.example/')],
		[HOST, withUri('a+1.b-2://name@b.example/')],
		[HOST, `${MESSAGE}\n- https://name@b.example/`],
		['invalid issued-at date time syntax', having('Issued At', 'Issued At: yesterday')],
		['invalid issued-at date time semantics', having('Issued', 'Issued At: 2026-02-30T11:59:30Z')],
		...[
			['Issued At', '2026-11-21t11:59:30Z'],
			['Not Before', '2026-11-21T11:59:30z'],
			['Expiration Time', '2026-11-21T12:10:60Z'],
			['Not Before', '2026-11-21T11:59:30.1234567890Z'],
		].map(([label = '', time = '']) => [
			`"${time}" isn’t a valid time`,
			having(label, `${label}: ${time}`),
		]),
	])('says: %s', (words, text) => {
		expect(refusal(text)).toMatchObject({
			message: `The sign-in message isn’t a valid EIP-4361 message: ${words}`,
			hint: 'Check the Base URL in the credentials: the message may not come from the service. Nothing was signed.',
		});
	});

	const swapped = LINES.toSpliced(8, 2, ...LINES.slice(8, 10).reverse());

	/* Where siwe's grammar refuses, the property test beside this one compares with siwe itself. */
	it.each([
		['a web page', '<html><body>502 Bad Gateway</body></html>'],
		['no nonce', having('Nonce')],
		['two lines in the other order', swapped.join('\n')],
		['a line break in its statement', having('Sign in', 'I accept\nthe terms')],
		['a user name in its URI', withUri('https://app.payroll.example@evil.example/')],
		['a backslash in its URI', withUri('https:\\\\app.payroll.example/')],
		['an IPv6 host that is none', withUri('https://[1::2::3]/login')],
		['an escaped letter in its host', withUri('https://%61pp.payroll.example/login')],
		['a host of a coming IP version', withUri('https://[v1.a]/login')],
		['a chain in hex', having('Chain ID', 'Chain ID: 0xa4b1')],
		['24 o’clock', having('Issued At', 'Issued At: 2026-11-20T24:00:00Z')],
		['a line after its end', `${MESSAGE}\nI also transfer everything to evil.example`],
		['a statement that holds a field', having('Sign in', 'Hello\n\nURI: https://evil.example/')],
		['a user name before its domain', at('payroll.example@app.payroll.example')],
		['a path after its domain', at('app.payroll.example/login')],
		['an escaped letter in its domain', at('%61pp.payroll.example')],
		['an IPv6 domain that is none', at('[1:2]')],
		['an address in upper case', having(address, `0x${address.slice(2).toUpperCase()}`)],
		['an address with one letter in the wrong case', having(address, address.replace('D', 'd'))],
	])('refuses a message with %s', (_what, text) => {
		expect(refusal(text).message).toContain('EIP-4361');
	});

	it.each([...'\r\0\t\u007f\u0085\u00a0\u200b\u202e\u2028а\ud83d'])(
		'names what cannot be seen: %j',
		(hidden) => {
			for (const text of [MESSAGE + hidden, hidden + MESSAGE, MESSAGE.replace('Payroll', hidden)]) {
				expect(refusal(text).message).toContain(
					': it contains control characters, or characters outside ASCII',
				);
			}
		},
	);

	it('reads a message of 8,192 characters, and none that is longer', () => {
		const fill = (length: number) =>
			having('Sign in', 'a'.repeat(length - having('Sign in', '').length));
		expect(parseSignInMessage(fill(8192)).chainId).toBe(42161);
		expect(refusal(fill(8193)).message).toContain('more than 8192 characters');
	});

	it.each([
		...['2026-11-21T00:00:00Z', '2026-11-21T09:59:59Z', '2026-11-21T10:00:00+00:00'],
		...['2024-02-29T11:59:59.1Z', '2026-11-21T11:59:59.123456789Z', '2026-11-21T19:30:00+19:59'],
		'2026-11-20T23:59:59-05:00',
	])('reads the time %s', (time) => {
		expect(parseSignInMessage(having('Issued At', `Issued At: ${time}`)).issuedAt).toBe(time);
	});

	it('does not spend long on any message that it reads', () => {
		const longest = 7000;
		for (const text of [
			withUri(`https://${'a.'.repeat(longest / 2)}!`),
			withUri(`a:${'a/'.repeat(longest / 2)}"`),
			withUri(`a:${'%20'.repeat(longest / 3)}"`),
			having('Request', `Request ID: ${'a%20'.repeat(longest / 4)}"`),
		]) {
			expect(refusal(text).message).toContain('EIP-4361');
		}
	});
});

describe('checking a sign-in message', () => {
	it('takes the message for this wallet, whose address may be in any case', () => {
		for (const walletAddress of [address, address.toLowerCase()]) {
			const message = checkSignInMessage(MESSAGE, { ...expectation, walletAddress });
			expect(message.address).toBe(address);
		}
	});

	it.each([
		['', '\n\n\n\nURI'],
		[undefined, '\n\n\nURI'],
	])('takes the message that siwe writes with the statement %j', (statement, after) => {
		const fields = { ...meaning(parseSignInMessage(MESSAGE)), statement };
		const text = new SiweMessage(fields).toMessage();
		expect(text).toContain(`${address}${after}`);
		expect(check(text).statement).toBe(statement);
	});

	it.each([
		...['urn:recap:eyJhdHQiOnt9fQ', 'URN:Recap:eyJhdHQiOnt9fQ', 'urn:%72ecap:e30', 'urn:recap:'],
		...['urn:%72%65cap:e30', 'urn:rec%61p%3Ae30'],
	])('refuses to delegate rights: %s', (resource) => {
		for (const text of [`${MESSAGE}\n- ${resource}`, having('- ipfs', `- ${resource}`)]) {
			expect(refusal(text)).toMatchObject({
				message: `The sign-in message delegates rights of the wallet, with "${resource}"`,
				hint: 'Signing in doesn’t need this. Ask the service why its message contains it. Nothing was signed.',
			});
		}
	});

	it('takes resources that only mention recaps', () => {
		const text = `${MESSAGE}\n- urn:recaps:e30\n- https://payroll.example/urn:recap:e30`;
		expect(check(text).resources).toHaveLength(4);
	});

	it('refuses a message for another wallet, naming both', () => {
		expect(refusal(having(address, other.address))).toMatchObject({
			message: `The sign-in message is for the wallet ${other.address}, not for ${address}`,
			hint: 'Check Wallet Address and Platform ID in the credentials. Nothing was signed.',
		});
	});

	it('takes any domain and chain where none is set', () => {
		expect(check(everywhereAt('evil.example')).domain).toBe('evil.example');
	});

	it.each([
		['app.payroll.example', 'https://app.payroll.example/login'],
		['APP.payroll.example', 'https://app.PAYROLL.example'],
		['app.payroll.example', 'https://app.payroll.example:443/'],
		['app.payroll.example:8443', 'https://app.payroll.example:8443/#x'],
		['[2001:db8::7]:8443', 'https://[2001:db8::7]:8443/'],
		['localhost:3000', 'http://localhost:3000?a=b'],
		['app.payroll.example', 'HTTPS://app.payroll.example:443/'],
		['app.payroll.example', 'http://app.payroll.example:80/'],
		['app.payroll.example:443', 'https://app.payroll.example/'],
		['app.payroll.example', 'app+x.1://app.payroll.example'],
	])('takes the domain %s with the URI %s', (domain, uri) => {
		const text = withUri(uri).replace(DOMAIN, domain);
		expect(check(text, { domain }).uri).toBe(uri);
	});

	it.each([
		['another domain', everywhereAt('evil.example')],
		['another domain, its URI right', at('evil.payroll.example')],
		['a longer domain', everywhereAt('app.payroll.example.evil.example')],
		['a subdomain', everywhereAt('x.app.payroll.example')],
		['a port', everywhereAt('app.payroll.example:8443')],
		['a URI elsewhere', withUri('https://evil.example/login')],
		['a URI on another port', withUri('https://app.payroll.example:8443/login')],
		['a URI of another kind elsewhere', withUri('wss://evil.example/login')],
		['a URI with the port of another kind', withUri('http://app.payroll.example:443/')],
		['a URI of another kind with a port', withUri('wss://app.payroll.example:443/')],
		['a URI without a host', withUri('urn:app.payroll.example')],
		['a URI that ends with another', withUri('urn:https://app.payroll.example/')],
		['a URI with a path only', withUri('https:/app.payroll.example')],
		['a URI whose path holds the domain', withUri('https://e.example/app.payroll.example')],
	])('refuses, where the domain is set, a message with %s', (_what, text) => {
		expect(refusal(text, { domain: DOMAIN }).message).toMatch(/, not at |has another host$/);
	});

	it('says which domain was asked for, and which URI contradicts it', () => {
		const domain = DOMAIN;
		expect(refusal(everywhereAt('evil.example'), { domain })).toMatchObject({
			message: `The service at ${expectation.baseUrl} asked to sign in at "evil.example", not at ${domain}`,
			hint: 'If the service has moved, change Sign-In Domain in the credentials. Nothing was signed.',
		});
		expect(refusal(withUri('https://evil.example/'), { domain })).toMatchObject({
			message: `The sign-in message is for ${domain}, but its URI "https://evil.example/" has another host`,
			hint: 'Report this to the service: its message contradicts itself. Nothing was signed.',
		});
	});

	it('refuses another chain where one is set', () => {
		expect(refusal(MESSAGE, { chainId: 1 })).toMatchObject({
			message: 'The sign-in message names the chain 42161, not 1',
			hint: 'If the service has moved, change Sign-In Chain ID in the credentials. Nothing was signed.',
		});
		expect(check(MESSAGE, { chainId: 42161 }).chainId).toBe(42161);
	});

	it.each([
		['expired', expiring('2026-11-21T11:55:00.000Z'), 'expired'],
		['expired in another zone', expiring('2026-11-21T13:54:59+02:00'), 'expired'],
		['not yet valid', having('Not Before', 'Not Before: 2026-11-21T12:05:01Z'), 'not valid before'],
		['issued in the future', having('Issued At', 'Issued At: 2026-11-21T12:05:01Z'), 'future'],
		['issued in the far future', having('Issued At', 'Issued At: 9999-01-01T00:00:00Z'), 'future'],
	])('refuses a message that is %s, and names the clock of this machine', (_what, text, words) => {
		const { message, hint } = refusal(text);
		expect(message).toContain(words);
		expect(message).toContain('and the clock of this machine says 2026-11-21T12:00:00.000Z');
		expect(hint).toBe(
			'Check the clock of the machine that n8n runs on, then try again. Nothing was signed.',
		);
	});

	it.each([
		['one second to go', expiring('2026-11-21T12:00:01Z')],
		['no end', having('Expiration')],
		['an end less than 5 minutes ago', expiring('2026-11-21T11:55:00.001Z')],
		['a clock 5 minutes ahead', having('Issued At', 'Issued At: 2026-11-21T12:05:00Z')],
		['a start within 5 minutes', having('Not Before', 'Not Before: 2026-11-21T12:05:00Z')],
		['a time zone', expiring('2026-11-21T02:00:01-10:00')],
	])('takes a message with %s', (_what, text) => {
		expect(check(text).address).toBe(address);
	});
});

import { verifyMessage } from 'ethers';
import { SiweMessage } from 'siwe';

import { quoted } from '../../../nodes/PayrollPayments/shared/redaction';
import { privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { parseSignInMessage } from '../../../nodes/PayrollPayments/signing/guards/eip4361';
import { checkSignInMessage } from '../../../nodes/PayrollPayments/signing/guards/signInMessage';
import { refusalOf } from '../../support/refusals';
import { address, expectation, LINES, meaning, MESSAGE, other, privateKey } from './genuineMessage';

/** The message with the line that begins with `start` put as `line`, or left out. */
function having(start: string, line?: string): string {
	const position = LINES.findIndex((one) => one.startsWith(start));
	if (position < 0) throw new Error(`no line begins with ${start}`);
	return LINES.toSpliced(position, 1, ...(line === undefined ? [] : [line])).join('\n');
}

type More = Partial<Parameters<typeof checkSignInMessage>[1]>;
const check = (text: string, more: More = {}) =>
	checkSignInMessage(text, { ...expectation, ...more });
const refusal = (text: string, more: More = {}) => refusalOf(() => check(text, more));
const DOMAIN = 'app.payroll.example';
/** The message at another domain: in its first line, or wherever it is named. */
const at = (domain: string) => MESSAGE.replace(DOMAIN, domain);
const everywhereAt = (domain: string) => MESSAGE.replaceAll(DOMAIN, domain);
const withUri = (uri: string) => having('URI', `URI: ${uri}`);
const issued = (time: string) => having('Issued At', `Issued At: ${time}`);
const starting = (time: string) => having('Not Before', `Not Before: ${time}`);
const expiring = (time: string) => having('Expiration', `Expiration Time: ${time}`);

describe('parsing a sign-in message', () => {
	const FIRST = 'be a plain host and “wants you to sign in with your Ethereum account:”';
	const URI = 'be “URI: ” and a URI with a plain host';
	const NONCE = 'be “Nonce: ” and at least 8 letters and digits, nothing else';
	const CHAIN = 'be “Chain ID: ” and a whole number above 0';
	const TIME = 'and a time, e.g. 2026-11-21T12:00:00Z';
	const END = `be “Expiration Time: ” ${TIME}`;
	const REQUEST = 'be “Request ID: ” and an identifier without spaces';
	const RESOURCE = 'be “- ” and a URI with a plain host';
	const REST = 'be Expiration Time, Not Before, Request ID or Resources, in this order';
	const ADDRESS = 'be an address in its EIP-55 spelling';
	const swapped = LINES.toSpliced(8, 2, ...LINES.slice(8, 10).reverse());

	const withLine = (label: string, ...values: string[]) =>
		values.map((value) => having(label, `${label}: ${value}`));

	const NO_TIMES = [
		...['2026-02-30T11:59:30Z', '2026-13-01T11:59:30Z', '2026-11-20T24:00:00Z', '2026-11-21'],
		...['2026-11-21T11:59:30.1234567890Z', '2026-11-21T11:59:30.Z', '2026-11-21T11:59:30'],
		...['2026-11-21T11:59:30+24:00', '2026-11-21T11:59:30+0100', ' 2026-11-21T11:59:30Z'],
		...['2026-11-21T11:60:30Z', '2026-00-10T11:59:30Z', 'x2026-11-21T11:59:30Z'],
		...['2026-11-21(2026-11-21T11:59:30Z', '2026-11-21T11:59:30Z(x)', '2026-11-21T11:59:30Z (x)'],
	];

	const MALFORMED: ReadonlyArray<[line: number, rule: string, ...texts: string[]]> = [
		[1, FIRST, '', '<html><body>502 Bad Gateway</body></html>', ` ${MESSAGE}`, `x\n${MESSAGE}`],
		[1, FIRST, MESSAGE.replace(' account:', ''), at('app,payroll.example'), at('1.2.3.256')],
		[1, FIRST, at('app.payroll.example:65536'), at('app.payroll.example:'), at('[1:2]')],
		[1, FIRST, at('payroll.example@app.payroll.example'), at('%61pp.payroll.example')],
		[1, FIRST, at('app.payroll.example/login')],
		[2, ADDRESS, having(address)],
		[2, ADDRESS, having(address, address.toLowerCase())],
		[2, ADDRESS, having(address, `0x${address.slice(2).toUpperCase()}`)],
		[2, ADDRESS, having(address, address.replace('D', 'd'))],
		[2, ADDRESS, having(address, address.slice(0, -1))],
		[2, ADDRESS, having(address, `${address}0`), having(address, `x${address}`)],
		[3, 'be empty', LINES.toSpliced(2, 1).join('\n')],
		[4, 'be a statement', `${LINES.slice(0, 3).join('\n')}\n`],
		...[...'"%<>\\^`{|}'].map((odd): [number, string, string] => [
			4,
			`be a statement without ${JSON.stringify(odd)}`,
			having('Sign in', `a ${odd} b`),
		]),
		[5, 'be empty', having('Sign in', 'I accept\nthe terms')],
		[5, 'be empty', having('Sign in', 'Hello\nURI: https://evil.example')],
		[6, URI, having('Sign in', 'Hello\n\nURI : https://evil.example/'), having('URI')],
		[6, URI, ...withLine('URI', 'here', '', '1a://app.payroll.example', 'https:///login')],
		[6, URI, ...withLine('URI', 'https://app.payroll.example/a b', 'https://a,b.example/')],
		[6, URI, ...withLine('URI', 'https://app.payroll.example/%4', 'https://[v1.a]/login')],
		[6, URI, ...withLine('URI', 'https://app.payroll.example/#a#b', 'https://[1::2::3]/login')],
		[6, URI, ...withLine('URI', 'a+1.b-2://name@b.example/', 'https:\\\\app.payroll.example/')],
		[6, URI, ...withLine('URI', 'https://app.payroll.example@evil.example/')],
		[6, URI, ...withLine('URI', 'https://%61pp.payroll.example/login')],
		[7, 'be “Version: ” and 1', ...withLine('Version', '2')],
		[7, 'be “Version: ” and 1', having('Version', 'version: 1'), having('Version', 'Version:1')],
		[8, CHAIN, ...withLine('Chain ID', 'x', '', '0', '-1', '1.5', '042161', '0xa4b1', '1e3')],
		[8, CHAIN, ...withLine('Chain ID', '1 ', ' 1', '9007199254740992', '1'.repeat(17))],
		[9, NONCE, ...withLine('Nonce', 'abc1234', 'k3Fq81Zb-Y2aa', 'k3Fq81Zb Y2aa', '')],
		[9, NONCE, ...withLine('Nonce', 'k3Fq81Zb\u200b'), having('Nonce'), swapped.join('\n')],
		[10, `be “Issued At: ” ${TIME}`, issued('yesterday'), LINES.slice(0, 9).join('\n')],
		[11, END, having('Expiration', 'Expiration Time:2026-11-21T12:10:00Z')],
		[11, END, expiring('2026-11-21t11:59:30Z'), expiring('2026-11-21T11:59:30z')],
		[11, END, expiring('2026-11-21T12:10:60Z')],
		[12, `be “Not Before: ” ${TIME}`, ...NO_TIMES.map(starting)],
		[12, REST, LINES.toSpliced(10, 2, ...LINES.slice(10, 12).reverse()).join('\n')],
		[13, REQUEST, ...withLine('Request ID', 'a b')],
		[13, REST, having('Request', 'Request-ID: 7')],
		[14, REST, having('Resources', 'Resource:')],
		[14, 'be “Resources:” and nothing else', having('Resources', 'Resources: ')],
		[15, RESOURCE, having('- https', 'https://payroll.example/')],
		[17, RESOURCE, `${MESSAGE}\n- https://name@b.example/`, `${MESSAGE}\n\n`],
		[17, RESOURCE, `${MESSAGE}\nI also transfer everything`],
		[11, REST, LINES.toSpliced(10, 6, 'I also transfer everything').join('\n')],
	];

	it.each(
		MALFORMED.flatMap(([line, rule, ...texts]) => texts.map((text) => ({ line, rule, text }))),
	)(
		'refuses a message whose line $line must $rule, and quotes the line',
		({ line, rule, text }) => {
			const given = text.replace(/\n$/, '').split('\n')[line - 1];
			const found = given === undefined ? 'is missing' : `is ${quoted(given)}`;
			expect(refusal(text)).toMatchObject({
				message: `Line ${line} of the sign-in message must ${rule}, but ${found}`,
				hint: 'Check the Base URL in the credentials. If it is correct, report this to the service: its message doesn’t follow EIP-4361.',
			});
		},
	);

	it('quotes 99 characters of a line, and no secret', () => {
		const statement = (text: string, more: More = {}) =>
			refusal(having('Sign in', `"${text}`), more).message;
		const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
		expect(statement('a'.repeat(98))).toMatch(/, but is "\\"a{98}"$/);
		expect(statement('a'.repeat(99))).toMatch(/, but is "\\"a{98}…"$/);
		expect(statement(jwt)).toContain('but is "\\"[…]"');
		const redact = (line: string) => line.replace('the secret', '***');
		expect(statement('the secret', { redact })).toContain('but is "\\"***"');
	});

	it.each([...'\r\0\t\u007f\u0085\u00a0\u200b\u202e\u2028а\ud83d'])(
		'names the line with a character that cannot be seen: %j',
		(hidden) => {
			for (const [text, line] of [
				[MESSAGE + hidden, LINES.length],
				[hidden + MESSAGE, 1],
				[MESSAGE.replace(DOMAIN, `${hidden}${DOMAIN}`), 1],
				[MESSAGE.replace('Payroll', hidden), 4],
				[MESSAGE.replace('Nonce: ', `Nonce: ${hidden}`), 9],
			] as const) {
				expect(refusal(text).message).toContain(`Line ${line} of the sign-in message must be`);
			}
		},
	);

	it.each([
		['a line break at its end', `${MESSAGE}\n`],
		['CRLF line ends', LINES.join('\r\n')],
		['CRLF line ends, and one at its end', `${LINES.join('\r\n')}\r\n`],
	])('reads a message with %s like one without', async (_what, text) => {
		expect(parseSignInMessage(text, String)).toEqual(parseSignInMessage(MESSAGE, String));
		/* As it came, it is what the service has, so its signature is what the service can verify. */
		const signature = await privateKeyWallet({ privateKey }).signMessage(text);
		expect(verifyMessage(text, signature)).toBe(address);
	});

	it('reads a message of 8,192 characters, and none that is longer', () => {
		const fill = (length: number) =>
			having('Sign in', 'a'.repeat(length - having('Sign in', '').length));
		expect(parseSignInMessage(fill(8192), String).chainId).toBe(42161);
		expect(refusal(fill(8193)).message).toBe('The sign-in message has more than 8192 characters');
	});

	it.each([
		...['2026-11-21T00:00:00Z', '2026-11-21T09:59:59Z', '2026-11-21T10:00:00+00:00'],
		...['2024-02-29T11:59:59.1Z', '2026-11-21T11:59:59.123456789Z', '2026-11-21T19:30:00+19:59'],
		'2026-11-20T23:59:59-05:00',
		'2026-11-22T11:29:30+23:59',
	])('reads the time %s', (time) => {
		expect(parseSignInMessage(issued(time), String).issuedAt).toBe(time);
	});

	it('does not spend long on any message that it reads', () => {
		const longest = 7000;
		for (const text of [
			withUri(`https://${'a.'.repeat(longest / 2)}!`),
			withUri(`a:${'a/'.repeat(longest / 2)}"`),
			withUri(`a:${'%20'.repeat(longest / 3)}"`),
			having('Request', `Request ID: ${'a%20'.repeat(longest / 4)}"`),
		]) {
			expect(refusal(text).message).toContain('of the sign-in message must be');
		}
	});
});

describe('checking a sign-in message', () => {
	it.each([address, address.toLowerCase()])('takes one for the wallet %s', (walletAddress) => {
		expect(check(MESSAGE, { walletAddress }).address).toBe(address);
	});

	it.each([
		['', '\n\n\n\nURI'],
		[undefined, '\n\n\nURI'],
	])('takes the message that siwe writes with the statement %j', (statement, after) => {
		const fields = { ...meaning(parseSignInMessage(MESSAGE, String)), statement };
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
				hint: 'Signing in doesn’t need this. Ask the service why its message contains it.',
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
			hint: 'Check Wallet Address and Platform ID in the credentials.',
		});
	});

	it('takes any domain and chain where none is set', () => {
		expect(check(everywhereAt('evil.example')).domain).toBe('evil.example');
	});

	it.each([
		...[
			...['https://app.payroll.example/login', 'https://app.payroll.example:443/'],
			...['HTTPS://app.payroll.example:443/', 'http://app.payroll.example:80/'],
			...['app+x.1://app.payroll.example', 'https://login.app.payroll.example/'],
			...['https://a.b.APP.payroll.example:443/', 'https://api.payroll.example/v2/auth'],
			'https://API.payroll.example:443/v2/auth',
		].map((uri) => [DOMAIN, uri]),
		['APP.payroll.example', 'https://app.PAYROLL.example'],
		['app.payroll.example:443', 'https://app.payroll.example/'],
		['app.payroll.example:8443', 'https://app.payroll.example:8443/#x'],
		['app.payroll.example:8443', 'https://login.app.payroll.example:8443/'],
		['[2001:db8::7]:8443', 'https://[2001:db8::7]:8443/'],
		['localhost:3000', 'http://localhost:3000?a=b'],
	])('takes the domain %s with the URI %s', (domain, uri) => {
		const text = withUri(uri).replace(DOMAIN, domain);
		expect(check(text, { domain }).uri).toBe(uri);
		/* The credentials are saved without the port of https. */
		expect(check(text, { domain: domain.replace(':443', '') }).uri).toBe(uri);
	});

	it.each([
		['another domain', everywhereAt('evil.example')],
		['another domain, its URI right', at('evil.payroll.example')],
		['a longer domain', everywhereAt('app.payroll.example.evil.example')],
		['a subdomain', everywhereAt('x.app.payroll.example')],
		['a port', everywhereAt('app.payroll.example:8443')],
		['the port of another kind', everywhereAt('app.payroll.example:80')],
		['a URI elsewhere', withUri('https://evil.example/login')],
		['a URI above', withUri('https://payroll.example/login')],
		['a URI beside', withUri('https://evilapp.payroll.example/login')],
		['a URI below the base URL', withUri('https://evil.api.payroll.example/login')],
		['a URI at another port of the base URL', withUri('https://api.payroll.example:8443/')],
		['a URI below on another port', withUri('https://login.app.payroll.example:8443/')],
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
		expect(refusal(everywhereAt('evil.example'), { domain: DOMAIN })).toMatchObject({
			message: `The service at ${expectation.baseUrl} asked to sign in at "evil.example", not at "${DOMAIN}"`,
			hint: 'Another site may be asking for this signature: ask your provider why, before you change Sign-In Domain in the credentials.',
		});
		expect(refusal(withUri('https://evil.example/'), { domain: DOMAIN })).toMatchObject({
			message: `The sign-in message is for ${DOMAIN}, but its URI "https://evil.example/" has another host`,
			hint: 'Report this to the service: its message contradicts itself.',
		});
	});

	it('refuses another chain where one is set', () => {
		expect(refusal(MESSAGE, { chainId: 1 })).toMatchObject({
			message: 'The sign-in message names the chain 42161, not 1',
			hint: 'Ask your provider why, before you change Sign-In Chain ID in the credentials.',
		});
		expect(check(MESSAGE, { chainId: 42161 }).chainId).toBe(42161);
	});

	it.each([
		['expired at 2026-11-21T11:55:00.000Z', expiring('2026-11-21T11:55:00.000Z')],
		['expired at 2026-11-21T13:54:59+02:00', expiring('2026-11-21T13:54:59+02:00')],
		['is not valid before 2026-11-21T12:05:01Z', starting('2026-11-21T12:05:01Z')],
		['was issued in the future, at 2026-11-21T12:05:01Z', issued('2026-11-21T12:05:01Z')],
		['was issued in the future, at 9999-01-01T00:00:00Z', issued('9999-01-01T00:00:00Z')],
	])('refuses a message that %s, and names the clock of this machine', (fault, text) => {
		expect(refusal(text)).toMatchObject({
			message: `The sign-in message ${fault}, and the clock of this machine says 2026-11-21T12:00:00.000Z`,
			hint: 'Check the clock of the machine that n8n runs on, then try again.',
		});
	});

	it.each([
		['no end', having('Expiration')],
		['an end less than 5 minutes ago', expiring('2026-11-21T11:55:00.001Z')],
		['a clock 5 minutes ahead', issued('2026-11-21T12:05:00Z')],
		['a start within 5 minutes', starting('2026-11-21T12:05:00Z')],
		['a time zone', expiring('2026-11-21T02:00:01-10:00')],
	])('takes a message with %s', (_what, text) => {
		expect(check(text).address).toBe(address);
	});
});

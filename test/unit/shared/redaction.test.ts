import fc from 'fast-check';

import { Redactor, safeExcerpt, WITHHELD } from '../../../nodes/PayrollPayments/shared/redaction';
import { SPELLINGS } from '../../support/leakedSecrets';
import { runs } from '../../support/propertyRuns';
import { anyCharacter } from '../../support/unicodeCharacters';

const KEY = `0x${'4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318'}`;
const TOKEN = 'sk_live_51Hq/8xYz+Abc~defGHI="&<jklMNO';

const ODD = 'pw*Horse!battery~42(staple)';

const redact = (text: string, ...secrets: unknown[]) => new Redactor().add(...secrets).text(text);

const inLines = (text: string, end: string) => text.replace(/.{12}(?!$)/g, `$&${end}`);

describe('a secret is withheld', () => {
	it.each<[string, (secret: string) => string]>([
		...Object.entries(SPELLINGS),
		['after a scheme', (secret) => `Bearer ${secret}`],
		['in JSON of PHP', (secret) => JSON.stringify({ secret }).replaceAll('/', '\\/')],
		[
			'in JSON of .NET',
			(secret) =>
				secret.replace(/[^ -~]|["&'+<>`]/g, (one) => {
					return `\\u${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
				}),
		],
		['percent-encoded by Python', (secret) => encodeURIComponent(secret).replaceAll('%2F', '/')],
		[
			'percent-encoded in lower case',
			(secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
		],
		['in Base64 in lines', (secret) => inLines(Buffer.from(secret).toString('base64'), '\r\n')],
		['in that as JSON', (secret) => inLines(Buffer.from(secret).toString('base64'), '\\n')],
		['folded, as in a header', (secret) => inLines(secret, '\r\n ')],
		['in Base64 of a header', (secret) => Buffer.from(`Bearer ${secret}`).toString('base64')],
		['in Base64 of a login', (secret) => Buffer.from(`me:${secret}@`).toString('base64url')],
		['percent-encoded twice', (secret) => encodeURIComponent(encodeURIComponent(secret))],
		[
			'in HTML',
			(secret) => secret.replace(/[^A-Za-z0-9]/g, (one) => `&#x${one.charCodeAt(0).toString(16)};`),
		],
		['more than once', (secret) => `${secret} and ${secret}${secret}`],
	])('%s', (_how, spell) => {
		for (const secret of [TOKEN, KEY, ODD, 'pass word', 'ключ-от-кассы', '~~~~~~?>']) {
			const plain = spell('').replace(/^""$/, '');
			const shown = redact(`before ${spell(secret)} after`, secret);
			const rest = shown.replaceAll(WITHHELD, '');
			expect(shown).toContain(WITHHELD);
			expect([secret, rest]).toEqual([secret, expect.stringMatching(/^before .{0,16} after$/)]);
			expect(rest.length - 'before  after'.length).toBeLessThanOrEqual(plain.length + 2);
		}
	});

	it.each<[string, string, string[]]>([
		['that is a private key, also without 0x', KEY.slice(2).toUpperCase(), [KEY]],
		['that is a private key in Base64', Buffer.from(KEY).toString('base64'), [KEY]],
		['that begins with another one', `${TOKEN}-more`, [TOKEN, `${TOKEN}-more`]],
		['without the white space that was saved around it', TOKEN, [` ${TOKEN}\n`]],
		['of 17,000 characters', 'aB3/'.repeat(4_250), ['aB3/'.repeat(4_250)]],
		['of 100,000 characters', `${'b'.repeat(1e5)}a`, [`${'b'.repeat(1e5)}a`]],
		['that another one overlaps', 'first-and-second', ['first-and', 'and-second']],
		['that overlaps itself', 'abcabcabcabcabcabc', ['abcabcabcabcabc']],
		['of signs that patterns are made of', '(a+)+$[^.*]{2}|\\b', ['(a+)+$[^.*]{2}|\\b']],
	])('%s', (_what, shown, secrets) => {
		expect(redact(`<${shown}>`, ...secrets)).toBe(`<${WITHHELD}>`);
	});

	it('beside letters whose other case has another length', () => {
		expect(redact(`İßŉ ${TOKEN.toUpperCase()} İßŉ`, TOKEN)).toBe(`İßŉ ${WITHHELD} İßŉ`);
		expect(redact('<straßeİΣΑΣ>', 'STRAßEİσας')).toBe(`<${WITHHELD}>`);
	});

	it('with all of the text, where it can’t be looked for', () => {
		const redactor = new Redactor().add(TOKEN);
		jest.spyOn(URLSearchParams.prototype, 'toString').mockImplementation(() => {
			throw new Error(`Invalid: ${TOKEN}`);
		});
		expect(redactor.text(`is ${TOKEN}`)).toBe('Withheld, because it may contain a secret');
		jest.restoreAllMocks();
		expect(redactor.text(`is ${TOKEN}`)).toBe(`is ${WITHHELD}`);
	});
});

describe('everything else stays', () => {
	it('ordinary words, where a secret is under 8 characters', () => {
		const text = 'The service refused: token missing';
		expect(redact(text, 'service', 'token', 'refused', '', ' ', undefined, null, 7)).toBe(text);
	});

	it('addresses, hashes and the words of a message', () => {
		const text =
			'The wallet 0x52908400098527886E0F7030069857D2E4169EE7 isn’t İstanbul’s… 0x' + '0'.repeat(64);
		expect(redact(text, TOKEN, KEY)).toBe(text);
	});
});

it('goes through the names, texts and numbers of JSON data, and keeps the rest with its types', () => {
	const rest = { list: [1, null, true, 'text'], ['__proto__']: { deep: 1.5 }, more: 1234567 };
	const data = { [TOKEN]: [{ note: `is ${TOKEN}` }], digits: 1234567890, ...rest };
	const shown = new Redactor().add(TOKEN, '1234567890').data(data);
	expect(shown).toEqual({ [WITHHELD]: [{ note: `is ${WITHHELD}` }], digits: WITHHELD, ...rest });
	expect(Object.keys(shown)).toContain('__proto__');
});

it('withholds what is nested too deep to be gone through', () => {
	const deep: unknown = JSON.parse(
		`${'['.repeat(5_000)}${JSON.stringify(TOKEN)}${']'.repeat(5_000)}`,
	);
	const shown = JSON.stringify(new Redactor().add(TOKEN).data({ deep }));
	expect(shown).not.toContain(TOKEN);
	expect(shown.length).toBeLessThan(300);
});

it('learns secrets while it is in use', () => {
	const redactor = new Redactor().add('first-secret');
	expect(redactor.text('second-secret')).toBe('second-secret');
	redactor.add('second-secret');
	expect(redactor.text('first-secret second-secret')).toBe(`${WITHHELD} ${WITHHELD}`);
});

it('never shows a secret, whatever stands around it', () => {
	const text = fc.string({ unit: anyCharacter, maxLength: 40 });
	const secret = fc.string({ unit: anyCharacter, minLength: 8, maxLength: 80 });
	const several = fc.array(secret, { minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(text, several, text, (before, secrets, after) => {
			const known = secrets
				.map((each) => each.trim())
				/* Half of a character can become a whole one with what stands before it. */
				.filter((each) => each.length >= 8 && each.isWellFormed());
			fc.pre(known.length > 0);
			const shown = redact(`${before}${secrets.join(after)}${after}`, ...secrets);
			for (const each of known) expect(shown).not.toContain(each);
		}),
		{ numRuns: runs(500) },
	);
});

it('takes time in proportion to the text: near misses by the hundred thousand', () => {
	const redactor = new Redactor().add(TOKEN, KEY, `a${'b'.repeat(40)}`, `${'b'.repeat(40)}a`);
	for (const text of ['b'.repeat(300_000), TOKEN.slice(0, -1).repeat(10_000)]) {
		expect(redactor.text(text)).toBe(text);
	}
});

describe('text from outside', () => {
	const hex = (length: number) => '4c0883a69102937d'.repeat(10).slice(0, length);

	it.each<[string, string]>([
		['a private key', `0x${hex(64)}`],
		['a private key in capitals', `0x${hex(64).toUpperCase()}`],
		['a signature', `0x${hex(130)}`],
		['a signature without 0x', hex(128)],
		['a token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl'],
		['the beginning of a token', 'eyJhbGciOiJIUzI1NiJ9'],
		['an opaque token of three parts', `${'a'.repeat(16)}.${'b'.repeat(20)}.${'c-_'.repeat(6)}`],
	])('is quoted without %s', (_what, secret) => {
		expect(safeExcerpt(`is ${secret}!`, (text) => text, 80)).toBe(`is ${WITHHELD}!`);
	});

	it.each([
		['an address', `0x${hex(40)}`],
		['an odd length of hex', `0x${hex(66)}`],
		['hex without 0x', hex(64)],
		['a version', 'v1.2.3'],
		['a host', 'signer.payroll.example'],
	])('keeps %s', (_what, text) => {
		expect(safeExcerpt(text, (each) => each, 80)).toBe(text);
	});

	it('is put on one line and shortened, after its secrets were removed', () => {
		const { text: redactText } = new Redactor().add(TOKEN);
		expect(safeExcerpt(`one\r\n\ttwo\u0000 ${TOKEN}`, redactText, 8)).toBe('one two …');
		expect(safeExcerpt(`${TOKEN} ${TOKEN}`, redactText, 10)).toBe(`${WITHHELD} ${WITHHELD}`);
		for (let longest = 0; longest < TOKEN.length + 8; longest++) {
			const shown = safeExcerpt(`key ${TOKEN} end`, redactText, longest);
			expect(shown).not.toContain(TOKEN.slice(0, 4));
		}
	});
});

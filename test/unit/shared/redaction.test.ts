import { setTimeout } from 'node:timers/promises';

import fc from 'fast-check';

import { Redactor, shorten, WITHHELD } from '../../../nodes/PayrollPayments/shared/redaction';
import { anyCharacter } from '../../support/unicodeCharacters';

const KEY = `0x${'4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318'}`;
const TOKEN = 'sk_live_51Hq/8xYz+Abc~defGHI="&<jklMNO';

const redact = (text: string, ...secrets: unknown[]) => new Redactor().add(...secrets).text(text);

const percentEncoded = (text: string) =>
	encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

describe('a secret is withheld', () => {
	it.each<[string, (secret: string) => string]>([
		['as it is', (secret) => secret],
		['in upper case', (secret) => secret.toUpperCase()],
		['after a scheme', (secret) => `Bearer ${secret}`],
		['in JSON', (secret) => JSON.stringify({ secret })],
		['percent-encoded', encodeURIComponent],
		['percent-encoded in lower case', percentEncoded],
		['in a form', (secret) => new URLSearchParams({ secret }).toString()],
		['in hex', (secret) => Buffer.from(secret).toString('hex')],
		['in Base64', (secret) => Buffer.from(secret).toString('base64')],
		['in Base64 after one byte', (secret) => Buffer.from(`:${secret}`).toString('base64')],
		['in Base64 after two bytes', (secret) => Buffer.from(`u:${secret}`).toString('base64')],
		['in Base64 for URLs', (secret) => Buffer.from(`user:${secret}`).toString('base64url')],
		['more than once', (secret) => `${secret} and ${secret}${secret}`],
	])('%s', (_how, spell) => {
		for (const secret of [TOKEN, KEY, 'pass word', 'ключ-от-кассы']) {
			const shown = redact(`before ${spell(secret)} after`, secret);
			expect(shown).toMatch(/^before .* after$/);
			expect(shown).toContain(WITHHELD);
			const rest = shown.slice('before '.length, -' after'.length).replaceAll(WITHHELD, '');
			for (let start = 0; start + 12 <= spell(secret).length; start++) {
				expect(rest).not.toContain(spell(secret).slice(start, start + 12));
			}
			expect(rest).not.toContain(spell(secret));
		}
	});

	it.each<[string, string]>([
		['without 0x', KEY.slice(2)],
		['without 0x in upper case', KEY.slice(2).toUpperCase()],
		['as a number', BigInt(KEY).toString()],
		['as bytes in Base64', Buffer.from(KEY.slice(2), 'hex').toString('base64')],
	])('that is a private key, %s', (_how, spelled) => {
		expect(redact(`<${spelled}>`, KEY)).toMatch(/^<[^<>]{0,6}>$/);
	});

	it('where a piece of it stands alone', () => {
		expect(redact(`key ${TOKEN.slice(5, 17)}… failed`, TOKEN)).toBe(`key ${WITHHELD}… failed`);
	});

	it('where the text is cut in the middle of it', () => {
		for (let length = 4; length <= TOKEN.length; length++) {
			expect(redact(shorten(`key ${TOKEN}`, 4 + length), TOKEN)).toMatch(/^key \[…\]…?$/);
		}
	});

	it('without the white space that was saved around it', () => {
		expect(redact(`<${TOKEN}>`, ` ${TOKEN}\n`)).toBe(`<${WITHHELD}>`);
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

	it('values of JSON data that are not secret, and their types', () => {
		const data = { list: [1, null, true, 'text'], ['__proto__']: { deep: 1.5 } };
		const shown = new Redactor().add(TOKEN).data(data);
		expect(shown).toEqual(data);
		expect(Object.keys(Object(shown))).toEqual(Object.keys(data));
	});
});

it('goes through the names, texts and numbers of JSON data', () => {
	const redactor = new Redactor().add(TOKEN, '1234567890');
	const data = { [TOKEN]: [{ note: `is ${TOKEN}` }], digits: 1234567890, more: 1234567 };
	expect(redactor.data(data)).toEqual({
		[WITHHELD]: [{ note: `is ${WITHHELD}` }],
		digits: WITHHELD,
		more: 1234567,
	});
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
	fc.assert(
		fc.property(
			text,
			fc.array(secret, { minLength: 1, maxLength: 4 }),
			text,
			(before, secrets, after) => {
				const known = secrets.filter((each) => each.trim().length >= 8).map((each) => each.trim());
				fc.pre(known.length > 0);
				const shown = redact(`${before}${secrets.join(after)}${after}`, ...secrets);
				for (const each of known) expect(shown).not.toContain(each);
			},
		),
		{ numRuns: 2_000 },
	);
});

it('takes time in proportion to the text: near misses by the hundred thousand', async () => {
	const nearMiss = `${TOKEN.slice(0, 11)}…`;
	const redactor = new Redactor().add(TOKEN, KEY, `a${'b'.repeat(40)}`);
	for (const text of ['b'.repeat(300_000), nearMiss.repeat(25_000), '…'.repeat(300_000)]) {
		expect(redactor.text(text).length).toBeLessThanOrEqual(text.length * 2);
	}
	/* Lets the time limit of the test end it, which cannot happen before. */
	await setTimeout(0);
});

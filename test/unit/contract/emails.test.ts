import { setTimeout } from 'node:timers/promises';

import fc from 'fast-check';

import { email } from '../../../nodes/PayrollPayments/shared/formats';
import { anyCharacter } from '../../support/unicodeCharacters';

/** The pattern of the HTML standard, as it stands in the section on `input type=email`. */
const HTML_PATTERN =
	/^[a-zA-Z0-9.!#$%&'*+\/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

const isTaken = (value: unknown) => email.safeParse(value).success;

it('takes an address without the white space around it', () => {
	expect(email.parse(' ana@example.com\n')).toBe('ana@example.com');
});

it.each([`${'a'.repeat(400)}@example.com`, 12, null, undefined])('refuses %j', (value) => {
	expect(isTaken(value)).toBe(false);
});

it('takes what the HTML standard takes and has a dot in its domain, up to 320 characters', () => {
	const local = fc.string({ unit: fc.constantFrom(...'aZ0.!#&/=?_-@'), maxLength: 70 });
	const label = fc.string({ unit: fc.constantFrom(...'aZ0-.'), maxLength: 70 });
	const near = fc
		.tuple(local, fc.array(label, { maxLength: 6 }))
		.map(([name, labels]) => `${name}@${labels.join('.')}`);
	const anything = fc.string({ unit: anyCharacter, maxLength: 20 });
	fc.assert(
		fc.property(fc.oneof({ weight: 4, arbitrary: near }, anything), (text) => {
			const value = text.trim();
			const [, domain = ''] = value.split('@');
			const isValid = HTML_PATTERN.test(value) && domain.includes('.') && value.length <= 320;
			expect(isTaken(text)).toBe(isValid);
		}),
		{ numRuns: 5_000 },
	);
});

it('ends on hostile text of 100,000 characters, however it is made up', async () => {
	const PIECES = [
		'a',
		'.',
		'@',
		'-',
		'a.',
		'.a',
		'a-',
		'@.',
		'a@',
		'@a.',
		' ',
		'\t',
		'!',
		'\u3000',
	];
	const piece = fc.constantFrom(...PIECES);
	const hostile = fc
		.tuple(piece, piece, piece, fc.constantFrom('', '@', '.', '!', ' ', 'com'))
		.map(
			([first, second, third, end]) =>
				[first.repeat(20), second, third]
					.map((each) => each.repeat(33_000 / each.length))
					.join('') + end,
		);
	fc.assert(
		fc.property(hostile, (text) => {
			expect(isTaken(text)).toBe(false);
		}),
		{ numRuns: 500 },
	);
	/* Lets the time limit of the test end it, which cannot happen before. */
	await setTimeout(0);
});

import { formatUnits, parseUnits } from 'ethers';
import fc from 'fast-check';

import type { z } from 'zod';
import {
	centsAsDecimal,
	centsAsDollars,
	dollarsAsCents,
} from '../../../nodes/PayrollPayments/shared/money';
import {
	paymentCents,
	paymentDollars,
} from '../../../nodes/PayrollPayments/operations/payment/amounts';
import {
	ecdsaSignature,
	email,
	evmAddress,
	utcTimestamp,
} from '../../../nodes/PayrollPayments/contract/formats';
import { identifier } from '../../../nodes/PayrollPayments/contract/identifiers';
import { runs } from '../../support/propertyRuns';
import { anyCharacter } from '../../support/unicodeCharacters';

/** Texts of every kind: binary, lone surrogates, and near misses of what is wanted. */
const anyText = (nearMisses: fc.Arbitrary<string>) =>
	fc.oneof(
		{ weight: 4, arbitrary: nearMisses },
		fc.string({ unit: anyCharacter }),
		fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
	);

const LONG = '9'.repeat(400);

/** Anything that an expression in n8n may give. */
const anything = fc.anything({
	withBigInt: true,
	withBoxedValues: true,
	withDate: true,
	withNullPrototype: true,
	withObjectString: true,
});

/** The given text with one character changed, added or removed. */
const edited = (base: fc.Arbitrary<string>): fc.Arbitrary<string> =>
	fc
		.tuple(base, fc.nat(), fc.string({ unit: anyCharacter, maxLength: 2 }), fc.nat({ max: 1 }))
		.map(([text, at, piece, removed]) => {
			const place = at % (text.length + 1);
			return text.slice(0, place) + piece + text.slice(place + removed);
		});

const SCHEMAS: Readonly<Record<string, z.ZodTypeAny>> = {
	identifier: identifier('te', 'co'),
	paymentCents,
	paymentDollars,
	utcTimestamp,
	email,
	evmAddress,
	ecdsaSignature,
};

it.each(Object.entries(SCHEMAS))('%s: a fault is told in words', (_name, schema) => {
	const faults = [undefined, 7, '', 'x'].map((value) => schema.safeParse(value).error?.issues[0]);
	for (const fault of faults) if (fault) expect(fault.message).toMatch(/^[a-z].{5,}/);
});

it.each(Object.entries(SCHEMAS))('%s: 1 MB is judged in no time', (_name, schema) => {
	for (const unit of ['a', '1', ' ', '-', '.', '@', 'a.', 'a-', 'a@a.']) {
		const text = unit.repeat(1_000_000 / unit.length);
		expect(schema.safeParse(text).success).toBe(false);
		expect(schema.safeParse(`te-${text}`).success).toBe(false);
		schema.safeParse(`${text}@example.com`);
	}
});

it('identifiers: exactly a prefix and 12 characters of the alphabet', () => {
	const character = fc.constantFrom(...'ABCXYZabcxyz0189_-');
	const rest = fc.string({ unit: character, minLength: 12, maxLength: 12 });
	const genuine = fc.tuple(fc.constantFrom('te-', 'co-', 'us-'), rest).map((two) => two.join(''));
	const exact = /^(?:te|co)-[A-Za-z0-9_-]{12}(?!\n)$/;
	/* What people, chats and documents add or change; nothing else may be missing. */
	const bare = (value: string) =>
		value.replace(/[\s\p{Cf}"'`“”„‘’‚«»‹›.,;]/gu, '').replace(/[\p{Pd}\u2212]/gu, '-');
	fc.assert(
		fc.property(anyText(fc.oneof(genuine, edited(genuine))), (value) => {
			const { data } = identifier('te', 'co').safeParse(value);
			if (data === undefined) expect(value.trim()).not.toMatch(exact);
			else expect([data, data]).toEqual([expect.stringMatching(exact), bare(value)]);
		}),
		{ numRuns: 300 },
	);
});

/** The pattern of the HTML standard, as it stands in the section on `input type=email`. */
const HTML_PATTERN =
	/^[a-zA-Z0-9.!#$%&'*+\/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

it('emails: what the HTML standard takes and has a dot in its domain', () => {
	const local = fc.string({ unit: fc.constantFrom(...'aZ0.!#&/=?_-@'), maxLength: 70 });
	const label = fc.string({ unit: fc.constantFrom(...'aZ0-.'), maxLength: 70 });
	const near = fc
		.tuple(local, fc.array(label, { maxLength: 6 }), fc.constantFrom('', ' ', '\n'))
		.map(([name, labels, space]) => `${name}@${labels.join('.')}${space}`);
	fc.assert(
		fc.property(anyText(near), (text) => {
			const value = text.trim();
			const [, domain = ''] = value.split('@');
			const isValid = HTML_PATTERN.test(value) && domain.includes('.');
			expect(email.safeParse(text).data).toBe(isValid ? value : undefined);
		}),
		{ numRuns: runs(5_000) },
	);
});

it('payments: exactly whole cents within the limits', () => {
	const near = fc.oneof(
		fc.bigInt({ min: -10n, max: 20_000_000_000n }).map(String),
		fc.constantFrom('1e3', '0x64', '100.0', '１００', '1_000', '+100', '-0', 'Infinity', LONG),
	);
	fc.assert(
		fc.property(fc.oneof(anyText(near), fc.double(), fc.integer(), near.map(Number)), (value) => {
			const digits = typeof value === 'number' ? String(value) : value.trim();
			const isGenuine =
				/^[0-9]+$/.test(digits) && BigInt(digits) >= 100n && BigInt(digits) <= 10_000_000_000n;
			const parsed = paymentCents.safeParse(value);
			/* A text may not be longer than any amount is, zeros in front included. */
			expect(parsed.success).toBe(isGenuine && digits.length <= 15);
			if (parsed.success) expect(BigInt(parsed.data)).toBe(BigInt(digits));
		}),
		{ numRuns: 300 },
	);
});

/** The cents in a text of dollars, by ethers' parser of decimal texts; undefined if it refuses. */
function judgedCents(text: string): bigint | undefined {
	try {
		return parseUnits(text, 2);
	} catch {
		return undefined;
	}
}

const dollarTexts = fc.oneof(
	fc
		.tuple(fc.bigInt({ min: -5n, max: 200_000_000n }), fc.integer({ min: 0, max: 999 }), fc.nat(3))
		.map(([whole, digits, places]) => {
			const fraction = String(digits).padStart(3, '0').slice(0, places);
			return places === 0 ? String(whole) : `${whole}.${fraction}`;
		}),
	fc.constantFrom('1e3', '1,250.00', '.5', '5.', '+5', '007', '0x64', '1_000', '١٢٥', LONG),
);

it('payments in dollars: exactly the cents that the digits say', () => {
	const value = fc.oneof(dollarTexts, edited(dollarTexts), anything);
	fc.assert(
		fc.property(value, (given) => {
			const parsed = paymentDollars.safeParse(given);
			const text = typeof given === 'number' ? String(given) : given;
			const digits = typeof text === 'string' ? text.trim() : '';
			const isPlain = /^(?:0|[1-9][0-9]*)(?:\.[0-9]{1,2})?(?!\n)$/.test(digits);
			const cents = isPlain ? judgedCents(digits) : undefined;
			const isGenuine = cents !== undefined && cents >= 100n && cents <= 10_000_000_000n;
			expect(parsed.success).toBe(isGenuine);
			if (parsed.success) expect(BigInt(parsed.data)).toBe(cents);
		}),
		{ numRuns: runs(2_000) },
	);
});

it('every amount of a payment survives dollars as text, and as the number in a sheet', () => {
	const cents = fc.oneof(
		fc.integer({ min: 100, max: 10_000_000_000 }),
		fc.integer({ min: 100, max: 100_000 }),
	);
	fc.assert(
		fc.property(cents, (amount) => {
			const text = formatUnits(BigInt(amount), 2);
			expect(paymentDollars.parse(` ${text} `)).toBe(amount);
			expect(paymentDollars.parse(centsAsDecimal(amount))).toBe(amount);
			/* A sheet holds the number that is nearest to the text. */
			expect(paymentDollars.parse(Number(text))).toBe(amount);
			expect(dollarsAsCents(text)).toBe(amount);
		}),
		{ numRuns: runs(2_000) },
	);
});

it('amounts for people come back to the same cents', () => {
	fc.assert(
		fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (cents) => {
			expect(BigInt(centsAsDecimal(cents).replace('.', ''))).toBe(cents);
			expect(centsAsDecimal(cents)).toMatch(/^-?\d+\.\d\d$/);
			expect(BigInt(centsAsDollars(cents).replace(/[$,.]/g, ''))).toBe(cents);
		}),
	);
});

it('times: exactly those that the calendar has', () => {
	const two = (number: number) => String(number).padStart(2, '0');
	const near = fc
		.tuple(fc.nat(9999), fc.nat(14), fc.nat(33), fc.nat(25), fc.nat(61), fc.nat(61))
		.map(
			([year, month, day, hour, minute, second]) =>
				`${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}Z`,
		);
	/* Date rolls what does not exist over to the next day, so it comes back changed. */
	const judge = (value: string) => {
		const date = new Date(value);
		return !Number.isNaN(date.getTime()) && date.toISOString().replace('.000Z', 'Z') === value;
	};
	fc.assert(
		fc.property(fc.oneof(near, edited(near)), (value) => {
			const { success } = utcTimestamp.safeParse(value);
			if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) expect(success).toBe(judge(value));
			else if (success) expect(value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/);
		}),
		{ numRuns: 300 },
	);
});

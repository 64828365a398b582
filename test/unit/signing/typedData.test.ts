import { id, TypedDataEncoder, verifyTypedData, Wallet as Judge } from 'ethers';
import * as fc from 'fast-check';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { checkSigner, privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { readSignature } from '../../../nodes/PayrollPayments/signing/signature';
import {
	parseTypedData,
	type UncheckedTypedData,
} from '../../../nodes/PayrollPayments/signing/typedData';
import { HALF_OF_THE_CURVE, malleable } from '../../support/malleable';
import { runs } from '../../support/propertyRuns';
import { refusalOf } from '../../support/refusals';
import { membersIn, noteFrom } from './note';

const key = id('payroll tests: wallet');
const wallet = privateKeyWallet({ privateKey: key });
const judge = new Judge(key);
const stranger = new Judge(id('stranger')).address;

const NOTE = noteFrom(stranger);
const INNER = [{ name: 'b', type: 'string' }];
const guarded = (input: UncheckedTypedData) => parseTypedData(input, 'message.');
const sign = async (change: object) => await wallet.signTypedData(guarded({ ...NOTE, ...change }));
const refusal = (change: object): string =>
	refusalOf(() => guarded({ ...NOTE, ...change })).message;

/** A note whose one member has this name, type and value. */
const noteOf = (
	type: string,
	a: unknown = 'x',
	others: Record<string, typeof INNER> = {},
	name = 'a',
) => ({
	types: { Note: [{ name, type }], ...others },
	message: { [name]: a },
});
/** The node signs the note with this change to the same bytes as ethers. */
async function expectSameBytes(change: object): Promise<void> {
	const { domain, types, message } = { ...NOTE, ...change };
	expect(await sign(change)).toBe(await judge.signTypedData(domain, types, message));
}
/** A note with a structure of this name in it. */
const noteWith = (structure: string) => noteOf(structure, { b: 'x' }, { [structure]: INNER });
const words = (text: string) => text.split(' ');

const HALF = 2n ** 255n;
const FITS: Readonly<Record<string, unknown[]>> = {
	uint8: ['0', '255'],
	int8: ['127', '-128'],
	uint256: [String(2n * HALF - 1n), '1', '10'],
	int256: [String(HALF - 1n), String(-HALF)],
	bool: [true, false],
	string: ['', 'x', '0x01', '\u0000', '給与'],
	bytes: ['0x', '0x00', '0xABcd'],
	bytes1: ['0x00', '0xFF'],
	bytes10: [`0x${'ab'.repeat(10)}`],
	bytes29: [`0x${'ab'.repeat(29)}`],
	bytes32: [id('x')],
	address: [stranger, stranger.toLowerCase()],
	'uint8[]': [[], ['1', '2']],
	'string[]': [['x', '']],
};
const MISFITS: ReadonlyArray<[type: string, what: string, values: unknown[]]> = [
	['uint8', 'in hex', ['0xff', '0x0', '0x00', '0x100', '0X1', '0x']],
	['uint8', 'with zeros or a sign in front', ['00', '060', '01', '+1', '-0']],
	['uint8', 'beyond its range', ['256', '-1']],
	['uint8', 'with white space, or empty', ['', ' 1', '1 ', '1\n']],
	['uint8', 'in another notation', ['1.0', '1e1', '0b1', '0o7', '1_0', '١']],
	['uint8', 'that is a number', [0, -0, 7, 255, 256, -1, 1.5, NaN, Infinity, 1n]],
	['uint8', 'that is no text', [true, null, {}, [], ['1']]],
	['int8', 'beyond its range', ['128', '-129']],
	['int8', 'that is a number', [0, 128, -128, -129]],
	['int8', 'with another sign', ['-0', '+7', '--1', '-01', '-0x1']],
	['uint256', 'beyond its range', [String(2n * HALF), '9'.repeat(500)]],
	['uint256', 'that is no decimal text', [id('x'), `${id('x')}00`, 2 ** 53 - 1, 2 ** 53, 1e21]],
	['int256', 'beyond its range', [String(HALF), String(-HALF - 1n), `0x${'f'.repeat(64)}`]],
	['bool', 'that is none', ['true', 'false', '', 0, 1, null, {}]],
	['string', 'that is no text', [0, true, null, {}, ['x']]],
	['string', 'with half of a character', ['\ud800', 'x\udc00']],
	['bytes', 'in another spelling', ['', '0x0', '0xzz', '00', '0X00', 'a0x00', '0x00g', '0x00 ']],
	['bytes', 'that is no text', [0, true, null, {}, [0]]],
	['bytes1', 'of another length', ['0x', '0x0', '0x0000', '00', 0, null]],
	['bytes10', 'of another length', ['0xab', `0x${'ab'.repeat(11)}`]],
	['bytes29', 'of another length', [`0x${'ab'.repeat(2)}`, id('x')]],
	['bytes32', 'of another length', [id('x').slice(0, -1), `${id('x')}00`, '0x', 'x']],
	['bytes32', 'without 0x', [id('x').slice(2)]],
	['address', 'of another length', [stranger.slice(0, -1), `${stranger}0`, '']],
	['address', 'in another spelling', [stranger.slice(2), ` ${stranger}`, `0X${stranger.slice(2)}`]],
	['address', 'with a wrong checksum', [stranger.replace(/[a-f]/, (one) => one.toUpperCase())]],
	['address', 'that is none', ['payroll.eth', 0, null, {}, [new Judge(id('in a list')).address]]],
	['uint8[]', 'that is no list', ['1', {}, { length: 0 }, null]],
	['uint8[]', 'with an item that doesn’t fit', [['1', 2], [256], [[1]], [null]]],
];
const NO_TYPES = [
	...words('uint7 uint0 uint08 uint264 int1 uint int bytes0 bytes33 bytes100 fixed function'),
	...words('xuint8 xint8 uint8x xbytes32 bytes32x uint8[]x uint8[2] uint8[][]'),
];

describe('typed data', () => {
	it.each(Object.entries(FITS))('is signed with each %s that fits', async (type, values) => {
		for (const a of values) await expectSameBytes(noteOf(type, a));
	});

	it.each(MISFITS)('is not signed with a value of %s %s', (type, _what, values) => {
		for (const a of values) {
			expect([a, refusal(noteOf(type, a))]).toEqual([a, expect.stringContaining('message.a')]);
		}
	});

	it.each(NO_TYPES)('is not signed with a value of the type %s, which is none', (type) => {
		expect(refusal(noteOf(type, '0'))).toContain(`The type "${type}" is missing`);
	});

	const name = fc.oneof(
		{ weight: 6, arbitrary: fc.constantFrom('a', 'b', 'from', 'B2', '_x') },
		fc.constantFrom('__proto__', 'toString', 'a b', '', '1a'),
	);
	const type = fc.oneof(
		{ weight: 6, arbitrary: fc.constantFrom(...Object.keys(FITS), 'Inner', 'Inner[]') },
		fc.constantFrom(...NO_TYPES, 'Missing', 'Outer', ''),
	);
	const members = (minLength: number) =>
		fc.uniqueArray(fc.record({ name, type }), {
			selector: (one) => one.name,
			minLength,
			maxLength: 4,
		});
	const anything = fc.constantFrom(
		...Object.values(FITS).flat(),
		...MISFITS.flatMap(([, , values]) => values),
	);
	/** Mostly values that fit. */
	const valueOf = (of: string, inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
		if (of === 'Inner') return inner;
		if (of === 'Inner[]') return fc.array(inner, { maxLength: 2 });
		const { [of]: fits } = FITS;
		if (fits === undefined) return anything;
		return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fits) }, anything);
	};
	const structOf = (
		ofMembers: Array<{ name: string; type: string }>,
		inner: fc.Arbitrary<unknown>,
	) =>
		fc
			.tuple(...ofMembers.map((member) => valueOf(member.type, inner)))
			.map((values) => Object.fromEntries(ofMembers.map((one, at) => [one.name, values[at]])));
	const oddDomain = fc.record(
		{
			name: fc.constantFrom<unknown>('Payroll', '', 5, null, undefined),
			version: fc.constantFrom<unknown>('1', '', 1, undefined),
			chainId: fc.constantFrom<unknown>(1, 0, -1, '1', '0x1', 1n, 1.5, 2 ** 53, undefined),
			verifyingContract: fc.constantFrom<unknown>(stranger, '', '0x00', 'payroll.eth', undefined),
			salt: fc.constantFrom<unknown>(id('salt'), '0x00', '', undefined),
		},
		{ requiredKeys: [] },
	);
	const domain: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
		{ weight: 5, arbitrary: fc.constant(NOTE.domain) },
		oddDomain,
	);
	const typedData = fc
		.tuple(members(1), members(0), domain)
		.chain(([outer, inner, domainValue]) => {
			const usesInner = outer.some((one) => one.type.startsWith('Inner'));
			const types = { Outer: outer, ...(usesInner && { Inner: inner }) };
			return structOf(outer, structOf(inner, anything)).map((message) => ({
				domain: domainValue,
				types,
				primaryType: 'Outer',
				message,
			}));
		});

	it('is signed only where ethers signs the very same bytes', async () => {
		let signed = 0;
		let refused = 0;
		await fc.assert(
			fc.asyncProperty(typedData, async (data) => {
				let signature: string;
				try {
					signature = await sign(data);
				} catch (error) {
					expect(error).toBeInstanceOf(UserError);
					refused += 1;
					return;
				}
				signed += 1;
				expect(TypedDataEncoder.getPrimaryType(data.types)).toBe(data.primaryType);
				expect(await judge.signTypedData(data.domain, data.types, data.message)).toBe(signature);
				await checkSigner(guarded(data), { signer: judge.address, signature });
			}),
			{ numRuns: runs(200) },
		);
		expect(signed).toBeGreaterThan(runs(20));
		expect(refused).toBeGreaterThan(runs(80));
	});

	it.each([
		...['', ' ', 'a b', '1a', 'é', 'x,uint256 y', 'x)Evil(uint256 y', 'toString', '__proto__'],
		`A${'b'.repeat(100)}`,
	])('is not signed with a member or a structure of the name %p', (odd) => {
		expect(refusal(noteOf('string', 'x', {}, odd))).toContain('aren’t valid EIP-712 types at');
		const types = Object.fromEntries([
			['Note', [{ name: 'a', type: odd }]],
			[odd, INNER],
		]);
		expect(refusal({ types })).toContain('aren’t valid EIP-712 types');
	});

	it.each([
		...words('address string bytes bytes5 bytes99 uint uint8 int int7 bool'),
		...words('integer uint8s bytes_'),
	])('is not signed with a structure that is called %s', (structure) => {
		expect(refusal(noteWith(structure))).toContain(`valid EIP-712 types at "${structure}"`);
	});

	it.each([
		...words('myint mybytes Int8 addresses myaddress booleans mybool strings mystring Function'),
		`A${'b'.repeat(99)}`,
	])('is signed with a structure that is called %s', async (structure) => {
		await expectSameBytes(noteWith(structure));
	});

	it.each<[string, unknown]>([
		['null', null],
		['text', 'string a'],
		['a list', ['a', 'string']],
		['a type that is a list', { name: 'a', type: ['string'] }],
		['a name that is a list', { name: ['a'], type: 'string' }],
		['a third property', { name: 'a', type: 'string', value: 'x' }],
	])('is not signed with a member that is or has %s', (_what, member) => {
		expect(refusal({ types: { Note: [member] } })).toContain('Note');
	});

	it.each([null, [], 'text', 5])('is not signed with %p for a structure', (inner) => {
		expect(refusal({ message: inner })).toBe('The message is not an object');
		expect(refusal(noteOf('Inner', inner, { Inner: [] }))).toBe('message.a is not an object');
		expect(refusal({ types: inner })).toContain('aren’t valid EIP-712 types');
		expect(refusal({ domain: inner })).toBe('The domain is not an object');
	});

	const INVALID = 'The types aren’t valid EIP-712 types';

	it.each<[string, object]>([
		[INVALID, { types: [] }],
		[`${INVALID} at "Note"`, { types: { Note: {} } }],
		[`${INVALID} at "Note.0"`, { types: { Note: ['a'] } }],
		[`${INVALID} at "Note.0.type"`, { types: { Note: [{ name: 'a' }] } }],
		[`${INVALID} at "Note.0.type"`, { types: { Note: [{ name: 'a', type: 1 }] } }],
		[`${INVALID} at "Note.0.name"`, noteOf('string', 'x', {}, 'a b')],
		[`${INVALID} at "Note"`, { types: { Note: [...INNER, ...INNER] } }],
		['The type "Missing[]" is missing', noteOf('Missing[]')],
		...['constructor', 'EIP712Domain'].map((inherited): [string, object] => [
			`The type "${inherited}" is missing`,
			noteOf(inherited),
		]),
		['The type "x\\nuint8[]" is missing', noteOf('x\nuint8[]', [])],
		['The type Note contains itself', noteOf('Note[]')],
		['The type Other isn’t used by the primary type', noteOf('string', 'x', { Other: INNER })],
		['message.a is not a list', noteOf('string[]')],
		['message.b would be sent, but not signed', { ...noteOf('string'), message: { a: '', b: '' } }],
		['message.a is missing', { ...noteOf('string'), message: {} }],
		['message.a[1] is 5, which isn’t a valid string', noteOf('string[]', ['', 5])],
		['The domain is empty', { domain: {} }],
		['domain.spender would be sent, but not signed', { domain: { spender: stranger } }],
		[
			'domain."Send it to\\nme" would be sent, but not signed',
			{ domain: { 'Send it to\nme': '' } },
		],
		['The domain has an empty name or version', { domain: { name: '' } }],
		['The domain has an empty name or version', { domain: { version: '' } }],
		...[
			...[0, -1, 1.5, 2 ** 53, null, true],
			...['', '0', '01', '-1', '1.0', '0x1', ' 1', '1 ', '1e3', '9007199254740992', '1'.repeat(17)],
		].map((chainId): [string, object] => [
			`domain.chainId is ${JSON.stringify(chainId)}, which isn’t a whole number above 0`,
			{ domain: { chainId } },
		]),
		['domain.salt is "x", which isn’t a valid bytes32', { domain: { salt: 'x' } }],
		['The primary type is not text', { primaryType: ['Note'] }],
		['The primary type "Other" is not among the types', { primaryType: 'Other' }],
		[
			'The primary type "EIP712Domain" is not among the types',
			{ primaryType: 'EIP712Domain', types: { EIP712Domain: [] } },
		],
		[
			'The type EIP712Domain doesn’t match the members of the domain',
			{ types: { ...NOTE.types, EIP712Domain: [] } },
		],
	])('is refused with the sentence: %s', (sentence, change) => {
		expect(refusal(change)).toBe(sentence);
	});

	it.each([1e21, NaN, Infinity, 1n, {}, [1], ['1'], '1\n', 'x1'])(
		'is not signed for %p as the chain',
		(chainId) => {
			expect(refusal({ domain: { chainId } })).toMatch(
				/^domain\.chainId is .* a whole number above 0$/s,
			);
		},
	);

	it.each([
		['shows 100 characters', `${'7'.repeat(99)}x`, `"${'7'.repeat(99)}x", which`],
		['counts more of them', `${'7'.repeat(100)}x`, 'a text of 101 characters, which'],
		['hides nothing', '7\u202e\n8', '"7\ufffd\\n8"'],
		['shows no object', {}, 'not a plain value'],
		['shows null', null, 'null'],
	])('is refused with a sentence that %s', (_what, sum, shown) => {
		expect(refusal({ message: { ...NOTE.message, sum } })).toContain(`message.sum is ${shown}`);
	});

	const typeFirst = NOTE.types.Note.map((member) => ({ type: member.type, name: member.name }));
	const twoInner = { Note: membersIn('Inner a, Inner c'), Inner: INNER };

	it.each<[string, object]>([
		['a domain of a name', { domain: { name: 'Payroll' } }],
		['a domain of a version', { domain: { version: '2' } }],
		['a domain of a chain', { domain: { chainId: 1 } }],
		['a domain of a chain in digits', { domain: { chainId: '42161' } }],
		['a domain of a chain of the most digits', { domain: { chainId: '9007199254740991' } }],
		['a domain of a contract', { domain: { verifyingContract: stranger.toLowerCase() } }],
		['a domain of a salt', { domain: { salt: id('salt') } }],
		['a domain in another order', { domain: { salt: id('salt'), chainId: 42161, name: 'x' } }],
		['members that have their type first', { types: { Note: typeFirst } }],
		['a type in two places', { types: twoInner, message: { a: { b: 'x' }, c: { b: 'y' } } }],
		['a list of structures', noteOf('Inner[]', [{ b: 'y' }, { b: 'z' }], { Inner: INNER })],
	])('is signed with %s, as ethers signs it', async (_what, change) => {
		await expectSameBytes(change);
	});

	it('does not spend long on types that fan out', () => {
		const levels = Array.from({ length: 60 }, (_, level) => [
			`Level${level}`,
			level === 59 ? [] : ['a', 'b'].map((one) => ({ name: one, type: `Level${level + 1}` })),
		]);
		const change = { types: Object.fromEntries(levels), primaryType: 'Level0', message: {} };
		expect(refusal(change)).toBe('message.a is missing');
	});
});

describe('the signer of typed data', () => {
	let signature: string;

	beforeAll(async () => {
		signature = await judge.signTypedData(NOTE.domain, NOTE.types, NOTE.message);
	});

	const check = async (given: string, signer = judge.address, input = NOTE) => {
		await checkSigner(guarded(input), { signer, signature: given });
	};

	it('may be written in any case, and so may the signature, with v from 0 or from 27', async () => {
		await check(signature);
		await check(signature, judge.address.toLowerCase());
		await check(`0x${signature.slice(2).toUpperCase()}`);
		await check(`${signature.slice(0, -2)}${signature.endsWith('1b') ? '00' : '01'}`);
	});

	it('is another one where anything else was signed, or by anyone else', async () => {
		const changed = { ...NOTE, message: { ...NOTE.message, sum: '1250001' } };
		await expect(check(signature, judge.address, changed)).rejects.toThrow('Signer’s signature');
		await expect(check(signature, stranger)).rejects.toMatchObject({
			message: 'Signature isn’t Signer’s signature of this typed data',
			hint: 'Empty Signature, turn on Check Only, and sign what it shows as signs with the wallet in Signer.',
		});
	});

	it('may have s in the middle of the curve; a higher one is spelled lower', async () => {
		const middle = `${signature.slice(0, 66)}${HALF_OF_THE_CURVE}1b`;
		await check(middle, verifyTypedData(NOTE.domain, NOTE.types, NOTE.message, middle));
		/* The other spelling of the same, which contracts refuse. */
		const higher = `${signature.slice(0, 66)}${HALF_OF_THE_CURVE.slice(0, -1)}11c`;
		expect([middle, higher].map(readSignature)).toEqual([middle, middle]);
		const highest = `${signature.slice(0, 66)}${(2n * BigInt(`0x${HALF_OF_THE_CURVE}`)).toString(16)}1b`;
		expect(readSignature(highest)).toBe(`${signature.slice(0, 66)}${'1'.padStart(64, '0')}1c`);
		const order = (2n * BigInt(`0x${HALF_OF_THE_CURVE}`) + 1n).toString(16);
		for (const beyond of [order, 'f'.repeat(64)]) {
			expect(readSignature(`${signature.slice(0, 66)}${beyond}1b`)).toBeUndefined();
		}
		await check(malleable(signature));
		expect(readSignature(malleable(signature))).toBe(signature);
	});

	it.each<[string, (one: string) => string]>([
		['empty', () => ''],
		['0x', () => '0x'],
		['a word', () => 'signature'],
		['without 0x', (one) => one.slice(2)],
		['cut short', (one) => one.slice(0, -2)],
		['longer in front', (one) => `a${one}`],
		['longer at its end', (one) => `${one}00`],
		['with another v', (one) => `${one.slice(0, -2)}02`],
		['all zeros', () => `0x${'0'.repeat(130)}`],
		['beyond the curve', () => `0x${'f'.repeat(128)}1b`],
	])('is nobody where the signature is %s', async (_what, change) => {
		await expect(check(change(signature))).rejects.toMatchObject({
			message: 'Signature isn’t valid',
			hint: 'Enter the 65-byte signature as the signer returned it: 0x followed by 130 hex characters.',
		});
	});
});

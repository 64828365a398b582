import { id, TypedDataEncoder, verifyTypedData, Wallet as Judge } from 'ethers';
import * as fc from 'fast-check';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { checkSigner, privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import {
	readTypedData,
	type UncheckedTypedData,
} from '../../../nodes/PayrollPayments/signing/typedData';
import { runs } from '../../support/propertyRuns';

const key = id('payroll tests: wallet');
const wallet = privateKeyWallet({ privateKey: key });
const judge = new Judge(key);
const stranger = new Judge(id('stranger')).address;

const NOTE = {
	domain: { name: 'Payroll', version: '1', chainId: 42161, verifyingContract: stranger },
	types: {
		Note: [
			{ name: 'text', type: 'string' },
			{ name: 'sum', type: 'uint256' },
		],
	},
	primaryType: 'Note',
	message: { text: 'for March', sum: '1250000' },
};
const guarded = (input: UncheckedTypedData) => readTypedData(input, 'message.');
const sign = async (input: UncheckedTypedData) => await wallet.signTypedData(guarded(input));
const isSigner = async (input: UncheckedTypedData, signature: string, signer = judge.address) => {
	await checkSigner(guarded(input), { signer, signature });
};

describe('typed data', () => {
	const TYPES = [
		'address',
		'bool',
		'string',
		'bytes',
		'bytes1',
		'bytes32',
		'bytes33',
		'uint8',
		'uint256',
		'int8',
		'int256',
		'uint',
		'int',
		'uint7',
		'uint08',
		'uint264',
		'string[]',
		'uint8[]',
		'uint8[2]',
		'uint8[][]',
		'address[]',
		'Inner',
		'Inner[]',
		'Missing',
		'Outer',
		'function',
		'',
	];
	const type = fc.oneof(
		{ weight: 2, arbitrary: fc.constantFrom(...TYPES.slice(0, 6), 'uint8', 'uint256', 'string[]') },
		fc.constantFrom(...TYPES),
	);
	const name = fc.oneof(
		{ weight: 3, arbitrary: fc.constantFrom('a', 'b', 'from', 'B2', '_x') },
		fc.constantFrom('__proto__', 'toString', 'a b', '', '1a'),
	);
	const member = fc.record({ name, type });
	const VALUES = [
		'',
		' ',
		'0',
		'-0',
		'1',
		'-1',
		'01',
		'1.0',
		'1e3',
		' 1',
		'255',
		'256',
		'-128',
		'-129',
		'0x',
		'0x0',
		'0x1',
		'0x01',
		'0X01',
		'0xff',
		'0xfff',
		'0xzz',
		'0b1',
		'0o7',
		'1_000',
		'true',
		'text',
		'é',
		'\ud800',
		'\u0000',
		id('x'),
		id('x').slice(0, -1),
		`${id('x')}00`,
		'9'.repeat(78),
		String(2n ** 256n - 1n),
		stranger,
		stranger.toLowerCase(),
		stranger.toUpperCase(),
		`0X${stranger.slice(2)}`,
		stranger.slice(2),
		stranger.slice(0, -1),
		`${stranger} `,
		stranger.replace(/[a-f]/, (letter) => letter.toUpperCase()),
		0,
		1,
		-1,
		255,
		256,
		1.5,
		1e21,
		NaN,
		2 ** 53,
		true,
		false,
		null,
		undefined,
		{},
		[],
		['1'],
		[1, 2],
		[[1]],
		[''],
		[stranger],
		{ a: '1' },
		{ a: 1, b: '0x01' },
		[{ a: 'x' }],
	];
	const value: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(...VALUES);
	const inner = fc.uniqueArray(member, { selector: (one) => one.name, maxLength: 3 });
	const GOOD: Readonly<Record<string, unknown>> = {
		address: stranger,
		bool: true,
		string: 'text',
		bytes: '0x0102',
		bytes1: '0x01',
		bytes32: id('x'),
		uint8: '7',
		uint256: '1250000',
		int8: '-5',
		int256: '-1',
		'string[]': ['a', ''],
		'uint8[]': [],
		'address[]': [stranger],
		'uint8[2]': [1, 2],
		'uint8[][]': [[1]],
	};
	/** Mostly a value that fits, sometimes anything. */
	const fitting = (of: string): fc.Arbitrary<unknown> =>
		of in GOOD ? fc.oneof({ weight: 4, arbitrary: fc.constant(GOOD[of]) }, value) : value;
	const struct = (members: Array<{ name: string; type: string }>, of: fc.Arbitrary<unknown>) =>
		fc
			.tuple(
				...members.map((one) =>
					one.type === 'Inner'
						? of
						: one.type === 'Inner[]'
							? fc.array(of, { maxLength: 2 })
							: fitting(one.type),
				),
			)
			.map((values) => Object.fromEntries(members.map((one, at) => [one.name, values[at]])));
	const domain: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
		{ weight: 5, arbitrary: fc.constant(NOTE.domain) },
		fc.record(
			{
				name: fc.constantFrom<unknown>('Payroll', '', 5, null, undefined),
				version: fc.constantFrom<unknown>('1', '', 1, undefined),
				chainId: fc.constantFrom<unknown>(1, 0, -1, '1', '0x1', 1n, 1.5, 2 ** 53, undefined),
				verifyingContract: fc.constantFrom<unknown>(stranger, '', '0x00', 'payroll.eth', undefined),
				salt: fc.constantFrom<unknown>(id('salt'), '0x00', '', undefined),
			},
			{ requiredKeys: [] },
		),
	);
	const typedData = fc
		.tuple(
			fc.uniqueArray(member, { selector: (one) => one.name, minLength: 1, maxLength: 4 }),
			inner,
			domain,
		)
		.chain(([outer, innerMembers, domainValue]) => {
			const usesInner = outer.some((one) => one.type.startsWith('Inner'));
			const types = { Outer: outer, ...(usesInner && { Inner: innerMembers }) };
			return struct(outer, struct(innerMembers, value)).map((message) => ({
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
				await isSigner(data, signature);
			}),
			{ numRuns: runs(500) },
		);
		expect(signed).toBeGreaterThan(runs(50));
		expect(refused).toBeGreaterThan(runs(200));
	});

	const refusalOf = async (change: object): Promise<string> =>
		await sign({ ...NOTE, ...change }).then(
			() => 'nothing was refused',
			(error: unknown) => (error instanceof UserError ? error.message : String(error)),
		);

	it.each(['', ' ', 'a b', '1a', 'é', 'x,uint256 y', 'x)Evil(uint256 y', 'toString', '__proto__'])(
		'is not signed with a member or a type of the name %p',
		async (odd) => {
			const member = { types: { Note: [{ name: odd, type: 'string' }] } };
			const message = Object.fromEntries([[odd, 'x']]);
			expect(await refusalOf({ ...member, message })).toContain('aren’t valid EIP-712 types');
			const types = Object.fromEntries([
				['Note', [{ name: 'inner', type: odd }]],
				[odd, [{ name: 'a', type: 'string' }]],
			]);
			const nested = { types, message: { inner: { a: 'x' } } };
			expect(await refusalOf(nested)).toContain('aren’t valid EIP-712 types');
		},
	);

	it.each([
		'address',
		'string',
		'bytes',
		'bytes5',
		'bytes99',
		'uint',
		'uint8',
		'int',
		'int7',
		'bool',
		'integer',
		'uint8s',
		'bytes_',
	])('is not signed with a structure that is called %s', async (name) => {
		const types = {
			Note: [{ name: 'inner', type: name }],
			[name]: [{ name: 'a', type: 'string' }],
		};
		const message = { inner: { a: 'x' } };
		expect(await refusalOf({ types, message })).toContain('valid EIP-712 types at');
	});

	it.each([
		'uint7',
		'uint0',
		'uint08',
		'uint264',
		'int1',
		'uint',
		'int',
		'bytes0',
		'bytes33',
		'bytes100',
		'fixed',
		'xuint8',
		'xint8',
		'uint8x',
		'xbytes32',
		'bytes32x',
		'uint8[]x',
		'uint8[2]',
	])('is not signed with a value of the type %s, which is none', async (type) => {
		const types = { Note: [{ name: 'a', type }] };
		expect(await refusalOf({ types, message: { a: '0' } })).toContain(
			`The type "${type}" is missing`,
		);
	});

	it('is not signed with a list in the second line of a type', async () => {
		const types = { Note: [{ name: 'a', type: 'x\nuint8[]' }] };
		expect(await refusalOf({ types, message: { a: [] } })).toContain(
			'The type "x\\nuint8[]" is missing',
		);
	});

	it.each<[string, unknown]>([
		['null', null],
		['text', 'string a'],
		['a list', ['a', 'string']],
		['a type that is a list', { name: 'a', type: ['string'] }],
		['a name that is a list', { name: ['a'], type: 'string' }],
		['a third property', { name: 'a', type: 'string', value: 'x' }],
	])('is not signed with a member that is or has %s', async (_what, member) => {
		const types = { Note: [member] };
		expect(await refusalOf({ types, message: { a: 'x' } })).toContain('Note');
	});

	const HALF = 2n ** 255n;
	const TABLE: Record<string, { fits: unknown[]; doesNot: unknown[] }> = {
		uint8: {
			fits: ['0', '255'],
			doesNot: [
				'0xff',
				'0x0',
				'0x00',
				0,
				-0,
				7,
				255,
				'00',
				'060',
				'256',
				'-1',
				'0x100',
				256,
				-1,
				'-0',
				'',
				' 1',
				'1 ',
				'1\n',
				'01',
				'+1',
				'1.0',
				'1e1',
				'0b1',
				'0o7',
				'0X1',
				'0x',
				'1_0',
				'١',
				1.5,
				NaN,
				Infinity,
				true,
				null,
				{},
				[],
				['1'],
				1n,
			],
		},
		int8: {
			fits: ['127', '-128'],
			doesNot: [0, -128, '-0', '+7', '128', '-129', 128, -129, '--1', '-01', '-0x1'],
		},
		uint256: {
			fits: [String(2n * HALF - 1n), '1', '10'],
			doesNot: [
				id('x'),
				2 ** 53 - 1,
				String(2n * HALF),
				`${id('x')}00`,
				2 ** 53,
				1e21,
				'9'.repeat(500),
			],
		},
		int256: {
			fits: [String(HALF - 1n), String(-HALF)],
			doesNot: [String(HALF), String(-HALF - 1n), `0x${'f'.repeat(64)}`],
		},
		bool: { fits: [true, false], doesNot: ['true', 'false', '', 0, 1, null, {}] },
		string: {
			fits: ['', 'x', '0x01', '\u0000', '給与'],
			doesNot: [0, true, null, {}, ['x'], '\ud800', 'x\udc00'],
		},
		bytes: {
			fits: ['0x', '0x00', '0xABcd'],
			doesNot: ['', '0x0', '0xzz', '00', '0X00', 'a0x00', '0x00g', '0x00 ', 0, true, null, {}, [0]],
		},
		bytes1: { fits: ['0x00', '0xFF'], doesNot: ['0x', '0x0', '0x0000', '00', 0, null] },
		bytes10: { fits: [`0x${'ab'.repeat(10)}`], doesNot: ['0xab', `0x${'ab'.repeat(11)}`] },
		bytes29: { fits: [`0x${'ab'.repeat(29)}`], doesNot: [`0x${'ab'.repeat(2)}`, id('x')] },
		bytes32: {
			fits: [id('x')],
			doesNot: [id('x').slice(0, -1), `${id('x')}00`, id('x').slice(2), '0x', 'x'],
		},
		address: {
			fits: [stranger, stranger.toLowerCase()],
			doesNot: [
				stranger.slice(2),
				stranger.slice(0, -1),
				`${stranger}0`,
				` ${stranger}`,
				`0X${stranger.slice(2)}`,
				stranger.replace(/[a-f]/, (letter) => letter.toUpperCase()),
				'payroll.eth',
				'',
				0,
				null,
				{},
				[new Judge(id('in a list')).address],
			],
		},
		'uint8[]': {
			fits: [[], ['1', '2']],
			doesNot: [['1', 2], '1', {}, { length: 0 }, null, [256], [[1]], [null]],
		},
	};

	it.each(Object.keys(TABLE))(
		'is signed with every %s that fits, and with no other value',
		async (type) => {
			const { fits = [], doesNot = [] } = TABLE[type] ?? {};
			const types = { Note: [{ name: 'a', type }] };
			for (const a of fits) {
				const signature = await sign({ ...NOTE, types, message: { a } });
				expect([a, signature]).toEqual([a, await judge.signTypedData(NOTE.domain, types, { a })]);
			}
			for (const a of doesNot) {
				expect([a, await refusalOf({ types, message: { a } })]).toEqual([
					a,
					expect.stringContaining('message.a'),
				]);
			}
		},
	);

	it.each([null, [], 'text', 5])('is not signed with %p for a structure', async (inner) => {
		expect(await refusalOf({ message: inner })).toBe('The message is not an object');
		const types = { Note: [{ name: 'inner', type: 'Inner' }], Inner: [] };
		expect(await refusalOf({ types, message: { inner } })).toContain(
			'message.inner is not an object',
		);
		expect(await refusalOf({ types: inner })).toContain('aren’t valid EIP-712 types');
		expect(await refusalOf({ domain: inner })).toContain('domain is not an object');
	});

	it('is signed with any part of a domain, as ethers signs it', async () => {
		for (const domain of [
			{ name: 'Payroll' },
			{ version: '2' },
			{ chainId: 1 },
			{ verifyingContract: stranger.toLowerCase() },
			{ salt: id('salt') },
			{ salt: id('salt'), chainId: 42161, name: 'Payroll' },
		]) {
			expect(await sign({ ...NOTE, domain })).toBe(
				await judge.signTypedData(domain, NOTE.types, NOTE.message),
			);
		}
	});

	const note = (type: string, more: object = {}) => ({
		types: { Note: [{ name: 'a', type }], ...more },
		message: { a: 'x' },
	});
	const INNER = [{ name: 'b', type: 'string' }];

	it.each<[string, object]>([
		['The types aren’t valid EIP-712 types', { types: [] }],
		['The types aren’t valid EIP-712 types at "Note"', { types: { Note: {} } }],
		['The types aren’t valid EIP-712 types at "Note.0.type"', { types: { Note: [{ name: 'a' }] } }],
		['The types aren’t valid EIP-712 types at "Note.0"', { types: { Note: ['a'] } }],
		[
			'The types aren’t valid EIP-712 types at "Note.0.name"',
			{ types: { Note: [{ name: 'a b', type: 'string' }] } },
		],
		[
			'The types aren’t valid EIP-712 types at "Note.0.type"',
			{ types: { Note: [{ name: 'a', type: 1 }] } },
		],
		['The types aren’t valid EIP-712 types at "Note"', { types: { Note: [...INNER, ...INNER] } }],
		['The types aren’t valid EIP-712 types at "uint8"', note('uint8', { uint8: INNER })],
		['The type "Missing[]" is missing', note('Missing[]')],
		['The type Note contains itself', note('Note[]')],
		['The type Other isn’t used by the primary type', note('string', { Other: INNER })],
		['message.a is not an object', note('Inner', { Inner: INNER })],
		['message.a is not a list', note('string[]')],
		['message.b would be sent, but not signed', { ...note('string'), message: { a: '', b: '' } }],
		['message.a is missing', { ...note('string'), message: {} }],
		[
			"message.a[1] is 5, which isn't a valid string",
			{ ...note('string[]'), message: { a: ['', 5] } },
		],
		['The domain is not an object', { domain: 'x' }],
		['The domain is empty', { domain: {} }],
		['domain.spender would be sent, but not signed', { domain: { spender: stranger } }],
		['The domain has an empty name or version', { domain: { name: '' } }],
		['The domain has an empty name or version', { domain: { version: '' } }],
		['domain.chainId is "1", which isn\'t a whole number above 0', { domain: { chainId: '1' } }],
		['The primary type is not text', { primaryType: ['Note'] }],
		['The primary type "Other" is not among the types', { primaryType: 'Other' }],
		[
			'The type EIP712Domain doesn’t match the members of the domain',
			{ types: { ...NOTE.types, EIP712Domain: [] } },
		],
		['domain.salt is "x", which isn\'t a valid bytes32', { domain: { salt: 'x' } }],
		["domain.chainId is -1, which isn't a whole number above 0", { domain: { chainId: -1 } }],
	])('is refused with the sentence: %s', async (words, change) => {
		expect(await refusalOf(change)).toBe(words);
	});

	it.each([
		'myint',
		'mybytes',
		'Int8',
		'addresses',
		'myaddress',
		'booleans',
		'mybool',
		'strings',
		'mystring',
		'Function',
		`A${'b'.repeat(99)}`,
	])('is signed with a structure that is called %s', async (name) => {
		const types = { Note: [{ name: 'a', type: name }], [name]: INNER };
		const message = { a: { b: 'x' } };
		expect(await sign({ ...NOTE, types, message })).toBe(
			await judge.signTypedData(NOTE.domain, types, message),
		);
	});

	it('is not signed with a name of more than 100 characters', async () => {
		const name = `A${'b'.repeat(100)}`;
		expect(await refusalOf(note(name, { [name]: INNER }))).toContain('valid EIP-712 types at');
	});

	it('is signed with members that have their type first', async () => {
		const types = {
			Note: [
				{ type: 'string', name: 'text' },
				{ type: 'uint256', name: 'sum' },
			],
		};
		expect(await sign({ ...NOTE, types })).toBe(
			await judge.signTypedData(NOTE.domain, NOTE.types, NOTE.message),
		);
	});

	it('is signed with a type in two places, and with lists of lists', async () => {
		const types = {
			Note: [
				{ name: 'a', type: 'Inner' },
				{ name: 'c', type: 'Inner[]' },
			],
			Inner: INNER,
		};
		const message = { a: { b: 'x' }, c: [{ b: 'y' }, { b: 'z' }] };
		expect(await sign({ ...NOTE, types, message })).toBe(
			await judge.signTypedData(NOTE.domain, types, message),
		);
	});

	it('is quoted whole where it has 100 characters, and not at all where it has more', async () => {
		const sum = `${'7'.repeat(99)}x`;
		expect(await refusalOf({ message: { ...NOTE.message, sum } })).toContain(
			`message.sum is "${sum}", which`,
		);
		expect(await refusalOf({ message: { ...NOTE.message, sum: `${sum}x` } })).toContain(
			'message.sum is a text of 101 characters, which',
		);
	});

	it('does not spend long on types that fan out', async () => {
		const levels = Array.from(
			{ length: 60 },
			(_, level): [string, Array<{ name: string; type: string }>] => [
				`Level${level}`,
				level === 59 ? [] : ['a', 'b'].map((name) => ({ name, type: `Level${level + 1}` })),
			],
		);
		const change = { types: Object.fromEntries(levels), primaryType: 'Level0', message: {} };
		expect(await refusalOf(change)).toContain('message.a is missing');
	});

	it('is quoted, where it is refused, without hiding anything', async () => {
		const hidden = await refusalOf({ message: { ...NOTE.message, sum: '7\u202e\n8' } });
		expect(hidden).toContain('"7\ufffd\\n8"');
		expect(await refusalOf({ message: { ...NOTE.message, sum: {} } })).toContain(
			'not a plain value',
		);
		expect(await refusalOf({ message: { ...NOTE.message, sum: null } })).toContain('is null');
	});
});

describe('the signer of typed data', () => {
	it('takes a signature in any spelling that means the same', async () => {
		const signature = await judge.signTypedData(NOTE.domain, NOTE.types, NOTE.message);
		const v = signature.endsWith('1b') ? '00' : '01';
		for (const spelling of [
			signature,
			`0x${signature.slice(2).toUpperCase()}`,
			`${signature.slice(0, -2)}${v}`,
		]) {
			await isSigner(NOTE, spelling);
		}
	});

	it('is another one where anything was changed', async () => {
		const signature = await judge.signTypedData(NOTE.domain, NOTE.types, NOTE.message);
		const changed = { ...NOTE, message: { ...NOTE.message, sum: '1250001' } };
		await expect(isSigner(changed, signature)).rejects.toThrow('Signer’s signature');
	});

	it('may have s in the middle of the curve, and no higher', async () => {
		const half = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
		const signature = await judge.signTypedData(NOTE.domain, NOTE.types, NOTE.message);
		const middle = `${signature.slice(0, 66)}${half}1b`;
		const signer = verifyTypedData(NOTE.domain, NOTE.types, NOTE.message, middle);
		await isSigner(NOTE, middle, signer);
		const higher = `${signature.slice(0, 66)}${half.slice(0, -1)}11b`;
		await expect(isSigner(NOTE, higher)).rejects.toThrow('isn’t valid');
	});

	it('is compared with the one who is said to have signed', async () => {
		const signature = await judge.signTypedData(NOTE.domain, NOTE.types, NOTE.message);
		for (const signer of [judge.address, judge.address.toLowerCase()]) {
			await isSigner(NOTE, signature, signer);
		}
		await expect(isSigner(NOTE, signature, stranger)).rejects.toMatchObject({
			message: 'Signature isn’t Signer’s signature of this typed data',
			field: 'signature',
			hint: 'Sign exactly this typed data with the wallet in Signer. Nothing was sent.',
		});
	});

	it('is nobody where the signature is none', async () => {
		const signature = await judge.signTypedData(NOTE.domain, NOTE.types, NOTE.message);
		// The other valid form of the same signature, which contracts refuse.
		const order =
			2n * BigInt(`0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0`) + 1n;
		const highS = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
		const malleable = `${signature.slice(0, 66)}${highS}${signature.endsWith('1b') ? '1c' : '1b'}`;
		for (const wrong of [
			'',
			'0x',
			'signature',
			signature.slice(2),
			signature.slice(0, -2),
			`a${signature}`,
			`${signature}00`,
			`${signature.slice(0, -2)}02`,
			`0x${'0'.repeat(130)}`,
			`0x${'f'.repeat(128)}1b`,
			malleable,
		]) {
			await expect(isSigner(NOTE, wrong)).rejects.toMatchObject({
				message: 'Signature isn’t valid',
				field: 'signature',
				hint: 'Enter the 65-byte signature as the signer returned it: 0x followed by 130 hex characters. Nothing was sent.',
			});
		}
	});
});

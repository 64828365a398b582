/** Where a mutant is, and what it changes. */
export interface Place {
	/** Below nodes/PayrollPayments. */
	readonly file: string;
	/** The line in which the replaced text begins, without its indentation. */
	readonly line: string;
	readonly from: string;
	readonly to: string;
}

/** A mutant that no test can or should notice. `npm run test:mutation` fails once one does. */
export interface Survivor extends Place {
	readonly why: string;
}

export const SURVIVORS: readonly Survivor[] = [
	{
		file: 'idempotency/paymentJournal.ts',
		line: 'for (const { payment } of attempts) this.stored.set(payment, () => false);',
		from: '() => false',
		to: '() => undefined',
		why: 'Only true counts as stored.',
	},
	{
		file: 'signing/guards/administratorRoles.ts',
		line: 'if (new Set(grants.map(({ account }) => account.toLowerCase())).size !== grants.length) {',
		from: 'account.toLowerCase()',
		to: 'account.toUpperCase()',
		why: 'It only has to put the letters of hex addresses in the same case, and either case does.',
	},
	{
		file: 'signing/guards/administratorRoles.ts',
		line: 'const HEX_NUMBER = /^0x[0-9a-f]{1,16}$/i;',
		from: '/^0x[0-9a-f]{1,16}$/i',
		to: '/0x[0-9a-f]{1,16}$/i',
		why: 'What has other text before its 0x isn’t a number, so it reads as NaN either way.',
	},
	{
		file: 'signing/typedData.ts',
		line: "if (type === 'address') return value.length === 42 && isAddress(value);",
		from: 'value.length === 42',
		to: 'true',
		why: 'viem judges the length, too. It is only kept from remembering long texts.',
	},
	{
		file: 'signing/guards/unexpectedIdentifiers.ts',
		line: "const rest = reading.replace(ownEmail, ' ').replace(ownTeam, OWN_TEAM);",
		from: "' '",
		to: '""',
		why: 'What stands around the address can’t be a part of a name, so nothing grows together.',
	},
	{
		file: 'signing/guards/unexpectedIdentifiers.ts',
		line: "const characterOf = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : '');",
		from: 'code <= 0x10ffff',
		to: 'code < 0x10ffff',
		why: 'The last code point isn’t ASCII, so it is left out of what is searched either way.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: "const { scheme = '', authority = '' } = readUri(uri) ?? {};",
		from: "''",
		to: '"Stryker was here!"',
		why: 'The URI was read before, and one without a host has the host of no domain either way.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: "const { scheme = '', authority = '' } = readUri(uri) ?? {};",
		from: "''",
		to: '"Stryker was here!"',
		why: 'The URI was read before, and one without a host has the host of no domain either way.',
	},
	{
		file: 'signing/signature.ts',
		line: "const [, r = '', s = '', v = ''] = parts;",
		from: "''",
		to: '"Stryker was here!"',
		why: 'A match has all three groups; only the compiler doesn’t know.',
	},
	{
		file: 'signing/signature.ts',
		line: "const [, r = '', s = '', v = ''] = parts;",
		from: "''",
		to: '"Stryker was here!"',
		why: 'A match has all three groups; only the compiler doesn’t know.',
	},
	{
		file: 'signing/signature.ts',
		line: "const [, r = '', s = '', v = ''] = parts;",
		from: "''",
		to: '"Stryker was here!"',
		why: 'A match has all three groups; only the compiler doesn’t know.',
	},
	{
		file: 'signing/typedData.ts',
		line: "const [path = ''] = types.error.issues.map((issue) => issue.path.join('.'));",
		from: "''",
		to: '"Stryker was here!"',
		why: 'A failed parse has an issue; only the compiler doesn’t know.',
	},
	{
		file: 'signing/typedData.ts',
		line: 'visit(primaryType, []);',
		from: '[]',
		to: '["Stryker was here"]',
		why: 'No type can have this name.',
	},
	{
		file: 'signing/wallet.ts',
		line: '} catch {',
		from: '{\n\t\treturn undefined;\n\t}',
		to: '{}',
		why: 'A function that ends without a return gives undefined, too.',
	},
	{
		file: 'signing/guards/administratorRoles.ts',
		line: 'const HASH = /^0x[0-9a-fA-F]{64}$/;',
		from: '/^0x[0-9a-fA-F]{64}$/',
		to: '/0x[0-9a-fA-F]{64}$/',
		why: 'A hash with other text around it is the hash of no role, and no role either.',
	},
	{
		file: 'signing/guards/administratorRoles.ts',
		line: 'const HASH = /^0x[0-9a-fA-F]{64}$/;',
		from: '/^0x[0-9a-fA-F]{64}$/',
		to: '/^0x[0-9a-fA-F]{64}/',
		why: 'A hash with other text around it is the hash of no role, and no role either.',
	},
	{
		file: 'signing/guards/eip4361.ts',
		line: '/^(\\d{4}-\\d{2}-\\d{2})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$/;',
		from: '/^(\\d{4}-\\d{2}-\\d{2})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$/',
		to: '/^(\\d{4}-\\d{2}-\\d{2})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)/',
		why: 'Date.parse refuses what stands behind a time.',
	},
	{
		file: 'operations/payment/check.ts',
		line: "if (parts === undefined) return { signs: null, sign: async () => signature ?? '' };",
		from: "''",
		to: '"Stryker was here!"',
		why: 'Without its parts, there is a signature, or nothing is sent.',
	},
	{
		file: 'operations/payment/check.ts',
		line: 'return state === undefined ? [] : withKnown(row, state, ifAlreadyPaid);',
		from: '[]',
		to: '["Stryker was here"]',
		why: 'The journal knows something of each; only the compiler doesn’t know.',
	},
	{
		file: 'operations/payment/checkReport.ts',
		line: "const code = row.known.is === 'unknown' ? row.known.code : undefined;",
		from: "row.known.is === 'unknown'",
		to: 'true',
		why: 'No others are listed; only the compiler doesn’t know.',
	},
	{
		file: 'operations/payment/outcome.ts',
		line: 'return code === undefined ? [] : `${paymentName(row)} (${code})`;',
		from: 'code === undefined',
		to: 'false',
		why: 'Each payment whose outcome is unknown has a code; only the compiler doesn’t know.',
	},
	{
		file: 'operations/payment/outcome.ts',
		line: 'return code === undefined ? [] : `${paymentName(row)} (${code})`;',
		from: '[]',
		to: '["Stryker was here"]',
		why: 'Each payment whose outcome is unknown has a code; only the compiler doesn’t know.',
	},
	{
		file: 'operations/payment/report.ts',
		line: ".replace(/[<>[\\]`*~|]/g, (mark) => IN_CHAT[mark] ?? '')",
		from: "''",
		to: '"Stryker was here!"',
		why: 'The table has each of these marks; only the compiler doesn’t know.',
	},
	{
		file: 'operations/payment/report.ts',
		line: "const parts = word.match(new RegExp(`.{1,${LONGEST_PART}}`, 'gsu')) ?? [];",
		from: '[]',
		to: '["Stryker was here"]',
		why: 'A long word always matches; only the compiler doesn’t know.',
	},
	{
		file: 'operations/payment/report.ts',
		line: "function paragraph([first = '', ...others]: readonly string[]): string {",
		from: "''",
		to: '"Stryker was here!"',
		why: 'Each paragraph has a line; only the compiler doesn’t know.',
	},
	{
		file: 'run/run.ts',
		line: 'if (first === undefined) return { rows: [] };',
		from: '{ rows: [] }',
		to: '{}',
		why: 'n8n runs no node without items.',
	},
	{
		file: 'run/run.ts',
		line: 'if (first === undefined) return { rows: [] };',
		from: '[]',
		to: '["Stryker was here"]',
		why: 'n8n runs no node without items.',
	},
	{
		file: 'run/run.ts',
		line: 'if (first === undefined) return { rows: [] };',
		from: 'first === undefined',
		to: 'false',
		why: 'n8n runs no node without items.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: 'return port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host;',
		from: 'port !== undefined',
		to: 'true',
		why: 'For a scheme without a default port, no host ends with the word undefined.',
	},
];

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
		file: 'signing/guards/administratorRoles.ts',
		line: 'if (new Set(grants.map(({ account }) => account.toLowerCase())).size !== grants.length) {',
		from: 'account.toLowerCase()',
		to: 'account.toUpperCase()',
		why: 'It only has to put the letters of hex addresses in the same case, and either case does.',
	},
	{
		file: 'signing/guards/foreignNames.ts',
		line: "const others = text.replace(ownEmail, ' ').replace(ownTeam, OWN_TEAM).normalize('NFD');",
		from: "' '",
		to: '""',
		why: 'What stands around the address can’t be a part of a name, so nothing grows together.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: 'const PARSER_FAULT = /^line \\d+: ([A-Za-z0-9 -]{1,100})$/m;',
		from: '/^line \\d+: ([A-Za-z0-9 -]{1,100})$/m',
		to: '/^line \\d+: ([A-Za-z0-9 -]{1,100})/m',
		why: 'siwe’s parser writes each fault as a whole line of this form, and nothing else like it.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: 'const PARSER_FAULT = /^line \\d+: ([A-Za-z0-9 -]{1,100})$/m;',
		from: '/^line \\d+: ([A-Za-z0-9 -]{1,100})$/m',
		to: '/line \\d+: ([A-Za-z0-9 -]{1,100})$/m',
		why: 'siwe’s parser writes each fault as a whole line of this form, and nothing else like it.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: 'const host = authority.toLowerCase();',
		from: 'authority.toLowerCase()',
		to: 'authority.toUpperCase()',
		why: 'It only has to put the letters of both hosts in the same case, and either case does.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: "const port = DEFAULT_PORTS[scheme.toLowerCase()] ?? '';",
		from: "''",
		to: '"Stryker was here!"',
		why: 'Stands for a scheme without a default port, and no host ends with the other text either.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: "const [, scheme = '', authority = ''] = URI_AUTHORITY.exec(message.uri) ?? [];",
		from: "''",
		to: '"Stryker was here!"',
		why: 'Stands for a URI without a host, and no domain equals the other text either.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: "const [, scheme = '', authority = ''] = URI_AUTHORITY.exec(message.uri) ?? [];",
		from: "''",
		to: '"Stryker was here!"',
		why: 'Stands for a URI without a host, and no domain equals the other text either.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: "const [, scheme = '', authority = ''] = URI_AUTHORITY.exec(message.uri) ?? [];",
		from: '[]',
		to: '["Stryker was here"]',
		why: 'Stands for a URI without a host, and no domain equals the other text either.',
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
		line: 'visit(primaryType, []);',
		from: '[]',
		to: '["Stryker was here"]',
		why: 'No type can have this name.',
	},
];

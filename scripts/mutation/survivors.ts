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
		file: 'api/limits.ts',
		line: 'const larger = signedCents > amountCents ? signedCents : amountCents;',
		from: 'signedCents > amountCents',
		to: 'signedCents >= amountCents',
		why: 'Of two equal amounts, either one is the larger.',
	},
	{
		file: 'idempotency/executionCache.ts',
		line: 'set: (key, entry) => this.use(name, new Map())?.set(key, entry),',
		from: 'this.use(name, new Map())?.set',
		to: 'this.use(name, new Map()).set',
		why: 'Where a map is given to begin with, there always is one; only the compiler doesn’t know.',
	},
	{
		file: 'idempotency/keyStore.ts',
		line: 'const { keys, also = [], mayClaim, isOnlyProcess } = this.wanted;',
		from: '[]',
		to: '["Stryker was here"]',
		why: 'Says what stays of the entries that were asked about, and the other text never was.',
	},
	{
		file: 'idempotency/keyStore.ts',
		line: "await claimKeys(store, nodeKey, { keys: [], owner: '', also, maxEntries, isStrict: true });",
		from: "''",
		to: '"Stryker was here!"',
		why: 'An owner marks keys, and there are none.',
	},
	{
		file: 'idempotency/paymentLedger.ts',
		line: 'const { teamId, signer, reference, recipient, cents, confirmedNotPaid = [] } = payment;',
		from: '[]',
		to: '["Stryker was here"]',
		why: 'Stands for no codes, and the other text is the code of no attempt.',
	},
	{
		file: 'idempotency/paymentLedger.ts',
		line: "const plain = (code: string) => code.trim().toUpperCase().replaceAll('-', '');",
		from: 'code.trim().toUpperCase()',
		to: 'code.trim().toLowerCase()',
		why: 'It only has to put the letters of both codes in the same case, and either case does.',
	},
	{
		file: 'shared/money.ts',
		line: "const padded = (digits < 0n ? -digits : digits).toString().padStart(3, '0');",
		from: 'digits < 0n',
		to: 'digits <= 0n',
		why: 'There is only one zero among whole numbers, so turning its sign changes nothing.',
	},
	{
		file: 'shared/money.ts',
		line: "const [, whole, fraction = ''] = DOLLARS.exec(text) ?? [];",
		from: '[]',
		to: '["Stryker was here"]',
		why: 'Stands for text without a match, and what comes first in it is never read.',
	},
	{
		file: 'shared/money.ts',
		line: 'if (cents !== undefined && cents >= least && cents <= most) return cents;',
		from: 'cents !== undefined',
		to: 'true',
		why: 'Undefined is never within the limits; only the compiler doesn’t know.',
	},
	{
		file: 'shared/money.ts',
		line: "return typeof cents === 'number' && Number.isSafeInteger(cents) ? cents : undefined;",
		from: "typeof cents === 'number'",
		to: 'true',
		why: 'What isn’t a number isn’t a safe integer either; only the compiler doesn’t know.',
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
		file: 'signing/guards/foreignNames.ts',
		line: "const others = text.replace(ownEmail, ' ').replace(ownTeam, OWN_TEAM).normalize('NFD');",
		from: "' '",
		to: '""',
		why: 'What stands around the address can’t be a part of a name, so nothing grows together.',
	},
	{
		file: 'signing/guards/instantPayment.ts',
		line: 'const { path = [], message: fault } = message.error.issues[0] ?? {};',
		from: '[]',
		to: '["Stryker was here"]',
		why: 'A failed parse has an issue, and each issue a path; only the compiler doesn’t know.',
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
		file: 'signing/guards/signInMessage.ts',
		line: 'const { domain, uri, chainId, issuedAt, expirationTime, notBefore, resources = [] } = message;',
		from: '[]',
		to: '["Stryker was here"]',
		why: 'Stands for no resources, and one without a host passes.',
	},
	{
		file: 'signing/guards/signInMessage.ts',
		line: "function readTime(value = ''): number {",
		from: "''",
		to: '"Stryker was here!"',
		why: 'Neither text is a time, so either reads as NaN.',
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
		line: "const isChainId = typeof chainId === 'number' && Number.isSafeInteger(chainId) && chainId >= 1;",
		from: "typeof chainId === 'number'",
		to: 'true',
		why: 'What isn’t a number isn’t a safe integer either; only the compiler doesn’t know.',
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
		file: 'signing/wallet.ts',
		line: "const name = createHash('sha256').update(privateKey.toLowerCase()).digest('hex');",
		from: 'privateKey.toLowerCase()',
		to: 'privateKey.toUpperCase()',
		why: 'It only has to put the letters of the key in the same case, and either case does.',
	},
];

import { runInNewContext } from 'node:vm';

import { encodeBytes32String, id, verifyTypedData, Wallet as Judge, zeroPadValue } from 'ethers';
import * as fc from 'fast-check';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { instantPaymentTypedData, privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { quoted } from '../../../nodes/PayrollPayments/shared/redaction';
import { runs } from '../../support/propertyRuns';

const wallet = privateKeyWallet({ privateKey: id('payroll tests: wallet') });
const mallory = new Judge(id('mallory')).address;
const contract = new Judge(id('contract')).address;
const token = new Judge(id('token')).address;
const now = Date.parse('2026-11-21T12:00:00Z');
const teamId = 'te-aB3dE6gH9kL2';
const recipientEmail = 'Rita@supplier.example';
const expectation = {
	walletAddress: wallet.address,
	teamId,
	amountCents: 12500,
	recipientEmail,
	typedAmountUnit: 'tokenSixDecimals' as const,
};

const PAYMENT = [
	{ name: 'from', type: 'address' },
	{ name: 'to', type: 'address' },
	{ name: 'salt', type: 'uint256' },
	{ name: 'expires', type: 'uint256' },
	{ name: 'data', type: 'PaymentData' },
];
const PAYMENT_DATA = [
	'id',
	'groupID',
	'payAtTime',
	'validMinutes',
	'payType',
	'token',
	'recipient',
	'amount',
	'data',
].map((name) => ({ name, type: 'string' }));
const DATA = {
	id: 'payment-77',
	groupID: teamId,
	payAtTime: '0',
	validMinutes: '60',
	payType: 'instant',
	token,
	recipient: recipientEmail,
	amount: '125000000',
	data: '0x',
};
const MESSAGE = {
	from: String(wallet.address),
	to: contract,
	salt: '918273645',
	expires: String(now / 1000 + 600),
	data: DATA,
};
const DOMAIN = { name: 'Payments', version: '2', chainId: 42161, verifyingContract: contract };
const TYPES = { Payment: PAYMENT, PaymentData: PAYMENT_DATA };
const FORM = { typedData: MESSAGE, domain: DOMAIN, types: TYPES, primaryType: 'Payment' };
type Form = Parameters<typeof instantPaymentTypedData>[0];

const having = (change: Partial<Form>): Form => ({ ...FORM, ...change });
const message = (change: object): Form => having({ typedData: { ...MESSAGE, ...change } });
const data = (change: object): Form => message({ data: { ...DATA, ...change } });
const types = (change: object): Pick<Form, 'types'> => ({ types: { ...TYPES, ...change } });
const withTypes = (change: object): Form => having(types(change));
const typed = (name: string, type: string): Pick<Form, 'types'> => ({
	types: {
		Payment: PAYMENT.map((one) => (one.name === name ? { name, type } : one)),
		PaymentData: PAYMENT_DATA.map((one) => (one.name === name ? { name, type } : one)),
	},
});
const without = (name: string) => PAYMENT_DATA.filter((one) => one.name !== name);

function refusalOf(input: Form, more: object = {}): UserError {
	try {
		instantPaymentTypedData(input, { ...expectation, ...more });
	} catch (error) {
		if (error instanceof UserError) return error;
		throw error;
	}
	throw new Error('nothing was refused');
}

async function signAndJudge(input: Form, more: object = {}): Promise<void> {
	const typedData = instantPaymentTypedData(input, { ...expectation, ...more });
	const signature = await wallet.signTypedData(typedData);
	const { domain, types: signedTypes, message: signed } = typedData;
	expect(verifyTypedData(domain, signedTypes, signed, signature)).toBe(wallet.address);
	expect(signed).toEqual(input.typedData);
}

describe('the signing guard of instant payments', () => {
	it.each<[string, Form, object?]>([
		['what the form says', FORM],
		[
			'cents, where the service counts in them',
			data({ amount: '12500' }),
			{ typedAmountUnit: 'cents' },
		],
		[
			'any amount where it is not checked',
			data({ amount: '7' }),
			{ typedAmountUnit: 'notChecked' },
		],
		['an amount typed as a number', { ...FORM, ...typed('amount', 'uint256') }],
		['the team as sender', { ...message({ from: teamId }), ...typed('from', 'string') }],
		['its own address in lower case', message({ from: wallet.address.toLowerCase() })],
		[
			'a sender that is neither address nor team',
			{ ...message({ from: 'main' }), ...typed('from', 'string') },
		],
		['the email in another case', data({ recipient: recipientEmail.toLowerCase() })],
		['a recipient that is an address', data({ recipient: mallory })],
		['a receiver of its own choice', message({ to: mallory })],
		[
			'an expiry in ISO 8601',
			{ ...message({ expires: '2026-11-21T12:00:01Z' }), ...typed('expires', 'string') },
		],
		[
			'an expiry that is no time',
			{ ...message({ expires: 'never' }), ...typed('expires', 'string') },
		],
		['an expiry that may mean never', message({ expires: '0' })],
		['an expiry that may be a duration', message({ expires: '3600' })],
		[
			'a domain without name and version',
			having({ domain: { chainId: 1, verifyingContract: contract } }),
		],
	])('lets %s be signed', async (_what, input, more = {}) => {
		await signAndJudge(input, more);
	});

	it('takes exactly one amount, whatever the form’s', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 100, max: 10_000_000_000 }),
				fc.integer({ min: 100, max: 10_000_000_000 }),
				fc.constantFrom(1n, 100n, 10_000n, 1_000_000n, 10n ** 16n),
				fc.constantFrom<'cents' | 'tokenSixDecimals'>('cents', 'tokenSixDecimals'),
				(amountCents, otherCents, factor, typedAmountUnit) => {
					const perCent = typedAmountUnit === 'cents' ? 1n : 10_000n;
					const amount = BigInt(otherCents) * factor;
					const input = data({ amount: String(amount) });
					const more = { amountCents, typedAmountUnit };
					if (amount === BigInt(amountCents) * perCent) {
						instantPaymentTypedData(input, { ...expectation, ...more });
					} else {
						expect(refusalOf(input, more).message).toMatch(/^Authorization: \$.*\. Form: \$/);
					}
					const right = data({ amount: String(BigInt(amountCents) * perCent) });
					expect(instantPaymentTypedData(right, { ...expectation, ...more }).message).toEqual(
						right.typedData,
					);
				},
			),
		);
	});

	it.each<[string, Form, string]>([
		['another amount', data({ amount: '125000001' }), '$125.000001'],
		['a hundred times the amount', data({ amount: '12500000000' }), '$12,500.00'],
		['an amount in hex', data({ amount: '0x7735940' }), 'whole number'],
		['an amount with leading zeros', data({ amount: '0125000000' }), 'whole number'],
		['an amount with a fraction', data({ amount: '125.00' }), 'whole number'],
		['an amount with white space', data({ amount: '125000000 ' }), 'whole number'],
		['an amount with an exponent', data({ amount: '125e6' }), 'whole number'],
		['an amount with separators', data({ amount: '125,000,000' }), 'whole number'],
		['an amount in other digits', data({ amount: '١٢٥٠٠٠٠٠٠' }), 'whole number'],
		['an empty amount', data({ amount: '' }), 'whole number'],

		['another sender', message({ from: mallory }), 'not the wallet'],
		[
			'another sender as text',
			{ ...message({ from: mallory }), ...typed('from', 'string') },
			'not the wallet',
		],
		[
			'another sender with white space',
			{ ...message({ from: ` ${mallory}` }), ...typed('from', 'string') },
			'not the wallet',
		],
		[
			'another sender in 32 bytes',
			{ ...message({ from: zeroPadValue(mallory, 32) }), ...typed('from', 'bytes32') },
			'not the wallet',
		],

		[
			'types without the amount',
			{ ...data({ amount: undefined }), ...types({ PaymentData: without('amount') }) },
			'data.amount would be sent, but not signed',
		],
		[
			'an amount that is sent, but not signed',
			withTypes({ PaymentData: without('amount') }),
			'data.amount would be sent, but not signed',
		],
		[
			'a recipient that is sent, but not signed',
			withTypes({ PaymentData: without('recipient') }),
			'data.recipient would be sent, but not signed',
		],
		[
			'a token that is sent, but not signed',
			withTypes({ PaymentData: without('token') }),
			'token would be sent, but not signed',
		],
		[
			'a sender that is sent, but not signed',
			withTypes({ Payment: PAYMENT.slice(1) }),
			'from would be sent, but not signed',
		],
		[
			'data that is sent, but not signed',
			withTypes({ Payment: PAYMENT.slice(0, 4) }),
			'isn’t used by the primary type',
		],
		['a member that is neither documented nor typed', message({ note: 'x' }), 'note would be sent'],
		[
			'data inside data',
			{
				...data({ data: { amount: '1' } }),
				...types({
					PaymentData: [...without('data'), { name: 'data', type: 'Inner' }],
					Inner: [{ name: 'amount', type: 'string' }],
				}),
			},
			'must be text',
		],
		[
			'an amount inside a structure',
			{
				...data({ amount: { value: '125000000' } }),
				...types({
					PaymentData: [...without('amount'), { name: 'amount', type: 'Sum' }],
					Sum: [{ name: 'value', type: 'string' }],
				}),
			},
			'must be text',
		],
		[
			'a list of amounts',
			{ ...data({ amount: ['125000000', '1'] }), ...typed('amount', 'string[]') },
			'must be text',
		],
		[
			'a list of payments',
			{
				...message({ data: [DATA, DATA] }),
				...types({ Payment: [...PAYMENT.slice(0, 4), { name: 'data', type: 'PaymentData[]' }] }),
			},
			'data must be an object',
		],
		[
			'data as bytes',
			{
				...message({ data: '0x' }),
				...types({ Payment: [...PAYMENT.slice(0, 4), { name: 'data', type: 'bytes' }] }),
			},
			'isn’t used by the primary type',
		],
		[
			'data of a type that every object has',
			withTypes({ Payment: [...PAYMENT.slice(0, 4), { name: 'data', type: 'constructor' }] }),
			'The type "constructor" is missing',
		],
		[
			'the domain as data',
			withTypes({
				Payment: [...PAYMENT.slice(0, 4), { name: 'data', type: 'EIP712Domain' }],
				EIP712Domain: PAYMENT_DATA,
			}),
			'EIP712Domain',
		],
		[
			'a type that is not used',
			withTypes({ Permit: [{ name: 'value', type: 'uint256' }] }),
			'Permit',
		],
		[
			'the inner type as primary type',
			having({ primaryType: 'PaymentData' }),
			'isn’t used by the primary type',
		],

		[
			'a domain type that leaves out the contract',
			withTypes({ EIP712Domain: [{ name: 'name', type: 'string' }] }),
			'EIP712Domain',
		],
	])('refuses %s', (_what, input, words) => {
		const refusal = refusalOf(input);
		expect(refusal.message).toContain(words);
		expect(refusal.hint).toMatch(/ Nothing was signed\.$/);
	});

	it.each<[string, Form, string, object?]>([
		[
			'The primary type "Permit" is not among the types',
			having({ primaryType: 'Permit' }),
			'typedData',
		],
		[
			'In Payment Authorization, from would be sent, but not signed',
			withTypes({ Payment: PAYMENT.slice(1) }),
			'typedData',
		],
		[
			'In Payment Authorization, data.recipient would be sent, but not signed',
			withTypes({ PaymentData: without('recipient') }),
			'typedData',
		],
		[
			'In Payment Authorization, note is missing',
			withTypes({ Payment: [...PAYMENT, { name: 'note', type: 'string' }] }),
			'typedData',
		],
		[
			'In Payment Authorization, data.fee is missing',
			withTypes({ PaymentData: [...PAYMENT_DATA, { name: 'fee', type: 'string' }] }),
			'typedData',
		],
		[
			'In Payment Authorization, data.id is not an object',
			withTypes({
				PaymentData: [...without('id'), { name: 'id', type: 'Inner' }],
				Inner: [{ name: 'a', type: 'string' }],
			}),
			'typedData',
		],
		[
			'In Payment Authorization, salt is not a list',
			having(typed('salt', 'uint256[]')),
			'typedData',
		],
		[
			'In Payment Authorization, data.id must be text',
			{ ...data({ id: true }), ...typed('id', 'bool') },
			'typedData',
		],
		[
			'In Payment Authorization, salt must be text',
			{ ...message({ salt: true }), ...typed('salt', 'bool') },
			'typedData',
		],
		[
			`In Payment Authorization, from is ${mallory.toLowerCase()}, not the wallet ${wallet.address}`,
			message({ from: mallory.toLowerCase() }),
			'typedData',
		],
		[
			'In Payment Authorization, data.amount is "1.5", which isn’t a plain whole number',
			data({ amount: '1.5' }),
			'typedData',
		],
	])('says: %s', (words, input, field) => {
		expect(refusalOf(input)).toMatchObject({
			message: words,
			field,
			hint: 'Compare the typed data with the service’s documentation, or contact its support. Nothing was signed.',
		});
	});

	it.each<[string, Form]>([
		[
			'a sender that ends with an address',
			{ ...message({ from: `x${mallory}` }), ...typed('from', 'string') },
		],
		[
			'a sender that begins with an address',
			{ ...message({ from: `${mallory}0` }), ...typed('from', 'string') },
		],
		[
			'its own address in 32 bytes',
			{
				...message({ from: zeroPadValue(wallet.address, 32) }),
				...typed('from', 'bytes32'),
			},
		],
		['an email in capital letters', data({ recipient: recipientEmail.toUpperCase() })],
	])('takes %s as it stands', async (_what, input) => {
		await signAndJudge(input);
	});

	it.each(['', '-1', '1.5', 'x1', '1x', '01', '9'.repeat(79)])(
		'takes the text %j for no amount in either unit',
		(amount) => {
			for (const typedAmountUnit of ['cents', 'tokenSixDecimals']) {
				expect(refusalOf(data({ amount }), { typedAmountUnit }).message).toContain(
					'isn’t a plain whole number',
				);
			}
		},
	);

	it('reads an amount of 0 and of 78 digits, and refuses both', () => {
		expect(refusalOf(data({ amount: '0' })).message).toBe('Authorization: $0.00. Form: $125.00');
		expect(refusalOf(data({ amount: '9'.repeat(78) })).message).toMatch(/^Authorization: \$999,/);
	});

	describe('names in signed texts', () => {
		const team = 'te-zzzzzzzzzzzz';
		const eve = 'eve@evil.example';
		const ofTeam = `a team ID other than ${teamId}`;
		const ofEmail = `an email address other than ${recipientEmail}`;
		const hidden = '\u200b';
		const fullWidth = (text: string) =>
			text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));
		const percent = (text: string) =>
			[...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

		it.each<[string, string]>([
			['another team', team],
			['another team with white space', ` ${team} `],
			['another team in a sentence', `for ${team}, March`],
			['another team in an address', `https://pay.example/teams/${team}?x=1`],
			['another team behind a digit', `7${team}`],
			['another team behind an underscore', `group_${team}`],
			['another team behind a hyphen', `batch-${team}`],
			['another team behind another script', `团队${team}`],
			['another team behind a word and something invisible', `late${hidden}${team}`],
			['another team behind the form’s', `${teamId} ${team}`],
			['another team with one of these in it', 'te-late-payment'],
			['a longer team', `${team}0`],
			['a team that ends in the form’s', `te-${teamId}`],
			['a team around the form’s', `te-zzzzz_${teamId}_zzzzzz`],
			['the form’s team and one more letter', `${teamId}x`],
			['the form’s team and one more letter, accented', `${teamId}é`],
			['the form’s team and an invisible character', `${teamId}${hidden}x`],
			['the form’s team in another case', teamId.toLowerCase()],
			['the form’s team with a prefix in capitals', teamId.replace('te', 'TE')],
			['the form’s team in full width', fullWidth(teamId)],
			['the form’s team with something invisible', teamId.replace('-', `-${hidden}`)],
			['a team in full width', fullWidth(team)],
			['a team in bold mathematical letters', '𝐭𝐞-𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳'],
			['a percent-encoded team', percent(team)],
			['a team with a percent-encoded hyphen', team.replace('-', '%2D')],
			['a team that is percent-encoded twice', team.replace('-', '%252d')],
			['a team that is percent-encoded in full width', team.replace('-', fullWidth('%2D'))],
			['a team with something invisible', `t\u2060e\u00ad-\ufe0fzzzzzz\u{e0020}zzzzzz`],
			['a team with a control character', `t\u0000e-zzzzzzzzzzzz`],
			['a team with accents', `te\u0301-zzzzzzzzzzzz`],
			['a team with a Cyrillic prefix', `\u0442\u0435-zzzzzzzzzzzz`],
			['a team with a Cyrillic E', `t\u0435-zzzzzzzzzzzz`],
			['a team with Greek capitals', `\u03a4\u0395-zzzzzzzzzzzz`],
			['a team with other letters in it', `te-zzzzzz\u0455\u0455\u0455\u0455\u0455\u0455`],
			...[
				...'\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\u2043\ufe58\ufe63\uff0d\u30fc\u3161',
			].map((dash): [string, string] => [
				`a team with U+${dash.charCodeAt(0).toString(16)}`,
				team.replace('-', dash),
			]),
		])('refuse %s', (_what, id) => {
			expect(refusalOf(data({ id }))).toMatchObject({
				message: `In Payment Authorization, data.id is ${quoted(id)}, which contains ${ofTeam}`,
				field: 'typedData',
				hint: 'Email addresses and team IDs must be exactly those of the form. Correct the form, or get a new payment authorization. Nothing was signed.',
			});
		});

		it.each<[string, string]>([
			['another address', eve],
			['another address with white space', `\t${eve}\n`],
			['another address in a sentence', `paid to ${eve} today`],
			['another address behind the form’s', `${recipientEmail},${eve}`],
			['an address without a dot', 'eve@evil'],
			['an @ alone', '5 @ 25'],
			['an encoded @ alone', '5%40'],
			['a handle', '@eve'],
			['a quoted address', '"eve adams"@evil.example'],
			['a longer local part', `x${recipientEmail}`],
			['a local part with a dot', `eve.${recipientEmail}`],
			['a local part with an apostrophe', `o'${recipientEmail}`],
			['a local part with another letter', `é${recipientEmail}`],
			['a local part with something invisible', `x${hidden}${recipientEmail}`],
			['another letter for a dot', recipientEmail.replace('.', 'x')],
			['a longer domain', `${recipientEmail}.evil.example`],
			['a longer domain behind two dots', `${recipientEmail}..evil.example`],
			['a longer last label', `${recipientEmail}s`],
			['a longer domain with another letter', `${recipientEmail}é`],
			['a longer domain with a hyphen', `${recipientEmail}-evil.example`],
			['a domain behind an address', `${recipientEmail}@evil.example`],
			['a user name in a URL', `https://${recipientEmail}/`],
			['a soft hyphen in the form’s', recipientEmail.replace('.e', '.e\u00ad')],
			['a letter that folds to the form’s', recipientEmail.replace('i', '\u0130')],
			['a letter that looks like the form’s', recipientEmail.replace('a', '\u0430')],
			['no-break space around the form’s', `\u00a0${recipientEmail}\u00a0`],
			['a full-width at sign', 'eve\uff20evil.example'],
			['a small at sign', 'eve\ufe6bevil.example'],
			['the form’s with a full-width at sign', recipientEmail.replace('@', '\uff20')],
			['a percent-encoded at sign', 'eve%40evil.example'],
			['the form’s with a percent-encoded at sign', recipientEmail.replace('@', '%40')],
			['an at sign that is encoded twice', 'eve%2540evil.example'],
			['an at sign whose escape is encoded', 'eve%%34%30evil.example'],
			['an encoded full-width at sign', 'eve%EF%BC%A0evil.example'],
			['a full-width escape', `eve${fullWidth('%40')}evil.example`],
			['an escape with something invisible', `eve%4${hidden}0evil.example`],
			['an encoded at sign among broken bytes', 'eve%ff%40%ffevil.example'],
		])('refuse %s', (_what, id) => {
			expect(refusalOf(data({ id })).message).toBe(
				`In Payment Authorization, data.id is ${quoted(id)}, which contains ${ofEmail}`,
			);
		});

		it.each([
			...[recipientEmail.toUpperCase(), ` ${recipientEmail}\n`, `Rita <${recipientEmail}>`],
			...[`mailto:${recipientEmail}`, `Paid to ${recipientEmail}.`, `(${recipientEmail})...`],
			...[`"${recipientEmail}"`, `${recipientEmail},${recipientEmail}`, `[${recipientEmail}];`],
			...[teamId, ` ${teamId} `, `${teamId}-2026-03`, `group_${teamId}_7`, `${teamId}的`],
			...['late-payment-2026-03', 'update-2026-03-01', 'Été-paiement-2026', 'LATE-PAYMENT-2026'],
			...['te-short', 'te-', 'date', '100%', '5%30', '給与 3月', '%', 'a.b', '', 'te zzzzzzzzzzzz'],
		])('don’t refuse %j', async (id) => {
			await signAndJudge(data({ id }));
		});

		it('may have any character of an address', async () => {
			const odd = 'a.b+c$d*{e}|f?^g@supplier.example';
			await signAndJudge(data({ id: `to ${odd}`, recipient: odd }), { recipientEmail: odd });
		});

		it('refuse what is encoded more often than anyone decodes', () => {
			expect(refusalOf(data({ id: 'eve%2525252540evil.example' })).message).toContain(
				'which contains text that is encoded several times',
			);
			expect(refusalOf(data({ id: 'eve%25252540evil.example' })).message).toContain(ofEmail);
		});

		it.each<[string, Form, string]>([
			['typedData.from', { ...message({ from: team }), ...typed('from', 'string') }, ofTeam],
			['a recipient', data({ recipient: eve }), ofEmail],
			['the data', data({ data: eve }), ofEmail],
			['the domain’s name', having({ domain: { ...DOMAIN, name: team } }), ofTeam],
			['the domain’s version', having({ domain: { ...DOMAIN, version: eve } }), ofEmail],
		])('are found in %s', (_where, input, words) => {
			expect(refusalOf(input).message).toContain(words);
		});

		it('say where in the domain', () => {
			const input = having({ domain: { ...DOMAIN, version: eve } });
			expect(refusalOf(input).message).toMatch(/^In Domain, version is "eve@evil.example", which/);
		});

		it('hide in no spelling', () => {
			const decoys = ['', ' ', 'x', '-', '.', 'late-', teamId, `${recipientEmail} `, hidden, '%25'];
			const wrap = fc.constantFrom(...decoys);
			const spell = fc.constantFrom<(text: string) => string>(
				(text) => text,
				fullWidth,
				percent,
				(text) => [...text].join(hidden),
				(text) => fullWidth(percent(text)),
				(text) => text.toUpperCase(),
			);
			fc.assert(
				fc.property(
					wrap,
					wrap,
					spell,
					fc.constantFrom(`:${team}`, eve),
					(before, after, how, name) => {
						const id = `${before}${how(name)}${after}`;
						expect([id, refusalOf(data({ id })).message]).toEqual([
							id,
							expect.stringContaining('which contains'),
						]);
					},
				),
				{ numRuns: runs(500) },
			);
		});

		it('are read in time that is linear in the length of the text', () => {
			const long = 200_000;
			const signed = (id: string): boolean => {
				try {
					instantPaymentTypedData(data({ id }), expectation);
					return true;
				} catch (error) {
					if (error instanceof UserError) return false;
					throw error;
				}
			};
			/* Quadratic time takes minutes here, so this limit is no stopwatch. */
			const read = (text: string): unknown =>
				runInNewContext('signed(text)', { signed, text }, { timeout: 40_000 });
			expect(read('te-'.repeat(long))).toBe(false);
			expect(read(`${recipientEmail}${'.'.repeat(long)}x`)).toBe(false);
			expect(read(`%${'25'.repeat(long)}40`)).toBe(false);
			expect(read('te-zzzzzzzzzzz '.repeat(long / 10))).toBe(true);
			expect(read(`${recipientEmail}, `.repeat(long / 10))).toBe(true);
			expect(read('%'.repeat(long))).toBe(true);
		});
	});

	it('names the signer of a provided signature', () => {
		const provided = { walletAddress: mallory, signatureSource: 'provided' };
		expect(refusalOf(FORM, provided).message).toBe(
			`In Payment Authorization, from is ${wallet.address}, not the signer ${mallory}`,
		);
	});

	it.each(['chainId', 'verifyingContract'] as const)('refuses a domain without %s', (name) => {
		const { [name]: left, ...domain } = DOMAIN;
		expect(left).toBeDefined();
		for (const signatureSource of ['wallet', 'provided']) {
			expect(refusalOf(having({ domain }), { signatureSource })).toMatchObject({
				message: `Domain has no ${name}`,
				field: 'domain',
				hint: 'Without it, the signature would also be valid elsewhere. Get the whole domain from the service. Nothing was signed.',
			});
		}
	});

	it('says both amounts, and names the other unit where that would fit', () => {
		expect(refusalOf(data({ amount: '12500' }))).toMatchObject({
			message: 'Authorization: $0.0125. Form: $125.00',
			hint: 'The amounts are the same if the service counts in another unit. If so, set Typed Amount Unit under Options to Cents. Nothing was signed.',
		});
		expect(refusalOf(FORM, { typedAmountUnit: 'cents' })).toMatchObject({
			message: 'Authorization: $1,250,000.00. Form: $125.00',
			hint: 'The amounts are the same if the service counts in another unit. If so, set Typed Amount Unit under Options to Token Units (Six Decimals). Nothing was signed.',
		});
		for (const typedAmountUnit of ['cents', 'tokenSixDecimals']) {
			expect(refusalOf(data({ amount: '1' }), { typedAmountUnit }).hint).toBe(
				'Correct the amount, or get a new payment authorization. Nothing was signed.',
			);
		}
	});

	it('refuses an amount that is not checked, but not signed either', () => {
		const input = withTypes({ PaymentData: without('amount') });
		expect(refusalOf(input, { typedAmountUnit: 'notChecked' }).field).toBe('typedData');
	});

	it('signs what was checked, though the form changes afterwards', () => {
		const form = structuredClone(FORM);
		const { message: signed } = instantPaymentTypedData(form, expectation);
		form.typedData.data.amount = '999999999999';
		expect(signed).toEqual(MESSAGE);
	});

	it('takes text in 32 bytes as it stands: what it means is not documented', async () => {
		const input = { ...data({ id: encodeBytes32String('77') }), ...typed('id', 'bytes32') };
		await signAndJudge(input);
	});
});

import { runInNewContext } from 'node:vm';

import { encodeBytes32String, id, verifyTypedData, Wallet as Judge, zeroPadValue } from 'ethers';
import * as fc from 'fast-check';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { instantPaymentTypedData, privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import { quoted } from '../../../nodes/PayrollPayments/shared/redaction';
import { runs } from '../../support/propertyRuns';
import { refusalOf } from '../../support/refusals';
import { membersIn } from './note';

const wallet = privateKeyWallet({ privateKey: id('payroll tests: wallet') });
const wallet32 = zeroPadValue(wallet.address, 32);
const mallory = new Judge(id('mallory')).address;
const malloryInHex = mallory.toLowerCase();
const mallory32 = zeroPadValue(mallory, 32);
const contract = new Judge(id('contract')).address;
const token = new Judge(id('token')).address;
const now = Date.parse('2026-11-21T12:00:00Z');
const teamId = 'te-aB3dE6gH9kL2';
const recipientEmail = 'Rita@supplier.example';
const expectation = {
	signer: wallet.address,
	teamId,
	amountCents: 12500,
	recipientEmail,
	typedAmountUnit: 'tokenSixDecimals' as const,
};

const PAYMENT = membersIn(
	'address from, address to, uint256 salt, uint256 expires, PaymentData data',
);
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
const PAYMENT_DATA = Object.keys(DATA).map((name) => ({ name, type: 'string' }));
const MESSAGE = {
	from: String(wallet.address),
	to: contract,
	salt: '918273645',
	expires: String(now / 1000 + 600),
	data: DATA,
};
const DOMAIN = { name: 'Payments', version: '2', chainId: 42161, verifyingContract: contract };
const TYPES = { Payment: PAYMENT, PaymentData: PAYMENT_DATA };
const FORM = { message: MESSAGE, domain: DOMAIN, types: TYPES, primaryType: 'Payment' };
type Form = Parameters<typeof instantPaymentTypedData>[0];

const having = (change: Partial<Form>): Form => ({ ...FORM, ...change });
const message = (change: object): Form => having({ message: { ...MESSAGE, ...change } });
const data = (change: object): Form => message({ data: { ...DATA, ...change } });
const types = (change: object): Pick<Form, 'types'> => ({ types: { ...TYPES, ...change } });
const withTypes = (change: object): Form => having(types(change));
const typed = (name: string, type: string): Pick<Form, 'types'> => ({
	types: {
		Payment: PAYMENT.map((one) => (one.name === name ? { name, type } : one)),
		PaymentData: PAYMENT_DATA.map((one) => (one.name === name ? { name, type } : one)),
	},
});
/** One member of the message or of its data with another type and value. */
const messageTyped = (name: string, type: string, value: unknown): Form => ({
	...message({ [name]: value }),
	...typed(name, type),
});
const dataTyped = (name: string, type: string, value: unknown): Form => ({
	...data({ [name]: value }),
	...typed(name, type),
});
const without = (name: string) => PAYMENT_DATA.filter((one) => one.name !== name);
/** The member of the data is sent, but not signed. */
const unsigned = (name: string): Form => withTypes({ PaymentData: without(name) });
const text = (name: string) => ({ name, type: 'string' });
/** The member is signed, but not sent. */
const unsent = (type: keyof typeof TYPES, name: string): Form =>
	withTypes({ [type]: [...TYPES[type], text(name)] });
/** The data has another type than PaymentData. */
const dataAs = (type: string) => ({ Payment: [...PAYMENT.slice(0, 4), { name: 'data', type }] });
const sender = (type: string, from: string): Form => messageTyped('from', type, from);
const INNER = [text('a')];

const guarded = (input: Form, more: object = {}) =>
	instantPaymentTypedData(input, { ...expectation, ...more });
const refusal = (input: Form, more: object = {}): UserError =>
	refusalOf(() => guarded(input, more));

async function signAndJudge(input: Form, more: object = {}): Promise<void> {
	const typedData = guarded(input, more);
	const signature = await wallet.signTypedData(typedData);
	const { domain, types: signedTypes, message: signed } = typedData;
	expect(verifyTypedData(domain, signedTypes, signed, signature)).toBe(wallet.address);
	expect(signed).toEqual(input.message);
}

describe('the signing guard of instant payments', () => {
	const [inCents, unchecked] = [{ typedAmountUnit: 'cents' }, { typedAmountUnit: 'notChecked' }];

	it.each<[string, Form, object?]>([
		['what the form says', FORM],
		['cents, where the service counts in them', data({ amount: '12500' }), inCents],
		['any amount where it is not checked', data({ amount: '7' }), unchecked],
		['an amount typed as a number', having(typed('amount', 'uint256'))],
		['the team as sender', sender('string', teamId)],
		['its own address in lower case', message({ from: wallet.address.toLowerCase() })],
		['its own address in 32 bytes', sender('bytes32', wallet32)],
		['a sender that is neither address nor team', sender('string', 'main')],
		['a sender that ends with an address', sender('string', `x${mallory}`)],
		['a sender that begins with an address', sender('string', `${mallory}0`)],
		['the email in another case', data({ recipient: recipientEmail.toUpperCase() })],
		['a recipient that is an address', data({ recipient: mallory })],
		['a receiver of its own choice', message({ to: mallory })],
		['an expiry in ISO 8601', messageTyped('expires', 'string', '2026-11-21T12:00:01Z')],
		['an expiry that is no time', messageTyped('expires', 'string', 'never')],
		['an expiry that may mean never', message({ expires: '0' })],
		['an expiry that may be a duration', message({ expires: '3600' })],
		['text in 32 bytes', dataTyped('id', 'bytes32', encodeBytes32String('77'))],
		['a domain of two members', having({ domain: { chainId: 1, verifyingContract: contract } })],
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
					if (amount === BigInt(amountCents) * perCent) guarded(input, more);
					else expect(refusal(input, more).message).toMatch(/^Authorization: \$.*\. Form: \$/);
					const right = data({ amount: String(BigInt(amountCents) * perCent) });
					expect(guarded(right, more).message).toEqual(right.message);
				},
			),
			{ numRuns: runs(50) },
		);
	});

	const here = 'In Payment Authorization, ';
	const refusedWith = (words: string) => ({
		message: expect.stringContaining(words),
		hint: 'Compare the typed data with the service’s documentation, or contact its support. Nothing was signed.',
	});
	const notTheWallet = (from: string) =>
		`from is ${from}, not the signing wallet ${wallet.address}`;
	const notSigned = (member: string) => `${member} would be sent, but not signed`;
	const structure = {
		...data({ id: { a: '1' } }),
		...types({ PaymentData: [...without('id'), { name: 'id', type: 'Inner' }], Inner: INNER }),
	};
	const payments = { ...message({ data: [DATA, DATA] }), ...types(dataAs('PaymentData[]')) };

	it.each<[string, Form, string]>([
		['another sender', message({ from: mallory }), notTheWallet(mallory)],
		['another sender as text', sender('string', mallory), notTheWallet(mallory)],
		['another sender with white space', sender('string', ` ${mallory}`), notTheWallet(mallory)],
		['another sender in 32 bytes', sender('bytes32', mallory32), notTheWallet(malloryInHex)],
		['an amount that is not signed', unsigned('amount'), notSigned('data.amount')],
		['a recipient that is not signed', unsigned('recipient'), notSigned('data.recipient')],
		['a token that is not signed', unsigned('token'), notSigned('data.token')],
		['an unsigned sender', withTypes({ Payment: PAYMENT.slice(1) }), notSigned('from')],
		['an undocumented member', message({ note: 'x' }), notSigned('note')],
		['a member that is signed, but not sent', unsent('Payment', 'note'), 'note is missing'],
		['data that is signed, but not sent', unsent('PaymentData', 'fee'), 'data.fee is missing'],
		['a list', having(typed('salt', 'uint256[]')), 'salt is not a list'],
	])('refuses %s', (_what, input, fault) => {
		expect(refusal(input)).toMatchObject(refusedWith(`${here}${fault}`));
	});

	/* The form has refused these before. */
	it.each<[string, Form, string]>([
		['a structure inside the data', structure, 'must be text'],
		['a list of amounts', dataTyped('amount', 'string[]', ['1']), 'must be text'],
		['yes or no in the data', dataTyped('id', 'bool', true), 'must be text'],
		['yes or no', messageTyped('salt', 'bool', true), 'must be text'],
		['a list of payments', payments, 'must be an object'],
	])('signs nothing else than text: %s', (_what, input, fault) => {
		expect(() => guarded(input)).toThrow(fault);
	});

	const unused = 'The type PaymentData isn’t used by the primary type';

	it.each<[string, Form, string]>([
		['data that is not signed', withTypes({ Payment: PAYMENT.slice(0, 4) }), unused],
		['the inner type as primary type', having({ primaryType: 'PaymentData' }), 'The type Payment'],
		['a type that is not used', withTypes({ Permit: INNER }), 'The type Permit isn’t used'],
		['an unknown type', having({ primaryType: 'Permit' }), 'type "Permit" is not among the types'],
		['data as bytes', messageTyped('data', 'bytes', '0x'), unused],
		['an inherited type', withTypes(dataAs('constructor')), 'The type "constructor" is missing'],
		['the domain as data', withTypes(dataAs('EIP712Domain')), 'The type "EIP712Domain" is missing'],
		[
			'a domain type that leaves out the contract',
			withTypes({ EIP712Domain: [text('name')] }),
			'The type EIP712Domain doesn’t match the members of the domain',
		],
	])('refuses %s', (_what, input, words) => {
		expect(refusal(input)).toMatchObject(refusedWith(words));
	});

	it.each([
		...['', ' 1', '-1', '1.5', '125.00', 'x1', '1x', '125000000 ', '125e6', '125,000,000'],
		...['0x7735940', '01', '0125000000', '١٢٥٠٠٠٠٠٠', '9'.repeat(79)],
	])('takes the text %j for no amount in either unit', (amount) => {
		for (const typedAmountUnit of ['cents', 'tokenSixDecimals']) {
			expect(refusal(data({ amount }), { typedAmountUnit }).message).toBe(
				`${here}data.amount is ${quoted(amount)}, which isn’t a plain whole number`,
			);
		}
	});

	const NEW_AMOUNT = 'Correct the amount, or get a new payment authorization.';
	const otherUnit = (label: string) =>
		`The amounts are the same if the service counts in another unit. If so, set Typed Amount Unit under Options to ${label}.`;

	it.each<[amount: string, unit: string, shown: string, hint: string]>([
		['125000001', 'tokenSixDecimals', '$125.000001', NEW_AMOUNT],
		['12500000000', 'tokenSixDecimals', '$12,500.00', NEW_AMOUNT],
		['0', 'tokenSixDecimals', '$0.00', NEW_AMOUNT],
		['9'.repeat(78), 'tokenSixDecimals', `$${'999,'.repeat(23)}999.999999`, NEW_AMOUNT],
		['1', 'cents', '$0.01', NEW_AMOUNT],
		['12500', 'tokenSixDecimals', '$0.0125', otherUnit('Cents')],
		['125000000', 'cents', '$1,250,000.00', otherUnit('Token Units (Six Decimals)')],
	])('refuses the amount %s in %s', (amount, typedAmountUnit, shown, hint) => {
		expect(refusal(data({ amount }), { typedAmountUnit })).toMatchObject({
			message: `Authorization: ${shown}. Form: $125.00`,
			hint: `${hint} Nothing was signed.`,
		});
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
			['another team in a sentence', `for ${team}, March`],
			['another team behind an underscore', `group_${team}`],
			['another team behind another script', `团队${team}`],
			['another team behind a word and something invisible', `late${hidden}${team}`],
			['another team behind a word, and all invisible', `late${hidden}t${hidden}e-zzzzzzzzzzzz`],
			['another team behind the form’s', `${teamId} ${team}`],
			['another team with one of these in it', 'te-late-payment'],
			['a longer team', `${team}0`],
			['a team around the form’s', `te-zzzzz_${teamId}_zzzzzz`],
			['a team that ends in the form’s', `te-zzzzz_${teamId}`],
			['the form’s team and one more letter', `${teamId}x`],
			['the form’s team and one more letter, accented', `${teamId}é`],
			['the form’s team and an invisible character', `${teamId}${hidden}x`],
			['the form’s team in another case', teamId.toLowerCase()],
			['the form’s team with a prefix in capitals', teamId.replace('te', 'TE')],
			['the form’s team in full width', fullWidth(teamId)],
			['the form’s team with something invisible', teamId.replace('-', `-${hidden}`)],
			['a team in full width', fullWidth(team)],
			['a team in bold mathematical letters', '𝐭𝐞-𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳𝐳'],
			['a team with a percent-encoded hyphen', team.replace('-', '%2D')],
			['a team that is percent-encoded twice', team.replace('-', '%252d')],
			...['%2F', '%3a', '%E2%80%8b', '%257C', '\\n', '\\u002f'].map((escape): [string, string] => [
				`a team behind the escape ${escape}`,
				`late${escape}${team}`,
			]),
			['a team with something invisible', `t\u2060e\u00ad-\ufe0fzzzzzz\u{e0020}zzzzzz`],
			['a team with a control character', `t\u0000e-zzzzzzzzzzzz`],
			['a team with accents', `te\u0301-zzzzzzzzzzzz`],
			['a team with a Cyrillic prefix', `\u0442\u0435-zzzzzzzzzzzz`],
			['a team with a Cyrillic E', `t\u0435-zzzzzzzzzzzz`],
			['a team with other letters in it', `te-zzzzzz\u0455\u0455\u0455\u0455\u0455\u0455`],
			...[
				...'\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\u2043\ufe58\ufe63\uff0d\u30fc\u3161',
			].map((dash): [string, string] => [
				`a team with U+${dash.charCodeAt(0).toString(16)}`,
				team.replace('-', dash),
			]),
		])('refuse %s', (_what, id) => {
			expect(refusal(data({ id }))).toMatchObject({
				message: `In Payment Authorization, data.id is ${quoted(id)}, which contains ${ofTeam}`,
				hint: 'Email addresses and team IDs must be exactly those of the form. Correct the form, or get a new payment authorization. Nothing was signed.',
			});
		});

		it.each<[string, string]>([
			['another address', eve],
			['another address in a sentence', `paid to ${eve} today`],
			['another address behind the form’s', `${recipientEmail},${eve}`],
			['an @ alone', '5 @ 25'],
			['a handle', '@eve'],
			['a quoted address', '"eve adams"@evil.example'],
			['a longer local part', `x${recipientEmail}`],
			['a local part with another letter', `é${recipientEmail}`],
			['a local part with something invisible', `x${hidden}${recipientEmail}`],
			['another letter for a dot', recipientEmail.replace('.', 'x')],
			['a longer domain', `${recipientEmail}.evil.example`],
			['a longer domain behind two dots', `${recipientEmail}..evil.example`],
			['a longer last label', `${recipientEmail}s`],
			['a longer domain with another letter', `${recipientEmail}é`],
			['a domain behind an address', `${recipientEmail}@evil.example`],
			['a letter that folds to the form’s', recipientEmail.replace('i', '\u0130')],
			['a letter that looks like the form’s', recipientEmail.replace('a', '\u0430')],
			['no-break space around the form’s', `\u00a0${recipientEmail}\u00a0`],
			['a full-width at sign', 'eve\uff20evil.example'],
			['the form’s with a full-width at sign', recipientEmail.replace('@', '\uff20')],
			['a percent-encoded at sign', 'eve%40evil.example'],
			['an at sign that is encoded twice', 'eve%2540evil.example'],
			['an at sign whose escape is encoded', 'eve%%34%30evil.example'],
			['an encoded full-width at sign', 'eve%EF%BC%A0evil.example'],
			['a full-width escape', `eve${fullWidth('%40')}evil.example`],
			['an escape with something invisible', `eve%4${hidden}0evil.example`],
			['an encoded at sign among broken bytes', 'eve%ff%40%ffevil.example'],
		])('refuse %s', (_what, id) => {
			expect(refusal(data({ id })).message).toBe(
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
			const { message: words } = refusal(data({ id: 'eve%2525252540evil.example' }));
			expect(words).toContain('which contains text that is encoded several times');
			expect(refusal(data({ id: 'eve%25252540evil.example' })).message).toContain(ofEmail);
		});

		it.each<[string, Form, string]>([
			[`${here}from is "${team}"`, messageTyped('from', 'string', team), ofTeam],
			[`${here}data.recipient is "${eve}"`, data({ recipient: eve }), ofEmail],
			[`${here}data.data is "${eve}"`, data({ data: eve }), ofEmail],
			[`In Domain, name is "${team}"`, having({ domain: { ...DOMAIN, name: team } }), ofTeam],
			[`In Domain, version is "${eve}"`, having({ domain: { ...DOMAIN, version: eve } }), ofEmail],
		])('are found: %s', (where, input, name) => {
			expect(refusal(input).message).toBe(`${where}, which contains ${name}`);
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
						expect([id, refusal(data({ id })).message]).toEqual([
							id,
							expect.stringContaining('which contains'),
						]);
					},
				),
				{ numRuns: runs(150) },
			);
		});

		it('are read in time that is linear in the length of the text', () => {
			const long = 100_000;
			const signed = (id: string): boolean => {
				try {
					return guarded(data({ id })).primaryType === 'Payment';
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

	it.each(['chainId', 'verifyingContract'] as const)('refuses a domain without %s', (name) => {
		const { [name]: left, ...domain } = DOMAIN;
		expect(left).toBeDefined();
		expect(refusal(having({ domain }))).toMatchObject({
			message: `Domain has no ${name}`,
			hint: 'Without it, the signature would also be valid elsewhere. Get the whole domain from the service. Nothing was signed.',
		});
	});

	it('refuses an amount that is not checked, but not signed either', () => {
		expect(refusal(unsigned('amount'), unchecked).message).toContain(notSigned('data.amount'));
	});

	it('signs what was checked, though the form changes afterwards', () => {
		const form = structuredClone(FORM);
		const { message: signed } = guarded(form);
		form.message.data.amount = '999999999999';
		expect(signed).toEqual(MESSAGE);
	});
});

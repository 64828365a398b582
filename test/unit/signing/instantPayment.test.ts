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
	teamLabel: teamId,
	amountCents: 12500,
	recipientEmail,
	network: 'arbitrum' as const,
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
const without = (...names: string[]) => PAYMENT_DATA.filter((one) => !names.includes(one.name));
/** The member of the data is sent, but not signed. */
const unsigned = (name: string): Form => withTypes({ PaymentData: without(name) });
/** The members of the data are neither sent nor signed. */
const withoutData = (...names: string[]): Form => {
	const rest = Object.entries(DATA).filter(([name]) => !names.includes(name));
	return {
		...message({ data: Object.fromEntries(rest) }),
		...types({ PaymentData: without(...names) }),
	};
};
const text = (name: string) => ({ name, type: 'string' });
/** The member is signed, but not sent. */
const unsent = (type: keyof typeof TYPES, name: string): Form =>
	withTypes({ [type]: [...TYPES[type], text(name)] });
const sender = (type: string, from: string): Form => messageTyped('from', type, from);

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

const here = 'In Payment Authorization, ';

describe('the signing guard of instant payments', () => {
	const [inCents, unchecked] = [{ typedAmountUnit: 'cents' }, { typedAmountUnit: 'notChecked' }];

	it.each<[string, Form, object?]>([
		['what the form says', FORM],
		['cents, where the service counts in them', data({ amount: '12500' }), inCents],
		['any amount where it is not checked', data({ amount: '7' }), unchecked],
		['an amount typed as a number', having(typed('amount', 'uint256'))],
		['the team as sender', sender('string', teamId)],
		['its own address in lower case', message({ from: wallet.address.toLowerCase() })],
		['its own address in 32 bytes', sender('bytes32', zeroPadValue(wallet.address, 32))],
		['a sender that is neither address nor team', sender('string', 'main')],
		['a sender that ends with an address', sender('string', `x${mallory}`)],
		['a sender that begins with an address', sender('string', `${mallory}0`)],
		['the Platform ID as sender', message({ from: mallory }), { platformId: mallory }],
		['the team’s account as sender', message({ from: mallory }), { teamAccount: malloryInHex }],
		['the team’s account in 32 bytes', sender('bytes32', mallory32), { teamAccount: mallory }],
		['a chain ID in digits', having({ domain: { ...DOMAIN, chainId: '42161' } })],
		['the test network', having({ domain: { ...DOMAIN, chainId: 421614 } })],
		['the test network in digits', having({ domain: { ...DOMAIN, chainId: '421614' } })],
		['the email in another case', data({ recipient: recipientEmail.toUpperCase() })],
		['a recipient that is an address', data({ recipient: mallory })],
		['a receiver of its own choice', message({ to: mallory })],
		['an expiry in ISO 8601', messageTyped('expires', 'string', '2026-11-21T12:00:01Z')],
		['an expiry that is no time', messageTyped('expires', 'string', 'never')],
		['an expiry that may mean never', message({ expires: '0' })],
		['an expiry that may be a duration', message({ expires: '3600' })],
		['text in 32 bytes', dataTyped('id', 'bytes32', encodeBytes32String('77'))],
		[
			'a domain of two members',
			having({ domain: { chainId: 42161, verifyingContract: contract } }),
		],
	])('lets %s be signed', async (_what, input, more = {}) => {
		await signAndJudge(input, more);
	});

	const optional = Object.keys(DATA).filter((name) => name !== 'recipient' && name !== 'amount');

	it.each([...optional.map((name) => [name]), optional])(
		'lets data be signed without %s',
		async (...left) => {
			await signAndJudge(withoutData(...left));
		},
	);

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
					else expect(refusal(input, more).message).toMatch(/^Authorization: \$.*\. Amount: \$/);
					const right = data({ amount: String(BigInt(amountCents) * perCent) });
					expect(guarded(right, more).message).toEqual(right.message);
				},
			),
			{ numRuns: runs(50) },
		);
	});

	const refusedWith = (words: string) => ({
		message: expect.stringContaining(words),
		hint: words.includes('wallet')
			? 'Check the wallet that signs, the Platform ID if the credentials have one, and for a payment the team. If they are right, get new typed data, or ask the service’s support.'
			: 'Compare the typed data with the service’s documentation, or contact its support.',
	});
	const notTheWallet = (from: string) =>
		`from is ${from}, not the signing wallet ${wallet.address}`;
	const account = { teamAccount: contract };
	const known = { ...account, teamLabel: `Engineering (${teamId})`, platformId: token };

	it.each<[object, string]>([
		[account, ` or the account of team ${teamId} ${contract}`],
		[known, ` or Platform ID ${token} or the account of team Engineering (${teamId}) ${contract}`],
		[{ platformId: 'PLT-10000001', teamAccount: '' }, ''],
	])('names each sender that it would take: %j', (more, others) => {
		expect(refusal(message({ from: mallory }), more).message).toBe(
			`${here}${notTheWallet(mallory)}${others}`,
		);
	});

	it.each([1, '1', 42162, '5', 4216])(
		'refuses the chain %j, naming those of the network',
		(chainId) => {
			expect(refusal(having({ domain: { ...DOMAIN, chainId } }))).toMatchObject({
				message: `Domain is for chain ${chainId}, which doesn’t belong to the network arbitrum`,
				hint: 'It must be for Arbitrum One, chain 42161 or Arbitrum Sepolia (test network), chain 421614. Get a payment authorization for one of these.',
			});
		},
	);

	const notSigned = (member: string) => `${member} would be sent, but not signed`;

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

	const unused = 'The type PaymentData isn’t used by the primary type';

	it.each<[string, Form, string]>([
		['data that is not signed', withTypes({ Payment: PAYMENT.slice(0, 4) }), unused],
		['the inner type as primary type', having({ primaryType: 'PaymentData' }), 'The type Payment'],
		['data as bytes', messageTyped('data', 'bytes', '0x'), unused],
	])('refuses %s', (_what, input, words) => {
		expect(refusal(input)).toMatchObject(refusedWith(words));
	});

	it.each([
		...['', ' 1', '-1', '1.5', '125.00', 'x1', '1x', '125000000 ', '125e6', '125,000,000'],
		...['0x7735940', '01', '0125000000', '9'.repeat(79)],
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
			message: `Authorization: ${shown}. Amount: $125.00`,
			hint: `${hint}`,
		});
	});

	it.each<[string, object]>([
		['chainId', { verifyingContract: contract }],
		['verifyingContract', { chainId: 42161 }],
	])('refuses a domain without %s', (name, domain) => {
		expect(refusal(having({ domain }))).toMatchObject({
			message: `Domain has no ${name}`,
			hint: 'Without it, the signature would also be valid elsewhere. Get the whole domain from the service.',
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

describe('names in the texts that the guard of instant payments reads', () => {
	const team = 'te-zzzzzzzzzzzz';
	const eve = 'eve@evil.example';
	const ofTeam = `a team ID other than ${teamId}`;
	const ofEmail = `an email address other than ${recipientEmail}`;
	const hidden = '\u200b';
	const percent = (text: string) =>
		[...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
	const inJson = (text: string) =>
		text.replace(/./g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
	const inHtml = (text: string) => [...text].map((one) => `&#${one.codePointAt(0)};`).join('');
	const inHtmlHex = (text: string) =>
		[...text].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join('');
	const ENCODINGS = [percent, inJson, inHtml, inHtmlHex];

	it.each<[string, string]>([
		['another team', team],
		['another team in a sentence', `for ${team}, March`],
		['another team behind an underscore', `group_${team}`],
		['another team behind a digit', `7${team}`],
		['another team behind the form’s', `${teamId} ${team}`],
		['another team with one of these in it', 'te-late-payment'],
		['another team in capitals', team.toUpperCase()],
		['a longer team', `${team}0`],
		['a team around the form’s', `te-zzzzz_${teamId}_zzzzzz`],
		['a team that ends in the form’s', `te-zzzzz_${teamId}`],
		['the form’s team and one more letter', `${teamId}x`],
		['the form’s team and one more digit', `${teamId}7`],
		['the form’s team in another case', teamId.toLowerCase()],
		['the form’s team with a prefix in capitals', teamId.replace('te', 'TE')],
		['a team with a percent-encoded hyphen', team.replace('-', '%2D')],
		['a team that is percent-encoded twice', team.replace('-', '%252d')],
		['a team with an escaped escape in it', 'te-zzzzzz\\\\u007azzzzz'],
		['a team with a character in it that is none', 'te-zzzz&#99999999999;zzzzzzzz'],
		['a team with an underscore in HTML', 'te-zzzzzz&lowbar;zzzzz'],
		['a team with an underscore in HTML in JSON', 'te-zzzzzz\\u0026lowbar;zzzzz'],
		...[
			...['%2F', '%3a', '%E2%80%8b', '%257C', '\\n', '\\u002f', '\\/', '\\"', '\\\\', '&#47;'],
			...['&#x2f;', '&amp;#47;', '%5C', '%5cu002f', '\\u00252f', '&percnt;2f'],
			...['&bsol;u002f', '\\u005cu002f', '&num;', '&semi;', '&#13'],
		].map<[string, string]>((escape) => [`a team behind ${escape}`, `late${escape}${team}`]),
		...ENCODINGS.flatMap<[string, string]>((encode, at) => [
			[`a team, encoded (${at})`, encode(team)],
			[`a part of a team, encoded (${at})`, `te-zzzzzz${encode('zzz')}zzz`],
			[`a team with something invisible, encoded (${at})`, encode(`t${hidden}e-zzzzzzzzzzzz`)],
			[`a team behind something invisible, encoded (${at})`, `late${encode(hidden)}${team}`],
			[`the form’s team and a letter, encoded (${at})`, `${teamId}${encode('x')}`],
			[`the form’s team and an accented one, encoded (${at})`, `${teamId}${encode('é')}`],
			[`the form’s team and something invisible, encoded (${at})`, `${teamId}${encode(hidden)}x`],
			[`a team in full width, encoded (${at})`, encode('ｔｅ-zzzzzzzzzzzz')],
			[`a team with accents, encoded (${at})`, encode('te\u0301-zzzzzzzzzzzz')],
		]),
	])('refuse %s', (_what, id) => {
		expect(refusal(data({ id }))).toMatchObject({
			message: `${here}data.id is ${quoted(id)}, which contains ${ofTeam}`,
			hint: 'Email addresses and team IDs must be exactly those of the form. Correct the form, or get a new payment authorization.',
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
		['another letter for a dot', recipientEmail.replace('.', 'x')],
		['a longer domain', `${recipientEmail}.evil.example`],
		['a longer domain behind two dots', `${recipientEmail}..evil.example`],
		['a longer last label', `${recipientEmail}s`],
		['a domain behind an address', `${recipientEmail}@evil.example`],
		['a percent-encoded at sign', 'eve%40evil.example'],
		['an at sign that is encoded twice', 'eve%2540evil.example'],
		['an at sign that is encoded four times', 'eve%25252540evil.example'],
		['an at sign whose escape is encoded', 'eve%%34%30evil.example'],
		['an encoded full-width at sign', 'eve%EF%BC%A0evil.example'],
		['an encoded at sign among broken bytes', 'eve%ff%40%ffevil.example'],
		['an at sign in JSON', 'eve\\u0040evil.example'],
		['an at sign in JSON in JSON', 'eve\\\\u0040evil.example'],
		['an at sign in HTML', 'eve&#64;evil.example'],
		['an at sign in HTML without its end', 'eve&#64evil.example'],
		['an at sign in HTML with zeros', 'eve&#000064;evil.example'],
		['an at sign in hexadecimal HTML', 'eve&#X40;evil.example'],
		['an at sign by name', 'eve&commat;evil.example'],
		['an at sign in HTML, its # by name', 'eve&&num;64;evil.example'],
		['an at sign in HTML in HTML', 'eve&amp;commat;evil.example'],
		['an at sign in HTML in percent', 'eve%26commat%3Bevil.example'],
		['an at sign in percent in HTML', 'eve&#37;40evil.example'],
		...ENCODINGS.flatMap<[string, string]>((encode, at) => [
			[`an address, encoded (${at})`, encode(eve)],
			[`a longer local part, encoded (${at})`, `${encode('x')}${recipientEmail}`],
			[`an accented letter before it, encoded (${at})`, `${encode('é')}${recipientEmail}`],
			[`a longer domain, encoded (${at})`, `${recipientEmail}${encode('.evil.example')}`],
			[`an invisible character in it, encoded (${at})`, encode(`Rita${hidden}@supplier.example`)],
			[`a look-alike in it, encoded (${at})`, encode(recipientEmail.replace('a', '\u0430'))],
		]),
	])('refuse %s', (_what, id) => {
		expect(refusal(data({ id })).message).toBe(
			`${here}data.id is ${quoted(id)}, which contains ${ofEmail}`,
		);
	});

	it.each([
		...[recipientEmail.toUpperCase(), ` ${recipientEmail} `, `Rita <${recipientEmail}>`],
		...[`mailto:${recipientEmail}`, `Paid to ${recipientEmail}.`, `(${recipientEmail})...`],
		...[`"${recipientEmail}"`, `${recipientEmail},${recipientEmail}`, `[${recipientEmail}];`],
		...[teamId, ` ${teamId} `, `${teamId} ${teamId}`, `${teamId}-2026-03`, `group_${teamId}_7`],
		...[`{"team":"${teamId}"}`, 'te-short', 'te-', 'te zzzzzzzzzzzz', 'te\\-zzzzzzzzzzzz'],
		...['late-payment-2026-03', 'update-2026-03-01', 'LATE-PAYMENT-2026', '&constructor'],
		...['date', '100%', '5%30', '%', 'a.b', '', '\\', '&#;'],
		...['M%C3%BCller & S%C3%B6hne', '\\ud83d\\ude00', '&#128512;', '&#99999999999;', '&lt;b&gt;'],
		...['apos', 'gt', 'lt', 'nbsp', 'quot'].map((name) => `${teamId}&${name};s`),
		...ENCODINGS.flatMap((encode) => [encode(teamId), encode(recipientEmail), encode('給与')]),
	])('don’t refuse %j', async (id) => {
		await signAndJudge(data({ id }));
	});

	it('may have any character of an address', async () => {
		const odd = 'a.b+c$d*{e}|f?^g@supplier.example';
		await signAndJudge(data({ id: `to ${odd}`, recipient: odd }), { recipientEmail: odd });
	});

	it('refuse what is encoded more often than anyone decodes', () => {
		const encoded = `%${'25'.repeat(20)}41`;
		expect(refusal(data({ id: encoded })).message).toContain(
			'which contains text that is encoded several times',
		);
		guarded(data({ id: encoded.replace(/(?:25){2}/, '') }));
		for (const [id, said] of [
			['te-BBBB&shy;BBBBBBBB', '&shy;, which HTML reads as another character'],
			['eve&ampcommat;evil.org', 'an email address'],
		] as const) {
			expect(refusal(data({ id })).message).toContain(`which contains ${said}`);
		}
	});

	it('give the team its name', () => {
		const more = { teamLabel: `Engineering (${teamId})` };
		expect(refusal(data({ id: team }), more).message).toContain(
			`which contains a team ID other than Engineering (${teamId})`,
		);
	});

	const odd = 'which has characters outside printable ASCII';

	it.each<[string, Form, string]>([
		[`${here}from is "${team}"`, messageTyped('from', 'string', team), ofTeam],
		[`${here}data.recipient is "${eve}"`, data({ recipient: eve }), ofEmail],
		[`${here}data.data is "${eve}"`, data({ data: eve }), ofEmail],
		[`In Domain, name is "${team}"`, having({ domain: { ...DOMAIN, name: team } }), ofTeam],
		[`In Domain, version is "${eve}"`, having({ domain: { ...DOMAIN, version: eve } }), ofEmail],
	])('are found: %s', (where, input, name) => {
		expect(refusal(input).message).toBe(`${where}, which contains ${name}`);
	});

	it.each([
		...['é', '給与', '\u0442\u0435-zzzzzzzzzzzz', '\u00a0', '\u200b', '\u202e', '\n', '\t', '\0'],
		...['\x7f', '\u2010', '\uff20', '\u{1f600}'],
	])('are printable ASCII, without %j', (one) => {
		for (const text of [one, `March ${one}`, `${one} 2026`]) {
			expect(refusal(data({ payType: text }))).toMatchObject({
				message: `${here}data.payType is ${quoted(text)}, ${odd}`,
				hint: 'Such characters can hide what is signed. Get a payment authorization without them.',
			});
			expect(refusal(messageTyped('from', 'string', text)).message).toContain(odd);
			expect(refusal(having({ domain: { ...DOMAIN, name: text } })).message).toBe(
				`In Domain, name is ${quoted(text)}, ${odd}`,
			);
		}
	});

	it('hide in no spelling', () => {
		const wrap = fc.constantFrom(
			...['', ' ', 'x', '-', '.', 'late-', teamId, `${recipientEmail} `, '%25', '\\', '&'],
		);
		const spell = fc.constantFrom<(text: string) => string>(
			(text) => text,
			...ENCODINGS,
			(text) => percent(inJson(text)),
			(text) => inJson(percent(text)),
			(text) => inHtml(inJson(text)),
			(text) => inHtml([...text].join(hidden)),
			(text) => text.toUpperCase(),
		);
		const foreign = fc.constantFrom(`:${team}`, eve);
		const found = expect.stringContaining('which contains');
		fc.assert(
			fc.property(wrap, wrap, spell, foreign, (before, after, how, name) => {
				const id = `${before}${how(name)}${after}`;
				expect([id, refusal(data({ id })).message]).toEqual([id, found]);
			}),
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
		expect(read('&#'.repeat(long))).toBe(true);
		expect(read(`&#${'0'.repeat(long)}64;`)).toBe(false);
		expect(read('\\'.repeat(long))).toBe(true);
		expect(read('te-zzzzzzzzzzz '.repeat(long / 10))).toBe(true);
		expect(read(`${recipientEmail}, `.repeat(long / 10))).toBe(true);
		expect(read('%'.repeat(long))).toBe(true);
	});
});

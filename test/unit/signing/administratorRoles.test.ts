import { encodeBytes32String, id, verifyTypedData, Wallet as Judge, ZeroHash } from 'ethers';

import {
	ADMINISTRATOR_ROLES,
	type AdministratorRole,
	ROLE_NAMES,
	ROLES,
} from '../../../nodes/PayrollPayments/shared/roles';
import * as fc from 'fast-check';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import {
	administratorInviteTypedData,
	checkProvidedRoles,
	privateKeyWallet,
	type AdministratorInviteExpectation,
} from '../../../nodes/PayrollPayments/signing';
import { runs } from '../../support/propertyRuns';

const key = id('payroll tests: wallet');
const wallet = privateKeyWallet({ privateKey: key });
const [anna, ben, mallory] = ['anna', 'ben', 'mallory'].map((name) => new Judge(id(name)).address);
const forwarder = new Judge(id('forwarder')).address;
const now = Date.parse('2026-11-21T12:00:00Z');
const expectation: AdministratorInviteExpectation = {
	walletAddress: wallet.address,
	accounts: 2,
	role: 'org_viewer',
	now,
};
const unknownHash = id('a role that the document does not name');

const SET_ROLES = [
	{ name: 'from', type: 'address' },
	{ name: 'to', type: 'address' },
	{ name: 'salt', type: 'uint256' },
	{ name: 'expires', type: 'uint256' },
	{ name: 'data', type: 'SetRole[]' },
];
const SET_ROLE = [
	{ name: 'role', type: 'string' },
	{ name: 'account', type: 'address' },
];
const DOMAIN_TYPE = [
	{ name: 'name', type: 'string' },
	{ name: 'version', type: 'string' },
	{ name: 'chainId', type: 'uint256' },
	{ name: 'verifyingContract', type: 'address' },
];
const DOMAIN = {
	name: 'Payroll Forwarder',
	version: '1',
	chainId: 42161,
	verifyingContract: forwarder,
};
const MESSAGE = {
	from: String(wallet.address),
	to: forwarder,
	salt: '81237498712398471239',
	expires: String(now / 1000 + 3600),
	data: [
		{ role: 'org_viewer', account: anna },
		{ role: 'org_viewer', account: ben },
	],
};
const TYPES = { SetRolesForwardRequest: SET_ROLES, SetRole: SET_ROLE };
const STRUCTURE = {
	domain: DOMAIN,
	types: TYPES,
	typed_data: MESSAGE,
	primary_type: 'SetRolesForwardRequest',
};

/** The documented structure with parts of it changed. */
const having = (change: object): object => ({ ...STRUCTURE, ...change });
const message = (change: object): object => having({ typed_data: { ...MESSAGE, ...change } });
const domain = (change: object): object => having({ domain: { ...DOMAIN, ...change } });
const request = (members: object[]): object =>
	having({ types: { ...TYPES, SetRolesForwardRequest: members } });
const grant = (members: object[]): object => having({ types: { ...TYPES, SetRole: members } });
const typed = (name: string, type: string): object =>
	request(SET_ROLES.map((member) => (member.name === name ? { name, type } : member)));
const grants = (...roles: string[]) =>
	roles.map((role, index) => ({ role, account: [anna, ben, mallory][index] }));
const hashed = (...roles: string[]): object => ({
	...grant([
		{ name: 'role', type: 'bytes32' },
		{ name: 'account', type: 'address' },
	]),
	typed_data: { ...MESSAGE, data: grants(...roles) },
});
function refusalOf(input: unknown, more: object = {}): UserError {
	try {
		administratorInviteTypedData(input, { ...expectation, ...more });
	} catch (error) {
		if (error instanceof UserError) return error;
		throw error;
	}
	throw new Error('nothing was refused');
}

async function signAndJudge(input: object, more: object = {}): Promise<void> {
	const typedData = administratorInviteTypedData(input, { ...expectation, ...more });
	const signature = await wallet.signTypedData(typedData);
	const { types, message: signed } = typedData;
	expect(verifyTypedData(typedData.domain, types, signed, signature)).toBe(wallet.address);
}

describe('the signing guard of administrator invites', () => {
	it('lets the documented structure be signed, and signs what is sent', async () => {
		await signAndJudge(STRUCTURE);
		const { message: sent } = administratorInviteTypedData(STRUCTURE, expectation);
		expect(sent).toEqual(MESSAGE);
	});

	it.each<[string, object, object?]>([
		['its domain type written out', having({ types: { ...TYPES, EIP712Domain: DOMAIN_TYPE } })],
		[
			'a salt of 32 bytes',
			{ ...typed('salt', 'bytes32'), typed_data: { ...MESSAGE, salt: id('salt') } },
		],
		[
			'texts for salt and expiry',
			{
				...request([
					...SET_ROLES.filter(({ name }) => !['salt', 'expires'].includes(name)),
					{ name: 'salt', type: 'string' },
					{ name: 'expires', type: 'string' },
				]),
				typed_data: { ...MESSAGE, salt: 'any text', expires: '2026-11-21T12:00:01Z' },
			},
		],
		['an expiry in milliseconds', message({ expires: String(now + 1000) })],
		['its own address in lower case', message({ from: wallet.address.toLowerCase() })],
		['roles as hashes', hashed(id('org_viewer'), id('org_viewer'))],
		[
			'roles as hashes in capitals',
			hashed(...Array.from({ length: 2 }, () => `0x${id('org_viewer').slice(2).toUpperCase()}`)),
		],
		['one account', message({ data: grants('org_viewer') }), { accounts: 1 }],
		['any number of accounts where none is expected', STRUCTURE, { accounts: undefined }],
		['any administrator’s role where none is expected', STRUCTURE, { role: undefined }],
	])('lets a structure be signed that has %s', async (_what, input, more = {}) => {
		await signAndJudge(input, more);
	});

	it('takes every administrator’s role', async () => {
		for (const role of ADMINISTRATOR_ROLES) {
			await signAndJudge(message({ data: grants(role, role) }), { role });
			await signAndJudge(hashed(id(role), id(role)), { role });
		}
	});

	it.each<[string, unknown]>([
		['nothing', undefined],
		['text', JSON.stringify(STRUCTURE)],
		['a list', [STRUCTURE]],
		['only the message', MESSAGE],

		['another primary type', having({ primary_type: 'Permit' })],
		['the inner primary type', having({ primary_type: 'SetRole' })],
		['the domain as primary type', having({ primary_type: 'EIP712Domain' })],
		['no primary type', having({ primary_type: undefined })],

		['an added type', having({ types: { ...TYPES, Permit: SET_ROLE } })],
		['a missing type', having({ types: { SetRolesForwardRequest: SET_ROLES } })],
		['an added member', request([...SET_ROLES, { name: 'value', type: 'uint256' }])],
		['an added member of a role', grant([...SET_ROLE, { name: 'spender', type: 'address' }])],
		['a missing member', request(SET_ROLES.slice(0, -1))],
		['a missing member of a role', grant(SET_ROLE.slice(1))],
		['a sender that is no address', typed('from', 'bytes32')],
		['one role instead of a list', typed('data', 'SetRole')],
		['a list of fixed length', typed('data', 'SetRole[2]')],
		['data that is text', typed('data', 'string')],
		['an integer without width', typed('salt', 'uint')],
		['a role that is a number', grant([{ name: 'role', type: 'uint8' }, SET_ROLE[1] ?? {}])],
		['an account that is text', grant([SET_ROLE[0] ?? {}, { name: 'account', type: 'string' }])],

		['a domain without a chain', having({ domain: { ...DOMAIN, chainId: undefined } })],
		[
			'a domain that lacks the contract',
			having({ domain: { name: 'x', version: '1', chainId: 1 } }),
		],
		['a domain with a salt', domain({ salt: id('salt') })],

		['an added value', message({ value: '1' })],

		['another sender', message({ from: mallory })],
		['nobody', message({ data: [] })],
		['one account too few', message({ data: grants('org_viewer') })],
		['one account too many', message({ data: grants('org_viewer', 'org_viewer', 'org_viewer') })],
		[
			'the same account twice',
			message({ data: [...grants('org_viewer'), ...grants('org_viewer')] }),
		],
		[
			'the same account in two cases',
			message({
				data: [...grants('org_viewer'), { role: 'org_viewer', account: anna?.toLowerCase() }],
			}),
		],
		['another role', message({ data: grants('org_admin', 'org_admin') })],
		['a role in another case', message({ data: grants('ORG_VIEWER', 'ORG_VIEWER') })],
		['a role with white space', message({ data: grants('org_viewer ', 'org_viewer ') })],
		['two hashes', hashed(id('org_viewer'), id('unknown'))],
		['two spellings of the role', hashed(id('org_viewer'), id('ORG_VIEWER'))],
		[
			'a hash for one and a text for another',
			message({ data: grants('org_viewer', id('org_viewer')) }),
		],

		['an expiry in the past', message({ expires: String(now / 1000 - 1) })],
		['an expiry of this very moment', message({ expires: String(now / 1000) })],
		['an expiry in the past in milliseconds', message({ expires: String(now - 1000) })],
		['an expiry in the past in hex', message({ expires: `0x${(now / 1000 - 1).toString(16)}` })],
		['an expiry of 1', message({ expires: '1' })],
		[
			'an expiry in the past in ISO 8601',
			{
				...typed('expires', 'string'),
				typed_data: { ...MESSAGE, expires: '2026-11-21T11:59:59Z' },
			},
		],
		[
			'a day in the past for an expiry',
			{
				...typed('expires', 'string'),
				typed_data: { ...MESSAGE, expires: '2026-11-20' },
			},
		],
	])('refuses %s', (_what, input) => {
		const refusal = refusalOf(input);
		expect(refusal.hint).toMatch(/ Nothing was signed\.$/);
		expect(refusal.field).toBe('typedData');
	});

	it.each([
		[
			'a role that is not an administrator’s',
			message({ data: grants('team_employee', 'team_employee') }),
		],
		['the hash of one', hashed(id('team_employee'), id('team_employee'))],
		['two roles', message({ data: grants('org_viewer', 'org_admin') })],
	])('refuses %s also where no role is expected', (_what, input) => {
		expect(refusalOf(input, { role: undefined }).message).toContain('role');
	});

	it('refuses a structure for nobody, however many are expected', () => {
		for (const accounts of [0, undefined]) {
			expect(refusalOf(message({ data: [] }), { accounts }).message).toContain(
				'give anyone a role',
			);
		}
	});

	it.each<[string, object]>([
		['type Permit isn’t the documented one', having({ types: { ...TYPES, Permit: SET_ROLE } })],
		[
			'type SetRolesForwardRequest isn’t',
			request([...SET_ROLES, { name: 'value', type: 'uint256' }]),
		],
		['type SetRolesForwardRequest isn’t', request(SET_ROLES.slice(0, -1))],
	])('says: %s', (words, input) => {
		expect(refusalOf(input).message).toContain(words);
	});

	it.each<[string, object]>([
		[
			'The primary type is "Permit", not SetRolesForwardRequest',
			having({ primary_type: 'Permit' }),
		],
		[
			'The type SetRole isn’t the documented one',
			having({ types: { SetRolesForwardRequest: SET_ROLES } }),
		],
		[
			'The domain doesn’t have exactly name, version, chainId and verifyingContract',
			domain({ salt: id('salt') }),
		],
		[
			`typed_data.from is ${JSON.stringify(mallory)}, not the wallet ${wallet.address}`,
			message({ from: mallory }),
		],
		['typed_data.value would be sent, but not signed', message({ value: '1' })],
		['The typed data doesn’t give anyone a role', message({ data: [] })],
		['The typed data gives 1 account a role, not 2', message({ data: grants('org_viewer') })],
		[
			'The typed data gives 3 accounts a role, not 2',
			message({ data: grants('org_viewer', 'org_viewer', 'org_viewer') }),
		],
		['The typed data gives different roles', message({ data: grants('org_viewer', 'org_admin') })],
		[
			'The typed data names the same account twice',
			message({ data: [...grants('org_viewer'), ...grants('org_viewer')] }),
		],
	])('says %j, and what to do', (words, input) => {
		expect(refusalOf(input)).toMatchObject({
			message: words,
			field: 'typedData',
			hint: 'Compare the typed data with the service’s documentation, or contact its support. Nothing was signed.',
		});
	});

	it.each([undefined, null, 'text', [STRUCTURE]])(
		'says where the structure is, given %j',
		(input) => {
			expect(refusalOf(input)).toMatchObject({
				message: 'The typed data is not an object',
				hint: 'Enter the typed_data from the output of Create. Nothing was signed.',
			});
		},
	);

	it('names an expiry in the past, and the clock', () => {
		const expires = String(now / 1000 - 1);
		expect(refusalOf(message({ expires }))).toMatchObject({
			message: `typed_data.expires is "${expires}", a time in the past`,
			hint: 'Get new typed data from the service, and check the clock of this machine. Nothing was signed.',
		});
	});

	it.each([
		['SetRolesForwardRequest', 'from', ['xaddress', 'address[]']],
		['SetRolesForwardRequest', 'to', ['xaddress', 'address[]']],
		['SetRolesForwardRequest', 'salt', ['xuint256', 'uint256[]', 'xstring', 'string[]', 'bool']],
		[
			'SetRolesForwardRequest',
			'expires',
			['xint256', 'int256[]', 'xstring', 'string[]', 'bytes32'],
		],
		['SetRolesForwardRequest', 'data', ['xSetRole[]', 'SetRole[][]', 'SetRole']],
		['SetRole', 'role', ['xstring', 'string[]', 'xbytes32', 'bytes32[]']],
		['SetRole', 'account', ['xaddress', 'address[]']],
	])('takes only the documented types of %s.%s', (owner, name, wrong) => {
		const members = owner === 'SetRole' ? SET_ROLE : SET_ROLES;
		for (const type of wrong) {
			const changed = members.map((member) => (member.name === name ? { name, type } : member));
			expect(refusalOf(having({ types: { ...TYPES, [owner]: changed } })).message).toContain(
				`The type ${owner} isn’t the documented one`,
			);
		}
	});

	it.each([
		['salt', 'int256', '-5'],
		['salt', 'bytes', '0x01'],
		['expires', 'int64', String(now / 1000 + 1)],
	])('signs a %s of the type %s', async (name, type, value) => {
		await signAndJudge({ ...typed(name, type), typed_data: { ...MESSAGE, [name]: value } });
	});

	it.each(['x', '0'])('takes no hash with %j at either end for one', (more) => {
		for (const role of [`${more}${unknownHash}`, `${unknownHash}${more}`]) {
			const input = message({ data: grants(role, role) });
			expect(refusalOf(input, { allowUnknownRoleHash: true }).message).toContain(
				`gives the role "${role}", not Company: Viewer (org_viewer)`,
			);
		}
	});

	describe('an expiry in text', () => {
		const expiring = (expires: string) => ({
			...typed('expires', 'string'),
			typed_data: { ...MESSAGE, expires },
		});

		it.each([
			'0',
			'-5',
			'+1000',
			'1000.5',
			'1000.25',
			' 1000 ',
			'0x3e8',
			'0X3E8',
			'2026-11',
			'2026-11-20',
			'2026-11-21T11:59',
			'2026-11-21 11:59:59Z',
			'2026-11-21T11:59:59.999+00:00',
			'+002026-11-20',
		])('that reads as a time in the past is refused: %j', (expires) => {
			expect(refusalOf(expiring(expires)).message).toContain(
				`typed_data.expires is ${JSON.stringify(expires)}, a time in the past`,
			);
		});

		it.each([
			'',
			'never',
			'x1000',
			'1000x',
			'1000.',
			'.5',
			'1e3',
			'0x',
			'0x3g8',
			'x0x3e8',
			`0x${'1'.repeat(17)}`,
			'x2026-11-20',
			'2026-11-20x',
			'2026-11-20 (draft)',
			'on 2026-11-20',
			'2026-11-20 11:5',
			'2026-1-20',
			'99-11-20',
			'2026-11-20T9',
			'2026-11-99',
		])('that reads as no time is left to the service: %j', async (expires) => {
			await signAndJudge(expiring(expires));
		});
	});

	it('says what differs', () => {
		expect(refusalOf(message({ from: mallory })).message).toContain(String(mallory));
		expect(refusalOf(message({ data: grants('org_viewer') })).message).toContain(
			'1 account a role, not 2',
		);
		const refusal = refusalOf(hashed(id('org_admin'), id('org_admin')));
		expect(refusal.message).toContain(
			'the role Company: Admin (org_admin), not Company: Viewer (org_viewer)',
		);
	});

	it.each<[string, string]>([
		['an unknown hash', unknownHash],
		['the hash of another spelling', id('ORG_VIEWER')],
		['text in 32 bytes', encodeBytes32String('org_viewer')],
		['32 zeros', ZeroHash],
	])('shows %s, says what to do, and signs it only where that is allowed', async (_what, role) => {
		for (const expected of ['org_viewer', undefined]) {
			const name = expected === undefined ? 'an administrator’s' : 'Company: Viewer (org_viewer)';
			expect(refusalOf(hashed(role, role), { role: expected })).toMatchObject({
				message: `The typed data gives the role ${role}, which isn’t the hash of ${name}`,
				hint: 'Ask the service which role these 32 bytes stand for. If it is the one you chose, turn on Allow Unknown Role Hash under Options and run the node again. Nothing was signed.',
			});
			await signAndJudge(hashed(role, role), { role: expected, allowUnknownRoleHash: true });
		}
	});

	it('signs the documented hash of no other role than the one asked for', () => {
		for (const role of ROLES) {
			const roles = [role, id(role)];
			for (const expected of ADMINISTRATOR_ROLES.filter((one) => one !== role)) {
				for (const allowUnknownRoleHash of [false, true]) {
					for (const given of roles) {
						const input =
							given === role ? message({ data: grants(role, role) }) : hashed(given, given);
						expect(refusalOf(input, { role: expected, allowUnknownRoleHash }).message).toBe(
							`The typed data gives the role ${ROLE_NAMES[role]} (${role}), not ${ROLE_NAMES[expected]} (${expected})`,
						);
					}
				}
			}
		}
	});

	it('takes any other 32 bytes for unknown, and any other text for no role', () => {
		const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
		fc.assert(
			fc.property(bytes, fc.string(), (hash, text) => {
				const role = `0x${Buffer.from(hash).toString('hex')}`;
				expect(refusalOf(hashed(role, role)).message).toContain(`gives the role ${role}, which`);
				const allowed = { ...expectation, allowUnknownRoleHash: true };
				administratorInviteTypedData(hashed(role, role), allowed);
				expect(refusalOf(message({ data: grants(text, text) }), allowed).message).toMatch(
					/role|character|valid/,
				);
			}),
			{ numRuns: runs(200) },
		);
	});

	describe('for a provided signature', () => {
		const signer = new Judge(id('payroll tests: another signer')).address;
		const provided = { walletAddress: signer, signatureSource: 'provided' };

		it('takes the signer’s address for the sender', () => {
			const input = message({ from: signer });
			const typedData = administratorInviteTypedData(input, {
				...expectation,
				walletAddress: signer,
				signatureSource: 'provided',
			});
			expect(typedData.message.from).toBe(signer);
			const refusal = refusalOf(STRUCTURE, provided);
			expect(refusal.message).toContain(`not the signer ${signer}`);
		});

		const check =
			(roles: string[], role?: AdministratorRole, allowUnknownRoleHash = false) =>
			() => {
				checkProvidedRoles(grants(...roles), { role, allowUnknownRoleHash });
			};

		it('holds the roles alone to the one asked for', () => {
			expect(check(['org_viewer', 'org_viewer'], 'org_viewer')).not.toThrow();
			expect(check([id('org_viewer')], 'org_viewer')).not.toThrow();
			expect(check([unknownHash], 'org_viewer', true)).not.toThrow();
			expect(check(['org_viewer', 'org_admin'], 'org_viewer')).toThrow('different roles');
			expect(check(['org_admin'], 'org_viewer')).toThrow('Company: Admin');
			expect(check([unknownHash], 'org_viewer')).toThrow(unknownHash);
			expect(check([id('org_admin')], 'org_viewer', true)).toThrow('Company: Admin');
			expect(check(['team_employee'])).toThrow('not an administrator’s');
			expect(check([])).toThrow('different roles');
		});
	});

	it('signs what was checked, though the input changes afterwards', () => {
		const input = structuredClone(STRUCTURE);
		const { message: signed } = administratorInviteTypedData(input, expectation);
		input.typed_data.from = String(mallory);
		input.typed_data.data.push({ role: 'org_viewer', account: mallory });
		expect(signed).toEqual(MESSAGE);
	});
});

import { encodeBytes32String, id, verifyTypedData, Wallet as Judge, ZeroHash } from 'ethers';

import {
	ADMINISTRATOR_ROLES,
	ROLE_NAMES,
	ROLES,
} from '../../../nodes/PayrollPayments/contract/roles';
import {
	administratorInviteTypedData,
	privateKeyWallet,
	type AdministratorInviteExpectation,
} from '../../../nodes/PayrollPayments/signing';
import { refusalOf } from '../../support/refusals';
import { membersIn } from './note';

const wallet = privateKeyWallet({ privateKey: id('payroll tests: wallet') });
const addressOf = (name: string) => new Judge(id(name)).address;
const [anna, ben, mallory] = [addressOf('anna'), addressOf('ben'), addressOf('mallory')];
const malloryInHex = mallory.toLowerCase();
const forwarder = addressOf('forwarder');
const now = Date.parse('2026-11-21T12:00:00Z');
const expectation: AdministratorInviteExpectation = {
	signer: wallet.address,
	accounts: 2,
	role: 'org_viewer',
	now,
};
const unknownHash = id('a role that the document does not name');

const SET_ROLES = membersIn(
	'address from, address to, uint256 salt, uint256 expires, SetRole[] data',
);
const SET_ROLE = membersIn('string role, address account');
const DOMAIN_TYPE = membersIn(
	'string name, string version, uint256 chainId, address verifyingContract',
);
const named = { name: 'Payroll Forwarder', version: '1' };
const DOMAIN = { ...named, chainId: 42161, verifyingContract: forwarder };
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
const grants = (...roles: string[]) =>
	roles.map((role, index) => ({ role, account: [anna, ben, mallory][index] }));
const withType = (members: typeof SET_ROLES, name: string, type: string) =>
	members.map((member) => (member.name === name ? { name, type } : member));
/** The documented structure with roles of another type. */
const rolesAs = (type: string, ...roles: string[]): object =>
	having({
		types: { ...TYPES, SetRole: withType(SET_ROLE, 'role', type) },
		typed_data: { ...MESSAGE, data: grants(...roles) },
	});
const hashed = (...roles: string[]) => rolesAs('bytes32', ...roles);
/** The documented structure with these roles for anna, ben and mallory. */
const granting = (...roles: string[]) => message({ data: grants(...roles) });
const viewers = (count: number) => granting(...Array<string>(count).fill('org_viewer'));
/** One member of the request with another type and value. */
const retyped = (name: string, type: string, value: string): object =>
	having({
		types: { ...TYPES, SetRolesForwardRequest: withType(SET_ROLES, name, type) },
		typed_data: { ...MESSAGE, [name]: value },
	});

const guarded = (input: object, more: object = {}) =>
	administratorInviteTypedData({ ...input }, { ...expectation, ...more });
const refusal = (input: object, more: object = {}) => refusalOf(() => guarded(input, more));

async function signAndJudge(input: object, more: object = {}): Promise<void> {
	const typedData = guarded(input, more);
	const signature = await wallet.signTypedData(typedData);
	const { types, message: signed } = typedData;
	expect(signed).toEqual(Object(input).typed_data);
	expect(verifyTypedData(typedData.domain, types, signed, signature)).toBe(wallet.address);
}

describe('the signing guard of administrator invites', () => {
	const hash = id('org_viewer');
	const HASH = `0x${hash.slice(2).toUpperCase()}`;

	it.each<[string, object, object?]>([
		['just what is documented', STRUCTURE],
		['its domain type written out', having({ types: { ...TYPES, EIP712Domain: DOMAIN_TYPE } })],
		['a salt of 32 bytes', retyped('salt', 'bytes32', id('salt'))],
		['a salt of any bytes', retyped('salt', 'bytes', '0x01')],
		['a salt below 0', retyped('salt', 'int256', '-5')],
		['a salt that is text', retyped('salt', 'string', 'any text')],
		['an expiry in another integer', retyped('expires', 'int64', String(now / 1000 + 1))],
		['an expiry in ISO 8601', retyped('expires', 'string', '2026-11-21T12:00:01Z')],
		['an expiry in milliseconds', message({ expires: String(now + 1000) })],
		['its own address in lower case', message({ from: wallet.address.toLowerCase() })],
		['the Platform ID as sender', message({ from: mallory }), { platformId: mallory }],
		['the Platform ID in lower case', message({ from: mallory }), { platformId: malloryInHex }],
		['its own address where the Platform ID is a word', STRUCTURE, { platformId: 'PLT-10000001' }],
		['a chain ID in digits', domain({ chainId: '42161' })],
		['roles as hashes', hashed(hash, hash)],
		['roles as hashes in capitals', hashed(HASH, HASH)],
		['one account', viewers(1), { accounts: 1 }],
		['any administrator’s role where none is expected', STRUCTURE, { role: undefined }],
		['the role that is asked for, whatever code is entered', STRUCTURE, { expectedRoleCode: '2' }],
		[
			'the signer of a provided signature as sender',
			message({ from: mallory }),
			{ signer: mallory },
		],
	])('lets a structure be signed that has %s', async (_what, input, more = {}) => {
		await signAndJudge(input, more);
	});

	const twoAccounts = (one: string, other: string) =>
		message({ data: [one, other].map((account) => ({ role: 'org_viewer', account })) });

	const formsOf = (role: string) => [granting(role, role), hashed(id(role), id(role))];

	it('takes every administrator’s role', async () => {
		for (const role of ADMINISTRATOR_ROLES) {
			for (const input of formsOf(role)) await signAndJudge(input, { role });
		}
	});

	const DOMAIN_MEMBERS =
		'The domain doesn’t have exactly name, version, chainId and verifyingContract';
	const notViewer = (given: string) =>
		`The typed data gives the role ${given}, not Company: Viewer (org_viewer)`;
	const notTheWallet = `typed_data.from is ${mallory}, not the signing wallet ${wallet.address}`;
	const twice = 'The typed data names the same account twice';
	const different = 'The typed data gives different roles';
	const primaryType = (given: string) => `The primary type is ${given}, not SetRolesForwardRequest`;

	it.each<[string, object, string, object?]>([
		['another primary type', having({ primary_type: 'Permit' }), primaryType('"Permit"')],
		['no primary type', having({ primary_type: undefined }), primaryType('undefined')],
		['no chain', having({ domain: { ...DOMAIN, chainId: undefined } }), 'domain.chainId'],
		['no contract', having({ domain: { name: 'x', version: '1', chainId: 1 } }), DOMAIN_MEMBERS],
		['a domain with a salt', domain({ salt: id('salt') }), DOMAIN_MEMBERS],
		['an added value', message({ value: '1' }), 'typed_data.value would be sent, but not signed'],
		['another sender', message({ from: mallory }), notTheWallet],
		['nobody', granting(), 'The typed data doesn’t give anyone a role'],
		['one account too few', viewers(1), 'The typed data gives 1 account a role, not 2'],
		['one account too many', viewers(3), 'The typed data gives 3 accounts a role, not 2'],
		['the same account twice', twoAccounts(anna, anna), twice],
		['the same account in two cases', twoAccounts(anna, anna.toLowerCase()), twice],
		['a role in another case', granting('ORG_VIEWER', 'ORG_VIEWER'), 'ORG_VIEWER'],
		['a role with white space', granting('org_viewer ', 'org_viewer '), '_viewer "'],
		['two roles', granting('org_viewer', 'org_admin'), different],
		['two hashes', hashed(hash, id('unknown')), different],
		['two spellings of the role', granting('org_viewer', hash), different],
		['two numbers', rolesAs('uint8', '2', '3'), different, { expectedRoleCode: '2' }],
		['the wallet, which isn’t the signer', STRUCTURE, `wallet ${mallory}`, { signer: mallory }],
	])('refuses %s, and says so', (_what, input, words, more = {}) => {
		expect(refusal(input, more)).toMatchObject({
			message: expect.stringContaining(words),
			hint: expect.stringMatching(words.includes('wallet') ? /^Check the wallet/ : /^Compare/),
		});
	});

	const uint = { name: 'value', type: 'uint256' };
	const members: Record<string, typeof SET_ROLES> = TYPES;

	it.each<[string, string, object]>([
		['an added type', 'Permit', { Permit: SET_ROLE }],
		['a missing type', 'SetRole', { SetRole: undefined }],
		...Object.entries(members).flatMap(([owner, own]) =>
			Object.entries({
				'an added member': [...own, uint],
				'an added member in front': [{ ...uint, name: 'a' }, ...own],
				'a missing member': own.slice(1),
				'no last member': own.slice(0, -1),
				'another name': [{ name: 'x', type: own[0]?.type }, ...own.slice(1)],
			}).map(([what, changed]): [string, string, object] => [
				`${what} of ${owner}`,
				owner,
				{ [owner]: changed },
			]),
		),
		...[
			['SetRolesForwardRequest', 'from', 'xaddress address[] bytes32'],
			['SetRolesForwardRequest', 'to', 'xaddress address[]'],
			['SetRolesForwardRequest', 'salt', 'xuint256 uint256[] xstring string[] bool uint'],
			['SetRolesForwardRequest', 'expires', 'xint256 int256[] xstring string[] bytes32'],
			['SetRolesForwardRequest', 'data', 'xSetRole[] SetRole[][] SetRole SetRole[2]'],
			[
				'SetRole',
				'role',
				'xstring string[] xbytes32 bytes32[] uint uint8[] xuint8 uint8x int8 bytes',
			],
			['SetRole', 'account', 'xaddress address[] string'],
		].flatMap(([owner = '', name = '', wrong = '']) =>
			wrong.split(' ').map((type): [string, string, object] => {
				const changed = withType(members[owner] ?? [], name, type);
				return [`${name} as ${type}`, owner, { [owner]: changed }];
			}),
		),
	])('takes only the documented types, not %s', (_what, owner, change) => {
		const types: unknown = JSON.parse(JSON.stringify({ ...TYPES, ...change }));
		expect(refusal(having({ types })).message).toBe(`The type ${owner} isn’t the documented one`);
	});

	it.each([
		...['0', '-5', '+1000', '1000.5', '1000.25', ' 1000 ', '0x3e8', '0X3E8'],
		...['2026-11', '2026-11-20', '2026-11-21T11:59', '2026-11-21 11:59:59Z', '+002026-11-20'],
		...['2026-11-19 10:30 PM', '2026-11-19 10:30:00 EST', '2026-11-19 10:30:00 -0300 -03'],
		...['2026-11-21T11:59:59.999+00:00', String(now / 1000), String(now - 1000)],
		...[`${now - 1}000`, `${now - 1}000000`, `0x${'3e8'.padStart(64, '0')}`],
		...['Sat, 21 Nov 2026 12:00:00 GMT', 'sat, 21 nov 2026 11:59:59 gmt', '1438214400000'],
	])('refuses an expiry that reads as a time in the past: %j', (expires) => {
		expect(refusal(retyped('expires', 'string', expires))).toMatchObject({
			message: `typed_data.expires is ${JSON.stringify(expires)}, a time in the past`,
			hint: expect.stringContaining('have these withdrawn there, then create new ones'),
		});
	});

	it.each([
		...['', 'never', 'x1000', '1000x', '1000.', '.5', '1e3', '0x', '0x3g8', 'x0x3e8'],
		...['x2026-11-20', '2026-11-20x', '2026-11-20 (draft)', 'on 2026-11-20', '2026-11-20 11:5'],
		...['2026-1-20', '99-11-20', '2026-11-20T9', '2026-11-99', `0x${'3e8'.padStart(65, '0')}`],
		...['Sat, 21 Nov 2026', 'Sat, 21 Nov 2026 11:59:59 GMT (x)', `0x${'f'.repeat(64)}`],
		...['281474976710655', '253402300799', 'on Sat, 21 Nov 2026 11:59:59 GMT'],
	])('leaves an expiry to the service that reads as no time: %j', async (expires) => {
		await signAndJudge(retyped('expires', 'string', expires));
	});

	it.each<[what: string, type: string, code: string, other: string]>([
		['an unknown hash', 'bytes32', unknownHash, id('another one')],
		['the hash of another spelling', 'bytes32', id('ORG_VIEWER'), unknownHash],
		['text in 32 bytes', 'bytes32', encodeBytes32String('org_viewer'), unknownHash],
		['32 zeros', 'bytes32', ZeroHash, '0'],
		['a number', 'uint8', '2', '3'],
		['zero', 'uint8', '0', '2'],
		['a large number', 'uint256', String(2n ** 256n - 1n), String(2n ** 256n - 2n)],
		['a number that ends in another', 'uint16', '12', '2'],
		['a number as text', 'string', '2', '02'],
		['the number of a role’s hash', 'uint256', String(BigInt(hash)), hash],
	])('shows %s, says what to do, and signs it only where it is entered', async (...row) => {
		const [, type, code, other] = row;
		const input = rolesAs(type, code, code);
		for (const role of ['org_viewer', undefined]) {
			const name = role === undefined ? 'an administrator’s' : 'the Company: Viewer (org_viewer)';
			const hint = `The service doesn’t document its codes. Ask its support, or an administrator of your organization, which role this one stands for. If it is ${name} role, enter the code as Expected Role Code under Options.`;
			expect(refusal(input, { role })).toMatchObject({
				message: `The typed data gives the role code ${code}`,
				hint,
			});
			expect(refusal(input, { role, expectedRoleCode: other })).toMatchObject({
				message: `The typed data gives the role code ${code}, not ${other}, which is Expected Role Code`,
				hint,
			});
			await signAndJudge(input, { role, expectedRoleCode: code });
			await signAndJudge(input, { role, expectedRoleCode: code.replace('0x', '0X').toUpperCase() });
		}
	});

	it.each([8, 16, 24, 32, 64, 128, 248, 256])('takes a role of %i bits', async (bits) => {
		await signAndJudge(rolesAs(`uint${bits}`, '7', '7'), { expectedRoleCode: '7' });
	});

	it.each(['256', '-1', '02', ' 2', '0x2', '2.0', ''])('takes no number written as %j', (role) => {
		expect(refusal(rolesAs('uint8', role, role), { expectedRoleCode: role }).message).toContain(
			'typed_data.data[0].role is ',
		);
	});

	/* As captured from a test system of such a service. */
	it('signs what a real service sends', async () => {
		const captured = {
			domain: { ...named, version: '1.0.0', chainId: 421614, verifyingContract: forwarder },
			types: {
				SetRolesForwardRequest: membersIn(
					'address from, address to, uint64 salt, uint48 expires, SetRole[] data',
				),
				SetRole: membersIn('uint8 role, address account'),
			},
			typed_data: {
				from: ben,
				to: forwarder,
				salt: '57824',
				expires: String(now / 1000 + 86400),
				data: [{ role: '2', account: anna }],
			},
			primary_type: 'SetRolesForwardRequest',
		};
		const more = { accounts: 1, platformId: ben, expectedRoleCode: '2' };
		await signAndJudge(captured, more);
		const { typed_data: message } = captured;
		const grants = [{ role: 2, account: anna }];
		const inNumbers = { ...message, salt: 57824, expires: now / 1000 + 86400, data: grants };
		const input = { ...captured, typed_data: inNumbers };
		expect(guarded(input, more)).toEqual(guarded(captured, more));
	});

	it.each(['x', '0'])('takes no hash with %j at either end for one', (more) => {
		for (const role of [`${more}${unknownHash}`, `${unknownHash}${more}`]) {
			expect(refusal(granting(role, role), { expectedRoleCode: role }).message).toBe(
				notViewer(`"${role}"`),
			);
		}
	});

	it('signs the documented hash of no other role than the one asked for', () => {
		for (const role of ROLES) {
			for (const expected of ADMINISTRATOR_ROLES.filter((one) => one !== role)) {
				for (const input of formsOf(role)) {
					const expectedRoleCode = id(role);
					expect(refusal(input, { role: expected, expectedRoleCode }).message).toBe(
						`The typed data gives the role ${ROLE_NAMES[role]} (${role}), not ${ROLE_NAMES[expected]} (${expected})`,
					);
				}
			}
		}
	});

	it('names every sender that it would take', () => {
		expect(refusal(message({ from: mallory }), { platformId: ben }).message).toBe(
			`typed_data.from is ${mallory}, not the signing wallet ${wallet.address} or Platform ID ${ben}`,
		);
		for (const platformId of ['PLT-10000001', '', `x${mallory}`, `${mallory}0`, undefined]) {
			expect(refusal(message({ from: mallory }), { platformId }).message).toBe(notTheWallet);
		}
	});
});

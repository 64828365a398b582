import {
	encodeBytes32String,
	id,
	toUtf8Bytes,
	Wallet as Judge,
	zeroPadBytes,
	zeroPadValue,
} from 'ethers';
import * as fc from 'fast-check';

import {
	ADMINISTRATOR_ROLES,
	type AdministratorRole,
	type Role,
	ROLES,
} from '../../../nodes/PayrollPayments/shared/roles';
import { Refusal } from '../../../nodes/PayrollPayments/shared/errors';
import { administratorInviteTypedData } from '../../../nodes/PayrollPayments/signing';
import { readRole } from '../../../nodes/PayrollPayments/signing/guards/roleSpellings';
import { runs } from '../../support/propertyRuns';

const signer = new Judge(id('payroll tests: wallet')).address;
const account = new Judge(id('anna')).address;
const now = Date.parse('2026-11-21T12:00:00Z');

/** Whether the guard lets a role in 32 bytes be signed where another, or the same, was asked for. */
function isSigned(
	value: string,
	role: AdministratorRole | undefined,
	allowUnknownRoleHash: boolean,
) {
	const structure = {
		domain: { name: 'Payroll', version: '1', chainId: 42161, verifyingContract: account },
		types: {
			SetRolesForwardRequest: [
				{ name: 'from', type: 'address' },
				{ name: 'to', type: 'address' },
				{ name: 'salt', type: 'uint256' },
				{ name: 'expires', type: 'uint256' },
				{ name: 'data', type: 'SetRole[]' },
			],
			SetRole: [
				{ name: 'role', type: 'bytes32' },
				{ name: 'account', type: 'address' },
			],
		},
		typed_data: {
			from: signer,
			to: account,
			salt: '1',
			expires: String(now / 1000 + 60),
			data: [{ role: value, account }],
		},
		primary_type: 'SetRolesForwardRequest',
	};
	try {
		administratorInviteTypedData(structure, {
			walletAddress: signer,
			role,
			allowUnknownRoleHash,
			now,
		});
		return true;
	} catch (error) {
		if (error instanceof Refusal) return false;
		throw error;
	}
}

const upperFirst = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** How programs write a name of several words. */
const CASES: Readonly<Record<string, (words: string[]) => string>> = {
	snake: (words) => words.join('_'),
	camel: (words) => words.map((word, at) => (at === 0 ? word : upperFirst(word))).join(''),
	upperSnake: (words) => words.join('_').toUpperCase(),
	pascal: (words) => words.map(upperFirst).join(''),
	kebab: (words) => words.join('-'),
};
const AFFIXES: Readonly<Record<string, (words: string[]) => string[]>> = {
	none: (words) => words,
	before: (words) => ['role', ...words],
	after: (words) => [...words, 'role'],
};
/** How a contract keeps a text in 32 bytes. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
	hashed: id,
	paddedLeft: (text) => zeroPadValue(toUtf8Bytes(text), 32),
	paddedRight: (text) => zeroPadBytes(toUtf8Bytes(text), 32),
};

function spellingsOf(role: Role): string[] {
	return Object.values(AFFIXES)
		.flatMap((affix) => Object.values(CASES).map((inCase) => inCase(affix(role.split('_')))))
		.flatMap((text) => Object.values(FORMS).map((form) => form(text)));
}

const spelling = fc.record({
	role: fc.constantFrom(...ROLES),
	words: fc.constantFrom(...Object.values(CASES)),
	affix: fc.constantFrom(...Object.values(AFFIXES)),
	form: fc.constantFrom(...Object.values(FORMS)),
	upperCaseHex: fc.boolean(),
});
const inHex = (value: string, isUpperCase: boolean) =>
	isUpperCase ? `0x${value.slice(2).toUpperCase()}` : value;

describe('roles in 32 bytes', () => {
	it('signs no spelling of another role than the one asked for', () => {
		let signed = 0;
		fc.assert(
			fc.property(
				spelling,
				fc.constantFrom(...ADMINISTRATOR_ROLES),
				fc.boolean(),
				({ role, words, affix, form, upperCaseHex }, asked, allowUnknown) => {
					const value = inHex(form(words(affix(role.split('_')))), upperCaseHex);
					expect([value, isSigned(value, asked, allowUnknown)]).toEqual([value, role === asked]);
					if (role === asked) signed += 1;
				},
			),
			{ numRuns: runs(2_000) },
		);
		expect(signed).toBeGreaterThan(runs(20));
	});

	it('signs every spelling of every administrator’s role, for that role only', () => {
		for (const role of ROLES) {
			for (const value of spellingsOf(role)) {
				const takers = ADMINISTRATOR_ROLES.filter((asked) => isSigned(value, asked, false));
				expect([value, takers]).toEqual([value, ADMINISTRATOR_ROLES.filter((one) => one === role)]);
				expect(isSigned(value, undefined, true)).toBe(takers.length === 1);
			}
		}
	});

	it('has no spelling that two roles share', () => {
		const owners = new Map<string, Role>();
		for (const role of ROLES) {
			for (const value of spellingsOf(role)) {
				expect(owners.get(value) ?? role).toBe(role);
				owners.set(value, role);
				expect(readRole(value)).toEqual({ spelled: [role], resembled: [role] });
			}
		}
	});

	it('signs any other 32 bytes only where that is allowed', () => {
		fc.assert(
			fc.property(
				fc.uint8Array({ minLength: 32, maxLength: 32 }),
				fc.constantFrom(undefined, ...ADMINISTRATOR_ROLES),
				(bytes, asked) => {
					bytes[0] = 0xff;
					const value = `0x${Buffer.from(bytes).toString('hex')}`;
					expect([isSigned(value, asked, false), isSigned(value, asked, true)]).toEqual([
						false,
						true,
					]);
				},
			),
			{ numRuns: runs(500) },
		);
	});

	it.each<[string, string]>([
		['in mixed case', encodeBytes32String('oRg_aDmIn')],
		['with ROLE in another case', id('ROLE_orgAdmin')],
		['with a name space', id('role:org_admin')],
		['as a title', id('Org Admin')],
		['without separators', id('ORGADMIN')],
		['with ROLE on both sides', encodeBytes32String('ROLE_ORG_ADMIN_ROLE')],
		['padded on both sides', zeroPadValue(zeroPadBytes(toUtf8Bytes('org_admin'), 20), 32)],
		['padded with spaces', `0x${Buffer.from('org_admin'.padEnd(32)).toString('hex')}`],
		['with its length in front', `0x09${Buffer.from('org_admin').toString('hex').padEnd(62, '0')}`],
		['as UTF-16', `0x${Buffer.from('org_admin', 'utf16le').toString('hex').padEnd(64, '0')}`],
		['with a number behind it', encodeBytes32String('org_admin/2')],
	])('signs no other role %s, even where unknown hashes are allowed', (_what, value) => {
		expect(isSigned(value, 'team_viewer', true)).toBe(false);
		expect(isSigned(value, undefined, true)).toBe(isSigned(value, 'org_admin', true));
	});

	const USUAL = ['org_admin', 'orgAdmin', 'OrgAdmin', 'ORG_ADMIN', 'org-admin'];
	const RARE = [
		...['ORG-ADMIN', 'org admin', 'ORG ADMIN', 'orgadmin', 'ORGADMIN'],
		...['Org_Admin', 'Org-Admin', 'Org Admin'],
		...['ORG-ADMIN-ROLE', 'org admin role', 'ORG ADMIN ROLE', 'orgadminrole', 'ORGADMINROLE'],
		...['Org_Admin_Role', 'Org-Admin-Role', 'Org Admin Role'],
		...['ROLE-ORG-ADMIN', 'role org admin', 'ROLE ORG ADMIN', 'roleorgadmin', 'ROLEORGADMIN'],
		...['Role_Org_Admin', 'Role-Org-Admin', 'Role Org Admin'],
	];
	const MIXED = USUAL.flatMap((text) =>
		['role', 'Role', 'ROLE'].flatMap((word) => [
			...[`${word}${text}`, `${word}_${text}`, `${word}:${text}`, `${word}.${text}`],
			...[`${text}${word}`, `${text}_${word}`],
		]),
	);

	const READABLE: Readonly<Partial<Record<Role, readonly string[]>>> = {
		org_admin: [...USUAL, ...RARE, ...MIXED],
		team_payment_initiator: [
			...['team_payment_initiator', 'teamPaymentInitiator', 'TeamPaymentInitiator'],
			...['TEAM_PAYMENT_INITIATOR', 'team-payment-initiator', 'Team Payment Initiator'],
			...['roleTeamPaymentInitiator', 'team_payment_initiator_role', 'ROLE:TeamPaymentInitiator'],
		],
		contractor: ['contractor', 'Contractor', 'CONTRACTOR', 'contractorRole', 'ROLE.contractor'],
	};

	/** Hashes are computed once for all, so this is how a test reads them as the first one. */
	async function readFirst(check: (read: typeof readRole) => void): Promise<void> {
		await jest.isolateModulesAsync(async () => {
			check((await import('../../../nodes/PayrollPayments/signing/guards/roleSpellings')).readRole);
		});
	}

	it('reads the hash of every known spelling', async () => {
		await readFirst((read) => {
			for (const [role, texts = []] of Object.entries(READABLE)) {
				for (const text of texts) {
					expect([text, read(id(text))]).toEqual([text, { spelled: [role], resembled: [role] }]);
				}
			}
		});
	});

	it('reads no hash of another text', async () => {
		await readFirst((read) => {
			for (const text of [
				...['', 'org', 'admin', 'role', 'org_', '_admin', 'orgs_admin', 'org_admins', 'organdmin'],
				...['org__admin', ' org_admin', 'org_admin ', 'org_admin_2', 'role__org_admin'],
				...['org_admin:role', 'org_admin.role', 'org/admin', 'oRG_aDMIN', 'rOLE_org_admin'],
			]) {
				expect([text, read(id(text))]).toEqual([text, { spelled: [], resembled: [] }]);
			}
		});
	});

	it.each<[string, string]>([
		['padded on both sides', zeroPadValue(zeroPadBytes(toUtf8Bytes('org_admin'), 20), 32)],
		['padded with spaces', `0x${Buffer.from('org_admin'.padEnd(32)).toString('hex')}`],
		['with a length in front', `0x09${Buffer.from('org_admin').toString('hex').padEnd(62, '0')}`],
		['with a length behind', `0x${Buffer.from('org_admin').toString('hex').padEnd(62, '0')}09`],
		['as UTF-16', `0x${Buffer.from('org_admin', 'utf16le').toString('hex').padEnd(64, '0')}`],
		['with a number behind it', encodeBytes32String('org_admin/2')],
		['with two separators', encodeBytes32String('org__admin')],
		['with a separator behind it', encodeBytes32String('org_admin_')],
	])('sees what resembles a role, and does not take it for its spelling: %s', (_what, value) => {
		expect(readRole(value)).toEqual({ spelled: [], resembled: ['org_admin'] });
	});

	it('takes what only resembles the role asked for as unknown', () => {
		const value = `0x09${Buffer.from('org_admin').toString('hex').padEnd(62, '0')}`;
		expect(isSigned(value, 'org_admin', false)).toBe(false);
		expect(isSigned(value, 'org_admin', true)).toBe(true);
	});
});

import { keccak256, stringToBytes } from 'viem/utils';
import type { z } from 'zod';

import { quantity } from '../../shared/lists';
import { probableTimeIn } from '../../shared/time';
import { quoted } from '../../shared/redaction';
import {
	ADMINISTRATOR_ROLES,
	type AdministratorRole,
	type Role,
	roleLabel,
	ROLES,
} from '../../contract/roles';
import { integersAsText, setRolesRequest } from '../payloads';
import { refuseToSign } from '../signature';
import { parseTypedData, readTypes, type GuardedTypedData } from '../typedData';
import { checkSender } from './sender';

/** The documented types, their members sorted. Where the document leaves a type open, all that fit. */
const DOCUMENTED_TYPES: Readonly<Record<string, RegExp>> = {
	SetRolesForwardRequest:
		/^data SetRole\[\], expires (?:u?int\d+|string), from address, salt (?:u?int\d+|bytes\d*|string), to address$/,
	SetRole: /^account address, role (?:string|bytes32|uint\d+)$/,
};
type Grant = z.output<typeof setRolesRequest>['data'][number];

const DOCUMENTED_DOMAIN = 'chainId,name,verifyingContract,version';
const HASH = /^0x[0-9a-fA-F]{64}$/;
/** What the service may give in place of a role, and doesn't document: 32 bytes, or a number. */
const CODE = /^(?:0x[0-9a-fA-F]{64}|0|[1-9]\d{0,77})$/;

interface RoleExpectation {
	/** The requested role; without it, any administrator role is allowed. */
	readonly role?: AdministratorRole;
	/** The code that stands for this role, if a person has entered it. */
	readonly expectedRoleCode?: string;
}

export interface AdministratorInviteExpectation extends RoleExpectation {
	/** The address that signs, or has signed. */
	readonly signer: string;
	/** The Platform ID in the credentials. If it is an address, `from` may be that. */
	readonly platformId?: string;
	/** How many people are invited. */
	readonly accounts: number;
	/** Milliseconds since 1970, for tests. */
	readonly now?: number;
}

function checkDocumentedTypes(input: unknown): void {
	const types = readTypes(input);
	for (const name of new Set([...Object.keys(DOCUMENTED_TYPES), ...Object.keys(types)])) {
		const members = types[name]?.map((member) => `${member.name} ${member.type}`).sort();
		const isDocumented = DOCUMENTED_TYPES[name]?.test(String(members?.join(', '))) === true;
		if (isDocumented || name === 'EIP712Domain') continue;
		refuseToSign(`The type ${name} isn’t the documented one`);
	}
}

/** The role that is given as the documented text or its keccak-256 hash, if it's either. */
export function roleIn(given: string): Role | undefined {
	const isHash = HASH.test(given);
	return ROLES.find((one) =>
		isHash ? keccak256(stringToBytes(one)) === given.toLowerCase() : one === given,
	);
}

/** A code could stand for any role, so a person has to find out and enter it. */
function checkCode(code: string, expected: string, entered: string | undefined): void {
	if (entered?.toLowerCase() === code.toLowerCase()) return;
	const isOther = entered === undefined ? '' : `, not ${entered}, which is Expected Role Code`;
	refuseToSign(
		`The typed data gives the role code ${code}${isOther}`,
		`The service doesn’t document its codes. Ask its support, or an administrator of your organization, which role this one stands for. If it is ${expected} role, enter the code as Expected Role Code under Options.`,
	);
}

function checkRole(given: string, { role, expectedRoleCode }: RoleExpectation): void {
	const allowed: readonly Role[] = role === undefined ? ADMINISTRATOR_ROLES : [role];
	const expected = role === undefined ? 'an administrator’s' : roleLabel(role);
	const known = roleIn(given);
	if (known === undefined && CODE.test(given)) {
		const wanted = role === undefined ? expected : `the ${expected}`;
		return checkCode(given, wanted, expectedRoleCode);
	}
	if (allowed.some((one) => one === known)) return;
	const found = known === undefined ? quoted(given) : roleLabel(known);
	refuseToSign(`The typed data gives the role ${found}, not ${expected}`);
}

/** Refuses if the accounts get different roles, or one that isn't expected. */
export function checkRoles(
	given: ReadonlyArray<Pick<Grant, 'role'>>,
	expectation: RoleExpectation,
): void {
	const roles = new Set(given.map(({ role }) => role));
	if (roles.size !== 1) refuseToSign('The typed data gives different roles');
	for (const role of roles) checkRole(role, expectation);
}

/** Refuses if the number of accounts isn't that of the people invited, or if an account is named twice. */
export function checkAccounts(grants: readonly Grant[], accounts: number): void {
	if (grants.length === 0) refuseToSign('The typed data doesn’t give anyone a role');
	if (grants.length !== accounts) {
		const given = quantity(grants.length, 'account');
		refuseToSign(`The typed data gives ${given} a role, not ${accounts}`);
	}
	if (new Set(grants.map(({ account }) => account.toLowerCase())).size !== grants.length) {
		refuseToSign('The typed data names the same account twice');
	}
}

/** Refuses a time (Unix, ISO 8601 or HTTP date) in the past. Texts that aren't a time pass. */
function refuseExpired(expires: string, now: number): void {
	if (!(probableTimeIn(expires) <= now)) return;
	refuseToSign(
		`typed_data.expires is ${quoted(expires)}, a time in the past`,
		'The service gives new typed data only with new invites: have these withdrawn there, then create new ones. Check this machine’s clock, too.',
	);
}

/**
 * The signing guard of administrator invites (docs/api.md, Endpoint 6): checks what the wallet is
 * about to sign, or what a provided signature covers.
 * @returns typed data whose `message` is both what is signed and the `typed_data` to send
 */
export function administratorInviteTypedData(
	input: Readonly<Record<string, unknown>>,
	expectation: AdministratorInviteExpectation,
): GuardedTypedData {
	const { domain, types, typed_data: message, primary_type: primaryType } = input;
	if (primaryType !== 'SetRolesForwardRequest') {
		return refuseToSign(`The primary type is ${quoted(primaryType)}, not SetRolesForwardRequest`);
	}
	checkDocumentedTypes(types);
	const typedData = parseTypedData(
		{ domain, types, primaryType, message: integersAsText(message) },
		'typed_data.',
	);
	if (Object.keys(typedData.domain).sort().join() !== DOCUMENTED_DOMAIN) {
		return refuseToSign(
			'The domain doesn’t have exactly name, version, chainId and verifyingContract',
		);
	}
	const { from, expires, data } = setRolesRequest.parse(typedData.message);
	checkSender('typed_data.', from, [
		['the signing wallet', expectation.signer],
		['Platform ID', expectation.platformId],
	]);
	checkAccounts(data, expectation.accounts);
	checkRoles(data, expectation);
	refuseExpired(expires, expectation.now ?? Date.now());
	return typedData;
}

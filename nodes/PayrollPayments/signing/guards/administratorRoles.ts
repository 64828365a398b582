import {
	ADMINISTRATOR_ROLES,
	type AdministratorRole,
	type Role,
	ROLE_NAMES,
} from '../../shared/roles';
import { refuseExpired } from './expiry';
import { isRecord } from '../../shared/json';
import { guarded, refuseToSign, type SignatureSource } from '../refuseToSign';
import { readRole } from './roleSpellings';
import { isSameAddress } from '../signature';
import { quoted, readTypedData, readTypes } from '../typedData';
import type { TypedData } from '../wallet';

/** The documented types. Where the documentation leaves a type open, all that fit. */
const DOCUMENTED_TYPES: Record<string, Record<string, RegExp>> = {
	SetRolesForwardRequest: {
		from: /^address$/,
		to: /^address$/,
		salt: /^(u?int\d+|bytes\d*|string)$/,
		expires: /^(u?int\d+|string)$/,
		data: /^SetRole\[\]$/,
	},
	SetRole: { role: /^(string|bytes32)$/, account: /^address$/ },
};
const DOMAIN_MEMBERS = 'chainId,name,verifyingContract,version';
const HASH = /^0x[0-9a-f]{64}$/i;

/** Only these roles may have the all-zero hash, which contracts commonly use for the highest role. */
const HIGHEST_ROLES: readonly Role[] = ['org_admin', 'team_admin'];

/** What the roles in typed data must match. */
interface RoleExpectation {
	/** The requested role; without it, any administrator role is allowed. */
	readonly role?: AdministratorRole;
	/** Whether 32 bytes that don't spell a documented role may be signed. Default: no. */
	readonly allowUnknownRoleHash?: boolean;
}

export interface AdministratorInviteExpectation extends RoleExpectation {
	/** The address that signs, or has signed. */
	readonly walletAddress: string;
	/** Whose signature it is. Default: the wallet's. */
	readonly signatureSource?: SignatureSource;
	/** How many people are invited. */
	readonly accounts?: number;
	/** Milliseconds since 1970. Default: the clock. */
	readonly now?: number;
}

function checkTypes(input: unknown): void {
	const types = readTypes(input);
	for (const [name, members] of Object.entries(DOCUMENTED_TYPES)) {
		const given = types[name] ?? refuseToSign(`The type ${name} is missing`);
		const unknown = given.find((member) => !Object.hasOwn(members, member.name));
		if (unknown !== undefined) {
			refuseToSign(`The type ${name} has an undocumented member ${unknown.name}`);
		}
		for (const [member, documented] of Object.entries(members)) {
			const type = given.find((one) => one.name === member)?.type;
			if (type === undefined) refuseToSign(`The type ${name} lacks its member ${member}`);
			if (!documented.test(type)) refuseToSign(`The type of ${name}.${member} is ${quoted(type)}`);
		}
	}
	const added = Object.keys(types).find(
		(name) => name !== 'EIP712Domain' && !Object.hasOwn(DOCUMENTED_TYPES, name),
	);
	if (added !== undefined) refuseToSign(`There is an undocumented type ${added}`);
}

function named(role: Role): string {
	return `${ROLE_NAMES[role]} (${role})`;
}

/** A role as text has one spelling; for 32 bytes, see {@link readRole}. */
function checkRole(given: string, { role, allowUnknownRoleHash = false }: RoleExpectation): void {
	const allowed: readonly Role[] = role === undefined ? ADMINISTRATOR_ROLES : [role];
	const wanted = role === undefined ? 'an administrator’s' : named(role);
	const refuseRole = (name: string): never =>
		refuseToSign(`The typed data gives the role ${name}, not ${wanted}`);
	if (!HASH.test(given)) {
		if (!allowed.some((one) => one === given)) refuseRole(quoted(given));
		return;
	}
	const { spelled, resembled } = readRole(given);
	const other = resembled.find((one) => !allowed.includes(one));
	if (other !== undefined) refuseRole(named(other));
	if (spelled.length > 0) return;
	if (BigInt(given) === 0n && !allowed.some((one) => HIGHEST_ROLES.includes(one))) {
		refuseRole('of all zeros');
	}
	if (allowUnknownRoleHash) return;
	refuseToSign(
		`The typed data gives the role ${given}, which isn’t a known spelling of ${wanted}`,
		{
			hint: 'Ask the service which role these 32 bytes stand for. If it is the one you chose, turn on Allow Unknown Role Hash under Options and run the node again.',
		},
	);
}

function textIn(record: Record<string, unknown>, name: string, path: string): string {
	const value = record[name];
	return typeof value === 'string' ? value : refuseToSign(`${path}.${name} is not text`);
}

function readGrants(data: unknown): Array<{ role: string; account: string }> {
	const entries: unknown[] = Array.isArray(data) ? data : [];
	return entries.map((entry, index) => {
		const path = `typed_data.data[${index}]`;
		if (!isRecord(entry)) return refuseToSign(`${path} is not an object`);
		return {
			role: textIn(entry, 'role', path),
			account: textIn(entry, 'account', path).toLowerCase(),
		};
	});
}

function checkRoles(given: ReadonlyArray<{ role: string }>, expectation: RoleExpectation): void {
	const roles = new Set(given.map(({ role }) => role));
	if (roles.size !== 1) refuseToSign('The typed data gives different roles');
	for (const role of roles) checkRole(role, expectation);
}

function checkGrants(data: unknown, expectation: AdministratorInviteExpectation): void {
	const grants = readGrants(data);
	const { accounts = grants.length } = expectation;
	if (grants.length === 0) refuseToSign('The typed data doesn’t give anyone a role');
	if (grants.length !== accounts) {
		refuseToSign(`The typed data gives roles to ${grants.length} accounts, not ${accounts}`);
	}
	if (new Set(grants.map(({ account }) => account)).size !== grants.length) {
		refuseToSign('The typed data names the same account twice');
	}
	checkRoles(grants, expectation);
}

function check(input: unknown, expectation: AdministratorInviteExpectation): TypedData {
	if (!isRecord(input)) {
		return refuseToSign('The typed data is not an object', {
			hint: 'Enter the typed_data from the output of Create.',
		});
	}
	const { domain, types, typed_data: message, primary_type: primaryType } = input;
	if (primaryType !== 'SetRolesForwardRequest') {
		return refuseToSign(`The primary type is ${quoted(primaryType)}, not SetRolesForwardRequest`);
	}
	checkTypes(types);
	const typedData = readTypedData({ domain, types, primaryType, message }, 'typed_data');
	if (Object.keys(typedData.domain).sort().join() !== DOMAIN_MEMBERS) {
		return refuseToSign(
			'The domain doesn’t have exactly name, version, chainId and verifyingContract',
		);
	}
	const from = textIn(typedData.message, 'from', 'typed_data');
	const expires = textIn(typedData.message, 'expires', 'typed_data');
	const { walletAddress, signatureSource } = expectation;
	if (!isSameAddress(from, walletAddress)) {
		const who = signatureSource === 'provided' ? 'signer' : 'wallet';
		return refuseToSign(`typed_data.from is ${quoted(from)}, not the ${who} ${walletAddress}`);
	}
	checkGrants(typedData.message.data, expectation);
	refuseExpired(expires, expectation.now ?? Date.now(), 'typed_data.expires');
	return typedData;
}

/**
 * The signing guard of administrator invites (docs/api.md, Endpoint 6): checks what the wallet is
 * about to sign, or what a provided signature covers.
 * @returns typed data whose `message` is both what is signed and the `typed_data` to send
 * @throws {Refusal} that says what differs
 */
export function administratorInviteTypedData(
	input: unknown,
	expectation: AdministratorInviteExpectation,
): TypedData {
	return guarded(expectation.signatureSource ?? 'wallet', () => check(input, expectation));
}

/**
 * Checks the roles in a `typed_data` whose provided signature comes without domain and types.
 * @throws {Refusal} if they differ from the requested one
 */
export function checkProvidedRoles(data: unknown, expectation: RoleExpectation): void {
	guarded('provided', () => checkRoles(readGrants(data), expectation));
}

import { keccak256, stringToHex } from 'viem/utils';

import { ADMINISTRATOR_ROLES, Refusal, ROLES } from '../contract';
import { refuseExpired } from './expiry';
import { isSameAddress } from './signature';
import { isRecord, quoted, readTypedData, readTypes } from './typedData';
import type { Hex, TypedData } from './wallet';

/** The documented types; where the document leaves a member's type open, those that can hold it. */
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
const ZERO_HASH = /^0x0{64}$/i;

/** Only these may ask for the all-zero hash: contracts commonly give it to the highest role. */
const HIGHEST_ROLES: readonly string[] = ['org_admin', 'team_admin'];

function refuse(what: string, hint?: string, field = 'typedData'): never {
	throw new Refusal(`${what}, so nothing was signed.`, { field, hint });
}

function checkTypes(input: unknown): void {
	const types = readTypes(input);
	for (const [name, members] of Object.entries(DOCUMENTED_TYPES)) {
		const given = types[name] ?? refuse(`The type ${name} is missing`);
		const unknown = given.find((member) => !Object.hasOwn(members, member.name));
		if (unknown !== undefined) refuse(`The type ${name} has an undocumented member ${unknown.name}`);
		for (const [member, documented] of Object.entries(members)) {
			const type = given.find((one) => one.name === member)?.type;
			if (type === undefined) refuse(`The type ${name} lacks its member ${member}`);
			if (!documented.test(type)) refuse(`The type of ${name}.${member} is ${quoted(type)}`);
		}
	}
	const added = Object.keys(types).find(
		(name) => name !== 'EIP712Domain' && !Object.hasOwn(DOCUMENTED_TYPES, name),
	);
	if (added !== undefined) refuse(`There is an undocumented type ${added}`);
}

/** The 32-byte values by which contracts commonly know a role. */
function hashesOf(role: string): Hex[] {
	const spellings = [role, role.toUpperCase(), `${role.toUpperCase()}_ROLE`];
	return [...spellings.map((text) => keccak256(stringToHex(text))), stringToHex(role, { size: 32 })];
}

function checkHash(hash: string, role: string | undefined): void {
	const allowed: readonly string[] = role === undefined ? ADMINISTRATOR_ROLES : [role];
	const other = ROLES.filter((one) => !allowed.includes(one)).find((one) =>
		hashesOf(one).some((known) => known === hash.toLowerCase()),
	);
	const wanted = role ?? 'an administrator’s';
	if (other !== undefined) refuse(`The typed data gives the role ${other}, not ${wanted}`);
	if (ZERO_HASH.test(hash) && !allowed.some((one) => HIGHEST_ROLES.includes(one))) {
		refuse(`The typed data gives the all-zero role, not ${wanted}`);
	}
}

function checkRole(given: string, role: string | undefined): void {
	if (HASH.test(given)) return checkHash(given, role);
	const allowed: readonly string[] = role === undefined ? ADMINISTRATOR_ROLES : [role];
	if (!allowed.includes(given)) {
		refuse(`The typed data gives the role ${quoted(given)}, not ${role ?? 'an administrator’s'}`);
	}
}

function textIn(record: Record<string, unknown>, name: string, path: string): string {
	const value = record[name];
	return typeof value === 'string' ? value : refuse(`${path}.${name} is not text`);
}

function checkGrants(data: unknown, expectation: { accounts?: number; role?: string }): void {
	const entries: unknown[] = Array.isArray(data) ? data : [];
	const grants = entries.filter(isRecord).map((entry, index) => ({
		role: textIn(entry, 'role', `typed_data.data[${index}]`),
		account: textIn(entry, 'account', `typed_data.data[${index}]`).toLowerCase(),
	}));
	const { accounts = grants.length, role } = expectation;
	if (grants.length === 0) refuse('The typed data gives no role to anybody');
	if (grants.length !== accounts) {
		refuse(`The typed data gives roles to ${grants.length} accounts, not ${accounts}`);
	}
	if (new Set(grants.map((grant) => grant.account)).size !== grants.length) {
		refuse('The typed data names the same account twice');
	}
	for (const grant of grants) checkRole(grant.role, role);
	if (new Set(grants.map((grant) => grant.role.toLowerCase())).size !== 1) {
		refuse('The typed data gives different roles');
	}
}

/**
 * The signing guard of administrator invites: what may be signed of the structure that operation 6
 * answers with (service-api.md, Typed data for administrator invites). The returned `message` is
 * the `typed_data` to send: exactly what is signed.
 *
 * `accounts` is how many people are invited, `role` the one asked for, `now` in milliseconds.
 * Raises a {@link Refusal} that says what differs.
 */
export function administratorInviteTypedData(
	input: unknown,
	expectation: { walletAddress: string; accounts?: number; role?: string; now?: number },
): TypedData {
	if (!isRecord(input)) {
		return refuse(
			'The typed data is not an object',
			'Give the typed_data that Create answered with.',
		);
	}
	const { domain, types, typed_data: message, primary_type: primaryType } = input;
	if (primaryType !== 'SetRolesForwardRequest') {
		return refuse(`The primary type is ${quoted(primaryType)}, not SetRolesForwardRequest`);
	}
	checkTypes(types);
	const typedData = readTypedData({ domain, types, primaryType, message }, 'typed_data');
	if (Object.keys(typedData.domain).sort().join() !== DOMAIN_MEMBERS) {
		return refuse('The domain does not hold exactly name, version, chainId and verifyingContract');
	}
	const { from, expires, data } = typedData.message;
	textIn(typedData.message, 'salt', 'typed_data');
	textIn(typedData.message, 'expires', 'typed_data');
	if (typeof from !== 'string' || !isSameAddress(from, expectation.walletAddress)) {
		return refuse(`typed_data.from is ${quoted(from)}, not the wallet ${expectation.walletAddress}`);
	}
	checkGrants(data, expectation);
	refuseExpired(expires, expectation.now ?? Date.now(), 'typed_data.expires');
	return typedData;
}

import { keccak256, stringToHex } from 'viem/utils';

import { ADMINISTRATOR_ROLES, ROLES } from '../contract';
import { refuseExpired } from './expiry';
import { refuseToSign } from './refuseToSign';
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
const ZERO_HASH = /^0x0{64}$/;

/** Only these may ask for the all-zero hash: contracts commonly give it to the highest role. */
const HIGHEST_ROLES: readonly string[] = ['org_admin', 'team_admin'];

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

/** The 32-byte values by which contracts commonly know a role. */
function hashesOf(role: string): Hex[] {
	const spellings = [role, role.toUpperCase(), `${role.toUpperCase()}_ROLE`];
	return [...spellings.map((text) => keccak256(stringToHex(text))), stringToHex(role, { size: 32 })];
}

/** `role` is the one asked for; without it, any administrator's will do. */
function checkRole(given: string, role: string | undefined): void {
	const allowed: readonly string[] = role === undefined ? ADMINISTRATOR_ROLES : [role];
	const wanted = role ?? 'an administrator’s';
	const refuseRole = (name: string): never =>
		refuseToSign(`The typed data gives the role ${name}, not ${wanted}`);
	if (!HASH.test(given)) {
		if (!allowed.includes(given)) refuseRole(quoted(given));
		return;
	}
	const hash = given.toLowerCase();
	const other = ROLES.filter((one) => !allowed.includes(one)).find((one) =>
		hashesOf(one).some((known) => known === hash),
	);
	if (other !== undefined) refuseRole(other);
	const isHighest = allowed.some((one) => HIGHEST_ROLES.includes(one));
	if (ZERO_HASH.test(hash) && !isHighest) refuseRole('of all zeros');
}

function textIn(record: Record<string, unknown>, name: string, path: string): string {
	const value = record[name];
	return typeof value === 'string' ? value : refuseToSign(`${path}.${name} is not text`);
}

function checkGrants(data: unknown, expectation: { accounts?: number; role?: string }): void {
	const entries: unknown[] = Array.isArray(data) ? data : [];
	const grants = entries.filter(isRecord).map((entry, index) => ({
		role: textIn(entry, 'role', `typed_data.data[${index}]`),
		account: textIn(entry, 'account', `typed_data.data[${index}]`).toLowerCase(),
	}));
	const { accounts = grants.length, role } = expectation;
	if (grants.length === 0) refuseToSign('The typed data gives no role to anybody');
	if (grants.length !== accounts) {
		refuseToSign(`The typed data gives roles to ${grants.length} accounts, not ${accounts}`);
	}
	if (new Set(grants.map((grant) => grant.account)).size !== grants.length) {
		refuseToSign('The typed data names the same account twice');
	}
	const roles = new Set(grants.map((grant) => grant.role));
	if (roles.size !== 1) refuseToSign('The typed data gives different roles');
	for (const given of roles) checkRole(given, role);
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
		return refuseToSign('The typed data is not an object', {
			hint: 'Give the typed_data that Create answered with.',
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
			'The domain does not hold exactly name, version, chainId and verifyingContract',
		);
	}
	const { from, data } = typedData.message;
	textIn(typedData.message, 'salt', 'typed_data');
	const expires = textIn(typedData.message, 'expires', 'typed_data');
	const { walletAddress } = expectation;
	if (typeof from !== 'string' || !isSameAddress(from, walletAddress)) {
		return refuseToSign(`typed_data.from is ${quoted(from)}, not the wallet ${walletAddress}`);
	}
	checkGrants(data, expectation);
	refuseExpired(expires, expectation.now ?? Date.now(), 'typed_data.expires');
	return typedData;
}

import { keccak256, stringToBytes } from 'viem/utils';

import { type Role, ROLES } from '../../shared/roles';

const ZERO_PADDED_TEXT =
	/^(?:\0*[A-Za-z]+(?:[ _.:-][A-Za-z]+)*|[A-Za-z]+(?:[ _.:-][A-Za-z]+)*\0*)$/;

function capitalized(word: string): string {
	return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** "org_admin", "orgAdmin", "OrgAdmin", "ORG_ADMIN" and "org-admin". */
function inUsualCases(words: readonly string[]): string[] {
	return [
		words.join('_'),
		words.map((word, index) => (index === 0 ? word : capitalized(word))).join(''),
		words.map(capitalized).join(''),
		words.join('_').toUpperCase(),
		words.join('-'),
	];
}

/** "ORG-ADMIN", "org admin", "ORG ADMIN", "orgadmin", "ORGADMIN", "Org_Admin", "Org-Admin" and "Org Admin". */
function inRareCases(words: readonly string[]): string[] {
	return [
		...['-', ' ', ''].map((joiner) => words.join(joiner).toUpperCase()),
		...[' ', ''].map((joiner) => words.join(joiner)),
		...['_', '-', ' '].map((joiner) => words.map(capitalized).join(joiner)),
	];
}

/** ROLE in front of or behind the words, in a case of its own: "ROLE_orgAdmin", "role:org_admin". */
function withRoleInAnyCase(words: readonly string[]): string[] {
	return inUsualCases(words).flatMap((text) =>
		['role', 'Role', 'ROLE'].flatMap((affix) => [
			...['', '_', ':', '.'].map((joiner) => `${affix}${joiner}${text}`),
			...['', '_'].map((joiner) => `${text}${joiner}${affix}`),
		]),
	);
}

/** The texts that contracts may hash for the roles, the likely ones first. */
function* textsOfRoles(): Generator<string, undefined> {
	const roles = ROLES.map((role) => role.split('_'));
	const all = [
		...roles,
		...roles.map((words) => [...words, 'role']),
		...roles.map((words) => ['role', ...words]),
	];
	for (const words of all) yield* inUsualCases(words);
	for (const words of all) yield* inRareCases(words);
	for (const words of roles) yield* withRoleInAnyCase(words);
	return undefined;
}

/** Hashes computed so far, with their texts. The remaining ones are computed when a hash isn't found. */
const hashedTexts = new Map<string, string>();
const textsToHash = textsOfRoles();

/** The spelling of a role that has this keccak-256 hash, or undefined if none has. */
function hashedText(hash: string): string | undefined {
	for (;;) {
		const known = hashedTexts.get(hash);
		if (known !== undefined) return known;
		const { value: text } = textsToHash.next();
		if (text === undefined) return undefined;
		hashedTexts.set(keccak256(stringToBytes(text)), text);
	}
}

/** The roles that letters spell, in any case, with or without ROLE before or after. */
function rolesInLetters(text: string): Role[] {
	const letters = text.replace(/[^A-Za-z]/g, '').toLowerCase();
	return ROLES.filter((role) => {
		const name = role.replaceAll('_', '');
		return [name, `role${name}`, `${name}role`, `role${name}role`].includes(letters);
	});
}

/** How a value of 32 bytes can be read as a documented role (docs/api.md, Roles). */
export interface RoleReading {
	/** Roles of which the value is a known spelling, byte for byte. */
	readonly spelled: readonly Role[];
	/** Those, and roles that it resembles: the same letters with any other bytes among them. */
	readonly resembled: readonly Role[];
}

/**
 * Reads a role that is given as 32 bytes in hex: a keccak-256 hash, or text padded with zeros on either
 * side. A value may be spelled like several roles; nothing here prefers one of them.
 */
export function readRole(value: string): RoleReading {
	const bytes = value.toLowerCase();
	const known = hashedText(bytes);
	const hashed = known === undefined ? [] : rolesInLetters(known);
	const text = Buffer.from(bytes.slice(2), 'hex').toString('latin1');
	const resembled = [...hashed, ...rolesInLetters(text)];
	return { spelled: ZERO_PADDED_TEXT.test(text) ? resembled : hashed, resembled };
}

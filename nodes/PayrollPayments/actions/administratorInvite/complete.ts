import type { z } from 'zod';

import { administratorInvitesExecutedAnswer } from '../../api/schemas/answers';
import { setRolesRequest, type SetRolesRequest } from '../../signing/payloads';
import { refusalOf, withDefault } from '../../forms/field';
import { textList } from '../../forms/fieldTypes';
import { expectedRole, jsonObject, roleOptions, signatureFields } from '../../forms/serviceFields';
import { UserError } from '../../shared/errors';
import { identifier } from '../../shared/formats';
import { isRecord } from '../../shared/json';
import { asWord } from '../../shared/redaction';
import { ADMINISTRATOR_ROLES, ROLE_NAMES, type AdministratorRole } from '../../shared/roles';
import type { GuardedTypedData } from '../../signing';
import { checkedCall, listed, signsOf, type CheckedWrite } from '../checkedWrite';
import { defineOperation } from '../defineOperation';
import type { RunContext } from '../runContext';

type Json = Readonly<Record<string, unknown>>;

/** The invites to execute, and who signs. */
interface Execution {
	readonly invites: readonly string[];
	/** The `typed_data` that Endpoint 6 returns. */
	readonly structure: Json;
	readonly signer: string;
	/** Set if the signature is provided. If not, the wallet signs. */
	readonly signature?: string;
	/** What typed data must match before it, or a signature of it, is used. */
	readonly expected: {
		readonly accounts: number;
		readonly role?: AdministratorRole;
		readonly allowUnknownRoleHash: boolean;
	};
}

/** Which of the properties are missing that say how typed data is signed. */
function missingIn(structure: Json): string[] {
	return ['domain', 'types', 'primary_type'].filter((name) => structure[name] === undefined);
}

/** Whether only the inner `typed_data` was given, without domain, types and primary type. */
function isMessageAlone(structure: Json): boolean {
	return missingIn(structure).length === 3;
}

/** The `typed_data` to send to Endpoint 7. */
function requestIn(structure: Json): SetRolesRequest {
	const request = setRolesRequest.safeParse(structure.typed_data ?? structure);
	if (request.success) return request.data;
	throw refusalOf('typedData', 'Typed Data', request.error);
}

/**
 * Checks typed data before it, or a signature of it, is used. A provided signature is checked as
 * strictly as the wallet's own, if the structure says what it covers. With the inner typed_data alone,
 * only the role can be checked (SECURITY.md, What is never signed).
 * @returns what is signed; undefined if it isn't known what a provided signature covers
 * @throws {UserError} if the typed data isn't what was expected, or the signature isn't the signer's;
 * then nothing is signed
 */
async function guardExecution(execution: Execution): Promise<GuardedTypedData | undefined> {
	const { structure, signer, signature, expected } = execution;
	const signing = await import('../../signing');
	if (signature !== undefined && isMessageAlone(structure)) {
		const { data } = requestIn(structure);
		if (expected.role !== undefined) signing.checkProvidedRoles(data, expected);
		return undefined;
	}
	const typedData = signing.administratorInviteTypedData(structure, {
		walletAddress: signer,
		signatureSource: signature === undefined ? 'wallet' : 'provided',
		...expected,
	});
	if (signature !== undefined) await signing.checkSigner(typedData, { signer, signature });
	return typedData;
}

/** The execution of invites with a signature, once per execution (docs/api.md, Endpoint 7). */
export async function checkedExecution(
	context: RunContext,
	execution: Execution,
): Promise<CheckedWrite<z.infer<typeof administratorInvitesExecutedAnswer>>> {
	const { invites, structure, signer, signature, expected } = execution;
	const typedData = await guardExecution(execution);
	const request = requestIn(structure);
	/* Roles by their names where they are written as text. */
	const roles = new Set(request.data.map(({ role }) => role));
	const names = [...roles].map((given) => {
		const known = ADMINISTRATOR_ROLES.find((each) => each === given);
		if (known !== undefined) return ROLE_NAMES[known];
		return expected.role === undefined ? asWord(given) : `${ROLE_NAMES[expected.role]} (${given})`;
	});
	const count = invites.length === 1 ? '1 invite' : `${invites.length} invites`;
	return checkedCall(context, {
		method: 'PUT',
		path: '/v2/invites/manager',
		summary: `Execute ${count} (${listed(invites)}) with the role ${listed(names)}, signed by ${signer}`,
		body: { invites, typed_data: typedData?.message ?? request, signer },
		signs: typedData && signsOf(typedData),
		sign: async () => {
			if (signature !== undefined) return { signature };
			if (typedData === undefined) throw new Error('Nothing to sign');
			return { signature: await (await context.wallet()).signTypedData(typedData) };
		},
		answer: administratorInvitesExecutedAnswer,
	});
}

/** If the whole output item of *Create* was given, its `typed_data`. */
function structureIn(given: Json): Json {
	const { typed_data: inner } = given;
	return isRecord(inner) && isRecord(inner.typed_data) ? inner : given;
}

/** Whether the whole output item of *Create* was given and lists other invites. */
function listsOtherInvites(given: Json, inviteIds: readonly string[]): boolean {
	if (!Array.isArray(given.invites)) return false;
	const named = new Set(given.invites);
	return named.size !== inviteIds.length || !inviteIds.every((id) => named.has(id));
}

function refusal(field: string, message: string, next: string): UserError {
	return new UserError(message, { field, hint: `${next} Nothing was signed or sent.` });
}

/** docs/api.md, Endpoint 7. */
export const executeAdministratorInvites = defineOperation({
	resource: 'administratorInvite',
	operation: 'complete',
	name: 'Execute',
	action: 'Execute administrator invites',
	description: 'Set the roles of invited administrators with a signature of the typed data',
	effect: 'write',
	permission: 'manageAdministrators',
	notice:
		'This sets the administrator roles of the invited people. Have a person review the invites first.',
	fields: {
		inviteIds: withDefault(
			textList(
				{
					label: 'Invite IDs',
					description: 'From Create, separated by commas',
					example: 'in-a1B2c3D4e5F6',
				},
				identifier('in'),
			),
			'={{ $json.invites }}',
		),
		typedData: withDefault(
			jsonObject({ label: 'Typed Data', description: 'From Create, or its whole output item' }),
			'={{ $json.typed_data }}',
		),
		role: expectedRole(),
		...signatureFields,
	},
	options: roleOptions,
	output: administratorInvitesExecutedAnswer,
	check: ({ inviteIds, typedData, signatureSource, role }) => {
		const isProvided = signatureSource === 'provided';
		if (!isProvided && (role === undefined || role === 'any')) {
			return refusal(
				'role',
				`Expected Role ${role === undefined ? 'is missing' : 'can be Any only with a provided signature'}`,
				'Select the role that the wallet may give to the invited people.',
			);
		}
		const structure = structureIn(typedData);
		requestIn(structure);
		if (new Set(inviteIds).size < inviteIds.length) {
			return refusal('inviteIds', 'Invite IDs lists an invite twice', 'Remove one of the two.');
		}
		if (listsOtherInvites(typedData, inviteIds)) {
			return refusal(
				'inviteIds',
				"Invite IDs doesn't match the invites that Typed Data was created for",
				'Use invites and typed data from the same output item of Create.',
			);
		}
		const missing = missingIn(structure);
		if (missing.length === 0 || (isProvided && isMessageAlone(structure))) return undefined;
		return refusal(
			'typedData',
			`Typed Data has no ${missing.join(', ')}`,
			'Use the whole typed_data from Create, not only its inner object.',
		);
	},
	writes: async (input, context, { allowUnknownRoleHash }) => {
		const { inviteIds: invites, signature, typedData } = input;
		const role = input.role === 'any' ? undefined : input.role;
		const expected = { accounts: invites.length, role, allowUnknownRoleHash };
		const structure = structureIn(typedData);
		const signer = input.signer ?? (await context.wallet()).address;
		return [await checkedExecution(context, { invites, structure, signer, signature, expected })];
	},
});

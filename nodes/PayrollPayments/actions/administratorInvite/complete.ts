import { administratorInvitesExecutedAnswer } from '../../api/schemas/answers';
import { identifier } from '../../shared/identifier';
import { UserError } from '../../shared/errors';
import { isRecord } from '../../shared/json';
import { withDefault } from '../../forms/field';
import { textList } from '../../forms/fieldTypes';
import { expectedRole, jsonObject, roleOptions, signatureFields } from '../../forms/serviceFields';
import { defineOperation } from '../defineOperation';

import { checkedExecution, isMessageAlone, missingIn, requestIn } from './steps';

type Json = Readonly<Record<string, unknown>>;

/**
 * The typed data with domain and types. If the whole output item of *create* was given, its
 * `typed_data` is used.
 */
function structureIn(given: Json): Json {
	return isRecord(given.typed_data) && isRecord(given.typed_data.typed_data)
		? given.typed_data
		: given;
}

/** Whether the whole output item of *create* was given and lists other invites. */
function listsOtherInvites(given: Json, inviteIds: readonly string[]): boolean {
	if (!Array.isArray(given.invites)) return false;
	const named = new Set(given.invites);
	return named.size !== inviteIds.length || !inviteIds.every((id) => named.has(id));
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
					description: 'Identifiers from Create, starting with in-, separated by commas',
					example: 'in-a1B2c3D4e5F6',
				},
				identifier('in'),
			),
			'={{ $json.invites }}',
		),
		typedData: withDefault(
			jsonObject({
				label: 'Typed Data',
				description: 'Typed data from Create, or its whole output item',
			}),
			'={{ $json.typed_data }}',
		),
		role: expectedRole(),
		...signatureFields,
	},
	options: roleOptions,
	output: administratorInvitesExecutedAnswer,
	check: ({ inviteIds, typedData, signatureSource, role }) => {
		if (signatureSource === 'wallet' && (role === undefined || role === 'any')) {
			return new UserError(
				role === undefined
					? 'Expected Role is missing'
					: 'Expected Role can be Any only with a provided signature',
				{
					field: 'role',
					hint: 'Select the role that the wallet may give to the invited people. Nothing was signed or sent.',
				},
			);
		}
		const structure = structureIn(typedData);
		requestIn(structure);
		if (new Set(inviteIds).size < inviteIds.length) {
			return new UserError('Invite IDs lists an invite twice', {
				field: 'inviteIds',
				hint: 'Remove one of the two. Nothing was signed or sent.',
			});
		}
		if (listsOtherInvites(typedData, inviteIds)) {
			return new UserError("Invite IDs doesn't match the invites that Typed Data was created for", {
				field: 'inviteIds',
				hint: 'Use invites and typed data from the same output item of Create. Nothing was signed or sent.',
			});
		}
		if (isMessageAlone(structure)) {
			if (signatureSource === 'provided') return undefined;
			return new UserError("Typed Data has no domain and types, so the wallet can't sign it", {
				field: 'typedData',
				hint: 'Use the whole typed_data from Create, not only its inner object. Nothing was sent.',
			});
		}
		const [missing] = missingIn(structure);
		if (missing === undefined) return undefined;
		return new UserError(`Typed Data has no ${missing}`, {
			field: 'typedData',
			hint: 'Use the whole typed_data from Create. Nothing was signed or sent.',
		});
	},
	writes: async (input, context, { allowUnknownRoleHash }) => {
		const { inviteIds: invites, signature } = input;
		const role = input.role === 'any' ? undefined : input.role;
		return [
			await checkedExecution(context, {
				invites,
				structure: structureIn(input.typedData),
				signer: input.signer ?? (await context.wallet()).address,
				signature,
				expected: { accounts: invites.length, role, allowUnknownRoleHash },
			}),
		];
	},
});

import { identifier } from '../../shared/identifier';
import { Refusal } from '../../shared/errors';
import { isRecord } from '../../shared/json';
import { textList } from '../fields/kinds';
import { expectedRole, jsonObject, roleOptions, signatureFields } from '../fields/serviceFields';
import { defineOperation } from '../defineOperation';

import { checkProvided, execute, isMessageAlone, missingIn, requestIn, signAsAsked } from './steps';

type Json = Readonly<Record<string, unknown>>;

/**
 * The structure with domain and types, taken out of the whole answer of *create* where that was
 * given; an inner object alone stays as it is.
 */
function structureIn(given: Json): Json {
	return isRecord(given.typed_data) && isRecord(given.typed_data.typed_data)
		? given.typed_data
		: given;
}

/** Where the whole answer of *create* is given, it must be about the same invites. */
function isAboutOthers(given: Json, inviteIds: readonly string[]): boolean {
	if (!Array.isArray(given.invites)) return false;
	const named = new Set(given.invites);
	return named.size !== inviteIds.length || !inviteIds.every((id) => named.has(id));
}

/** docs/api.md, Endpoint 7. */
export const executeAdministratorInvites = defineOperation({
	resource: 'administratorInvite',
	operation: 'execute',
	name: 'Execute',
	action: 'Execute administrator invites',
	description: 'Set the roles of invited administrators with a signature over the typed data',
	effect: 'write',
	permission: 'manageAdministrators',
	notice:
		'This gives the invited people their administrator roles. Let a person look at the invites first.',
	fields: {
		inviteIds: textList(
			{
				label: 'Invite IDs',
				description: 'Identifiers that Create gave, start with in-, separated by commas',
				example: 'in-a1B2c3D4e5F6',
				hint: 'After Create, the expression {{ $json.invites }}',
			},
			identifier('in'),
		),
		typedData: jsonObject({
			label: 'Typed Data',
			description: 'The typed data that Create gave; its whole output item is taken too',
			hint: 'After Create, the expression {{ $json.typed_data }}',
		}),
		...signatureFields,
		role: expectedRole(),
	},
	options: roleOptions,
	check: ({ inviteIds, typedData, signatureSource }) => {
		const structure = structureIn(typedData);
		requestIn(structure);
		if (new Set(inviteIds).size < inviteIds.length) {
			return new Refusal('Invite IDs names an invite twice', {
				field: 'inviteIds',
				hint: 'Remove one of the two. Nothing was signed or sent.',
			});
		}
		if (isAboutOthers(typedData, inviteIds)) {
			return new Refusal('Invite IDs are not those that the typed data was created for', {
				field: 'inviteIds',
				hint: 'Use the invites of the same answer of Create. Nothing was signed or sent.',
			});
		}
		if (isMessageAlone(structure)) {
			if (signatureSource === 'provided') return undefined;
			return new Refusal('Typed Data lacks domain and types, so the wallet cannot sign it', {
				field: 'typedData',
				hint: 'Give the whole typed_data of Create, not only its inner object. Nothing was sent.',
			});
		}
		const [missing] = missingIn(structure);
		if (missing === undefined) return undefined;
		return new Refusal(`Typed Data lacks ${missing}`, {
			field: 'typedData',
			hint: 'Give the whole typed_data of Create. Nothing was signed or sent.',
		});
	},
	run: async (input, service, { allowUnknownRoleHash }) => {
		const structure = structureIn(input.typedData);
		const { inviteIds: invites, signature, signer } = input;
		const asked = { accounts: invites.length, role: input.role, allowUnknownRoleHash };
		const sign = async () => {
			if (signature === undefined || signer === undefined) {
				return await signAsAsked(service, structure, asked);
			}
			await checkProvided(structure, { signer, signature }, asked);
			return { signer, signature };
		};
		return [await execute(service, { invites, structure }, sign)];
	},
});

import { Refusal } from '../../shared/errors';
import { roleOptions } from '../fields/serviceFields';
import { defineOperation } from '../defineOperation';
import { forEachBatch, nameList } from '../batches';

import {
	checkCreation,
	create,
	creationFields,
	EMAILS_PER_REQUEST,
	execute,
	signAsAsked,
} from './steps';

/** docs/api.md, Endpoint 6 and Endpoint 7. */
export const createAndExecuteAdministratorInvites = defineOperation({
	resource: 'administratorInvite',
	operation: 'createAndExecute',
	name: 'Create and Execute',
	action: 'Create and execute administrator invites',
	description:
		'Invite administrators and sign with the wallet of the credentials, so that their roles are set at once',
	effect: 'write',
	permission: 'manageAdministrators',
	notice:
		'This gives administrator roles at once, signed with the wallet of the credentials. To let a person decide in between, use Create and Execute one after the other.',
	fields: creationFields,
	options: roleOptions,
	check: checkCreation,
	run: async (input, service, { allowUnknownRoleHash }) => {
		/* Without a wallet the invites would be created and could not be signed. */
		await service.wallet();
		const createThenExecute = async (emails: readonly string[]) => {
			const { invites, typed_data: structure } = await create(service, { ...input, emails });
			const signAndExecute = async () => {
				const asked = { accounts: emails.length, role: input.role, allowUnknownRoleHash };
				return await execute(
					service,
					{ invites, structure },
					async () => await signAsAsked(service, structure, asked),
				);
			};
			return await signAndExecute().catch((error: unknown) => {
				if (!(error instanceof Refusal)) throw error;
				const created = invites.length === 1 ? '1 invite was' : `${invites.length} invites were`;
				throw error
					.addDetails({ invites, typed_data: structure })
					.addNote(
						`${created} created (${nameList(emails)}), but giving the role did not succeed. Do not create them again: Retry On Fail goes on from here, or the operation Execute finishes it with these Invite IDs and this Typed Data.`,
					);
			});
		};
		return await forEachBatch(
			input.emails,
			EMAILS_PER_REQUEST,
			createThenExecute,
			(done) =>
				`The first ${done.length} of ${input.emails.length} people were invited and have their role (${nameList(done)}). Leave them out of a new run, or they are invited twice.`,
		);
	},
});

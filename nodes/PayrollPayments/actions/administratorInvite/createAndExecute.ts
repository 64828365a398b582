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
	signWithWallet,
} from './steps';

/** docs/api.md, Endpoint 6 and Endpoint 7. */
export const createAndExecuteAdministratorInvites = defineOperation({
	resource: 'administratorInvite',
	operation: 'createAndExecute',
	name: 'Create and Execute',
	action: 'Create and execute administrator invites',
	description:
		'Invite administrators and set their roles right away, signed by the wallet in the credentials',
	effect: 'write',
	permission: 'manageAdministrators',
	notice:
		'This sets administrator roles right away, signed by the wallet in the credentials. For human approval, use separate Create and Execute nodes.',
	fields: creationFields,
	options: roleOptions,
	check: checkCreation,
	run: async (input, service, { allowUnknownRoleHash }) => {
		/* Fails before anything is created if the credentials have no wallet. */
		await service.wallet();
		const createThenExecute = async (emails: readonly string[]) => {
			const { invites, typed_data: structure } = await create(service, { ...input, emails });
			const signAndExecute = async () => {
				const expected = { accounts: emails.length, role: input.role, allowUnknownRoleHash };
				return await execute(
					service,
					{ invites, structure },
					async () => await signWithWallet(service, structure, expected),
				);
			};
			return await signAndExecute().catch((error: unknown) => {
				if (!(error instanceof Refusal)) throw error;
				const created = invites.length === 1 ? '1 invite was' : `${invites.length} invites were`;
				throw error
					.addDetails({ invites, typed_data: structure })
					.addNote(
						`${created} created (${nameList(emails)}), but the role couldn't be set. Don't create them again. Retry On Fail continues from here, or run Execute with these Invite IDs and this Typed Data.`,
					);
			});
		};
		return await forEachBatch(
			input.emails,
			EMAILS_PER_REQUEST,
			createThenExecute,
			(done) =>
				`The first ${done.length} of ${input.emails.length} people were invited and have their role (${nameList(done)}). Remove them before you run the node again, or they are invited twice.`,
		);
	},
});

import { administratorInvitesExecutedAnswer } from '../../api/schemas/answers';
import { Refusal } from '../../shared/errors';
import { roleOptions } from '../fields/serviceFields';
import { defineOperation } from '../defineOperation';
import { nameList, planBatches } from '../batches';
import type { PlannedWrite } from '../plannedWrite';

import {
	checkCreation,
	creationFields,
	creationSummary,
	EMAILS_PER_REQUEST,
	planCreation,
	planExecution,
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
	output: administratorInvitesExecutedAnswer,
	check: checkCreation,
	writes: async (input, service, { allowUnknownRoleHash }) => {
		/* Fails before anything is created if the credentials have no wallet. */
		const { address: signer } = await service.wallet();
		const planBatch = (emails: readonly string[]): PlannedWrite => {
			const batch = { ...input, emails };
			const creation = planCreation(batch);
			const expected = { accounts: emails.length, role: input.role, allowUnknownRoleHash };
			return {
				/* The typed data to sign comes with the answer to the first request. */
				check: async () => ({
					...(await creation.check()),
					summary: `${creationSummary(batch)}, then check the typed data that the service returns and set the role, signed by ${signer}`,
				}),
				send: async (sender) => {
					const { invites, typed_data: structure } = await creation.send(sender);
					const execute = async () =>
						await planExecution({ invites, structure, signer, expected }).send(sender);
					return await execute().catch((error: unknown) => {
						if (!(error instanceof Refusal)) throw error;
						const created =
							invites.length === 1 ? '1 invite was' : `${invites.length} invites were`;
						throw error
							.addDetails({ invites, typed_data: structure })
							.addNote(
								`${created} created (${nameList(emails)}), but the role couldn't be set. Don't create them again. Retry On Fail continues from here, or run Execute with these Invite IDs and this Typed Data.`,
							);
					});
				},
			};
		};
		return planBatches(
			input.emails,
			EMAILS_PER_REQUEST,
			planBatch,
			(done) =>
				`The first ${done.length} of ${input.emails.length} people were invited and have their role (${nameList(done)}). Remove them before you run the node again, or they are invited twice.`,
		);
	},
});

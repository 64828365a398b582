import { defineOperation } from '../defineOperation';
import { forEachBatch, nameList } from '../batches';

import { checkCreation, create, creationFields, EMAILS_PER_REQUEST } from './steps';

/** docs/api.md, Endpoint 6. */
export const createAdministratorInvites = defineOperation({
	resource: 'administratorInvite',
	operation: 'create',
	name: 'Create',
	action: 'Create administrator invites',
	description:
		'Invite administrators of a team or company; the typed data in the output has to be signed and executed',
	effect: 'write',
	permission: 'manageAdministrators',
	fields: creationFields,
	check: checkCreation,
	run: async (input, service) =>
		await forEachBatch(
			input.emails,
			EMAILS_PER_REQUEST,
			async (emails) => await create(service, { ...input, emails }),
			(done) =>
				`The first ${done.length} of ${input.emails.length} people were invited (${nameList(done)}), and their invites wait for Execute. Leave these people out of a new run, or they are invited twice; Retry On Fail goes on after them.`,
		),
});

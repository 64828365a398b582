import { defineOperation } from '../defineOperation';
import { inTurn, listed } from '../inTurn';

import { checkCreation, create, creationFields, EMAILS_PER_REQUEST } from './steps';

export const createAdministratorInvites = defineOperation({
	resource: 'administratorInvite',
	operation: 'create',
	name: 'Create',
	action: 'Create administrator invites',
	description:
		'Invite administrators of a team or company; the typed data in the output has to be signed and executed',
	section: 'Endpoint 6',
	effect: 'write',
	permission: 'manageAdministrators',
	fields: creationFields,
	check: checkCreation,
	run: async (input, service) =>
		await inTurn(
			input.emails,
			EMAILS_PER_REQUEST,
			async (emails) => await create(service, { ...input, emails }),
			(done) =>
				`The first ${done.length} of ${input.emails.length} people were invited (${listed(done)}), and their invites wait for Execute. Leave these people out of a new run, or they are invited twice; Retry On Fail goes on after them.`,
		),
});

import { eachInTurn, inBatches } from '../../transport/batches';
import { defineOperation } from '../definition';

import { checkCreation, create, creationFields, EMAILS_PER_REQUEST } from './steps';

export const createAdministratorInvites = defineOperation({
	resource: 'administratorInvite',
	operation: 'create',
	name: 'Create',
	action: 'Create administrator invites',
	description:
		'Invite administrators of a team or company; the typed data in the output has to be signed and executed',
	section: 'Endpoints 6',
	effect: 'write',
	fields: creationFields,
	check: checkCreation,
	run: async (input, service) =>
		await eachInTurn(
			inBatches(input.emails, EMAILS_PER_REQUEST),
			async (emails) => await create(service, { ...input, emails }),
		),
});

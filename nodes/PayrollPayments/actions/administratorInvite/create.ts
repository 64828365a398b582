import { administratorInvitesAnswer } from '../../api/schemas/answers';
import { administratorTypedData } from '../../api/schemas/records';
import { defineOperation } from '../defineOperation';
import { checkBatches, nameList } from '../batches';

import { checkCreation, checkedCreation, creationFields, EMAILS_PER_REQUEST } from './steps';

/** docs/api.md, Endpoint 6. */
export const createAdministratorInvites = defineOperation({
	resource: 'administratorInvite',
	operation: 'create',
	name: 'Create',
	action: 'Create administrator invites',
	description:
		'Invite administrators of a team or company and get the typed data to sign for Execute',
	effect: 'write',
	permission: 'manageAdministrators',
	fields: creationFields,
	output: administratorInvitesAnswer.extend({ typed_data: administratorTypedData }),
	check: checkCreation,
	writes: async (input, context) =>
		await checkBatches(
			input.emails,
			EMAILS_PER_REQUEST,
			(emails) => checkedCreation(context, { ...input, emails }),
			(done) =>
				`The first ${done.length} of ${input.emails.length} people were invited (${nameList(done)}); their invites still need Execute. Remove these people before you run the node again, or they are invited twice. Retry On Fail continues after them.`,
		),
});

import { pendingInvites } from '../../api/pagination';
import { inviteRecord } from '../../api/schemas/records';
import { entityId, returnAllOrLimit } from '../../forms/serviceFields';
import { defineRead } from '../../run/operation';

/** docs/api.md, Endpoint 4. */
export const getInvites = defineRead({
	resource: 'invite',
	operation: 'getAll',
	name: 'Get Many',
	action: 'Get many invites',
	description: 'List the pending invites of a team or company',
	fields: { entityId: entityId('te', 'co'), ...returnAllOrLimit },
	options: {},
	output: inviteRecord,
	request: async ({ entityId: nanoid, limit }, run) => {
		const invites = await pendingInvites(run.read, nanoid);
		return invites.slice(0, limit);
	},
});

import { pendingInvites } from '../../api/pagination';
import { inviteRecord } from '../../api/schemas/records';
import { entityId, returnAllOrLimit } from '../fields/serviceFields';
import { defineOperation } from '../defineOperation';
import { call } from '../service';

/** docs/api.md, Endpoint 4. */
export const getInvites = defineOperation({
	resource: 'invite',
	operation: 'getAll',
	name: 'Get Many',
	action: 'Get many invites',
	description: 'List the pending invites of a team or company',
	effect: 'read',
	fields: { entityId: entityId('te', 'co'), ...returnAllOrLimit },
	output: inviteRecord,
	run: async ({ entityId: nanoid, limit }, service) => {
		const invites = await pendingInvites(async (request) => await call(service, request), nanoid);
		return invites.slice(0, limit);
	},
});

import { inviteListAnswer } from '../../api/schemas/answers';
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
	run: async ({ entityId: nanoid, limit }, service) => {
		const invites = await call(service, {
			method: 'GET',
			path: '/v2/invites',
			query: { nanoid },
			answer: inviteListAnswer,
			roleNeeded: nanoid.startsWith('te-') ? 'team_admin' : 'org_admin',
		});
		return invites.slice(0, limit);
	},
});

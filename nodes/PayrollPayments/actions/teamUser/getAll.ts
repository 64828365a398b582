import { optional } from '../fields/field';
import { emails, returnAllOrLimit, teamId } from '../fields/serviceFields';
import { inBatches } from '../batches';
import type { SendRead } from '../../api/client';
import { EMAILS_PER_REQUEST, teamUsers, type TeamUser } from '../../api/pagination';
import { defineOperation } from '../defineOperation';
import { call } from '../service';

/** docs/api.md, Endpoint 11. */
export const getTeamUsers = defineOperation({
	resource: 'teamUser',
	operation: 'getAll',
	name: 'Get Many',
	action: 'Get many team users',
	description:
		'List the users of a team with name, email address, onboarding status and payment eligibility',
	effect: 'read',
	fields: {
		teamId: teamId(),
		...returnAllOrLimit,
		emails: optional(
			emails({
				label: 'Emails',
				description:
					'Return only users with these email addresses, separated by commas; unknown addresses are ignored',
			}),
		),
	},
	run: async ({ teamId: team, emails: wanted, limit }, service) => {
		const read: SendRead = async (request) => await call(service, request);
		if (wanted === undefined) {
			return await teamUsers(read, { teamId: team, most: limit });
		}
		const found: TeamUser[] = [];
		const distinct = new Map(wanted.map((address) => [address.toLowerCase(), address]));
		for (const batch of inBatches([...distinct.values()], EMAILS_PER_REQUEST)) {
			const most = limit === undefined ? undefined : limit - found.length;
			if (most === 0) break;
			const users = await teamUsers(read, { teamId: team, emails: batch, most });
			for (const user of users) found.push(user);
		}
		return found;
	},
});

import { z } from 'zod';

import { isRecord } from '../../shared/json';
import { optional } from '../fields/field';
import { flag } from '../fields/kinds';
import { emails, returnAllOrLimit, teamId } from '../fields/serviceFields';
import { inBatches } from '../batches';
import type { SendRead } from '../../api/client';
import { EMAILS_PER_REQUEST, teamUsers, type TeamUser } from '../../api/pagination';
import { teamUserRecord } from '../../api/schemas/records';
import { defineOperation } from '../defineOperation';
import { call } from '../service';

/* Which fields a record has isn't documented, so any of them may be missing. */
const textColumn = z.string().nullable().catch(null);
const flagColumn = z.boolean().nullable().catch(null);

/** One item of the output with *Simplify*: always all columns. */
const simplifiedUser = z.object({
	nanoid: textColumn,
	first_name: textColumn,
	last_name: textColumn,
	email: textColumn,
	role: textColumn,
	payable: flagColumn,
	onboarded: flagColumn,
	onboarding_step: textColumn,
	moderation_status: textColumn,
	country: textColumn,
});

function simplify(user: TeamUser): z.infer<typeof simplifiedUser> {
	const onboarding = isRecord(user.onboarding) ? user.onboarding : {};
	const address = isRecord(user.address) ? user.address : {};
	return simplifiedUser.parse({
		...user,
		onboarded: onboarding.onboarded,
		onboarding_step: onboarding.step,
		moderation_status: onboarding.moderation_status,
		country: address.country,
	});
}

/** The users of a team, or those of them that have one of the email addresses. */
async function findUsers(
	request: {
		readonly teamId: string;
		readonly emails: readonly string[] | undefined;
		readonly limit: number | undefined;
	},
	callService: SendRead,
): Promise<TeamUser[]> {
	const { teamId: team, emails: wanted, limit } = request;
	if (wanted === undefined) return await teamUsers(callService, { teamId: team, most: limit });
	const found: TeamUser[] = [];
	const distinct = new Map(wanted.map((address) => [address.toLowerCase(), address]));
	for (const batch of inBatches([...distinct.values()], EMAILS_PER_REQUEST)) {
		const most = limit === undefined ? undefined : limit - found.length;
		if (most === 0) break;
		const users = await teamUsers(callService, { teamId: team, emails: batch, most });
		for (const user of users) found.push(user);
	}
	return found;
}

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
		simplify: flag({
			label: 'Simplify',
			description: 'Whether to return a simplified version of the response instead of the raw data',
		}),
	},
	output: z.union([teamUserRecord, simplifiedUser]),
	run: async ({ simplify: isSimplified, ...request }, service) => {
		const users = await findUsers(request, async (each) => await call(service, each));
		return isSimplified ? users.map(simplify) : users;
	},
});

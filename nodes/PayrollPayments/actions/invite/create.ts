import { z } from 'zod';

import { invitesCreatedAnswer } from '../../api/schemas/answers';
import { defineOperation } from '../defineOperation';
import { collect, type Plan } from '../plan';
import type { RunContext } from '../runContext';

import { lookUpPeople, type KnownPeople } from './existingPeople';
import { fields, options } from './fields';
import { groupGuests, type Group } from './groups';
import { itemsOf, jobsFor, personOutcome } from './jobs';

/** docs/api.md, Endpoint 5. Rows become people, people groups, and groups requests. */
export const createInvites = defineOperation({
	resource: 'invite',
	operation: 'create',
	name: 'Create',
	action: 'Create invites',
	description: 'Invite employees or contractors to a team',
	effect: 'write',
	permission: 'invitePeople',
	fields,
	options,
	output: z.union([personOutcome, invitesCreatedAnswer]),
	checkAll: async (items, context) => {
		const { groups, refusals } = groupGuests(items);
		if (refusals.length > 0 && !context.continues) return { jobs: [], refusals };
		const checked = await checkGroups(groups, context);
		return { ...checked, refusals: [...refusals, ...checked.refusals] };
	},
});

/** Looks up who is known, each team once, and gives the requests for everyone else. */
async function checkGroups(groups: readonly Group[], context: RunContext): Promise<Plan> {
	const lookUps = new Map<string, Promise<KnownPeople>>();
	const knownIn = async ({ teamId, settings }: Group) => {
		const skipping = groups.filter((each) => each.skipsExisting && each.teamId === teamId);
		const guests = skipping.flatMap((each) => each.guests);
		const lookUp =
			lookUps.get(teamId) ??
			lookUpPeople(
				context.with(itemsOf(guests), settings),
				teamId,
				guests.map(({ invitee }) => invitee.email),
			);
		lookUps.set(teamId, lookUp);
		return await lookUp;
	};
	const checked = await collect(
		groups.map((group) => ({ group, items: itemsOf(group.guests) })),
		async ({ group, items }) => {
			const known = group.skipsExisting ? await knownIn(group) : new Map();
			return jobsFor(group, known, context.with(items, group.settings));
		},
	);
	return { jobs: checked.results.flat(), refusals: checked.refusals };
}

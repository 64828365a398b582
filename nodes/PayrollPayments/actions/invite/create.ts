import { z } from 'zod';

import { invitesCreatedAnswer } from '../../api/schemas/answers';
import { defineOperation } from '../defineOperation';
import { collect } from '../plan';

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
		const { groups, refusals } = await groupGuests(items);
		if (refusals.length > 0 && !context.continues) return { jobs: [], refusals };
		const lookUps = new Map<string, Promise<KnownPeople>>();
		/* Each team is looked up once. */
		const knownIn = async ({ skipsExisting, teamId, settings }: Group): Promise<KnownPeople> => {
			if (!skipsExisting) return new Map();
			const skipping = groups.filter((each) => each.skipsExisting && each.teamId === teamId);
			const guests = skipping.flatMap((each) => each.guests);
			const emails = guests.map(({ invitee }) => invitee.email);
			const own = context.with(itemsOf(guests), settings);
			const lookUp = lookUps.get(teamId) ?? lookUpPeople(own, teamId, emails);
			lookUps.set(teamId, lookUp);
			return await lookUp;
		};
		const entries = groups.map((group) => ({ group, items: itemsOf(group.guests) }));
		const checked = await collect(entries, async ({ group, items: own }) =>
			jobsFor(group, await knownIn(group), context.with(own, group.settings)),
		);
		return { jobs: checked.results.flat(), refusals: [...refusals, ...checked.refusals] };
	},
});

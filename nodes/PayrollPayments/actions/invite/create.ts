import { z } from 'zod';

import { invitesCreatedAnswer } from '../../api/schemas/answers';
import { inBatches, nameList, planBatches } from '../batches';
import { defineOperation } from '../defineOperation';
import type { InputItem } from '../fields/field';
import { planEach, type Job } from '../plan';
import { perform } from '../plannedWrite';

import { fields, options } from './fields';
import { groupGuests, type Group } from './groups';
import { personOutcome, planNewcomers } from './newcomers';
import { planInvites } from './request';

/** One job per request for the rows of a sheet. */
function sheetJobs({ guests, inviteesPerRequest, invitation, sending }: Group): Job[] {
	return inBatches(guests, inviteesPerRequest).map((batch) => ({
		items: batch.map(({ item }) => item),
		sending,
		run: async (service) => {
			const invitees = batch.map(({ invitee }) => invitee);
			return await perform([planInvites(invitation, invitees)], service);
		},
	}));
}

/** Whether a field has a value; false if its expression fails, which reading the form reports. */
function has(item: InputItem, name: keyof typeof fields, value: string): boolean {
	try {
		return item.read(name) === value;
	} catch {
		return false;
	}
}

/** docs/api.md, Endpoint 5. */
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
	output: z.union([invitesCreatedAnswer, personOutcome]),
	writes: async (input, _service, { inviteesPerRequest = 0 }) => {
		const invitees = input.invitees ?? input.inviteesJson ?? [];
		return planBatches(
			invitees,
			inviteesPerRequest,
			(batch) => planInvites(input, batch),
			(done) =>
				`The first ${done.length} of ${invitees.length} people were invited (${nameList(done.map(({ email }) => email))}). Remove them before you run the node again, or they are invited twice. Retry On Fail continues after them.`,
		);
	},
	plan: (items, planOne) => {
		const isRow = (item: InputItem) => has(item, 'inviteesSource', 'items');
		const skips = (item: InputItem) => has(item, 'existingPeople', 'skip');
		const { groups, refusals } = groupGuests(
			items.filter(isRow),
			items.filter((item) => !isRow(item) && skips(item)),
		);
		const others = planEach(
			items.filter((item) => !isRow(item) && !skips(item)),
			planOne,
		);
		return {
			jobs: [
				...groups.filter(({ skipsExisting }) => !skipsExisting).flatMap(sheetJobs),
				...others.jobs,
			],
			refusals: [...refusals, ...others.refusals],
			lookUp: async (open) =>
				await planNewcomers(
					groups.filter(({ skipsExisting }) => skipsExisting),
					open,
				),
		};
	},
});

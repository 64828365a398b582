import type { InviteRole } from '../../shared/roles';
import { optional, shownWhen, type InputOf } from '../../forms/field';
import { choice, flag, wholeNumber } from '../../forms/fieldTypes';
import { teamId } from '../../forms/serviceFields';

import { columnNames } from './columns';
import { inviteesAsJson, inviteesOnForm } from './invitees';

/** In the order of the form. */
export const fields = {
	teamId: teamId(),
	role: choice<InviteRole>(
		{ label: 'Role', description: 'Role of the people to invite' },
		[
			{ name: 'AOR Contractor', value: 'aor_contractor' },
			{ name: 'Contractor', value: 'contractor' },
			{ name: 'Employee', value: 'team_employee' },
		],
		'contractor',
	),
	inviteesSource: choice(
		{ label: 'Invitees From', description: 'Where the list of people to invite comes from' },
		[
			{ name: 'Form', value: 'fields', description: 'Fill in a form for each invitee' },
			{
				name: 'Input Rows',
				value: 'items',
				description:
					'One invitee per input item. Required column: email. Optional: first_name, last_name, phone, company_name and the other prefill fields. Case, spaces, _ and - make no difference.',
			},
			{ name: 'JSON', value: 'json', description: 'A list in the format of the API' },
		],
		'fields',
	),
	invitees: shownWhen({ inviteesSource: ['fields'] }, inviteesOnForm),
	inviteesJson: shownWhen({ inviteesSource: ['json'] }, inviteesAsJson),
	anonymous: optional(
		flag({
			label: 'Anonymous',
			description: 'Whether to create the invites anonymously',
		}),
	),
	existingPeople: choice(
		{
			label: 'Existing People',
			description:
				"What to do with people who are already in the team or invited to it. Skip may miss anonymous invites, because the service doesn't document whether it lists their emails.",
		},
		[
			{
				name: 'Invite',
				value: 'invite',
				description: 'Invite everyone, without looking them up',
			},
			{
				name: 'Skip',
				value: 'skip',
				description:
					"Read the team's members and pending invites, invite only those who are new, and output one item per person",
			},
		],
		'skip',
	),
};

export const options = {
	columnNames,
	inviteesPerRequest: optional(
		wholeNumber(
			{
				label: 'Invitees per Request',
				description:
					"Maximum number of invitees in a request, or 0 to send all in one; the service doesn't document its limit",
			},
			{ least: 0, preset: 0 },
		),
	),
};

export type InviteInput = InputOf<typeof fields>;
export type InviteOptions = InputOf<typeof options>;

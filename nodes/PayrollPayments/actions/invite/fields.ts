import type { InviteRole } from '../../shared/roles';
import { optional, shownWhen } from '../fields/field';
import { choice, flag, wholeNumber } from '../fields/kinds';
import { teamId } from '../fields/serviceFields';

import { columnNames } from './columns';
import { inviteesAsJson, inviteesOnForm } from './invitees';

/** What all invitees of a request share, and whether people who are known are left out. */
export const invitationFields = {
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
					'Look everyone up by email, invite only those who are new, and output one item per person',
			},
		],
		'invite',
	),
};

const { teamId: team, role, anonymous, existingPeople } = invitationFields;

/** In the order of the form. */
export const fields = {
	teamId: team,
	role,
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
	invitees: shownWhen({ inviteesSource: ['fields'] }, inviteesOnForm()),
	inviteesJson: shownWhen({ inviteesSource: ['json'] }, inviteesAsJson()),
	anonymous,
	existingPeople,
};

export const options = {
	columnNames: columnNames(),
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
